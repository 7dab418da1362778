import type { Answer } from "../../core/answers/answer.ts";
import type { EvalPhases, EvalPlace, EvalQuestion, Scores } from "../../core/answers/evaluation.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { PhaseMetrics } from "../../core/run.ts";
import { contains, numbersMatch, wordF1 } from "./compare-texts.ts";
import { baseName } from "./questions.ts";
import { rankScores } from "./ranking.ts";

/** Ranks at which a list is measured, up to the number of hits. */
export const rankCutoffs = (topK: number): readonly number[] =>
  [...new Set([1, 3, 5, 10, topK])].filter((cut) => cut <= topK).sort((left, right) => left - right);

/** Names of every metric except times and tokens, for rankings of `topK` passages. */
export const metricNames = (topK: number): readonly string[] => [
  ...["page", "document"].flatMap((level) =>
    ["hit", "recall", "ndcg", "mrr"].flatMap((name) =>
      rankCutoffs(topK).map((cut) => `${level}_${name}@${cut}`),
    ),
  ),
  ...["containment", "f1", "number_match", "citation_precision", "citation_recall", "supported_sentences"],
  ...["refusal_precision", "refusal_recall", "false_refusal"],
];

/** Locations of hits. */
export const placesOf = (hits: readonly Pick<Hit, "chunk">[]): readonly EvalPlace[] =>
  hits.map(({ chunk }) => ({ document: baseName(chunk.sourceName), pages: chunk.pages }));

const pageKey = (document: string, page: number): string => JSON.stringify([document, page]);

/**
 * `page_hit@k`, `page_recall@k`, `page_ndcg@k`, `page_mrr@k` if the question gives evidence pages, and the
 * same for `document_` if it names a document; nothing for a question that has no answer. Documents are
 * ranked by their best passage.
 */
export function retrievalScores(
  question: EvalQuestion,
  places: readonly EvalPlace[],
  cuts: readonly number[],
): Scores {
  const { document, pages, answerable } = question;
  if (!answerable || document === null) return {};
  const scores: Record<string, number> = {};
  const note = (level: string, ranked: readonly (readonly string[])[], sought: ReadonlySet<string>) => {
    for (const cut of cuts)
      for (const [name, value] of Object.entries(rankScores(ranked, sought, cut)))
        scores[`${level}_${name}@${cut}`] = value;
  };
  if (pages.length > 0) {
    const ranked = places.map((place) => place.pages.map((page) => pageKey(place.document, page)));
    note("page", ranked, new Set(pages.map((page) => pageKey(document, page))));
  }
  const documents = [...new Set(places.map((place) => place.document))].map((name) => [name]);
  note("document", documents, new Set([document]));
  // Counts the first k passages, not the first k documents, so that it is comparable with page_hit@k.
  for (const cut of cuts)
    scores[`document_hit@${cut}`] = Number(places.slice(0, cut).some((place) => place.document === document));
  return scores;
}

/** The scored parts of an answer. */
export type ScoredAnswer = Pick<Answer, "response" | "citations" | "verdict">;

/** Locations of citations. */
export const citedPlaces = ({ citations }: Pick<Answer, "citations">): readonly EvalPlace[] =>
  citations.map(({ sourceFile, pages }) => ({ document: baseName(sourceFile), pages }));

/**
 * Scores of an answer: its text, its citations by page, its sentences, and whether refusing or answering was
 * right.
 */
export function answerScores(question: EvalQuestion, answer: ScoredAnswer, tolerance: number): Scores {
  const refused = answer.verdict.status === "refused";
  const scores: Record<string, number> = {};
  if (refused) scores["refusal_precision"] = Number(!question.answerable);
  if (!question.answerable) {
    scores["refusal_recall"] = Number(refused);
  } else {
    scores["false_refusal"] = Number(refused);
    Object.assign(scores, textScores(question, answer.response, tolerance), citationScores(question, answer));
  }
  const { sentences } = answer.verdict;
  if (sentences.length > 0)
    scores["supported_sentences"] =
      sentences.filter(({ support }) => support === "supported").length / sentences.length;
  return scores;
}

function textScores({ answers }: EvalQuestion, response: string, tolerance: number): Scores {
  if (answers.length === 0) return {};
  const numbers = numbersMatch(response, answers, tolerance);
  return {
    containment: Number(contains(response, answers)),
    f1: wordF1(response, answers),
    ...(numbers === undefined ? {} : { number_match: Number(numbers) }),
  };
}

function citationScores({ document, pages }: EvalQuestion, answer: ScoredAnswer): Scores {
  if (document === null || pages.length === 0) return {};
  const sought = new Set(pages.map((page) => pageKey(document, page)));
  const cited = citedPlaces(answer).flatMap((place) =>
    place.pages.map((page) => pageKey(place.document, page)),
  );
  const right = cited.filter((key) => sought.has(key));
  return {
    ...(cited.length === 0 ? {} : { citation_precision: right.length / cited.length }),
    citation_recall: new Set(right).size / sought.size,
  };
}

/**
 * `ms.search`, `ms.search.retrieve`, `ms.answer.generate` … and `tokens.answer.generate.output` …, summed
 * over attempts.
 */
export function costScores({ search, answer }: EvalPhases): Scores {
  const scores: Record<string, number> = {};
  const add = (name: string, value: number): void => {
    scores[name] = (scores[name] ?? 0) + value;
  };
  const addAll = (step: string, phases: readonly PhaseMetrics[]): void => {
    for (const { phase, durationMs, counts } of phases) {
      add(`ms.${step}`, durationMs);
      add(`ms.${step}.${phase}`, durationMs);
      for (const [name, value] of Object.entries(counts))
        if (name === "tokens") add(`tokens.${step}.${phase}`, value);
        else if (name.endsWith("Tokens")) add(`tokens.${step}.${phase}.${name.slice(0, -6)}`, value);
    }
  };
  addAll("search", search);
  addAll("answer", answer);
  return scores;
}
