import { basename } from "node:path";
import type { Column, TableSchema } from "../../tables/schema.ts";
import type { DescribedTable } from "./messages.ts";
import type { QueryLimits, SqlSource } from "./source.ts";
import { openSqlite } from "./sqlite.ts";

/** Type by SQLite's affinity rules, dates by their declared name. Source: sqlite.org/datatype3.html, 3.1. */
export function columnType(declared: string): Column["type"] {
  const name = declared.toUpperCase();
  if (name.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(name)) return "text";
  if (/REAL|FLOA|DOUB|NUMERIC|DECIMAL|MONEY/.test(name)) return "real";
  return /DATE|TIME/.test(name) ? "date" : "other";
}

/**
 * Uses the sample values to type columns whose declaration does not, so that numbers stored as text count as
 * numbers.
 */
function described(table: DescribedTable): TableSchema {
  return {
    name: table.name,
    title: table.name,
    columns: table.columns.map(({ name, declared, values }, index) => {
      const type = columnType(declared);
      const sampled = table.samples.map((row) => row[index]).filter((cell) => cell !== null);
      const isNumber =
        type === "other" && sampled.length > 0 && sampled.every((cell) => typeof cell === "number");
      return { name, title: name, type: isNumber ? "real" : type, unit: "", values };
    }),
    rowCount: table.rowCount,
    samples: table.samples,
  };
}

/** A read-only SQLite file. `tables` are those that may be queried; empty: all. */
export function sqliteSource(path: string, tables: readonly string[], limits: QueryLimits): SqlSource {
  const name = basename(path);
  const sqlite = openSqlite(name, { path });
  return {
    dialect: "sqlite",
    name,
    async schema(signal, skip) {
      const found = await sqlite.describe(tables, limits, signal);
      for (const { name: table, reason } of found.skipped) skip(table, reason);
      return found.tables.map(described);
    },
    query: (sql, queryLimits, signal) => sqlite.query(sql, queryLimits, signal),
    provenance: async (sql, used) => [{ source: name, section: sql, details: { tables: used } }],
    [Symbol.asyncDispose]: () => sqlite[Symbol.asyncDispose](),
  };
}
