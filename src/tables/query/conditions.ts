import { alternatives } from "../../language/languages.ts";
import { datesIn } from "../../language/time/dates.ts";
import { type Column, isNumeric, isYearColumn, type TableSchema } from "../schema.ts";
import { mentionsDifference } from "./figures.ts";
import { columnMentionTerms, type Matched, nameRoots, tableStems } from "./match.ts";
import type { Condition, Sign } from "./query.ts";
import { type LocaleRules, numberIn } from "./reading.ts";

/** A number after a comparison, optionally with a currency before it. */
const number = "\\s{1,2}(?:\\p{Sc}\\s?)?(\\d(?:[\\d.,]*\\d)?)";
const numberBefore = "(?<![\\d.,])(\\d(?:[\\d.,]{0,30}\\d)?)(?:\\s?[\\p{L}%\\p{Sc}°/²³]{1,12})?";

const of = alternatives((language) => language.of);
const least = `${alternatives(({ limits }) => limits?.from)}|(?:${alternatives(({ limits }) => limits?.minimum)}) (?:${of})`;
const most = `${alternatives(({ limits }) => limits?.upTo)}|(?:${alternatives(({ limits }) => limits?.maximum)}) (?:${of})`;
const above = alternatives(({ limits }) => limits?.above);
const below = alternatives(({ limits }) => limits?.below);
const orMore = alternatives(({ limits }) => limits?.orMore);
const orLess = alternatives(({ limits }) => limits?.orLess);

/** `no more than` must be tried before `more than`. */
const comparisons: readonly (readonly [sign: Sign, pattern: RegExp])[] = [
  [">=", new RegExp(`${numberBefore}\\s(?:${orMore})(?!\\p{L})`, "iu")],
  ["<=", new RegExp(`${numberBefore}\\s(?:${orLess})(?!\\p{L})`, "iu")],
  [">=", new RegExp(`(?<!\\p{L})(?:${least})${number}`, "iu")],
  ["<=", new RegExp(`(?<!\\p{L})(?:${most})${number}`, "iu")],
  [">", new RegExp(`(?<!\\p{L})(?:${above})${number}`, "iu")],
  ["<", new RegExp(`(?<!\\p{L})(?:${below})${number}`, "iu")],
  [">", />\s?(?:\p{Sc}\s?)?(\d(?:[\d.,]*\d)?)/u],
  ["<", /<\s?(?:\p{Sc}\s?)?(\d(?:[\d.,]*\d)?)/u],
];

const betweenWords = alternatives(({ sheets }) => sheets.between);
const joining = `${alternatives(({ until }) => until)}|${alternatives(({ and }) => and)}`;
/** `between 100 and 200 bar` */
const range = new RegExp(
  `(?<!\\p{L})(?:${betweenWords})${number}(?:\\s?[\\p{L}%\\p{Sc}°]{1,12})?\\s(?:${joining})${number}`,
  "iu",
);

const lessThan = `(?:${alternatives(({ cells }) => cells?.less)}) (?:\\S{1,40} ){0,3}(?:${alternatives(({ cells }) => cells?.apart?.than)})`;
const moreThan = `(?:${alternatives(({ cells }) => cells?.more)}) (?:\\S{1,40} ){0,3}(?:${alternatives(({ cells }) => cells?.apart?.than)})`;
/** Before the column that another one is compared with: `below their minimum`. */
const besides: readonly (readonly [sign: Sign, pattern: RegExp])[] = [
  ["<", new RegExp(`(?<!\\p{L})(?:${below}|${lessThan}) `, "iu")],
  [">", new RegExp(`(?<!\\p{L})(?:${above}|${moreThan}) `, "iu")],
];

/**
 * The column that names a row: one named after its table, otherwise one called name, otherwise the first text
 * column.
 */
export function labelOf(table: TableSchema, reading: LocaleRules): Column | undefined {
  const own = tableStems(table, reading);
  const texts = table.columns.filter((column) => !isNumeric(column));
  const isOwn = ({ title }: Column): boolean => nameRoots(title, reading).some((word) => own.includes(word));
  const isName = ({ title }: Column): boolean =>
    nameRoots(title, reading).some((word) => reading.names.has(word));
  return (
    texts.find((column) => isName(column) && isOwn(column)) ??
    texts.find(isOwn) ??
    texts.find(isName) ??
    texts[0]
  );
}

/**
 * The column that identifies a row in results: a numeric first column named after the table, otherwise the
 * label.
 */
