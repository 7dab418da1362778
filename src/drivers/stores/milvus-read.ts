import type { Chunk } from "../../core/documents/chunk.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";
import { strong } from "./milvus-search.ts";
import { chunkColumns, lexicalColumn, toChunk } from "./rows.ts";

/** What reading needs of a server. */
type Readable = Pick<Connection, "call">;

/** Rows read per page. */
const pageRows = 1_000;

/** Rows that meet an expression, as of now. */
export async function countRows(server: Readable, collection: string, expression: string): Promise<number> {
  const response = await server.call(`count collection "${collection}"`, (client) =>
    client.query({
      collection_name: collection,
      filter: expression,
      output_fields: ["count(*)"],
      consistency_level: strong,
    }),
  );
  return Number(response.data[0]?.["count(*)"] ?? 0);
}

/** Ids of the rows that meet an expression, "" for all; as of now unless another consistency is enough. */
export async function listIds(
  server: Readable,
  collection: string,
  expression: string,
  consistencyLevel: number = strong,
): Promise<readonly string[]> {
  const response = await server.call(`list collection "${collection}"`, (client) =>
    client.query({
      collection_name: collection,
      filter: expression === "" ? 'id != ""' : expression,
      output_fields: ["id"],
      consistency_level: consistencyLevel,
    }),
  );
  return response.data.map((row) => String(row["id"]));
}

/** Pages by id, not by offset or cursor: exact on every server whatever order it returns rows in. */
export async function* readPages(
  server: Readable,
  { name, lexical }: CollectionSpec,
  ids: readonly string[],
  consistencyLevel: number = strong,
): AsyncGenerator<readonly Chunk[]> {
  const columns = lexical === "bm25" ? [...chunkColumns, lexicalColumn] : [...chunkColumns];
  for (let start = 0; start < ids.length; start += pageRows) {
    const page = ids.slice(start, start + pageRows).map((id) => JSON.stringify(id));
    const response = await server.call(`read collection "${name}"`, (client) =>
      client.query({
        collection_name: name,
        filter: `id in [${page.join(",")}]`,
        output_fields: columns,
        consistency_level: consistencyLevel,
      }),
    );
    yield response.data.map(toChunk);
  }
}
