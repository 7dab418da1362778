import { createHash } from "node:crypto";
import { RagctlError } from "../../core/errors.ts";
import type { Database } from "../database.ts";
import { insertRows, type Row } from "../rows.ts";

/** A table with the columns that order its rows, in an order in which each row finds those it refers to. */
export const tables = [
  ["agents", "id"],
  ["tools", "id"],
  ["agent_tools", "agent_id, tool_id"],
  ["provider_configs", "id"],
  ["principals", "id"],
  ["principal_departments", "principal_id, department"],
  ["permissions", "id"],
  ["api_keys", "id"],
  ["sign_ins", "id"],
  ["decisions", "id"],
  ["seeded", "section, lower(name)"],
  ["collection_profiles", "name"],
  ["collections", "name"],
  ["documents", "id"],
  ["document_versions", "version_id"],
  ["version_log", "document_id, version"],
  ["document_tables", "content_id, ordinal, part"],
  ["seen_files", "collection, path"],
  ["sources", "folder, collection"],
  ["collection_stores", "store_name"],
  ["store_contents", "store_name, content_id"],
  ["store_writes", "server, collection"],
  ["jobs", "rowid"],
  ["chat_rooms", "id"],
  ["chat_messages", "id"],
  ["ingest_runs", "id"],
  ["ask_runs", "id"],
  ["phase_metrics", "run_id, position"],
  ["rates", "machine, subject, name"],
] as const;

/** One copied table. */
export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
  /** Hex SHA-256 over all its rows; the same in both registries. */
  readonly sha256: string;
}

const pageRows = 100;

/**
 * Copies every row of a registry into one that is empty, all or nothing, and compares both afterwards.
 * Writers of the source wait where it is held by `write`; else one state of it is copied.
 * @throws USAGE_INVALID where the target holds anything, INTERNAL where a table differs afterwards
 */
export function copyRegistry(
  source: Database,
  target: Database,
  hold: "read" | "write",
): Promise<readonly CopiedTable[]> {
  return source[hold](() =>
    target.write(async () => {
      await checkEmpty(target);
      await target.statement("DELETE FROM principals").run();
      const copies: CopiedTable[] = [];
      for (const [name, order] of tables) {
        for await (const rows of pages(source, name, order)) await insertRows(target, name, rows);
        const copied = { name, ...(await digest(source, name, order)) };
        copies.push(copied);
        if ((await digest(target, name, order)).sha256 === copied.sha256) continue;
        throw new RagctlError(
          "INTERNAL",
          `table ${name} in ${target.place} differs from ${source.place} after copying`,
          { hint: "nothing was changed; please report this as a bug in ragctl" },
        );
      }
      return copies;
    }),
  );
}

/** A new registry holds its owner and nothing else. @throws USAGE_INVALID */
export async function checkEmpty(target: Database): Promise<void> {
  const names: string[] = [];
  for (const [name] of tables) {
    const row = await target.statement<{ count: number }>(`SELECT count(*) AS count FROM ${name}`).get();
    if ((row?.count ?? 0) > (name === "principals" ? 1 : 0)) names.push(name);
  }
  if (names.length === 0) return;
  throw new RagctlError(
    "USAGE_INVALID",
    `the registry ${target.place} is not empty: it has rows in ${names.slice(0, 5).join(", ")}`,
    { hint: "use a new file or schema (?schema=name); it is created" },
  );
}

/** The rows of a table in order, without the place that SQLite gives a row by itself. */
async function* pages(database: Database, table: string, order: string): AsyncGenerator<readonly Row[]> {
  const page = database.statement<Row>(`SELECT * FROM ${table} ORDER BY ${order} LIMIT ? OFFSET ?`);
  for (let offset = 0; ; offset += pageRows) {
    const rows = (await page.all(pageRows, offset)).map(({ rowid: _, ...row }) => row);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRows) return;
  }
}

/** Number and SHA-256 of the rows of a table, which are the same in every database. */
async function digest(database: Database, table: string, order: string): Promise<Omit<CopiedTable, "name">> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const rows of pages(database, table, order)) {
    for (const row of rows) hash.update(`${canonical(row)}\n`);
    count += rows.length;
  }
  return { rows: count, sha256: hash.digest("hex") };
}

/** PostgreSQL holds no NUL and no half of a surrogate pair: both are U+FFFD there. */
function canonical(row: Row): string {
  const values = Object.entries(row)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, value]) => {
      if (typeof value === "string") return value.replaceAll("\0", "\uFFFD").toWellFormed();
      return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
    });
  return JSON.stringify(values);
}
