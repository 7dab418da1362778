import type { IntentDecision, Turn } from "../../core/answers/agent.ts";
import type { Intent } from "../../core/answers/answer.ts";
import { intents } from "../../core/answers/answer.ts";
import { cosine } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";
import { stripFormat } from "../../language/asking/answer-form.ts";
import { addressesHearer } from "../../language/asking/speaker.ts";
import { partsOf } from "../../language/clauses.ts";
import { socialPhraseKinds, stripGreeting, vaguenessReason } from "../../language/forms.ts";
import { contentWords, isVague, namesAndNumbers, oneLine } from "../../language/words.ts";
import { askModel } from "./ask-model.ts";
import type { DecisionDrivers } from "./drivers.ts";
import { isInventoryQuestion } from "./inventory.ts";
import { meanAndDeviation, meanOfLargest } from "./statistics.ts";
import { type UtteranceClass, type Utterances, utteranceClasses } from "./utterances.ts";

export interface IntentOptions {
  /** Number of nearest utterances of a class whose cosines are averaged. */
  readonly nearest: number;
  /**
   * Smallest lead over the second class, in standard deviations of the question's cosines, at which the
   * nearest class decides.
   */
  readonly margin: number;
}

export const intentDefaults: IntentOptions = { nearest: 3, margin: 0.5 };

export interface IntentRouter {
  classify(question: string, history: readonly Turn[], run: Run): Promise<IntentDecision>;
}

/** Longest question embedded or shown to the model, in characters. */
const longestQuestion = 1000;

const system = `Name what the user's message is. Answer with one word:
retrieval: it asks for something that documents may hold
direct: it is a greeting, thanks, small talk, or about the assistant itself
multi_part: it asks several different things
clarify: it is too vague to search by`;
const grammar = `root ::= ${intents.map((intent) => `"${intent}"`).join(" | ")}`;

/**
 * Why a message needs no search, by its form alone: it is a greeting, thanks or the like, is about the
 * assistant, or asks what there is to search. Null for any other.
 */
export function matchDirectReply(question: string): string | null {
  const social = socialPhraseKinds(question);
  if (social.length > 0) return `it is made of ${[...new Set(social)].join(" and ")}`;
  return isInventoryQuestion(stripGreeting(question)) ? "it asks what there is to search" : null;
}

/** Decides by form alone; null if the form is inconclusive. */
export function intentFromPatterns(
  question: string,
  history: readonly Turn[],
): { readonly intent: Intent; readonly reason: string } | null {
  const direct = matchDirectReply(question);
  if (direct !== null) return { intent: "direct", reason: direct };
  const request = stripGreeting(question);
  const { parts, reason } = partsOf(stripFormat(request));
  if (parts.length > 1) return { intent: "multi_part", reason };
  const vague = vaguenessReason(request);
  if (vague === null) return null;
  // Earlier turns may supply the subject. A message without one that addresses the assistant goes to the
  // router, which distinguishes `what do you know?` from `can you explain it?`.
  const unclear = history.length === 0 ? !addressesHearer(request) : !/[\p{L}\p{N}]/u.test(request);
  return unclear ? { intent: "clarify", reason: vague } : null;
}

/** A question, prepared for the router. */
interface Message {
  /** One line, without its opening words, at most `longestQuestion` characters. */
  readonly text: string;
  readonly history: readonly Turn[];
}

/** Whether an intent is plausible for a message that is close to it; if not, the message is searched. */
function isPlausible(label: UtteranceClass, { text, history }: Message): boolean {
  const subjects = contentWords(text).filter((word) => !isVague(word));
  switch (label) {
    case "direct":
      return (
        addressesHearer(text) &&
        !/\b(?:my|mine|our|i)\b/i.test(text) &&
        namesAndNumbers(text).length === 0 &&
        subjects.length <= 3
      );
    case "clarify":
      return history.length === 0 && subjects.length === 0;
    default:
      return label === "retrieval";
  }
}

interface ClassScore {
  readonly label: UtteranceClass;
  /** Mean cosine with the nearest utterances of the class. */
  readonly score: number;
}

/** The classes by similarity to a message. */
interface Ranking {
  readonly best: ClassScore;
  readonly second: ClassScore;
  readonly scores: Readonly<Record<string, number>>;
  /** Lead of the best class over the second, in standard deviations of all cosines. */
  readonly lead: number;
  /** The two nearest classes, for display. */
  readonly summary: string;
}

