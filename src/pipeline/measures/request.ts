import { blanked, type Period, periodsIn, periodText } from "../../language/time/periods.ts";
import { plainWords } from "../../language/words.ts";
import { sentencesOf, yearRange, yearsOf } from "../../tables/query/rows-asked.ts";
import { parenthesize } from "./compute.ts";
import type { Measure, MeasureBook, MeasureUnit } from "./entries.ts";
import { mentionsFiscalYear } from "./fiscal-years.ts";

/** A part of a year, or a day, as a question names it. */
export type AskedPart =
  /** `Q3 2023`; for `the first nine months of 2023`, the quarter they end with and their number. */
  | {
      readonly kind: "quarter";
      readonly quarter: number;
      readonly year: number;
      readonly isFiscal: boolean;
      readonly months: number;
    }
  /** The latest quarter of the latest report. */
  | { readonly kind: "latest" }
  /** `the nine months ended July 1, 2023`. */
  | { readonly kind: "ended"; readonly months: number; readonly end: number }
  /** A whole year compared with a quarter: the day it ends on. */
  | { readonly kind: "year"; readonly year: number };

/** What to report: the value, its growth in percent, its mean over years, or how two years compare. */
export type MeasureForm = "value" | "growth" | "mean" | "comparison";

/** A question about a measure, analysed. */
export interface MeasureRequest {
  readonly measure: Measure;
  readonly form: MeasureForm;
  /** Ascending; empty for the last year of the statements. */
  readonly years: readonly number[];
  /** Parts of years, one or two to compare; empty for whole years. */
  readonly parts: readonly AskedPart[];
  /** Whether its years are called as the document calls them. */
  readonly isFiscal: boolean;
  /** The claim of a yes-or-no question. */
  readonly claim: "up" | "down" | "positive" | "negative" | null;
  /** Decimal places, if the question gives them. */
  readonly decimals: number | null;
  /** A ratio is asked for in percent. */
  readonly isPercent: boolean;
  /** Scale that amounts are asked in; "" for the statement's own. */
  readonly scale: string;
  /** The other words of the question, which the document's name must have. */
  readonly rest: readonly string[];
}

