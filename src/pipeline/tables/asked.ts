import { withoutAnswerForm } from "../../language/asking/answer-form.ts";
import { kindOf } from "../../language/asking/kinds/kinds.ts";
import { withoutOpening } from "../../language/forms.ts";
import { alternatives, anyOf } from "../../language/languages.ts";
import { type Limit, limitsIn } from "../../language/limits.ts";
import { normalize } from "../../language/terms.ts";
import { limitWords, tellingTokens, tokensAsked } from "./words.ts";

type Tokens = ReadonlySet<string>;

/** A question about cells of a table, analysed. */
export type CellRequest = {
  readonly question: string;
  readonly tokens: Tokens;
  readonly isYear: boolean;
} & (
  | { readonly form: "value"; readonly isNumber: boolean }
  | { readonly form: "apart"; readonly pairs: readonly Pair[]; readonly order: Order | null }
  | {
      readonly form: "extreme";
      readonly order: Order;
      /** Whether it compares two things: `higher`. */
      readonly isPair: boolean;
    }
  | { readonly form: "condition"; readonly limit: Limit }
);
/** Which extreme of a comparison. */
export type Order = "most" | "least";

/** The words of each of two cells, and those that both share. */
export interface Pair {
  readonly one: Tokens;
  readonly other: Tokens;
  readonly both: Tokens;
}

const begins = (forms: string): RegExp => new RegExp(`^(?:${forms})(?![\\p{L}])`, "iu");
const most = anyOf(alternatives(({ cells }) => cells?.most));
const least = anyOf(alternatives(({ cells }) => cells?.least));
const higher = anyOf(alternatives(({ cells }) => cells?.more));
const lower = anyOf(alternatives(({ cells }) => cells?.less));
const whichYear = anyOf(alternatives(({ cells }) => cells?.whichYear));
const others = begins(alternatives(({ cells }) => cells?.others));
const more = anyOf(alternatives(({ cells }) => cells?.apart?.more));
const less = anyOf(alternatives(({ cells }) => cells?.apart?.less));
const than = anyOf(alternatives(({ cells }) => cells?.apart?.than));
const distances = anyOf(alternatives(({ cells }) => cells?.apart?.distances));
const between = anyOf(alternatives(({ cells }) => cells?.apart?.between));
const and = new RegExp(`(?<![\\p{L}])(?:${alternatives(({ and: word }) => word)})(?![\\p{L}])`, "giu");

/** Longest question considered, in characters. */
const longest = 400;

/** The text before and after a match; null if there is none. */
function parted(text: string, pattern: RegExp): readonly [before: string, behind: string] | null {
  const match = pattern.exec(text);
  return match && [text.slice(0, match.index), text.slice(match.index + match[0].length)];
}

/** `how much higher is A than B` */
function comparedPair(text: string): { readonly pairs: readonly Pair[]; readonly order: Order } | null {
  for (const [order, opening] of [
    ["most", more],
    ["least", less],
  ] as const) {
    const [before = "", behind = ""] = parted(text, opening) ?? [];
    const sides = behind === "" ? null : parted(behind, than);
    if (sides === null) continue;
    const [one, other] = sides;
    return {
      pairs: [{ one: tellingTokens(one), other: tellingTokens(other), both: tokensAsked(before) }],
      order,
    };
  }
  return null;
}

/** `the difference in X between A and B`; with several conjunctions, each may be the one between A and B. */
function distantPairs(text: string): readonly Pair[] {
  const sides = distances.test(text) ? parted(text, between) : null;
  if (sides === null) return [];
  const [before, behind] = sides;
  const both = tokensAsked(before.replace(distances, " "));
  return [...behind.matchAll(and)].map(({ index, 0: word }) => ({
    one: tellingTokens(behind.slice(0, index)),
    other: tellingTokens(behind.slice(index + word.length)),
    both,
  }));
}

/** The extreme that a question asks for; null if it has words for neither or both. */
function extremeOf(
  question: string,
): Pick<CellRequest & { readonly form: "extreme" }, "order" | "isPair"> | null {
  const isPair = !most.test(question) && !least.test(question);
  const [up, down] = isPair ? [higher, lower] : [most, least];
  const isMost = up.test(question);
  if (isMost === down.test(question)) return null;
  return { order: isMost ? "most" : "least", isPair };
}

/** What a question asks of cells of a table; null for other questions. */
export function cellsAsked(asked: string): CellRequest | null {
  if (asked.length > longest) return null;
  const question = withoutAnswerForm(withoutOpening(asked)).trim();
  if (others.test(question)) return null;
  const kind = kindOf(question);
  if (kind === "yes_no" || kind === "definition" || kind === "procedure" || kind === "summary") return null;
  const base = { question, tokens: tokensAsked(question), isYear: whichYear.test(question) };
  const compared = comparedPair(question);
  if (compared !== null) return { ...base, form: "apart", ...compared };
  const pairs = distantPairs(question);
  if (pairs.length > 0) return { ...base, form: "apart", pairs, order: null };
  const isNumber = kind === "number";
  // `How many have more than`, `the residents of the largest`: no row has such a name.
  const limits = isNumber ? [] : limitsIn(normalize(question));
  const [limit] = limits;
  if (limit !== undefined && limits.length === 1 && (limit.least === -Infinity || limit.most === Infinity))
    return { ...base, form: "condition", limit };
  const extreme = isNumber ? null : extremeOf(question);
  if (extreme !== null) return { ...base, form: "extreme", ...extreme };
  return { ...base, form: "value", isNumber };
}

/** The words of a condition, without those of what is measured. */
export const conditionWords = ({ question, limit }: CellRequest & { readonly form: "condition" }): Tokens => {
  const said = tellingTokens(normalize(question).slice(limit.from, limit.to));
  return limitWords.union(new Set([...said].filter((token) => /^[\p{N}%]/u.test(token))));
};

/** The words of a question that only select an extreme. */
export const orderWords = (question: string): Tokens => {
  const [word] = [most, least, higher, lower].flatMap((pattern) => pattern.exec(question)?.[0] ?? []);
  return tellingTokens(word ?? "");
};
