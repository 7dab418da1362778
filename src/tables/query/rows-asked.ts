import { isYear } from "../../language/terms.ts";
import { blanked, type Period, periodsIn, periodText } from "../../language/time/periods.ts";
import { contentTokens } from "./words.ts";

/** The sentences of a question, even without a space after their punctuation. */
export const sentencesOf = (question: string): readonly string[] =>
  question.split(/(?<=[.?!:])\s+|(?<=\?)(?=\p{L})/u);

/** Every year from the first to the last. */
export const yearRange = (years: readonly number[]): readonly number[] => {
  const [from, to] = [Math.min(...years), Math.max(...years)];
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
};

/** Full years of periods, ascending; null if one is part of a year. */
export function yearsOf(periods: readonly Period[]): readonly number[] | null {
  if (periods.some(({ part }) => part !== null && part !== "year")) return null;
  return [...new Set(periods.flatMap(({ years }) => years.slice(0, 1)))].sort();
}

/** What to report about a row over years. */
export type RowForm = "value" | "change" | "growth" | "mean";

/** The values of a row, their difference, their growth in percent, or their mean. */
export interface RowQuery {
  readonly kind: "years";
  readonly form: RowForm;
  /** Ascending. */
  readonly years: readonly number[];
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
  ["value", /^/],
];
/** Shares of one row in another, which no row states. */
const share =
  /\b(?:percentage|percent|proportion|share|ratio) (?:of|to)\b|\bas an? (?:%|percent(?:age)?|share)\b/i;
/** Words that do not identify a row. */
const fillers = contentTokens(
  "between its their our amount value figure respective respectively year years fiscal end ended ending reported recorded company group million millions thousand thousands billion billions usd dollars",
);
/** From one year to another, including all years between them. */
const yearSpan = /(?:19|20)\d\d\s?(?:to|through|-|–)\s?(?:fy\s?)?(?:19|20)\d\d/i;
/** Words that connect a text to the year after it: `in the year ended`. */
const joining = new Set(
  "from between to and through in for of at as on the year years ended end fiscal both".split(" "),
);

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

const month =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/i;

/** A text before a year, without the words that connect it to that year. */
function beforeYear(text: string): string {
  const all = text.split(/\s+/).filter((word) => word !== "");
  return all.slice(0, all.findLastIndex((word) => !joining.has(word)) + 1).join(" ");
}

/** The words of a question without its periods and their connectives. */
function labelOf(asked: string, periods: readonly Period[]): string {
  const parts = blanked(periodText(asked), periods, "\u0000").split(/\u0000+/);
  return parts.map((part, at) => (at === parts.length - 1 ? part : beforeYear(part))).join(" ");
}

/** The years of a question, ascending; none if they are parts of years or too many. */
function yearsFor(form: RowForm, said: string, periods: readonly Period[]): readonly number[] {
  const years = yearsOf(periods) ?? [];
  if (form === "growth" || form === "change") return years.length > 2 ? [] : years;
  return years.length > 0 && yearSpan.test(said) ? yearRange(years) : years;
}

/**
 * What a question asks of a table row with a column for each year, and the words of the row; null for any
 * other question. English only.
 */
export function parseRowQuestion(
  question: string,
): { readonly tokens: ReadonlySet<string>; readonly operation: RowQuery } | null {
  const asked = withoutFormat(question);
  const said = asked.replace(opening, "");
  if (said === asked || share.test(question)) return null;
  const [form, head] = forms.find(([, pattern]) => pattern.test(said)) ?? ["value" as const, /^/];
  const years = yearsFor(form, said, periodsIn(said));
  // With only one year, `average` is part of a row's name.
  const isCalled = form === "mean" && years.length < 2;
  const label = isCalled ? said : said.replace(head, "");
  const periods = periodsIn(label);
  const all = [...contentTokens(labelOf(label, periods)).difference(fillers)];
  const tokens = new Set(all.filter((token) => !isYear(token)));
  if (tokens.size === 0 || years.length === 0) return null;
  const months = periods.flatMap(({ text }) => month.exec(text)?.[0] ?? []);
  return { tokens, operation: { kind: "years", form: isCalled ? "value" : form, years, months } };
}
