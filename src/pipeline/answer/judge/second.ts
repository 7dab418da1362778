import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import type { Entailment } from "../../../core/answers/entailment.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { Passage } from "../../../core/retrieval.ts";
import type { Question } from "../question.ts";

/** A second opinion on a verdict. */
export type SecondJudge = (verdict: SentenceVerdict, signal: AbortSignal) => Promise<SentenceVerdict>;

/**
 * Asks a model whether a supported sentence follows from the passages it cites, together or one by one. It
 * can only make it unsupported. Sentences that cite tool results are left alone, because those are not prose
 * to infer from.
 */
export function openSecondJudge(
  passages: readonly Passage[],
  { notes }: Pick<Question, "notes">,
  entailment: Entailment,
): SecondJudge {
  return async (verdict, signal) => {
    const cited = passages.filter(({ marker }) => verdict.markers.includes(marker));
    if (verdict.support !== "supported" || cited.some(({ chunk }) => isFinding(chunk))) return verdict;
    const texts = cited.map(({ text }) => text);
    const where = verdict.markers.map((marker) => `[${marker}]`).join("");
    let reason = "";
    for (const premise of new Set([texts.join("\n"), ...texts])) {
      const { entailed, label, probability } = await entailment.judge(premise, verdict.text, signal);
      if (entailed) return verdict;
      reason ||= notes.judged.notEntailed(where, probability, label, entailment.id);
    }
    return { ...verdict, support: "unsupported", reason, rule: "entailment" };
  };
}
