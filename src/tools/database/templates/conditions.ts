import { plainNumber } from "../../calculator/numbers.ts";
import { quotedIfNeeded } from "../names.ts";
import { type Column, numeric, type TableSchema } from "../source.ts";
import { type Matched, namedBy, nameStems, type ValueMatch } from "./match.ts";

/** What the rows of a question have in a column. */
export interface Condition {
  readonly column: Column;
  readonly sign: string;
  /** A text, a number, or the column beside it that is compared with. */
  readonly value: string | Column;
}

const comparisons: readonly (readonly [string, RegExp])[] = [
  [">=", /\b(?:at least|no less than|minimum of)\s+(?:\p{Sc}\s*)?([\d.,]*\d)/iu],
  ["<=", /\b(?:at most|up to|no more than|maximum of)\s+(?:\p{Sc}\s*)?([\d.,]*\d)/iu],
  [
    ">",
    /(?:\b(?:more than|over|above|greater than|exceed(?:s|ing)?|larger than|higher than|longer than)|>)\s*(?:\p{Sc}\s*)?([\d.,]*\d)/iu,
  ],
  [
    "<",
    /(?:\b(?:less than|under|below|fewer than|smaller than|lower than|shorter than)|<)\s*(?:\p{Sc}\s*)?([\d.,]*\d)/iu,
  ],
];

/** Before a column that another one is compared with: `below their minimum`. */
const besides: readonly (readonly [string, RegExp])[] = [
  ["<", /\b(?:below|under|short of|(?:less|lower|fewer|smaller) (?:than|(?:\S+ ){1,3}than)) /i],
  [">", /\b(?:above|over|exceed(?:s|ing)?|(?:more|higher|greater|larger) (?:than|(?:\S+ ){1,3}than)) /i],
];

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** The column that names a row: the one called after its table, else one called name, else the first text. */
export function labelOf(table: TableSchema): Column | undefined {
  const own = nameStems(table.name);
  const texts = table.columns.filter((column) => !numeric(column));
  return (
    texts.find(
      (column) =>
        nameStems(column.name).includes("name") && nameStems(column.name).some((word) => own.includes(word)),
    ) ??
    texts.find((column) => nameStems(column.name).some((word) => own.includes(word))) ??
    texts.find((column) => nameStems(column.name).includes("name")) ??
    texts[0]
  );
}

/** The column that a result calls a row by: a number in the first column that is named after the table, else the label. */
export function rowName(table: TableSchema): Column | undefined {
  const [first] = table.columns;
  const own = nameStems(table.name);
  const isNumber = first?.type === "integer" && nameStems(first.name).some((word) => own.includes(word));
  return isNumber ? first : labelOf(table);
}

const placed = /\b(?:in|at|from|by|through|within|inside|across|under|via|on)\s+(?:the\s+)?$/i;

/**
 * A condition per value, each on a column of its own: the one that names the row, or after `in`, `from`, …
 * another; never one that is asked for while there is a choice. Null where two values can only stand in one
 * column.
 */
function conditionsFor(
  question: string,
  values: readonly ValueMatch[],
  table: TableSchema,
  asked: readonly Column[],
): readonly Condition[] | null {
  const label = labelOf(table)?.name;
  const taken = new Set<string>();
  const conditions: Condition[] = [];
  for (const { phrase, places } of values) {
    const at = question.toLowerCase().indexOf(phrase);
    const elsewhere = placed.test(question.slice(0, Math.max(0, at)));
    const cost = ({ column }: { readonly column: string }): number =>
      (asked.some(({ name }) => name === column) ? 2 : 0) + (elsewhere === (column === label) ? 1 : 0);
    const [place] = places
      .filter((found) => found.table === table.name && !taken.has(found.column))
      .toSorted((x, y) => cost(x) - cost(y));
    const column = table.columns.find(({ name }) => name === place?.column);
    if (place === undefined || column === undefined) return null;
    taken.add(place.column);
    conditions.push({ column, sign: "=", value: place.value });
  }
  return conditions;
}

