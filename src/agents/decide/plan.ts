import type { IntentDecision, Plan, PlannedQuery, Reflection } from "../../core/answers/agent.ts";
import { partsOf } from "../../language/clauses.ts";
import { withoutOpening } from "../../language/forms.ts";
import { synonymsOf } from "../../language/synonyms.ts";
import {
  contentWords,
  fold,
  isFunctionWord,
  isVague,
  namesAndNumbers,
  oneLine,
  wordsOf,
} from "../../language/words.ts";

/** Hits of the three retrievers. Source: the product's specification, three at k 6, 10 and 14. */
export const retrieverLimits = { question: 6, rewrite: 10, keyTerms: 14 } as const;

/** Most key terms of a query. */
const mostTerms = 6;

/** The question's content words in order: what is left when it is not asked. */
export function keywordForm(question: string): string {
  return contentWords(question).join(" ");
}

/** Names and numbers, then the longest words that name a subject: long words are the rarer ones. In the order of the question. */
export function keyTerms(question: string): readonly string[] {
  const names = new Set(namesAndNumbers(question).flatMap(wordsOf));
  const words = contentWords(question).filter((word) => names.has(word) || !isVague(word));
  const wanted = new Set(
    [
      ...words.filter((word) => names.has(word)),
      ...words.filter((word) => !names.has(word)).toSorted((a, b) => b.length - a.length),
    ].slice(0, mostTerms),
  );
  return words.filter((word) => wanted.has(word));
}

/** Two texts are one query when they have the same words. */
function withoutRepeats(queries: readonly PlannedQuery[]): readonly PlannedQuery[] {
  const best = new Map<string, PlannedQuery>();
  for (const query of queries) {
    const key = wordsOf(query.text).map(fold).join(" ");
    const known = best.get(key);
    if (key === "") continue;
    if (known === undefined) best.set(key, query);
    else best.set(key, { ...known, limit: Math.max(known.limit, query.limit) });
  }
  return [...best.values()];
}

/**
 * Which queries to search by, at once.
 * retrieval: the question, its rewrite (or its keywords), its key terms; multi_part: each part, at most four, and the whole.
 * Greetings and questions back need none.
 */
export function plan(
  question: string,
  reflection: Partial<Reflection> & Pick<Reflection, "rewritten">,
  { intent }: Pick<IntentDecision, "intent">,
): Plan {
  if (intent === "direct" || intent === "clarify")
    return { queries: [], reason: `${intent} needs no search` };
  const asked = oneLine(question);
  const standing = reflection.rewritten ?? question;
  const whole: readonly PlannedQuery[] = [
    { text: asked, purpose: "question", limit: retrieverLimits.question },
    ...(reflection.rewritten === null
      ? []
      : [{ text: oneLine(standing), purpose: "rewrite", limit: retrieverLimits.rewrite } as const]),
  ];
  const { parts, reason } =
    intent === "multi_part" ? partsOf(withoutOpening(standing)) : { parts: [], reason: "" };
  if (parts.length > 1) {
    const queries = parts.map((text) => ({ text, purpose: "part", limit: retrieverLimits.rewrite }) as const);
    return {
      queries: withoutRepeats([...whole, ...queries]),
      reason: `${reason}: ${parts.length} parts and the whole`,
    };
  }
  const keywords: PlannedQuery = {
    text: keywordForm(standing),
    purpose: "rewrite",
    limit: retrieverLimits.rewrite,
  };
  const terms: PlannedQuery = {
    text: keyTerms(standing).join(" "),
    purpose: "key_terms",
    limit: retrieverLimits.keyTerms,
  };
  const queries = withoutRepeats([...whole, ...(reflection.rewritten === null ? [keywords] : []), terms]);
  return {
    queries,
    reason: `the question, its ${reflection.rewritten === null ? "keywords" : "rewrite"} and its key terms`,
  };
}

/**
 * The question put differently after an attempt that failed, by rule; null when there is no other way to put it.
 * `headings`: those above the passages found. What was written in the failed attempt has no say: it may be made up.
 * 1. The question's words with those that may stand for them and their long forms, and the headings that share a word with it;
 * 2. where that adds nothing, the words a heading would use: the question's, without names and numbers.
 */
export function rewriteForRetry(question: string, headings: readonly string[]): string | null {
  const own = contentWords(question);
  const subjects = own.filter((word) => !isVague(word));
  const asked = new Set(own.map(fold));
  const seen = new Set(asked);
  const fresh = (words: readonly string[]): string[] =>
    words.filter((word) => !isFunctionWord(word) && !seen.has(fold(word)) && seen.add(fold(word)));
  const others = fresh(shortForms(question).flatMap(synonymsOf));
  const matching = headings.filter((heading) =>
    subjects.some((word) => wordsOf(heading).map(fold).includes(fold(word))),
  );
  const above = fresh(matching.flatMap(wordsOf));
  const names = new Set(namesAndNumbers(question).flatMap(wordsOf));
  const general = subjects.filter((word) => !names.has(word));
  const searched = [question, keywordForm(question), keyTerms(question).join(" ")];
  const forms = [[...own, ...others, ...above].slice(0, own.length + 2 * mostTerms), general].map((words) =>
    words.join(" "),
  );
  return forms.find((form) => form !== "" && !searched.includes(form)) ?? null;
}

/** Words in lower case, `SG&A` and `R&D` whole. */
const shortForms = (question: string): string[] =>
  question
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+(?:&[\p{L}]+)?/gu) ?? [];
