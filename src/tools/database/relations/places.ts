import type { JsonObject } from "../../../core/json.ts";
import { guardSelect, sqlOf } from "../guard.ts";
import { fewRows, type Provenance, type QueryLimits, type Rows } from "../source.ts";
import type { Place, Relation } from "./relation.ts";

/** Most row numbers that are looked up for the place of a result. */
const lookedUp = 10_000;

/** Consecutive row numbers as stretches; beyond six, a single one over all. */
function stretches(numbers: readonly number[]): readonly { readonly first: number; readonly last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && number === run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs.length > 6 ? [{ first: runs[0]?.first ?? 1, last: runs.at(-1)?.last ?? 1 }] : runs;
}

/** Rows in words of the sheet: [2, 3, 4, 7] → `Pumps!A2:D4, A7:D7`; of a table in a text `Rooms, rows 2–4, 7`. */
function sectionOf({ sheet, caption, letters }: Place, numbers: readonly number[]): string {
  const parts = stretches(numbers);
  if (letters === undefined) {
    const rows = parts
      .map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`))
      .join(", ");
    const said = `${numbers.length === 1 ? "row" : "rows"} ${rows}`;
    return caption === "" ? said : `${caption}, ${said}`;
  }
  const [left, right] = letters;
  const cells = parts.map(({ first, last }) => `${left}${first}:${right}${last}`).join(", ");
  return sheet === "" ? cells : `${sheet}!${cells}`;
}

/** The place of these rows of a relation; of all its rows where none is given. */
export function provenanceOf({ place, loaded }: Relation, rows: readonly number[] | null): Provenance {
  const found = rows === null || rows.length === 0 ? null : [...new Set(rows)].toSorted((a, b) => a - b);
  const section = sectionOf(place, found ?? loaded.rows.map(({ id }) => id));
  const details: JsonObject = {
    document: place.documentId,
    sheet: place.sheet,
    range: section,
    ...(place.pages.length === 0 ? {} : { pages: [...place.pages] }),
    ...(found === null || found.length > fewRows ? {} : { rows: found }),
  };
  return { source: place.source, section, details };
}

/** A table of the FROM clause, by the name that the statement calls it. */
interface Called {
  readonly table: string;
  readonly as: string;
}

/**
 * Rewrites a statement that only selects from tables, joined or not, to return the numbers of the rows it
 * reads, table by table; null for anything more complex.
 */
function rowNumbers(
  sql: string,
  known: readonly string[],
): { readonly sql: string; readonly tables: readonly Called[] } | null {
  const { ast } = guardSelect(sql, "sqlite", known);
  if ((ast["with"] ?? ast["_next"] ?? null) !== null) return null;
  const from: readonly unknown[] = Array.isArray(ast["from"]) ? ast["from"] : [];
  const tables = from.flatMap((item) => {
    // Members of the parser's nodes, each checked before use.
    const { table, as } = Object(item) as { readonly table?: unknown; readonly as?: unknown };
    return typeof table === "string" ? [{ table, as: typeof as === "string" ? as : table }] : [];
  });
  if (from.length === 0 || tables.length !== from.length) return null;
  const aggregated =
    (ast["groupby"] ?? null) !== null || /"type":"aggr_func"/.test(JSON.stringify(ast["columns"]));
  const columns = tables.map(({ as }) => ({
    expr: { type: "column_ref", table: as, column: "rowid", collate: null },
    as: null,
  }));
  const rest = aggregated ? { orderby: null, limit: null, groupby: null, having: null } : {};
  return { sql: sqlOf({ ...ast, ...rest, columns, distinct: null }, "sqlite"), tables };
}

/** Runs a statement that passed the guard. */
type RunQuery = (sql: string, limits: QueryLimits) => Promise<Rows>;

/** The numbers of the rows that a statement reads, by table; empty where they cannot be told. */
export async function rowsRead(
  sql: string,
  known: readonly string[],
  limits: QueryLimits,
  run: RunQuery,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rewritten = rowNumbers(sql, known);
  const rows = new Map<string, number[]>();
  if (rewritten === null) return rows;
  const found = await run(rewritten.sql, { ...limits, rows: lookedUp, bytes: lookedUp * 100 });
  if (found.omitted > 0) return rows;
  for (const [column, { table }] of rewritten.tables.entries()) {
    const numbers = found.rows.flatMap((row) => (typeof row[column] === "number" ? [row[column]] : []));
    const name = known.find((each) => each.toLowerCase() === table.toLowerCase()) ?? table;
    rows.set(name, [...(rows.get(name) ?? []), ...numbers]);
  }
  return rows;
}