export function rowName(table: TableSchema, reading: LocaleRules): Column | undefined {
  const [first] = table.columns;
  const own = tableStems(table, reading);
  const isNumber =
    first?.type === "integer" && nameRoots(first.title, reading).some((word) => own.includes(word));
  return isNumber ? first : labelOf(table, reading);
}

/** Joins two alternative values of a column. */
const joins = new RegExp(
  `(?<!\\p{L})(?:${alternatives(({ and }) => and)}|${alternatives(({ or }) => or)})(?!\\p{L})`,
  "iu",
);
const placingWords = alternatives(({ sheets }) => sheets.placing);
/**
 * Whether the value at this position is a location of rows rather than their name, given a preposition such
 * as `in` or `from`.
 */
export const isLocation = (question: string, from: number): boolean => placed.test(question.slice(0, from));
const placed = new RegExp(`(?<!\\p{L})(?:${placingWords})\\s{0,2}$`, "iu");

/**
 * A condition per value: on the column that names the row, or after `in`, `from`, … on another; not on a
 * column that is asked for if there is a choice. Values of one column are alternatives. Null if a value
 * occurs in no column.
 */
function conditionsFor(
  question: string,
  { values, reading }: Matched,
  table: TableSchema,
  asked: readonly Column[],
): readonly Condition[] | null {
  const label = labelOf(table, reading)?.name;
  const conditions: Condition[] = [];
  const inOrder = values.toSorted((one, other) => one.from - other.from);
  for (const { phrase, places, from } of inOrder) {
    const elsewhere = isLocation(question, from);
    const isTaken = (name: string): boolean => conditions.some(({ column }) => column.name === name);
    const isPhrase = ({ value }: { readonly value: string }): boolean =>
      value.trim().toLowerCase() === phrase;
    const cost = (place: { readonly column: string; readonly value: string }): number =>
      (isTaken(place.column) ? 8 : 0) +
      (isPhrase(place) ? 0 : 4) +
      (asked.some(({ name }) => name === place.column) ? 2 : 0) +
      (elsewhere === (place.column === label) ? 1 : 0);
    const [place] = places
      .filter((found) => found.table === table.name)
      .toSorted((x, y) => cost(x) - cost(y));
    const column = table.columns.find(({ name }) => name === place?.column);
    if (place === undefined || column === undefined) return null;
    const last = conditions.findLastIndex((one) => one.column === column);
    if (last >= 0 && !joins.test(question.slice(inOrder[last]?.to, from))) return null;
    conditions.push({ column, sign: "=", value: place.value });
  }
  return conditions;
}

/** The column among these that a question names, or the only one. */
const onlyOf = (all: readonly Column[], named: readonly Column[]): Column | undefined => {
  const own = all.filter((column) => named.includes(column));
  return own[0] ?? (all.length === 1 ? all[0] : undefined);
};

/** Years and months of a question as conditions on the time column, and the numbers they use up. */
function timeConditions(
  { question, numbers }: Matched,
  table: TableSchema,
  named: readonly Column[],
): { readonly conditions: readonly Condition[]; readonly numbers: readonly string[] } {
  const months = datesIn(question).dates.flatMap(([date]) =>
    date === undefined || date.year === null || date.day !== null
      ? []
      : [{ year: String(date.year), month: `${date.year}-${String(date.month).padStart(2, "0")}` }],
  );
  const years = numbers.filter((number) => /^(?:1[5-9]|20)\d\d$/.test(number));
  const dates = onlyOf(
    table.columns.filter(({ type }) => type === "date"),
    named,
  );
  const yearly = onlyOf(
    table.columns.filter((column) => isYearColumn(column, table)),
    named,
  );
  const within = (column: Column, from: string, to: string): readonly Condition[] => [
    { column, sign: ">=", value: from },
    { column, sign: "<=", value: to },
  ];
  const conditions = months.flatMap(({ month }): readonly Condition[] => {
    const text = table.columns.find(({ values }) => values.includes(month));
    if (text !== undefined) return [{ column: text, sign: "=", value: month }];
    return dates === undefined ? [] : within(dates, `${month}-01`, `${month}-31`);
  });
  if (months.length > 0)
    return { conditions, numbers: conditions.length > 0 ? months.map(({ year }) => year) : [] };
  const [, first = "", last = ""] = range.exec(question) ?? [];
  const isSpan =
    years.length === 2 && years.includes(first) && years.includes(last) && !mentionsDifference(question);
  if (yearly !== undefined && isSpan) return { conditions: within(yearly, first, last), numbers: years };
  if (yearly !== undefined)
    return { conditions: years.map((value) => ({ column: yearly, sign: "=", value })), numbers: years };
  const [year, ...others] = years;
  return dates === undefined || year === undefined || others.length > 0
    ? { conditions: [], numbers: [] }
    : { conditions: within(dates, `${year}-01-01`, `${year}-12-31`), numbers: years };
}

