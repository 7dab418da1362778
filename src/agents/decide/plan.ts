import type { IntentDecision, Plan, PlannedQuery, Reflection } from "../../core/answers/agent.ts";
import { expandAbbreviations } from "../../language/asking/abbreviations.ts";
import { stripFormat } from "../../language/asking/answer-form.ts";
import { formulaInputs } from "../../language/asking/kinds/defined.ts";
import { comparisonSides } from "../../language/asking/sides.ts";
import { partsOf } from "../../language/clauses.ts";
import { stripGreeting } from "../../language/forms.ts";
import {
  contentWords,
  foldWord,
  isVague,
  namesAndNumbers,
  oneLine,
  splitWords,
} from "../../language/words.ts";

/** Hits per retriever. Source: the product's specification, three retrievers at k 6, 10 and 14. */
const retrieverLimits = { question: 6, rewrite: 10, keyTerms: 14 } as const;

/** Most key terms of a query. */
const maxTerms = 6;

/** The question's content words in order, without its interrogative words. */
export function toKeywordQuery(question: string): string {
  return contentWords(question).join(" ");
}

/**
 * Names and numbers first, then the longest content words, since long words are rarer; in the order of the
 * question.
 */
export function keyTerms(question: string): readonly string[] {
  const names = new Set(namesAndNumbers(question).flatMap(splitWords));
  const words = contentWords(question).filter((word) => names.has(word) || !isVague(word));
  const nameWords = words.filter((word) => names.has(word));
  const otherWords = words.filter((word) => !names.has(word)).toSorted((a, b) => b.length - a.length);
  const terms = new Set([...nameWords, ...otherWords].slice(0, maxTerms));
  return words.filter((word) => terms.has(word));
}

/** One query per text that is searched, with the largest of their limits; none for a query without words. */
function withoutRepeats(queries: readonly PlannedQuery[]): readonly PlannedQuery[] {
  const unique = new Map<string, PlannedQuery>();
  for (const query of queries) {
    const key = splitWords(query.text).map(foldWord).join(" ");
    if (key === "") continue;
    const first = unique.get(key) ?? query;
    unique.set(key, { ...first, limit: Math.max(first.limit, query.limit) });
  }
  return [...unique.values()];
}

/**
 * Decides which queries to search by, all at once. retrieval: the question, its rewrite (or its keywords) and
 * its key terms; multi_part: the question, its rewrite and each part, at most four. The parts of a comparison
 * are its sides; those of a figure that the question defines are its inputs. The other intents need no
 * search. Instructions on the form of the answer are left out.
 */
export function planQueries(
  typed: string,
  reflection: Pick<Reflection, "rewritten">,
  { intent }: Pick<IntentDecision, "intent">,
): Plan {
  if (intent === "direct" || intent === "clarify")
    return { queries: [], reason: `${intent} needs no search` };
  const question = stripFormat(typed);
  const rewritten = reflection.rewritten === null ? null : stripFormat(reflection.rewritten);
  const whole: PlannedQuery[] = [
    { text: oneLine(question), purpose: "question", limit: retrieverLimits.question },
  ];
  if (rewritten !== null)
    whole.push({ text: oneLine(rewritten), purpose: "rewrite", limit: retrieverLimits.rewrite });
  const complete = rewritten ?? question;
  return (
    planDefined(complete, whole) ??
    planSides(complete, whole) ??
    (intent === "multi_part" ? planParts(complete, whole) : null) ??
    planWhole(complete, whole, rewritten)
  );
}

/**
 * Searches the sides of a comparison separately, so that the better documented one does not crowd out the
 * other; null for other questions.
 */
function planSides(question: string, whole: readonly PlannedQuery[]): Plan | null {
  const sides = comparisonSides(stripGreeting(question));
  if (sides.length < 2) return null;
  const queries = sides.map(
    ({ query }) => ({ text: query, purpose: "part", limit: retrieverLimits.rewrite }) as const,
  );
  return {
    queries: withoutRepeats([...whole, ...queries]),
    reason: `it compares ${sides.map(({ label }) => label).join(" and ")}: each side and the whole`,
  };
}

/**
 * Searches the inputs of a figure that the question defines, `x is defined as a / b`; null if it defines
 * nothing.
 */
function planDefined(question: string, whole: readonly PlannedQuery[]): Plan | null {
  const parts = formulaInputs(question);
  if (parts.length < 2) return null;
  const queries = parts.map((text) => ({ text, purpose: "part", limit: retrieverLimits.rewrite }) as const);
  return {
    queries: withoutRepeats([...whole, ...queries]),
    reason: `it defines a figure by ${parts.length} others`,
  };
}

/** Null if the question turns out to have only one part. */
function planParts(question: string, whole: readonly PlannedQuery[]): Plan | null {
  const { parts, reason } = partsOf(stripGreeting(question));
  if (parts.length < 2) return null;
  const queries = parts.map(
    (text) => ({ text: expandAbbreviations(text), purpose: "part", limit: retrieverLimits.rewrite }) as const,
  );
  return {
    queries: withoutRepeats([...whole, ...queries]),
    reason: `${reason}: ${parts.length} parts and the whole`,
  };
}

function planWhole(question: string, whole: readonly PlannedQuery[], rewritten: string | null): Plan {
  const keywords: PlannedQuery = {
    text: expandAbbreviations(toKeywordQuery(question)),
    purpose: "rewrite",
    limit: retrieverLimits.rewrite,
  };
  const terms: PlannedQuery = {
    text: expandAbbreviations(keyTerms(question).join(" ")),
    purpose: "key_terms",
    limit: retrieverLimits.keyTerms,
  };
  const names = {
    question: "the question",
    rewrite: `its ${rewritten === null ? "keywords" : "rewrite"}`,
    key_terms: "its key terms",
    part: "a part",
  };
  const queries = withoutRepeats(rewritten === null ? [...whole, keywords, terms] : [...whole, terms]);
  const reason = queries.map(({ purpose }) => names[purpose]).join(", ");
  return { queries, reason: reason.replace(/, ([^,]*)$/, " and $1") };
}
