import { stripFormat } from "../../language/asking/answer-form.ts";
import { classify } from "../../language/asking/kinds/kinds.ts";
import { stripGreeting } from "../../language/forms.ts";
import { alternation, alternatives } from "../../language/languages.ts";
import { type Limit, limitsIn } from "../../language/limits.ts";
import { normalize } from "../../language/terms.ts";
import { leastWords, lessWords, moreWords, mostWords, whichYear } from "./figures.ts";
import { parseRowQuestion, type RowQuery } from "./rows-asked.ts";
import { contentTokens, limitWords, questionTokens } from "./words.ts";

type Tokens = ReadonlySet<string>;

/** Which extreme of a comparison. */
export type Order = "most" | "least";

/** What to find out from the rows and columns that a question names. */
export type CellOperation =
  /** Their cells. */
  | { readonly kind: "value"; readonly isNumber: boolean }
  /** A row over years: its values, or what follows from them. */
  | RowQuery
  /** How far two cells lie apart; `sides`: where the words of the first may end. */
  | { readonly kind: "difference"; readonly sides: readonly Sides[]; readonly order: Order | null }
  /** The row, or year, with the most or the least; of exactly two for `higher`. */
  | { readonly kind: "extreme"; readonly order: Order; readonly isPair: boolean }
  /** The rows, or years, within a limit. */
  | { readonly kind: "condition"; readonly limit: Limit };

/** A question about cells of a table, analysed. */
export interface CellQuery<Asked extends CellOperation = CellOperation> {
  readonly question: string;
  /** Words that the row, the column or their surroundings must have. */
  readonly tokens: Tokens;
  /** Those of them that only say which operation. */
  readonly free: Tokens;
  /** Whether it asks for a year. */
  readonly isYear: boolean;
  readonly operation: Asked;
}

/** The words of each of two cells, with those that both share. */
export type Sides = readonly [one: Tokens, other: Tokens];

const begins = (forms: string): RegExp => new RegExp(`^(?:${forms})(?![\\p{L}])`, "iu");
const others = begins(alternatives(({ cells }) => cells?.others));
const openings = [
  ["most", alternation(alternatives(({ cells }) => cells?.apart?.more))],
  ["least", alternation(alternatives(({ cells }) => cells?.apart?.less))],
] as const;
const than = alternation(alternatives(({ cells }) => cells?.apart?.than));
const distances = alternation(alternatives(({ cells }) => cells?.apart?.distances));
const between = alternation(alternatives(({ cells }) => cells?.apart?.between));
const and = new RegExp(alternation(alternatives(({ and: word }) => word)), "giu");

/** Longest question considered, in characters. */
const longest = 400;

/** The text before and after a match; null if there is none. */
function parted(text: string, pattern: RegExp): readonly [before: string, behind: string] | null {
  const match = pattern.exec(text);
  return match && [text.slice(0, match.index), text.slice(match.index + match[0].length)];
}

const sidesOf = (both: string, one: string, other: string): Sides => [
  questionTokens(both).union(contentTokens(one)),
  questionTokens(both).union(contentTokens(other)),
];

type Difference = CellOperation & { readonly kind: "difference" };

/**
 * `how much higher is A than B`; `the difference in X between A and B`, where each of several conjunctions may
 * be the one between A and B.
 */
function differenceIn(text: string): Difference | null {
  for (const [order, opening] of openings) {
    const [before = "", behind = ""] = parted(text, opening) ?? [];
    const sides = parted(behind, than);
    if (sides !== null) return { kind: "difference", sides: [sidesOf(before, ...sides)], order };
  }
  const [before = "", behind = ""] = (distances.test(text) && parted(text, between)) || [];
  const both = before.replace(distances, " ");
  const sides = [...behind.matchAll(and)].map(({ index, 0: word }) =>
    sidesOf(both, behind.slice(0, index), behind.slice(index + word.length)),
  );
  return sides.length === 0 ? null : { kind: "difference", sides, order: null };
}

/** The extreme that a question asks for; null if it has words for neither or both. */
function extremeIn(question: string): (CellOperation & { readonly kind: "extreme" }) | null {
  const isPair = !mostWords.test(question) && !leastWords.test(question);
  const [up, down] = isPair ? [moreWords, lessWords] : [mostWords, leastWords];
  const isMost = up.test(question);
  if (isMost === down.test(question)) return null;
  return { kind: "extreme", order: isMost ? "most" : "least", isPair };
}

function operationOf(question: string, isNumber: boolean): CellOperation {
  const difference = differenceIn(question);
  // `How many have more than`, `the residents of the largest`: no row has such a name.
  if (difference !== null || isNumber) return difference ?? { kind: "value", isNumber };
  const [limit, ...more] = limitsIn(normalize(question));
  if (limit !== undefined && more.length === 0 && (limit.least === -Infinity || limit.most === Infinity))
    return { kind: "condition", limit };
  return extremeIn(question) ?? { kind: "value", isNumber };
}

/** The words of a question that only say which operation. */
function freeWords(question: string, operation: CellOperation): Tokens {
  if (operation.kind === "condition") {
    const { from, to } = operation.limit;
    const said = [...contentTokens(normalize(question).slice(from, to))];
    return limitWords.union(new Set(said.filter((token) => /^[\p{N}%]/u.test(token))));
  }
  if (operation.kind !== "extreme") return new Set();
  const [word] = [mostWords, leastWords, moreWords, lessWords].flatMap(
    (pattern) => pattern.exec(question)?.[0] ?? [],
  );
  return contentTokens(word ?? "");
}

/** What a question asks of a table: of a row over years, and of cells by row and column; null for neither. */
export interface CellQueries {
  readonly byYears: CellQuery<RowQuery> | null;
  readonly ofCells: CellQuery | null;
}

/** Reads what a question asks of the tables of a document. */
export function readCellQueries(asked: string): CellQueries {
  if (asked.length > longest) return { byYears: null, ofCells: null };
  const question = stripFormat(stripGreeting(asked)).trim();
  const base = { question, isYear: whichYear.test(question) };
  const row = parseRowQuestion(asked);
  const byYears = row && { ...base, ...row, free: new Set<string>() };
  const kind = classify(question);
  if (["yes_no", "definition", "procedure", "summary"].includes(kind) || others.test(question))
    return { byYears, ofCells: null };
  const operation = operationOf(question, kind === "number");
  const ofCells = {
    ...base,
    tokens: questionTokens(question),
    free: freeWords(question, operation),
    operation,
  };
  return { byYears, ofCells };
}
