import type { CollectionSpec, Filter } from "../../core/retrieval.ts";
import { matches, normalise } from "./filter.ts";
import { capabilities } from "./milvus-collections.ts";
import type { Connection } from "./milvus-connection.ts";
import { listIds, readPages } from "./milvus-read.ts";

/**
 * A filter without conditions on texts that this server cannot test: each is replaced by the ids of the
 * chunks that meet it, for which the whole collection is read. Milvus before 2.4 only finds prefixes of a
 * text, and milvus-lite 3.2.2 cannot escape wildcards.
 */
export async function resolveTextFilters(
  server: Pick<Connection, "call">,
  spec: CollectionSpec,
  filter: Filter,
): Promise<Filter> {
  const texts = textsOf(filter);
  if (texts.length === 0) return filter;
  // What cannot be asked of any server is refused before anything is read.
  normalise(filter);
  const { version = "" } = await server.call("tell its version", (client) => client.getVersion());
  const { findsWithin, isLite } = capabilities(version);
  const canTest = ({ contains }: TextLeaf): boolean =>
    isLite || (findsWithin && !contains.some((each) => /[\\%_]/.test(each)));
  if (texts.every(canTest)) return filter;
  const replaced = async (part: Filter): Promise<Filter> => {
    if ("not" in part) return { not: await replaced(part.not) };
    if ("all" in part) return { all: await Promise.all(part.all.map(replaced)) };
    if ("any" in part) return { any: await Promise.all(part.any.map(replaced)) };
    return "text" in part && !canTest(part) ? { field: "id", in: await idsOf(server, spec, part) } : part;
  };
  return replaced(filter);
}

type TextLeaf = Extract<Filter, { readonly text: unknown }>;

function textsOf(filter: Filter): readonly TextLeaf[] {
  if ("not" in filter) return textsOf(filter.not);
  if ("all" in filter) return filter.all.flatMap(textsOf);
  if ("any" in filter) return filter.any.flatMap(textsOf);
  return "text" in filter ? [filter] : [];
}

async function idsOf(
  server: Pick<Connection, "call">,
  spec: CollectionSpec,
  condition: TextLeaf,
): Promise<readonly string[]> {
  const met: string[] = [];
  for await (const page of readPages(server, spec, await listIds(server, spec.name, "")))
    met.push(...page.filter((chunk) => matches(condition, chunk)).map(({ id }) => id));
  return met;
}
