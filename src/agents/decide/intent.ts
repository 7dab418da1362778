import type { IntentDecision, Turn } from "../../core/answers/agent.ts";
import type { Intent } from "../../core/answers/answer.ts";
import { intents } from "../../core/answers/answer.ts";
import { cosine } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";
import { partsOf } from "../../language/clauses.ts";
import { socialForm, vagueForm, withoutOpening } from "../../language/forms.ts";
import { contentWords, isVague, namesAndNumbers, oneLine } from "../../language/words.ts";
import { askModel, type DecisionDrivers, meanOfLargest, spread } from "./drivers.ts";
import { type UtteranceClass, type Utterances, utteranceClasses } from "./utterances.ts";

export interface IntentOptions {
  /** Utterances of a class whose cosines are averaged. */
  readonly nearest: number;
  /** Lead over the next class, in standard deviations of the question's cosines, from which the nearest class decides. */
  readonly margin: number;
}

export const intentDefaults: IntentOptions = { nearest: 3, margin: 0.5 };

export interface IntentRouter {
  classify(question: string, history: readonly Turn[], run: Run): Promise<IntentDecision>;
}

/** Longest question the router embeds and the model is shown, in characters. */
const longestQuestion = 1000;

const system = `Name what the user's message is. Answer with one word:
retrieval: it asks for something that documents may hold
direct: it is a greeting, thanks, small talk, or about the assistant itself
multi_part: it asks several different things
clarify: it is too vague to search by`;
const grammar = `root ::= ${intents.map((intent) => `"${intent}"`).join(" | ")}`;

/** Speaks to the assistant. */
const addressed = /(?<!\p{L})(?:you|your|yourself|bạn|tu|te|toi|ton|vous|votre|du|dich|dir|dein)(?!\p{L})/iu;

/** Decides by form alone; null where the form says nothing. */
export function intentByForm(
  question: string,
  history: readonly Turn[],
): { readonly intent: Intent; readonly reason: string } | null {
  const social = socialForm(question);
  if (social.length > 0)
    return { intent: "direct", reason: `it is made of ${[...new Set(social)].join(" and ")}` };
  const asked = withoutOpening(question);
  const { parts, reason } = partsOf(asked);
  if (parts.length > 1) return { intent: "multi_part", reason };
  const vague = vagueForm(asked);
  // What was said before may tell what is meant.
  // Without a subject, but spoken to the assistant: the router tells `what do you know?` from `can you explain it?`.
  if (vague !== null && (history.length === 0 ? !addressed.test(asked) : !/[\p{L}\p{N}]/u.test(asked)))
    return { intent: "clarify", reason: vague };
  return null;
}

/** What an intent other than retrieval needs beside being near: without it the question is searched. */
function plausible(label: UtteranceClass, question: string, history: readonly Turn[]): boolean {
  const subjects = contentWords(question).filter((word) => !isVague(word));
  if (label === "direct")
    return (
      addressed.test(question) &&
      !/\b(?:my|mine|our|i)\b/i.test(question) &&
      namesAndNumbers(question).length === 0 &&
      subjects.length <= 3
    );
  if (label === "clarify") return history.length === 0 && subjects.length === 0;
  return label === "retrieval";
}

/**
 * Decides what a question wants:
 * 1. by form: greetings and questions about the assistant, several questions, nothing to search by; no vector is computed;
 * 2. by the mean cosine of the nearest utterances of each class, where the lead is clear;
 * 3. by the model under a grammar, where the lead is not clear, an intent other than retrieval is possible and a model is there;
 * 4. else retrieval.
 */
export function openIntentRouter(
  utterances: Utterances,
  drivers: DecisionDrivers,
  options: IntentOptions = intentDefaults,
): IntentRouter {
  const labelled = utteranceClasses.flatMap((label) => utterances[label].map((text) => ({ label, text })));
  return {
    async classify(question, history, run) {
      const byForm = intentByForm(question, history);
      if (byForm !== null) return { ...byForm, via: "rule", scores: {} };
      const text = oneLine(withoutOpening(question)).slice(0, longestQuestion);
      const [vector = new Float32Array()] = await drivers.embed([text], "query");
      const known = await drivers.embed(
        labelled.map((utterance) => utterance.text),
        "passage",
      );
      run.signal.throwIfAborted();
      const cosines = known.map((other) => cosine(vector, other));
      const scored = utteranceClasses
        .map((label) => ({
          label,
          score: meanOfLargest(
            cosines.filter((_, index) => labelled[index]?.label === label),
            options.nearest,
          ),
        }))
        .toSorted((a, b) => b.score - a.score);
      const scores = Object.fromEntries(scored.map(({ label, score }) => [label, score]));
      const vague = history.length === 0 ? vagueForm(text) : null;
      if (vague !== null) {
        const intent = (scores["direct"] ?? 0) > (scores["clarify"] ?? 0) ? "direct" : "clarify";
        return {
          intent,
          via: "router",
          scores,
          reason:
            intent === "clarify" ? vague : `${vague}, and it is nearest to what is said to the assistant`,
        };
      }
      const [best, second] = scored;
      if (best === undefined || second === undefined)
        return { intent: "retrieval", via: "default", scores, reason: "no utterances are known" };
      const lead = (best.score - second.score) / spread(cosines).deviation;
      const told = `nearest to ${best.label} (${best.score.toFixed(2)}), then ${second.label} (${second.score.toFixed(2)})`;
      if (best.label === "retrieval" && lead >= options.margin)
        return { intent: "retrieval", via: "router", scores, reason: told };
      if (best.label !== "other" && lead >= options.margin && plausible(best.label, text, history)) {
        return { intent: best.label, via: "router", scores, reason: told };
      }
      const open = [best, second].filter(
        ({ label }) => label !== "retrieval" && plausible(label, text, history),
      );
      if (open.length === 0)
        return { intent: "retrieval", via: "default", scores, reason: `${told}; searching is the default` };
      const asked = await askModel(drivers, [system, text], { grammar, maxTokens: 8 }, run);
      const named = intents.find((intent) => intent === asked?.text);
      if (asked === null)
        return {
          intent: "retrieval",
          via: "default",
          scores,
          reason: `${told}: too close; searching is the default`,
        };
      if (named === undefined || (named !== "retrieval" && !plausible(named, text, history))) {
        return {
          intent: "retrieval",
          via: "default",
          scores,
          reason: `${told}: too close, and the model did not settle it`,
        };
      }
      return {
        intent: named,
        via: "model",
        scores,
        reason: `${told}: too close, so ${asked.model} was asked`,
      };
    },
  };
}