interface LabelledUtterance {
  readonly label: UtteranceClass;
  readonly text: string;
}

async function rankClasses(
  text: string,
  utterances: readonly LabelledUtterance[],
  drivers: DecisionDrivers,
  nearest: number,
): Promise<Ranking> {
  const [vector = new Float32Array()] = await drivers.embed([text], "query");
  const vectors = await drivers.embed(
    utterances.map((utterance) => utterance.text),
    "passage",
  );
  const cosines = vectors.map((other) => cosine(vector, other));
  const ranked = utteranceClasses
    .map((label) => {
      const ofClass = cosines.filter((_, index) => utterances[index]?.label === label);
      return { label, score: meanOfLargest(ofClass, nearest) };
    })
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (best === undefined || second === undefined) throw new TypeError("there are fewer than two classes");
  return {
    best,
    second,
    scores: Object.fromEntries(ranked.map(({ label, score }) => [label, score])),
    lead: (best.score - second.score) / meanAndDeviation(cosines).deviation,
    summary: `nearest to ${best.label} (${best.score.toFixed(2)}), then ${second.label} (${second.score.toFixed(2)})`,
  };
}

type Outcome = Omit<IntentDecision, "scores">;

/**
 * A message without a subject is either about the assistant or too vague; null for a message that has one.
 */
function byVagueness({ text, history }: Message, { scores }: Ranking): Outcome | null {
  const vague = history.length === 0 ? vaguenessReason(text) : null;
  if (vague === null) return null;
  return (scores["direct"] ?? 0) > (scores["clarify"] ?? 0)
    ? {
        intent: "direct",
        via: "router",
        reason: `${vague}, and it is nearest to what is said to the assistant`,
      }
    : { intent: "clarify", via: "router", reason: vague };
}

/** The nearest class if its lead is clear and it is plausible; otherwise null. */
function byLead(message: Message, { best, lead, summary }: Ranking, margin: number): Outcome | null {
  if (lead < margin || best.label === "other" || !isPlausible(best.label, message)) return null;
  return { intent: best.label, via: "router", reason: summary };
}

/**
 * The model's choice, if an intent other than retrieval is possible and the chosen one is plausible;
 * otherwise retrieval.
 */
async function byModel(
  message: Message,
  { best, second, summary }: Ranking,
  drivers: DecisionDrivers,
  run: Run,
): Promise<Outcome> {
  const byDefault = (reason: string): Outcome => ({ intent: "retrieval", via: "default", reason });
  const isOpen = [best, second].some(({ label }) => label !== "retrieval" && isPlausible(label, message));
  if (!isOpen) return byDefault(`${summary}; searching is the default`);
  const reply = await askModel(drivers, { system, user: message.text, grammar, maxTokens: 8 }, run);
  if (reply === null) return byDefault(`${summary}: too close; searching is the default`);
  const intent = intents.find((name) => name === reply.text);
  if (intent === undefined || !isPlausible(intent, message))
    return byDefault(`${summary}: too close, and the model did not settle it`);
  return { intent, via: "model", reason: `${summary}: too close, so ${reply.model} was asked` };
}

/**
 * Decides what a question wants:
 * 1. by form: greetings and questions about the assistant, compound questions, nothing to search for; no
 *    vector is computed;
 * 2. by the mean cosine with the nearest utterances of each class, if the lead is clear;
 * 3. by the model under a grammar, if the lead is unclear, an intent other than retrieval is plausible and
 *    there is a model;
 * 4. otherwise retrieval.
 */
export function createIntentRouter(
  utterances: Utterances,
  drivers: DecisionDrivers,
  options: IntentOptions = intentDefaults,
): IntentRouter {
  const labelled = utteranceClasses.flatMap((label) => utterances[label].map((text) => ({ label, text })));
  return {
    async classify(question, history, run) {
      const form = intentFromPatterns(question, history);
      if (form !== null) return { ...form, via: "rule", scores: {} };
      const text = oneLine(stripGreeting(question)).slice(0, longestQuestion);
      const message: Message = { text, history };
      const ranking = await rankClasses(text, labelled, drivers, options.nearest);
      run.signal.throwIfAborted();
      const outcome =
        byVagueness(message, ranking) ??
        byLead(message, ranking, options.margin) ??
        (await byModel(message, ranking, drivers, run));
      return { ...outcome, scores: ranking.scores };
    },
  };
}
