import { lazy } from "../../core/lazy.ts";
import { assignUniqueNames, type Relation, relationsOf } from "../../tables/relation.ts";
import type { SheetTable } from "../../tables/schema.ts";
import { guardSelect } from "./guard.ts";
import { placesOf } from "./relations/places.ts";
import type { Provenance, SqlSource } from "./source.ts";
import { openSqlite, type SqliteProcess } from "./sqlite.ts";

/** Sheets and tables of documents as one read-only database in memory, loaded with the first question. */
export function sheetSource(sheets: () => AsyncIterable<SheetTable>): SqlSource {
  const read = async (): Promise<readonly Relation[]> => {
    const found: Relation[] = [];
    for await (const table of sheets()) found.push(...relationsOf(table, { isLenient: false }));
    return assignUniqueNames(found).filter(({ totalsOf }) => totalsOf === undefined);
  };
  const held: { sqlite?: SqliteProcess } = {};
  const opened = lazy(async () => {
    const tables = await read();
    held.sqlite = openSqlite("the sheets", { tables: tables.map(({ loaded }) => loaded) });
    return { tables, sqlite: held.sqlite };
  });
  return {
    dialect: "sqlite",
    name: "the sheets",
    schema: async () => (await opened()).tables.map(({ schema }) => schema),
    query: async (sql, limits, signal) => (await opened()).sqlite.query(sql, limits, signal),
    async provenance(sql, used, limits, signal): Promise<readonly Provenance[]> {
      const { tables, sqlite } = await opened();
      const known = tables.map(({ schema }) => schema.name);
      const { ast } = guardSelect(sql, "sqlite", known);
      return placesOf({ ast, tables: used }, tables, (text, most) =>
        sqlite.query(text, { ...limits, ...most }, signal),
      );
    },
    async [Symbol.asyncDispose]() {
      await held.sqlite?.[Symbol.asyncDispose]();
    },
  };
}
