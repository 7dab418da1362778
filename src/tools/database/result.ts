import type { ToolFinding } from "../../core/answers/tool.ts";
import { rowsAsText } from "../../core/documents/table-text.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Relation } from "../../tables/relation.ts";
import type { Cell, Rows } from "../../tables/schema.ts";
import type { Provenance } from "./source.ts";
import { type SqlStatement, valueColumns } from "./statement.ts";

/** Text of a document as a prompt may show it; "" where it must not. */
export type Clean = (text: string) => string;

/** The unit of each column of a result: that of the columns that its expression adds up or selects. */
function unitsOf({ ast, tables }: SqlStatement, relations: readonly Relation[]): readonly string[] {
  const known = relations
    .filter(({ schema }) => tables.includes(schema.name))
    .flatMap(({ schema }) => schema.columns);
  const unitOf = (node: unknown): string => {
    if (/"name":"count"|"operator":"[*/%]"/i.test(JSON.stringify(node))) return "";
    const names = new Set(valueColumns(node));
    const units = new Set(known.filter(({ name }) => names.has(name)).map(({ unit }) => unit));
    return units.size === 1 ? ([...units][0] ?? "") : "";
  };
  // Members of the parser's nodes, each checked before use.
  const { columns } = Object(ast) as { readonly columns?: unknown };
  return Array.isArray(columns) ? columns.map(unitOf) : [];
}

/** A cell as shown: fractions have 12 digits, so that 0.1 + 0.2 is 0.3. */
function cellText(cell: Cell, clean: Clean): string {
  if (cell === null) return "NULL";
  if (typeof cell === "number") return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(12)));
  return cell === "" ? "" : clean(cell).replaceAll("|", "¦") || "(withheld)";
}

/** The rows of a result, a line each, under the names and units of their columns. */
export function rowsText(
  rows: Rows,
  statement: SqlStatement,
  relations: readonly Relation[],
  clean: Clean,
): string {
  const units = unitsOf(statement, relations);
  const isPlain = rows.columns.length === units.length;
  const heads = rows.columns.map((name, at) => {
    const unit = isPlain ? (units[at] ?? "") : "";
    const plain = name.replaceAll('"', "");
    return unit === "" ? plain : `${plain} (${unit})`;
  });
  const cells = rows.rows.map((row) => row.map((cell) => cellText(cell, clean)));
  const all = rows.rows.length + rows.omitted;
  const notes = [
    all === 0 ? "no rows" : `${rows.omittedIsExact ? "" : "at least "}${all} ${all === 1 ? "row" : "rows"}`,
    ...(rows.omitted > 0 ? [`the first ${rows.rows.length} are shown`] : []),
    ...(rows.cellsCut > 0 ? [`${rows.cellsCut} long cells were cut`] : []),
  ];
  return `${rowsAsText([heads, ...cells])}\n(${notes.join("; ")})`;
}

/** A result for machines; `by`: who wrote its statement. */
export const resultData = (
  { sql, tables }: Pick<SqlStatement, "sql" | "tables">,
  by: JsonObject,
  rows: Rows,
  places: readonly Provenance[],
): JsonObject => ({
  sql,
  ...by,
  columns: rows.columns,
  rows: rows.rows,
  row_count: rows.rows.length,
  omitted_rows: rows.omitted,
  omitted_is_exact: rows.omittedIsExact,
  cut_cells: rows.cellsCut,
  tables,
  sources: places.map(({ source, section, details }) => ({ source, section, ...details })),
});

/** Most places that a finding names. */
const placesNamed = 6;

/** One finding of a result, at the place of all its rows. */
export function findingOf(text: string, places: readonly Provenance[]): ToolFinding {
  const sources = [...new Set(places.map(({ source }) => source))];
  const sections = places.map((place) =>
    sources.length > 1 ? `${place.source}: ${place.section}` : place.section,
  );
  const more = (all: readonly string[], by: string): string =>
    `${all.slice(0, placesNamed).join(by)}${all.length > placesNamed ? ` and ${all.length - placesNamed} more` : ""}`;
  return { text, source: more(sources, ", "), section: more(sections, "; "), contentType: "table" };
}
