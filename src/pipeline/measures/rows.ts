import type { Chunk } from "../../core/documents/chunk.ts";
import { isNumber, words } from "../../language/terms.ts";
import { periodsIn, periodText } from "../../language/time/periods.ts";
import { answerMeasure, type MeasureAnswer } from "./answer.ts";
import { type MeasureDrivers, scaleFactor } from "./compute.ts";
import type { MeasureBook } from "./entries.ts";
import { type MeasureRequest, span, yearsOf } from "./request.ts";
import { type Line, type YearPage, type YearRow, yearPages } from "./year-tables.ts";

/** The years that are asked for: with the most or least of a row, or with more or less than an amount. */
export interface YearsAsked {
  readonly order: "most" | "least";
  /** Undefined for the one year with most or least. */
  readonly than: { readonly amount: number; readonly scale: string } | undefined;
}

/** A row of a table as a question asks for it: by its label and by years. */
export interface RowRequest extends Pick<MeasureRequest, "form" | "years"> {
  /** Null for a question that asks for what the row has in its years. */
  readonly which: YearsAsked | null;
  /** What the row, its table and its document must be called by, as terms are compared. */
  readonly terms: readonly string[];
}

/** A row as a formula. */
export const rowFormula = "row";
const noBook: MeasureBook = { asked: new Map(), items: new Map(), statements: new Map() };

