import type { Chunk } from "../../core/documents/chunk.ts";
import { isYear, words } from "../../language/terms.ts";
import { periodsIn, periodText } from "../../language/time/periods.ts";
import { type NumberCell, numberOf, saysCount, scaleIn } from "../tables/amounts.ts";
import { isWholeYear } from "../tables/periods.ts";
import { readTables } from "../tables/read.ts";
import { sentencesOf, span, yearsOf } from "./request.ts";

/** What is asked of the values of a row: themselves, how they differ, by how many percent, or their mean. */
export type RowForm = "value" | "change" | "growth" | "mean";

/** A row of a table as a question asks for it: by its label and by years. */
export interface RowRequest {
  readonly form: RowForm;
  /** Ascending. */
  readonly years: readonly number[];
  /** What the row, its table and its document must be called by, as terms are compared. */
  readonly terms: readonly string[];
  /** Months that the years end in, where the question names some. */
  readonly months: readonly string[];
}

/** How a question for a row opens. */
const opening =
  /^(?:what(?:['’]s| is| are| was| were)|how much (?:is|was|were|are)|calculate|compute)\s+(?:the\s+)?(?:(?:company|group)['’]s\s+)?/i;

const changed =
  "(?:change|difference|increase|decrease|decline|growth)(?:\\s?/\\s?\\(?(?:increase|decrease)\\)?)?";
/** What a question wants of the years of a row, by what stands before its label. */
const forms: readonly (readonly [RowForm, RegExp])[] = [
  ["growth", new RegExp(`^(?:percentage|percent|%)\\s+${changed}\\s+(?:of|in|for)\\s+`, "i")],
  ["change", new RegExp(`^${changed}\\s+(?:of|in|for)\\s+`, "i")],
  ["mean", /^(?:average|mean)\s+(?:of\s+)?/i],
];
/** Shares of one row in another, which no row says. */
const share =
  /\b(?:percentage|percent|proportion|share|ratio) (?:of|to)\b|\bas an? (?:%|percent(?:age)?|share)\b/i;

const wordSet = (text: string): ReadonlySet<string> => new Set(words(text));
/** Words that say nothing of which row is meant. */
const grammar = wordSet(
  "the a an of for in at as on by with and or between its their our is are was were during",
);
const fillers = wordSet(
  "amount value figure respective respectively year years fiscal end ended ending reported recorded company group million millions thousand thousands billion billions usd dollars",
);
const month =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;
/** Words that make another row of one that is called alike otherwise: its label has them, or it is another. */
const turning = wordSet("before after non excluding without per not other net less gross total from to");

/** Those of them that say nothing in brackets: `Provision for (benefit from) taxes`. */
const ways = wordSet("from to");

/** The words of a label or question that tell rows apart, each once. */
const tellingWords = (text: string): readonly string[] => [
  ...new Set(
    words(text.replace(month, " ")).filter(
      (word) => !grammar.has(word) && !fillers.has(word) && !isYear(word),
    ),
  ),
];

/** Longest question that is looked at, in characters. */
const longest = 300;
/** From one year to another, all years between them included. */
const yearSpan = /(?:19|20)\d\d\s?(?:to|through|-|–)\s?(?:fy\s?)?(?:19|20)\d\d/i;
/** Words of a sentence that only says how a number is to be written. */
const formatWords = new Set(
  "please answer give write express round your the it to in as a an with using of nearest number numbers figure figures thousand thousands million millions billion billions usd dollars us one two three decimal decimals place places digit digits percent percentage percentages term terms unit units only integer".split(
    " ",
  ),
);

/** A question without the sentences behind it that only say how its number is to be written. */
function withoutFormat(question: string): string {
  const [first = "", ...rest] = sentencesOf(question);
  const isFormat = (sentence: string): boolean =>
    (sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => formatWords.has(word));
  return [first, ...rest.filter((sentence) => !isFormat(sentence))].join(" ").trim();
}

/** Words that join a text to the year behind it: `in the year ended`. */
const joining = new Set(
  "from between to and through in for of at as on the year years ended end fiscal both".split(" "),
);

/** A text before a year, without the words that join it to that. */
function beforeYear(text: string): string {
  const all = text.split(/\s+/).filter((word) => word !== "");
  return all.slice(0, all.findLastIndex((word) => !joining.has(word)) + 1).join(" ");
}

/** The words of a question without its years and what joins these. */
function labelOf(asked: string): string {
  const shown = [...periodText(asked)];
  for (const { at, text } of periodsIn(asked)) shown.fill("\u0000", at, at + text.length);
  const parts = shown.join("").split(/\u0000+/);
  return parts.map((part, at) => (at === parts.length - 1 ? part : beforeYear(part))).join(" ");
}

/** Months that a text names with a day or a year; `may` is mostly another word. */
const monthsIn = (text: string): readonly string[] =>
  (text.match(month) ?? []).filter((name) => !/^may$/.test(name)).map((name) => name.toLowerCase());

/** The years that a question asks for, ascending; null where it asks for parts of them or for too many. */
function yearsFor(form: RowForm, said: string): readonly number[] | null {
  const years = yearsOf(periodsIn(said)) ?? [];
  if (years.length === 0 || ((form === "growth" || form === "change") && years.length > 2)) return null;
  return (form === "mean" || form === "value") && yearSpan.test(said) ? span(years) : years;
}

/**
 * What a question asks of a row of a table that has a column for each year; null for any other question.
 * Questions are understood in English.
 */
export function rowAsked(question: string): RowRequest | null {
  if (question.length > longest || share.test(question)) return null;
  const asked = withoutFormat(question);
  const said = asked.replace(opening, "");
  if (said === asked) return null;
  const [form, head] = forms.find(([, pattern]) => pattern.test(said)) ?? ["value" as const, /^/];
  const years = yearsFor(form, said);
  if (years === null) return null;
  // A mean of one year is a row that is called so.
  const isCalled = form === "mean" && years.length < 2;
  const terms = tellingWords(labelOf(isCalled ? said : said.replace(head, "")));
  if (terms.length === 0) return null;
  return { form: isCalled ? "value" : form, years, terms, months: monthsIn(said) };
}

/** Share of what is asked that a row's own label must say, in (0, 1]; the rest is said around it. */
const leastLabel = 0.5;

/** A row of a table with values of whole years. */
interface YearRow {
  readonly label: string;
  /** What it is grouped under, the header of its table, the headings and the short lines above that. */
  readonly around: string;
  /** The row as it stands in the document. */
  readonly text: string;
  /** By year; a cell that is not exactly one number is not there. */
  readonly cells: ReadonlyMap<number, NumberCell>;
  /** What amounts are in by its group, the header of the table or a line above it. */
  readonly scale: string;
  readonly chunk: Chunk;
}

function yearRows(chunks: readonly Chunk[]): readonly YearRow[] {
  return readTables(chunks).flatMap(({ periods, rows, headings, header, around }) => {
    const columns = periods.filter(isWholeYear);
    if (new Set(columns.map(({ year }) => year)).size < columns.length) return [];
    const above = [around, ...header].join("\n");
    return rows.flatMap(({ label, group, cells, text, chunk }): YearRow[] => {
      const read = columns.flatMap(({ at, year }) => {
        const cell = numberOf(cells[at] ?? "");
        return cell === undefined ? [] : [[year, cell] as const];
      });
      const scale = scaleIn(group) || scaleIn(above);
      const said = [headings, above, group].join("\n");
      return read.length === 0 ? [] : [{ label, around: said, text, cells: new Map(read), scale, chunk }];
    });
  });
}

/** A row that says all of what is asked, with the share of it that its label says. */
interface Saying {
  readonly row: YearRow;
  readonly share: number;
  /** What is said by the name of the document alone. */
  readonly named: readonly string[];
}

function saying(row: YearRow, asked: RowRequest, called: ReadonlySet<string>): readonly Saying[] {
  const { terms, years, months } = asked;
  const label = tellingWords(row.label.replace(/\([^()]*\)/g, " "));
  const whole = tellingWords(row.label);
  if (label.length === 0 || label.some((term) => !terms.includes(term))) return [];
  if (whole.some((term) => turning.has(term) && !ways.has(term) && !terms.includes(term))) return [];
  if (years.some((year) => !row.cells.has(year))) return [];
  const around = row.around.toLowerCase();
  if (months.some((name) => !around.includes(name))) return [];
  const known = wordSet(`${row.label}\n${row.around}`);
  const rest = terms.filter((term) => !label.includes(term));
  const isSaid = (term: string): boolean => !turning.has(term) && (known.has(term) || called.has(term));
  const part = label.length / terms.length;
  if (part < leastLabel || !rest.every(isSaid)) return [];
  return [{ row, share: part, named: rest.filter((term) => !known.has(term)) }];
}

/** The row that a question asks for; undefined where none is called so, or several that say different things. */
function rowOf(asked: RowRequest, chunks: readonly Chunk[], called: ReadonlySet<string>): Saying | undefined {
  const found = yearRows(chunks).flatMap((row) => saying(row, asked, called));
  const most = Math.max(0, ...found.map(({ share: part }) => part));
  const same = found.filter(({ share: part }) => part === most);
  const toldOf = ({ row: { cells } }: Saying): string =>
    asked.years.map((year) => `${year} ${cells.get(year)?.value}`).join();
  return new Set(same.map(toldOf)).size === 1 ? same[0] : undefined;
}

/** A number as a row's values are told: `$1,234`, `-4.25%`. */
function told(value: number, digits: number, { row }: Saying): string {
  const [first] = row.cells.values();
  const isPercent = first?.isPercent === true || /%|\bpercent/i.test(row.label);
  const currency = [...row.cells.values()].map(({ text }) => /\p{Sc}/u.exec(text)?.[0]).find(Boolean) ?? "";
  const isCount = saysCount(row.label);
  const scale = isPercent || row.scale === "" || isCount ? "" : ` ${row.scale}`;
  const number = Math.abs(value).toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${value < 0 ? "-" : ""}${currency}${number}${isPercent ? "%" : scale}`;
}

/** An answer from a row. */
export interface RowAnswer {
  /** One line: the row, its years and what is asked of them. */
  readonly text: string;
  /** The row as it stands, and its chunk. */
  readonly lines: readonly { readonly row: string; readonly chunk: Chunk }[];
  /** What the row is called. */
  readonly label: string;
  /** Share of what is asked that the row's own label says, in (0, 1]. */
  readonly share: number;
  /** Whether the question names the document beside the row. */
  readonly isNamed: boolean;
}

/** What the years of a row come to; "" for nothing beyond themselves, null where it cannot be told. */
function resultOf(form: RowForm, cells: readonly NumberCell[], found: Saying): string | null {
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
 * What a row of a document's tables says to a question; null where none is called so, where several that are
 * say different things, and where it has no value for a year. `called`: words that the document is called by.
 */
export function answerRow(
  asked: RowRequest,
  chunks: readonly Chunk[],
  called: ReadonlySet<string>,
): RowAnswer | null {
  const found = rowOf(asked, chunks, called);
  if (found === undefined) return null;
  const { row, share: part, named } = found;
  const [only = 0] = asked.years;
  const isAlone = asked.form !== "value" && asked.form !== "mean" && asked.years.length === 1;
  const wanted = isAlone ? [only - 1, only] : asked.years;
  const years = wanted.toSorted((left, right) => left - right);
  const cells = years.flatMap((year) => row.cells.get(year) ?? []);
  if (cells.length < years.length || new Set(cells.map(({ isPercent }) => isPercent)).size > 1) return null;
  const result = resultOf(asked.form, cells, found);
  if (result === null) return null;
  const each = years.map(
    (year, at) => `${year}: ${told(cells[at]?.value ?? 0, cells[at]?.digits ?? 0, found)}`,
  );
  const line = `${row.label}, ${[...each, result].filter((text) => text !== "").join(", ")}`;
  const lines = [{ row: row.text, chunk: row.chunk }];
  return { text: line, lines, label: row.label, share: part, isNamed: named.length > 0 };
}
