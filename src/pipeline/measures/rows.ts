import { isYear } from "../../language/terms.ts";
import { periodsIn, periodText } from "../../language/time/periods.ts";
import { type NumberCell, numberOf, saysCount, scaleIn, writtenLike } from "../tables/amounts.ts";
import { type CellAnswer, type RowCell, restBeside } from "../tables/cells.ts";
import { type Named, rowsNamed } from "../tables/find.ts";
import { isWholeYear } from "../tables/periods.ts";
import { tellingTokens } from "../tables/words.ts";
import { sentencesOf, span, yearsOf } from "./request.ts";

/** What to report about a row: its values, their difference, their growth in percent, or their mean. */
export type RowForm = "value" | "change" | "growth" | "mean";

/** A question about a table row, by label and years. */
export interface RowRequest {
  readonly form: RowForm;
  /** Ascending. */
  readonly years: readonly number[];
  /** Words that the row, its table or its document must have. */
  readonly tokens: ReadonlySet<string>;
  /** Months that the years end in, if the question names any. */
  readonly months: readonly string[];
}

/** Opening of a question about a row. */
const opening =
  /^(?:what(?:['’]s| is| are| was| were)|how much (?:is|was|were|are)|calculate|compute)\s+(?:the\s+)?(?:(?:company|group)['’]s\s+)?/i;

const changed =
  "(?:change|difference|increase|decrease|decline|growth)(?:\\s?/\\s?\\(?(?:increase|decrease)\\)?)?";
/** What a question wants to know about a row, by the words before its label. */
const forms: readonly (readonly [RowForm, RegExp])[] = [
  ["growth", new RegExp(`^(?:percentage|percent|%)\\s+${changed}\\s+(?:of|in|for)\\s+`, "i")],
  ["change", new RegExp(`^${changed}\\s+(?:of|in|for)\\s+`, "i")],
  ["mean", /^(?:average|mean)\s+(?:of\s+)?/i],
];
/** Shares of one row in another, which no row states. */
const share =
  /\b(?:percentage|percent|proportion|share|ratio) (?:of|to)\b|\bas an? (?:%|percent(?:age)?|share)\b/i;

/** Words that do not identify a row. */
const fillers = tellingTokens(
  "between its their our amount value figure respective respectively year years fiscal end ended ending reported recorded company group million millions thousand thousands billion billions usd dollars",
);
const month =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;

/** Longest question considered, in characters. */
const longest = 300;
/** From one year to another, including all years between them. */
const yearSpan = /(?:19|20)\d\d\s?(?:to|through|-|–)\s?(?:fy\s?)?(?:19|20)\d\d/i;
/** Words of a sentence about number format only. */
const formatWords = new Set(
  "please answer give write express round your the it to in as a an with using of nearest number numbers figure figures thousand thousands million millions billion billions usd dollars us one two three decimal decimals place places digit digits percent percentage percentages term terms unit units only integer".split(
    " ",
  ),
);

/** A question without following sentences that only concern its number format. */
function withoutFormat(question: string): string {
  const [first = "", ...rest] = sentencesOf(question);
  const isFormat = (sentence: string): boolean =>
    (sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => formatWords.has(word));
  return [first, ...rest.filter((sentence) => !isFormat(sentence))].join(" ").trim();
}

/** Words that connect a text to the year after it: `in the year ended`. */
const joining = new Set(
  "from between to and through in for of at as on the year years ended end fiscal both".split(" "),
);

/** A text before a year, without the words that connect it to that year. */
function beforeYear(text: string): string {
  const all = text.split(/\s+/).filter((word) => word !== "");
  return all.slice(0, all.findLastIndex((word) => !joining.has(word)) + 1).join(" ");
}

/** The words of a question without its years and their connectives. */
function labelOf(asked: string): string {
  const shown = [...periodText(asked)];
  for (const { at, text } of periodsIn(asked)) shown.fill("\u0000", at, at + text.length);
  const parts = shown.join("").split(/\u0000+/);
  return parts.map((part, at) => (at === parts.length - 1 ? part : beforeYear(part))).join(" ");
}

/** Months that a text names with a day or a year; `may` is mostly a verb. */
const monthsIn = (text: string): readonly string[] =>
  (text.match(month) ?? []).filter((name) => !/^may$/.test(name)).map((name) => name.toLowerCase());

/** The years of a question, ascending; null if they are parts of years or too many. */
function yearsFor(form: RowForm, said: string): readonly number[] | null {
  const years = yearsOf(periodsIn(said)) ?? [];
  if (years.length === 0 || ((form === "growth" || form === "change") && years.length > 2)) return null;
  return (form === "mean" || form === "value") && yearSpan.test(said) ? span(years) : years;
}

/**
 * What a question asks of a table row with a column for each year; null for any other question. English only.
 */
export function rowAsked(question: string): RowRequest | null {
  if (question.length > longest || share.test(question)) return null;
  const asked = withoutFormat(question);
  const said = asked.replace(opening, "");
  if (said === asked) return null;
  const [form, head] = forms.find(([, pattern]) => pattern.test(said)) ?? ["value" as const, /^/];
  const years = yearsFor(form, said);
  if (years === null) return null;
  // With only one year, `average` is part of a row's name.
  const isCalled = form === "mean" && years.length < 2;
  const label = labelOf(isCalled ? said : said.replace(head, "")).replace(month, " ");
  const tokens = new Set([...tellingTokens(label).difference(fillers)].filter((token) => !isYear(token)));
  return tokens.size === 0
    ? null
    : { form: isCalled ? "value" : form, years, tokens, months: monthsIn(said) };
}

/** Share of the question's words that a row's own label must have, in (0, 1]; the rest may be around it. */
const leastLabel = 0.5;

/** A row that matches the whole question, with its cells for the years asked for. */
interface Saying {
  readonly cell: RowCell;
  readonly cells: readonly YearCell[];
  readonly share: number;
  readonly isNamed: boolean;
}

/** Distinguishes rows in a question. */
const toward = tellingTokens("to");

/** A row's value in a year. */
interface YearCell extends NumberCell {
  readonly year: number;
}

/** The years over which a change, growth or mean is computed. */
const yearsWanted = ({ form, years }: RowRequest): readonly number[] =>
  (form === "change" || form === "growth") && years.length === 1 ? [(years[0] ?? 0) - 1, ...years] : years;

/** The rows of a table that match the name and have a number in each year. */
function sayingsOf(of: Named, asked: RowRequest, called: ReadonlySet<string>): readonly Saying[] {
  const { table } = of;
  const columns = table.periods.filter(isWholeYear);
  const around = [table.headings, table.around, ...table.header].join("\n").toLowerCase();
  if (asked.months.some((name) => !around.includes(name))) return [];
  if (new Set(columns.map(({ year }) => year)).size < columns.length) return [];
  return rowsNamed(of, asked.tokens, "").flatMap((row): readonly Saying[] => {
    const cells = yearsWanted(asked).flatMap((year): readonly YearCell[] => {
      const cell = numberOf(row.row.cells[columns.find((one) => one.year === year)?.at ?? -1] ?? "");
      return cell === undefined ? [] : [{ ...cell, year }];
    });
    const said = row.own.union(asked.tokens.difference(fillers));
    const rest = restBeside(of, said, [row], [], called);
    const share = row.own.size / said.size;
    const isWhole = cells.length === yearsWanted(asked).length;
    // `current to total liabilities` does not match the row total current liabilities.
    const isOtherRow = [...toward].some((token) => asked.tokens.has(token) && !row.more.has(token));
    if (!isWhole || rest === null || rest.isLoose || share < leastLabel || isOtherRow) return [];
    return [{ cell: { of, row }, cells, share, isNamed: rest.byName.length > 0 }];
  });
}

/** A number in the notation of the row's values: `$1,234`, `-4.25%`. */
function told(value: number, digits: number, { cell: { of, row }, cells }: Saying): string {
  const { label, group } = row.row;
  const isPercent = cells[0]?.isPercent === true || /%|\bpercent/i.test(label);
  const scale = scaleIn(group) || scaleIn([of.table.around, ...of.table.header].join("\n"));
  const currency = /\p{Sc}/u.exec(row.row.cells.slice(1).join(" "))?.[0] ?? "";
  const isScaled = !isPercent && scale !== "" && !saysCount(label);
  const unit = isPercent ? "%" : `${currency}${isScaled ? scale : ""}`;
  return writtenLike(value, { value, digits, unit }, digits);
}

export interface RowAnswer extends CellAnswer {
  /** Share of the question's words that the row's own label has, in (0, 1]. */
  readonly share: number;
}

/** The result over a row's years; "" for the values alone, null if undefined. */
function resultOf(form: RowForm, found: Saying): string | null {
  const { cells } = found;
  const values = cells.map(({ value }) => value);
  const [first = 0, last = first] = [values[0], values.at(-1)];
  const digits = Math.max(...cells.map((cell) => cell.digits));
  if (form === "value") return "";
  if (values.length < 2) return null;
  if (form === "change" || cells.some(({ isPercent }) => isPercent && form === "growth"))
    return `change: ${told(last - first, digits, found)}`;
  if (form === "mean") {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `mean: ${told(mean, Number.isInteger(mean) ? digits : Math.max(2, digits), found)}`;
  }
  if (first <= 0) return null;
  return `growth: ${(((last - first) / first) * 100).toFixed(1)}%`;
}

/**
 * Answers a question from a row of a document's tables; null if none matches, the best matches disagree, or a
 * year has no value. `called`: words of the document's name.
 */
export function answerRow(
  asked: RowRequest,
  all: readonly Named[],
  called: ReadonlySet<string>,
): RowAnswer | null {
  const found = all.flatMap((of) => sayingsOf(of, asked, called));
  const most = Math.max(0, ...found.map(({ share: part }) => part));
  const [best, ...others] = found.filter(({ share: part }) => part === most);
  const values = ({ cells }: Saying): string => cells.map(({ value }) => value).join();
  if (best === undefined || others.some((other) => values(other) !== values(best))) return null;
  const result = resultOf(asked.form, best);
  if (result === null || new Set(best.cells.map(({ isPercent }) => isPercent)).size > 1) return null;
  const each = best.cells.map(({ year, value, digits }) => `${year}: ${told(value, digits, best)}`);
  const { row } = best.cell.row;
  return {
    text: `${row.label}, ${[...each, result].filter((text) => text !== "").join(", ")}`,
    lines: [{ row: row.text, chunk: row.chunk }],
    label: row.label,
    share: most,
    isNamed: best.isNamed,
  };
}
