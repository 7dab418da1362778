import type { JsonObject } from "../../../core/json.ts";
import type { Place, Relation } from "../../../tables/relation.ts";
import { fewRows, type Rows } from "../../../tables/schema.ts";
import { sqlOf } from "../guard.ts";
import type { Provenance, QueryLimits } from "../source.ts";

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
function provenanceOf({ place, loaded }: Relation, rows: readonly number[] | null): Provenance {
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

/** Part of a parsed statement. */
type Tree = Readonly<Record<string, unknown>>;

const column = (table: string, name: string) => ({
  expr: { type: "column_ref", table, column: name, collate: null },
  as: null,
});

/** The name of the table of a row and its number, as columns of a result. */
function rowColumns({ members, schema }: Relation, as: string): readonly Tree[] {
  const name = { expr: { type: "single_quote_string", value: schema.name }, as: null };
  return members === undefined ? [name, column(as, "rowid")] : [column(as, "_table"), column(as, "_row")];
}

/**
 * Rewrites a statement that only selects from tables, joined or not, to return the table and the number of
 * each row it reads; null for anything more complex.
 */
function rowNumbers(ast: Tree, relations: readonly Relation[]): string | null {
  if ((ast["with"] ?? ast["_next"] ?? null) !== null) return null;
  const from: readonly unknown[] = Array.isArray(ast["from"]) ? ast["from"] : [];
  const columns = from.map((item) => {
    // Members of the parser's nodes, each checked before use.
    const { table, as } = Object(item) as { readonly table?: unknown; readonly as?: unknown };
    const name = typeof table === "string" ? table.toLowerCase() : "";
    const relation = relations.find(({ schema }) => schema.name.toLowerCase() === name);
    return relation === undefined ? null : rowColumns(relation, typeof as === "string" ? as : String(table));
  });
  const all = columns.filter((each) => each !== null).flat();
  if (from.length === 0 || all.length !== from.length * 2) return null;
  const aggregated =
    (ast["groupby"] ?? null) !== null || /"type":"aggr_func"/.test(JSON.stringify(ast["columns"]));
  const rest = aggregated ? { orderby: null, limit: null, groupby: null, having: null } : {};
  return sqlOf({ ...ast, ...rest, columns: all, distinct: null }, "sqlite");
}

/** Runs a statement that passed the guard. */
export type PlaceReader = (sql: string, limits: Pick<QueryLimits, "rows" | "bytes">) => Promise<Rows>;

/** The numbers of the rows that a statement reads, by table; empty where they cannot be told. */
async function rowsRead(
  ast: unknown,
  relations: readonly Relation[],
  read: PlaceReader,
): Promise<ReadonlyMap<string, readonly number[]>> {
  // The guard's tree of a statement is an object.
  const rewritten = ast === null ? null : rowNumbers(ast as Tree, relations);
  const rows = new Map<string, number[]>();
  if (rewritten === null) return rows;
  const found = await read(rewritten, { rows: lookedUp, bytes: lookedUp * 100 });
  if (found.omitted > 0) return rows;
  for (const row of found.rows)
    for (let at = 0; at < row.length; at += 2) {
      const [name, number] = [String(row[at]), row[at + 1]];
      // An outer join may have found no row.
      if (typeof number === "number") {
        const own = rows.get(name);
        if (own === undefined) rows.set(name, [number]);
        else own.push(number);
      }
    }
  return rows;
}

/** The places of the rows that a statement reads, table by table; of a view those of the tables that it joins. */
export async function placesOf(
  { ast, tables }: { readonly ast: unknown; readonly tables: readonly string[] },
  relations: readonly Relation[],
  read: PlaceReader,
): Promise<readonly Provenance[]> {
  const rows = await rowsRead(ast, relations, read);
  const used = relations.filter(({ schema }) => tables.includes(schema.name));
  const joined = new Set(used.flatMap(({ members = [] }) => members));
  return relations
    .filter((relation) => relation.members === undefined)
    .flatMap((relation) => {
      const { name } = relation.schema;
      const own = rows.get(name) ?? null;
      const isRead = used.includes(relation) || (joined.has(name) && (rows.size === 0 || own !== null));
      return isRead ? [provenanceOf(relation, own)] : [];
    });
}
