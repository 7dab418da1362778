import { contentTerms } from "../../language/terms.ts";
import type { Relation } from "../../tables/relation.ts";
import { type Cell, type Column, isNumeric } from "../../tables/schema.ts";
import type { Clean } from "./result.ts";

/** How tables are described for a prompt. */
export interface DescribeOptions {
  readonly maxTokens: number;
  /** Tokens of a text. */
  readonly count: (text: string) => number;
  readonly clean: Clean;
  /** Ids of the documents that a search for the question found, best first. */
  readonly documents?: readonly string[];
}

/** Most values of a text column that are all shown, and most examples of others. */
const shown = { all: 8, examples: 4 } as const;
/** Longest value shown, in characters. */
const longest = 40;
/** Most distinct values of a column that are compared with a question. */
const compared = 5_000;
/** Most columns of a table that are described each. */
const describedColumns = 60;

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** A table, and what of it the question mentions. */
interface Ranked {
  readonly relation: Relation;
  readonly score: number;
  /** Values that share a word with the question, by column. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** How often a question's words occur in the names and the values of a table, and how early its document was found. */
function rankOf(relation: Relation, terms: ReadonlySet<string>, documents: readonly string[]): Ranked {
  const { schema, place } = relation;
  const isAsked = (text: string): boolean => contentTerms(text).some((term) => terms.has(term));
  const named = new Set(
    [schema.title, ...schema.columns.map(({ title }) => title.replaceAll("_", " "))]
      .flatMap((name) => contentTerms(name))
      .filter((term) => terms.has(term)),
  );
  const values = new Map<string, readonly string[]>();
  for (const column of schema.columns) {
    const asked = column.values.slice(0, compared).filter((value) => value.length <= 200 && isAsked(value));
    if (asked.length > 0) values.set(column.name, asked);
  }
  const said = new Set(
    [...values.values()].flatMap((asked) => asked.slice(0, 50)).flatMap((value) => contentTerms(value)),
  );
  const found = documents.indexOf(place.documentId);
  const score =
    named.size * 2 +
    said.intersection(terms).size * 2 +
    (found < 0 ? 0 : 3 / (1 + found / 3)) -
    (relation.totalsOf === undefined ? 0 : 0.5);
  return { relation, score, values };
}

/** The smallest and the largest of some cells; undefined for none. */
function rangeOf(cells: readonly Cell[]): readonly [Cell, Cell] | undefined {
  const filled = cells.filter((cell) => cell !== null);
  const [first] = filled;
  if (first === undefined) return undefined;
  let [least, most] = [first, first];
  for (const cell of filled) {
    if (cell < least) least = cell;
    if (cell > most) most = cell;
  }
  return [least, most];
}

function contentOf(
  column: Column,
  cells: readonly Cell[],
  asked: readonly string[],
  clean: DescribeOptions["clean"],
): string {
  if (isNumeric(column) || column.type === "date") {
    const range = rangeOf(cells);
    return range === undefined ? "" : range[0] === range[1] ? `${range[0]}` : `${range[0]} … ${range[1]}`;
  }
  const isFew = column.values.length <= shown.all;
  const examples = isFew
    ? column.values
    : [...new Set([...asked.slice(0, shown.examples), ...column.values])];
  const quoted = examples
    .slice(0, isFew ? shown.all : shown.examples)
    .map((value) => clean(cut(value)))
    .map((value) => (value === "" ? "(withheld)" : `'${value.replaceAll("'", "''")}'`));
  return `${quoted.join(", ")}${isFew ? "" : `, … (${column.values.length} different)`}`;
}

function columnLine({ relation, values }: Ranked, index: number, { clean }: DescribeOptions): string {
  const { schema, loaded } = relation;
  const column = schema.columns[index];
  if (column === undefined) return "";
  const cells = loaded.rows.map((row) => row.cells[index] ?? null);
  const title = clean(column.title);
  const isNamed = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_") === column.name;
  const kind = column.hasTime === true ? "date with time" : column.type;
  const empty = cells.filter((cell) => cell === null).length;
  const said = [
    isNamed || title === "" ? "" : `"${cut(title)}"`,
    column.unit === "" ? "" : `in ${column.unit}`,
    contentOf(column, cells, values.get(column.name) ?? [], clean),
    empty === 0 || cells.length === empty ? "" : `${empty} empty`,
  ].filter((part) => part !== "");
  return `  ${column.name} ${kind}${said.length === 0 ? "" : `: ${said.join("; ")}`}`;
}

const headOf = (
  { relation: { schema, totalsOf, place, columnsLeft } }: Ranked,
  { clean }: DescribeOptions,
): string => {
  const pages = place.pages.length === 0 ? "" : `, page ${place.pages.join(", ")}`;
  const left = columnsLeft === 0 ? "" : `, ${columnsLeft} more columns not loaded`;
  const rows = `${schema.rowCount} ${schema.rowCount === 1 ? "row" : "rows"}`;
  const sums = totalsOf === undefined ? "" : `, which add up rows of ${totalsOf} and are not in it`;
  return `${schema.name} -- ${clean(schema.title)}${pages}, ${rows}${sums}${left}`;
};

/** A table by its columns with type, unit and content. */
function fullText(ranked: Ranked, options: DescribeOptions): string {
  const { columns } = ranked.relation.schema;
  const lines = columns.slice(0, describedColumns).map((_, index) => columnLine(ranked, index, options));
  const rest = columns.slice(describedColumns).map(({ name }) => name);
  return [headOf(ranked, options), ...lines, ...(rest.length === 0 ? [] : [`  and ${rest.join(", ")}`])].join(
    "\n",
  );
}

/** A table by the names of its columns. */
const shortText = (ranked: Ranked, options: DescribeOptions): string =>
  `${headOf(ranked, options)}\n  ${ranked.relation.schema.columns.map(({ name }) => name).join(", ")}`;

/** Tables that are named although they are not described, at most; the best first. */
const mostNamed = 20;

const note =
  "SQLite. Dates are ISO text. Text compares without regard to case. Empty cells are NULL. rowid is the number of a row in its sheet.";

/**
 * The tables as text for a prompt, those that fit the question best first; those beyond the limit by the
 * names of their columns, and then by their own.
 */
export function describeTables(
  relations: readonly Relation[],
  question: string,
  options: DescribeOptions,
): string {
  const { count, maxTokens, documents = [] } = options;
  const terms = new Set(contentTerms(question));
  const ranked = relations
    .map((relation) => rankOf(relation, terms, documents))
    .toSorted((one, other) => other.score - one.score);
  const parts = [note];
  let left = maxTokens - count(note);
  const omitted: string[] = [];
  for (const each of ranked) {
    const text = [fullText, shortText]
      .map((write) => write(each, options))
      .find((said) => count(said) <= left);
    if (text === undefined) omitted.push(each.relation.schema.name);
    else {
      parts.push(text);
      left -= count(text);
    }
  }
  const named = omitted.slice(0, mostNamed);
  const more = omitted.length > named.length ? ` and ${omitted.length - named.length} others` : "";
  if (named.length > 0) parts.push(`More tables, not described here: ${named.join(", ")}${more}.`);
  return parts.join("\n");
}