/** A question's condition on the amount of a column: a comparison, or the two ends of a range. */
function comparison(
  question: string,
  column: Column | undefined,
  reading: LocaleRules,
): readonly Condition[] {
  if (column === undefined) return [];
  const said = (sign: Sign, written: string | undefined): readonly Condition[] => {
    const value = numberIn(reading, written ?? "");
    return value === null ? [] : [{ column, sign, value }];
  };
  const [, least, most] = range.exec(question) ?? [];
  const ends = [...said(">=", least), ...said("<=", most)];
  if (ends.length === 2) return ends;
  for (const [sign, pattern] of comparisons) {
    const found = said(sign, pattern.exec(question)?.[1]);
    if (found.length > 0) return found;
  }
  return [];
}

/** A comparison of two columns, and the part of the question before it. */
interface Comparison {
  readonly condition: Condition;
  readonly before: string;
}

/** Most words between a comparison and its second column: `below their minimum`. */
const nextWords = 2;

/**
 * Rows in which one numeric column is below or above another: the first column named after the comparison is
 * the second operand, the only other one named the first. Null if an operand is unclear, undefined if nothing
 * is compared.
 */
function columnComparison(
  question: string,
  open: readonly Column[],
  table: TableSchema,
  reading: LocaleRules,
): Comparison | null | undefined {
  const numbers = open.filter(isNumeric);
  for (const [sign, pattern] of besides) {
    const found = pattern.exec(question);
    if (found === null) continue;
    const after = nameRoots(question.slice(found.index + found[0].length), reading);
    const placeOf = (column: Column): number =>
      after.indexOf(columnMentionTerms(column, table, after, reading)[0] ?? "");
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

/**
 * How many numbers of a question are still unexplained, apart from those in the name of the table, as the 1
 * of `Orders Q1`, or of its columns.
 */
function numbersLeft(
  { numbers, reading }: Matched,
  { name, title }: TableSchema,
  named: readonly Column[],
  used: readonly string[],
): number {
  const own = [name, title, ...named.map((column) => column.title)].flatMap((each) =>
    nameRoots(each, reading),
  );
  return numbers.filter((number) => !own.includes(number) && !used.includes(number)).length;
}

/** The conditions of a question on the rows of a table. */
export interface Conditions {
  readonly conditions: readonly Condition[];
  /** Columns that the question names without a condition. */
  readonly free: readonly Column[];
  /** The question without its conditions: `below their minimum` does not ask for a minimum. */
  readonly asked: string;
  readonly isCompared: boolean;
}

/** The conditions of a question on columns it names; null if one cannot be expressed. */
export function conditionsOf(
  question: string,
  matched: Matched,
  table: TableSchema,
  named: readonly Column[],
): Conditions | null {
  const { reading } = matched;
  const picked = conditionsFor(question, matched, table, named);
  if (picked === null) return null;
  const open = named.filter((column) => !picked.some((each) => each.column === column));
  const time = timeConditions(matched, table, named);
  const timed = time.conditions.map(({ column }) => column);
  const measured = open.find((column) => isNumeric(column) && !timed.includes(column));
  // `Between 2019 and 2020` means years in a table that has them.
  const amounts = comparison(question, measured, reading).filter(
    ({ value }) => typeof value !== "string" || !time.numbers.includes(value),
  );
  if (numbersLeft(matched, table, named, time.numbers) > amounts.length) return null;
  const columns = amounts.length === 0 ? columnComparison(question, open, table, reading) : undefined;
  if (columns === null) return null;
  const compared = columns === undefined ? amounts : [columns.condition];
  return {
    conditions: [...picked, ...time.conditions, ...compared],
    free: open.filter(
      (each) =>
        !timed.includes(each) && !compared.some(({ column, value }) => each === column || each === value),
    ),
    asked: columns?.before ?? question,
    isCompared: compared.length > 0,
  };
}
