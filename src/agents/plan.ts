import type { IntentDecision, Plan, PlannedQuery, Reflection } from "../core/agent.ts";
import { withoutOpening } from "./forms.ts";
import { partsOf } from "./parts.ts";
import { contentWords, fold, isVague, namesAndNumbers, oneLine, wordsOf } from "./words.ts";

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
    [...words.filter((word) => names.has(word)), ...words.filter((word) => !names.has(word)).toSorted((a, b) => b.length - a.length)].slice(
      0,
      mostTerms,
    ),
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
  if (intent === "direct" || intent === "clarify") return { queries: [], reason: `${intent} needs no search` };
  const asked = oneLine(question);
  const standing = reflection.rewritten ?? question;
  const whole: readonly PlannedQuery[] = [
    { text: asked, purpose: "question", limit: retrieverLimits.question },
    ...(reflection.rewritten === null ? [] : [{ text: oneLine(standing), purpose: "rewrite", limit: retrieverLimits.rewrite } as const]),
  ];
  const { parts, reason } = intent === "multi_part" ? partsOf(withoutOpening(standing)) : { parts: [], reason: "" };
  if (parts.length > 1) {
    const queries = parts.map((text) => ({ text, purpose: "part", limit: retrieverLimits.rewrite }) as const);
    return { queries: withoutRepeats([...whole, ...queries]), reason: `${reason}: ${parts.length} parts and the whole` };
  }
  const keywords: PlannedQuery = { text: keywordForm(standing), purpose: "rewrite", limit: retrieverLimits.rewrite };
  const terms: PlannedQuery = { text: keyTerms(standing).join(" "), purpose: "key_terms", limit: retrieverLimits.keyTerms };
  const queries = withoutRepeats([...whole, ...(reflection.rewritten === null ? [keywords] : []), terms]);
  return { queries, reason: `the question, its ${reflection.rewritten === null ? "keywords" : "rewrite"} and its key terms` };
}

/**
 * The question put differently after an attempt that nothing supports, by rule; null when there is no other way, or after two.
 * `lacking`: sentences the model wrote, or terms of the question, that no passage supports.
 * 1. The key terms without those no passage has, with the plain words of the lacking sentences: they are how an answer would be
 *    worded; the names and numbers in them are left out, because they may be made up.
 * 2. Only the words a heading would use: the question's, without names and numbers.
 */
export function rewriteForRetry(question: string, lacking: readonly string[], attempt: number): string | null {
  const terms = keyTerms(question);
  const isSentence = (text: string): boolean => wordsOf(text).length > 3;
  const missing = new Set(lacking.filter((text) => !isSentence(text)).flatMap((text) => wordsOf(text).map(fold)));
  const supported = terms.filter((term) => !missing.has(fold(term)));
  const known = new Set(contentWords(question).map(fold));
  const worded = lacking.filter(isSentence).flatMap((text) => {
    const named = new Set(namesAndNumbers(text).flatMap(wordsOf));
    return contentWords(text).filter((word) => !named.has(word) && !isVague(word) && !known.has(fold(word)));
  });
  const names = new Set(namesAndNumbers(question).flatMap(wordsOf));
  const forms = [
    [...supported, ...new Set(worded)].slice(0, 2 * mostTerms),
    contentWords(question).filter((term) => !names.has(term) && !missing.has(fold(term)) && !isVague(term)),
  ].map((words) => words.join(" "));
  const searched = [question, keywordForm(question), terms.join(" ")];
  const fresh = [...new Set(forms)].filter((form) => form !== "" && !searched.includes(form));
  return fresh[attempt - 1] ?? null;
}
