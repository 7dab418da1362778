import type { Chunk } from "../../core/documents/chunk.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";
import { chunkColumns, lexicalColumn, toChunk } from "./rows.ts";

/** ConsistencyLevel of the Milvus protocol. */
export const consistencyLevels = { strong: 0, session: 1, bounded: 2, eventually: 3 } as const;
/** A read sees every write that returned before it. */
export const strong = consistencyLevels.strong;

/** What reading needs of a server. */
type Readable = Pick<Connection, "call">;

/** Rows read per page. */
const pageRows = 1_000;

/** The condition that rows with these ids meet. */
export const idIn = (ids: readonly string[]): string =>
  `id in [${ids.map((id) => JSON.stringify(id)).join(",")}]`;

/** Columns of the rows that meet an expression; as of now unless another consistency is enough. */
export async function queryRows(
  { call }: Readable,
  collection: string,
  filter: string,
  columns: readonly string[],
  consistencyLevel: number = strong,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const query = { collection_name: collection, filter, consistency_level: consistencyLevel };
  const { data } = await call(`read collection "${collection}"`, (client) =>
    client.query({ ...query, output_fields: [...columns] }),
  );
  return data;
}

/** Rows that meet an expression, as of now. */
export async function countRows(server: Readable, collection: string, expression: string): Promise<number> {
  const [row] = await queryRows(server, collection, expression, ["count(*)"]);
  return Number(row?.["count(*)"] ?? 0);
}

/** Ids of the rows that meet an expression, "" for all; as of now unless another consistency is enough. */
export async function listIds(
  server: Readable,
  collection: string,
  expression: string,
  consistencyLevel?: number,
): Promise<readonly string[]> {
  const filter = expression === "" ? 'id != ""' : expression;
  const rows = await queryRows(server, collection, filter, ["id"], consistencyLevel);
  return rows.map((row) => String(row["id"]));
}

/** Pages by id, not by offset or cursor: exact on every server whatever order it returns rows in. */
export async function* readPages(
  server: Readable,
  { name, lexical }: CollectionSpec,
  ids: readonly string[],
  consistencyLevel?: number,
): AsyncGenerator<readonly Chunk[]> {
  const columns = lexical === "bm25" ? [...chunkColumns, lexicalColumn] : chunkColumns;
  for (let start = 0; start < ids.length; start += pageRows) {
    const page = idIn(ids.slice(start, start + pageRows));
    yield (await queryRows(server, name, page, columns, consistencyLevel)).map(toChunk);
  }
}
