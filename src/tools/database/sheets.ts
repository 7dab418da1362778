import type { SheetTable } from "../drivers.ts";
import { provenanceOf, rowsRead } from "./relations/places.ts";
import { type Relation, relationsOf } from "./relations/relation.ts";
import type { Provenance, SqlSource } from "./source.ts";
import { openSqlite } from "./sqlite.ts";

/** Sheets and tables of documents as one read-only database in memory, loaded with the first question. */
export function sheetSource(sheets: () => AsyncIterable<SheetTable>): SqlSource {
  const read = async (): Promise<readonly Relation[]> => {
    const taken = new Set<string>();
    const found: Relation[] = [];
    for await (const table of sheets())
      found.push(
        ...relationsOf(table, taken, { isLenient: false }).filter(({ totalsOf }) => totalsOf === undefined),
      );
    return found;
  };
  const open = async () => {
    const tables = await read();
    return { tables, sqlite: openSqlite("the sheets", { tables: tables.map(({ loaded }) => loaded) }) };
  };
  const held: { opened?: ReturnType<typeof open> } = {};
  const opened = (): ReturnType<typeof open> => {
    held.opened ??= open();
    return held.opened;
  };
  return {
    dialect: "sqlite",
    name: "the sheets",
    schema: async () => (await opened()).tables.map(({ schema }) => schema),
    query: async (sql, limits, signal) => (await opened()).sqlite.query(sql, limits, signal),
    async provenance(sql, used, limits, signal): Promise<readonly Provenance[]> {
      const { tables, sqlite } = await opened();
      const known = tables.map(({ schema }) => schema.name);
      const read = await rowsRead(sql, known, limits, (text, most) => sqlite.query(text, most, signal));
      return tables
        .filter(({ schema }) => used.includes(schema.name))
        .map((table) => provenanceOf(table, read.get(table.schema.name) ?? null));
    },
    async [Symbol.asyncDispose]() {
      const started = await held.opened?.catch(() => undefined);
      await started?.sqlite[Symbol.asyncDispose]();
    },
  };
}
