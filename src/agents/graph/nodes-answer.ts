import type { AgentState, Draft } from "../../core/answers/agent.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import { counted } from "../../core/counted.ts";
import type { Run } from "../../core/run.ts";
import type { GraphDrivers, Step } from "./node.ts";

/**
 * Writes the answer from the hits and findings, with a citation for every statement. If a later attempt finds
 * no answer either, the first refusal is kept, because it quotes the nearest passages.
 */
export async function* assembleNode(
  state: AgentState,
  drivers: GraphDrivers,
  run: Run,
): AsyncGenerator<AnswerEvent, Step> {
  let shown = "";
  const writing = drivers.synthesize(state, run);
  let next = await writing.next();
  while (next.done !== true) {
    if (next.value.type === "text-delta") shown += next.value.text;
    yield next.value;
    next = await writing.next();
  }
  const { phases } = next.value;
  const before = state.draft !== null && isEmpty(state.draft) ? state.draft : null;
  const draft = before !== null && isEmpty(next.value) && shown === "" ? before : next.value;
  const { reader } = draft;
  const { status, evidence, threshold } = draft.verdict;
  const read = reader === undefined ? "" : `, read as ${reader.level}: ${reader.why}`;
  return {
    patch: { draft, shown, attempts: state.attempts + 1, phases: [...state.phases, ...phases] },
    decided: `${status}, evidence ${evidence.toFixed(2)} (at least ${threshold.toFixed(2)} needed), ${counted(draft.citations.length, "citation")}, ${counted(draft.context.passages.length, "passage")}${read}`,
    details: {
      model: draft.model,
      tokens: draft.context.tokenCount,
      evidence,
      reader: reader?.level ?? null,
    },
    next: "judge",
  };
}

/** Whether a model was called and wrote no sentence. */
export const isEmpty = ({ model, verdict }: Draft): boolean =>
  model !== null && verdict.sentences.length === 0;

/**
 * Judges the draft. An unsupported or empty answer is retried with another wording, as long as no text was
 * shown.
 */
export async function judgeNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const { draft } = state;
  if (draft === null) throw new TypeError("judged before it was written");
  const { verdict } = draft;
  const supported = verdict.sentences.filter(({ support }) => support === "supported").length;
  const failed = verdict.status === "refused" || verdict.status === "unverified";
  const mayRetry = failed && state.shown === "" && state.gathered !== null;
  const retries = mayRetry && state.attempts < (await drivers.maxAttempts(state, run));
  return {
    patch: { verdict },
    decided: `${verdict.status}: ${supported} of ${counted(verdict.sentences.length, "sentence")} supported${verdict.removed > 0 ? `, ${verdict.removed} removed` : ""}`,
    details: { reason: verdict.reason, sentences: verdict.sentences, attempt: state.attempts },
    next: retries ? "rewrite" : "finish",
  };
}

/**
 * Searches again with another wording; the question to answer stays the same. Ends if there is no other
 * wording, unless the draft was empty.
 */
export async function rewriteNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const { clarifiedQuery: question, draft, gathered, selectedAgent } = state;
  if (draft === null) throw new TypeError("reworded before it was written");
  const agent = selectedAgent?.agent ?? null;
  const tried = (state.plan?.queries ?? []).map(({ text }) => text);
  const rewrite = await drivers.rewriteQuery({ question, agent, draft, gathered, tried }, run);
  if (rewrite === null && !isEmpty(draft))
    return { patch: {}, decided: "no further rewording to search with", next: "finish" };
  const text = rewrite?.text ?? question;
  const queries = [
    ...(state.plan?.queries.slice(0, 1) ?? []),
    { text, purpose: "rewrite" as const, limit: 14 },
  ];
  return {
    patch: { plan: { queries, reason: `attempt ${state.attempts + 1}` } },
    decided: `searching again for: ${text}`,
    details: { attempt: state.attempts + 1, via: rewrite?.via ?? "none" },
    next: "execute",
  };
}

/** Shows the text held back so far. */
export async function* finishNode(state: AgentState): AsyncGenerator<AnswerEvent, Step> {
  const { draft, shown } = state;
  if (draft === null) return { patch: {}, decided: "answered", next: null };
  const response = draft.text;
  // A draft that did not continue the text already shown was written again below it.
  const isShown = response === shown || shown.endsWith(`\n${response}`);
  if (!isShown)
    yield {
      type: "text-delta",
      text: response.startsWith(shown) ? response.slice(shown.length) : `\n${response}`,
    };
  return { patch: { finalResponse: response, shown: response }, decided: draft.verdict.status, next: null };
}