/** How a question for a row opens. */
const opening =
  /^(?:what(?:['’]s| is| are| was| were)|how much (?:is|was|were|are)|calculate|compute)\s+(?:the\s+)?(?:(?:company|group)['’]s\s+)?/i;

const change =
  "(?:change|difference|increase|decrease|decline|growth)(?:\\s?/\\s?\\(?(?:increase|decrease)\\)?)?";
/** What a question wants of the years of a row, by what stands before its label. */
const forms: readonly (readonly [MeasureRequest["form"], RegExp])[] = [
  ["growth", new RegExp(`^(?:percentage|percent|%)\\s+${change}\\s+(?:of|in|for)\\s+`, "i")],
  ["comparison", new RegExp(`^${change}\\s+(?:of|in|for|between)\\s+`, "i")],
  ["mean", /^(?:average|mean)\s+(?:of\s+)?/i],
  ["value", /^/],
];

const wordSet = (text: string): ReadonlySet<string> => new Set(words(text));
/** Words that say nothing of which row is meant. */
const grammar = wordSet(
  "the a an of for in at as on by with to and or from between its their our is are was were during",
);
const fillers = wordSet(
  "amount value figure respectively year years fiscal end ended ending reported recorded company group million millions thousand thousands billion billions usd dollars january february march april may june july august september october november december",
);
/** Words that make another row of one that is called alike otherwise: its label has them, or it is another. */
const turning = wordSet("before after non excluding without per not other net less gross total");

/** The words of a label or question that tell rows apart, each once. */
const tellingWords = (text: string): readonly string[] => [
  ...new Set(words(text).filter((word) => !grammar.has(word) && !fillers.has(word) && !isNumber(word))),
];

/** Longest question that is looked at, in characters. */
const longest = 300;
/** From one year to another, all years between them included. */
const yearSpan = /(?:19|20)\d\d\s?(?:to|through|-|–)\s?(?:fy\s?)?(?:19|20)\d\d/i;

/** A question for years, its label and what the years have of it. */
const whichYear =
  /^(?:in )?which (?:(?:fiscal|financial) )?years? (?:was|were|is|are|had|did) (?:the )?(.{3,200}?) (?:the )?(largest|larger|highest|higher|greatest|greater|most|more|above|smallest|smaller|lowest|lower|least|less|below)(?: than)?(?: \p{Sc}?([\d,.]*\d)(?: (thousand|million|billion)s?)?)?\s*\??$/iu;
const isLeast = /^(?:small|low|least|less|below)/i;

function yearsAsked(question: string): RowRequest | null {
  const [, label = "", word = "", amount, scale = ""] = whichYear.exec(question.trim()) ?? [];
  const terms = tellingWords(label);
  if (terms.length === 0 || periodsIn(label).length > 0) return null;
  const than = amount && { amount: Number(amount.replaceAll(",", "")), scale: scale.toLowerCase() };
  const which = { order: isLeast.test(word) ? "least" : "most", than: than || undefined } as const;
  return { form: "value", years: [], which, terms };
}

/**
 * What a question asks of a row of a table that has a column for each year; null for any other question.
 * Questions are understood in English.
 */
export function rowAsked(question: string): RowRequest | null {
  if (question.length > longest) return null;
  const said = question.trim().replace(opening, "");
  if (said === question.trim()) return yearsAsked(question);
  const [form, head] = forms.find(([, pattern]) => pattern.test(said)) ?? ["value", /^/];
  const asked = said.replace(head, "");
  const periods = periodsIn(asked);
  const years = yearsOf(periods);
  if (years === null || years.length === 0) return null;
  const shown = [...periodText(asked)];
  for (const { at, text } of periods) shown.fill(" ", at, at + text.length);
  const terms = tellingWords(shown.join(""));
  const isSpan = form === "mean" || (form === "value" && yearSpan.test(asked));
  if (terms.length === 0) return null;
  return { form, years: isSpan ? span(years) : years, which: null, terms };
}

/** Share of what is asked that a row's own label must say, in (0, 1]; the rest is said around it. */
const leastLabel = 0.5;

/** A row that says all of what is asked, with the share of it that its label says. */
interface Saying {
  readonly row: YearRow;
  readonly page: YearPage;
  readonly share: number;
}

function saying(
  row: YearRow,
  page: YearPage,
  { terms, years }: RowRequest,
  called: ReadonlySet<string>,
): readonly Saying[] {
  const label = tellingWords(row.label);
  if (label.length === 0 || label.some((term) => !terms.includes(term))) return [];
  if (years.some((year) => !row.values.has(year))) return [];
  const around = wordSet(`${row.shown}\n${row.around}`);
  const rest = terms.filter((term) => !label.includes(term));
  const isSaid = (term: string): boolean => !turning.has(term) && (around.has(term) || called.has(term));
  const share = label.length / terms.length;
  return share >= leastLabel && rest.every(isSaid) ? [{ row, page, share }] : [];
}

/** The row that a question asks for; undefined where none is called so, or several that say different things. */
function rowOf(asked: RowRequest, chunks: readonly Chunk[], called: ReadonlySet<string>): Saying | undefined {
  const found = yearPages(chunks).flatMap((page) =>
    page.rows.flatMap((row) => saying(row, page, asked, called)),
  );
  const most = Math.max(0, ...found.map(({ share }) => share));
  const same = found.filter(({ share }) => share === most);
  const yearsTold = ({ values }: YearRow) => (asked.years.length > 0 ? asked.years : [...values.keys()]);
  const told = new Set(
    same.map(({ row }) =>
      yearsTold(row)
        .map((year) => row.values.get(year))
        .join(" "),
    ),
  );
  return told.size === 1 ? same[0] : undefined;
}

/** The years of a row that are asked for, ascending. */
function chosenYears({ order, than }: YearsAsked, { row, page }: Saying): readonly number[] {
  const values = [...row.values].toSorted(([left], [right]) => left - right);
  const amounts = values.map(([, value]) => value);
  const sign = order === "most" ? 1 : -1;
  const bound = than === undefined ? undefined : than.amount * scaleFactor(than.scale, page.scale);
  const edge = order === "most" ? Math.max(...amounts) : Math.min(...amounts);
  return values
    .filter(([, value]) => (bound === undefined ? value === edge : sign * (value - bound) > 0))
    .map(([year]) => year);
}

/** An answer from a row. */
export interface RowAnswer extends MeasureAnswer {
  /** Share of what is asked that the row's own label says, in (0, 1]. */
  readonly share: number;
}

/**
 * What a row of a document's tables says to a question; null where none is called so, where several that are
 * say different things, and where it has no value for a year. `called`: words that the document is called by;
 * `calculate` as `MeasureDrivers` has it.
 */
export function answerRow(
  asked: RowRequest,
  chunks: readonly Chunk[],
  called: ReadonlySet<string>,
  calculate: MeasureDrivers["calculate"],
): RowAnswer | null {
  const found = rowOf(asked, chunks, called);
  if (found === undefined) return null;
  const { row, page, share } = found;
  const years = asked.years.length > 0 ? asked.years : [...row.values.keys()].toSorted((a, b) => a - b);
  const scale = /\bper\b/i.test(row.shown) ? "" : page.scale;
  const read = (_: string, year: number): Line | undefined => {
    const value = row.values.get(year);
    const line = { row: row.text, chunk: row.chunk, scale, currency: page.currency };
    return value === undefined ? undefined : { value, ...line };
  };
  const { percentDigits: decimals } = row;
  const unit = decimals === null ? "amount" : "percent";
  const measure = { name: row.shown, of: rowFormula, unit } as const;
  // Shares differ by points.
  const form = unit === "percent" && asked.form === "growth" ? "comparison" : asked.form;
  const request = { measure, form, years, claim: null, decimals } as const;
  const drivers = { book: noBook, read, calculate };
  const answer = answerMeasure({ ...request, isPercent: false, scale: "", rest: [] }, drivers, 0);
  if (answer === null || asked.which === null) return answer && { ...answer, share };
  const chosen = chosenYears(asked.which, found);
  return chosen.length === 0 ? null : { ...answer, text: `${chosen.join(", ")}. ${answer.text}`, share };
}