const opener =
  /\b(?:what(?:['’]s| is| are| was| were)|how much|how does|does|do|did|has|have|is|are|was|were|calculate|compute)\b/i;
/** Opens a sentence about the form of the answer. */
const instruction = /^(?:answer|round|please|give|base|address|if|write|use|using)\b(?![^?]*\?)/i;

/** Words around the terms that identify neither a line nor a document. */
const fillers = new Set(
  plainWords(
    "what whats is are was were the a an of for in at as on by with to how much did does do has have had and end ended ending fiscal year years yearly annual annually total amount value figure level company consolidated unadjusted reported report usd dollars dollar million millions thousand thousands billion billions percent percentage % ratio rate times its their his between from during within overall based data balance sheet sheets income cash flow statement statements profile improving improve improved positive negative change changed growth grow grows growing grown grew increase increases increasing increased decrease decreases decreasing decreased decline declines declining declined drop drops dropping dropped fall falls falling fallen fell rise rises rising risen rose compare compared calculate compute generate generated earn earned pay paid spend spent there any average mean over using yoy or period term terms",
  ),
);
/** Names of statements, which are not lines of them. */
const statementNames =
  /\b(?:cash ?flow statements?|statements? of (?:cash flows?|income|operations|earnings|financial position)|income statements?|balance sheets?|p&l statements?|profit and loss (?:statements?|accounts?))\b/gi;

const digits: Readonly<Record<string, number>> = { zero: 0, one: 1, two: 2, three: 3, four: 4 };

/** Whether a word around the terms identifies a line or a document. */
const isTelling = (word: string): boolean => !fillers.has(word) && !/^(?:\/|\d+|yr|three|five)$/.test(word);

/** The interrogative sentence, from its question word on, with its periods removed. */
interface Clause {
  readonly words: readonly string[];
  readonly periods: readonly Period[];
}

function clauseOf(sentence: string): Clause | undefined {
  const at = opener.exec(sentence)?.index;
  if (at === undefined || instruction.test(sentence)) return undefined;
  const asked = sentence
    .slice(at)
    .replace(/\([^()]*\)/g, " ")
    .replace(statementNames, " ");
  const periods = periodsIn(asked);
  return { words: plainWords(blanked(periodText(asked), periods)), periods };
}

/** A measure, and its position in the question. */
interface Term {
  readonly measure: Measure;
  readonly from: number;
  readonly to: number;
}

/** Longest name of a measure, in words. */
const longestPhrase = 9;

function termsOf(words: readonly string[], book: MeasureBook): readonly Term[] {
  const terms: Term[] = [];
  for (let from = 0; from < words.length; ) {
    // In `sales to working capital ratio`, the word ratio applies to both.
    const isSecond = words[from - 1] === "to" && terms.length > 0;
    const isPhrase = (length: number): boolean =>
      from + length <= words.length &&
      !(isSecond && words[from + length - 1] === "ratio") &&
      book.asked.has(words.slice(from, from + length).join(" "));
    const size = Array.from({ length: longestPhrase }, (_, less) => longestPhrase - less).find(isPhrase);
    const measure = book.asked.get(words.slice(from, from + (size ?? 0)).join(" "));
    if (size !== undefined && measure !== undefined) terms.push({ measure, from, to: from + size });
    from += size ?? 1;
  }
  return terms;
}

/** How a question introduces its own definition; the formula follows. */
const definition = /\b(?:is|are) defined as\s*:?\s*|\bdefine [^.?!:]{1,60}? as\s*:?\s*/i;

/** Words for operators in a formula. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/\bdivided by\b/gi, "/"],
  [/\b(?:multiplied by|times)\b|×/gi, "*"],
  [/\bplus\b/gi, "+"],
  [/\b(?:minus|less)\b|[−–]/gi, "-"],
];

/**
 * The formula that a question defines, in names of lines; undefined if it defines none, null if it cannot be
 * parsed.
 */
function definedFormula(question: string, book: MeasureBook): string | null | undefined {
  const [before, after] = [definition.exec(question), question.split(definition)[1]];
  if (before === null || after === undefined) return undefined;
  const [sentence = ""] = after.split(/[.?!](?:\s|$)/);
  const text = signs
    .reduce((said, [word, sign]) => said.replace(word, sign), sentence)
    .replace(/\bbetween (?:fy ?)?\d{4} and (?:fy ?)?\d{4}/gi, " ")
    .replace(/\b(?:fy ?)?(?:19|20)\d\d\b/gi, " ");
  const parts = text.split(/([-+*/()])/).map((part) => part.trim());
  const read = parts.filter((part) => part !== "").map((part) => formulaOf(part, book));
  return read.includes(null) ? null : read.join(" ");
}

/** One token of a defined formula: an operator, a number, or a line, possibly its average or change. */
function formulaOf(part: string, { asked }: MeasureBook): string | null {
  if (/^(?:[-+*/()]|\d+)$/.test(part)) return part;
  const [, kind = "", name = ""] =
    /^(?:the )?(?:(average|change in)(?: of)? )?(?:the )?(.*)$/is.exec(part) ?? [];
  const measure = asked.get(plainWords(name).join(" "));
  if (measure === undefined) return null;
  if (kind === "") return parenthesize(measure.of);
  return `${kind.toLowerCase() === "average" ? "avg" : "change"}(${measure.of})`;
}

/** The quotient of two measures if the words between them mean division; otherwise null. */
function quotientOf(first: Term, second: Term, between: readonly string[]): Measure | null {
  const isShare = between.includes("%") || between.some((word) => word.startsWith("percent"));
  const joins = ["to", "/", "over", "by", "of"].some((word) => between.includes(word));
  if (
    !joins ||
    between.length > 6 ||
    between.some((word) => !fillers.has(word) && word !== "/" && word !== "divided")
  )
    return null;
  if (between.includes("of") && !isShare) return null;
  const below = between.at(-1) === "average" ? `avg(${second.measure.of})` : parenthesize(second.measure.of);
  return {
    name: `${first.measure.name} ${isShare ? "in percent of" : "to"} ${second.measure.name}`,
    of: `${isShare ? "100 * " : ""}${parenthesize(first.measure.of)} / ${below}`,
    unit: isShare ? "percent" : "ratio",
  };
}

const says = (words: readonly string[], pattern: RegExp): boolean => words.some((word) => pattern.test(word));
const goesUp = /^(?:improv|grow|grew|increas|ris(?:e|ing)|rose)/;
const goesDown = /^(?:declin|decreas|drop|fall|fell|shr[aiu]nk|lower)/;
const turns = /^(?:improv|grow|grew|increas|ris(?:e|ing)|rose|declin|decreas|drop|fall|fell|chang|compar)/;

function formOf(words: readonly string[], unit: MeasureUnit, years: readonly number[]): MeasureForm {
  const text = words.join(" ");
  if (/\b(?:year|yr) average\b|\baverage of the last\b/.test(text)) return "mean";
  const isGrowth =
    /\b(?:growth|year over year change|yoy change|(?:%|percent|percentage) (?:change|increase|decrease))\b/.test(
      text,
    );
  if (isGrowth && unit === "amount") return "growth";
  return says(words, turns) || years.length > 1 ? "comparison" : "value";
}

function claimOf(words: readonly string[]): MeasureRequest["claim"] {
  if (!/^(?:does|do|did|has|have|is|are|was|were)$/.test(words[0] ?? "")) return null;
  const [up, down] = [says(words, goesUp), says(words, goesDown)];
  if (up !== down) return up ? "up" : "down";
  if (up) return null;
  return words.includes("positive") ? "positive" : words.includes("negative") ? "negative" : null;
}

/** Longest question considered, in characters. */
const longest = 2000;

/** The clause that names measures, and those measures. */
function askingClause(
  question: string,
  book: MeasureBook,
): (Clause & { readonly terms: readonly Term[] }) | undefined {
  return sentencesOf(question)
    .flatMap((sentence) => clauseOf(sentence) ?? [])
    .map((clause) => ({ ...clause, terms: termsOf(clause.words, book) }))
    .find(({ terms }) => terms.length > 0);
}

/** The measure made of one or two terms, by the question's own formula if it defines one. */
function measureOf(
  question: string,
  words: readonly string[],
  terms: readonly Term[],
  book: MeasureBook,
): Measure | null {
  const [first, second, ...more] = terms;
  const formula = definedFormula(question, book);
  if (first === undefined || more.length > 0 || formula === null) return null;
  const named =
    second === undefined ? first.measure : quotientOf(first, second, words.slice(first.to, second.from));
  return named === null || formula === undefined ? named : { ...named, of: formula };
}

/**
 * What a question asks of a company's statements for whole years; null if it names no measure, several that are
 * not divided, or part of a year.
 */
export function yearsAsked(question: string, book: MeasureBook): MeasureRequest | null {
  const clause = question.length > longest ? undefined : askingClause(question, book);
  if (clause === undefined) return null;
  const { words, terms } = clause;
  const measure = measureOf(question, words, terms, book);
  const years = yearsOf(clause.periods.length > 0 ? clause.periods : periodsIn(question));
  if (measure === null || years === null) return null;
  const [from, to] = [terms[0]?.from ?? 0, terms.at(-1)?.to ?? 0];
  const form = formOf(words, measure.unit, years);
  const places = /\b(zero|one|two|three|four|\d) (?:decimals?|digits)\b/i.exec(question)?.[1]?.toLowerCase();
  return {
    measure,
    form,
    years: form === "mean" && years.length > 1 ? yearRange(years) : years,
    parts: [],
    isFiscal: years.length === 0 || mentionsFiscalYear(question),
    claim: claimOf(words),
    decimals: places === undefined ? null : (digits[places] ?? Number(places)),
    isPercent: /\bpercent|\bin %|as a %/i.test(question),
    scale:
      /\b(?:in|usd|of) (?:usd )?(thousand|million|billion)s?\b/i.exec(question)?.[1]?.toLowerCase() ?? "",
    rest: words.filter((word, at) => (at < from || at >= to) && isTelling(word)),
  };
}