function comparison(question: string, column: Column | undefined): Condition | null {
  for (const [sign, pattern] of comparisons) {
    const number = plainNumber(pattern.exec(question)?.[1] ?? "");
    if (number !== null && column !== undefined) return { column, sign, value: String(number) };
  }
  return null;
}

/** Two columns of a question that are compared, with the part of it before that. */
interface Comparison {
  readonly condition: Condition;
  readonly before: string;
}

/** Words between a comparison and the column that is compared with: `below their minimum`. */
const nextWords = 2;

/**
 * The rows whose number in one column is below or above that in another: the column that is named first after the
 * comparison is compared with the only other one that is named. Null where a column is compared with something
 * that stays open, undefined where nothing is compared.
 */
function columnComparison(
  question: string,
  open: readonly Column[],
  table: TableSchema,
): Comparison | null | undefined {
  const numbers = open.filter(numeric);
  for (const [sign, pattern] of besides) {
    const found = pattern.exec(question);
    if (found === null) continue;
    const after = nameStems(question.slice(found.index + found[0].length));
    const placeOf = (column: Column): number => after.indexOf(namedBy(column, table, after)[0] ?? "");
    const [value, ...others] = numbers
      .filter((column) => placeOf(column) >= 0)
      .toSorted((one, two) => placeOf(one) - placeOf(two));
    if (value === undefined || placeOf(value) > nextWords) continue;
    const [column] = numbers.filter((each) => each !== value);
    const isClear = numbers.length === 2 && others.every((other) => placeOf(other) > placeOf(value));
    if (column === undefined || !isClear) return null;
    return { condition: { column, sign, value }, before: question.slice(0, found.index) };
  }
  return undefined;
}

function conditionSql({ column, sign, value }: Condition): string {
  const other =
    typeof value === "string" ? (sign === "=" ? literal(value) : value) : quotedIfNeeded(value.name);
  return `${quotedIfNeeded(column.name)} ${sign} ${other}`;
}

/** How many numbers of a question remain besides those of a table's name, as the 1 of `Orders Q1`. */
function numbersLeft(numbers: readonly string[], { name }: TableSchema): number {
  const own = nameStems(name).filter((word) => /^\d/.test(word));
  return own.every((number) => numbers.includes(number)) ? numbers.length - own.length : numbers.length;
}

/** The conditions that a question sets on the rows of a table. */
export interface Conditions {
  readonly conditions: readonly Condition[];
  /** Columns that the question names beside those of conditions. */
  readonly free: readonly Column[];
  /** The question as far as it says what is wanted: `below their minimum` asks for no minimum. */
  readonly asked: string;
  /** Whether numbers are compared. */
  readonly isCompared: boolean;
}

/** The conditions of a question on columns that it names; null where it sets one that cannot be said. */
export function conditionsOf(
  question: string,
  matched: Matched,
  table: TableSchema,
  named: readonly Column[],
): Conditions | null {
  const picked = conditionsFor(question, matched.values, table, named);
  if (picked === null) return null;
  const open = named.filter((column) => !picked.some((each) => each.column === column));
  const number = comparison(question, open.find(numeric));
  if (numbersLeft(matched.numbers, table) > (number === null ? 0 : 1)) return null;
  const columns = number === null ? columnComparison(question, open, table) : undefined;
  if (columns === null) return null;
  const compared = number ?? columns?.condition ?? null;
  return {
    conditions: compared === null ? picked : [...picked, compared],
    free: open.filter((column) => column !== compared?.column && column !== compared?.value),
    asked: columns?.before ?? question,
    isCompared: compared !== null,
  };
}

/** ` WHERE …` of conditions; "" for none. */
export const whereOf = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "" : ` WHERE ${conditions.map(conditionSql).join(" AND ")}`;

/** The columns that conditions look at. */
export const columnsOf = (conditions: readonly Condition[]): readonly Column[] =>
  conditions.flatMap(({ column, value }) => (typeof value === "string" ? [column] : [column, value]));
