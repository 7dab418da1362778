import type { AgentState } from "../../core/answers/agent.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import { plural } from "../../core/plural.ts";
import type { Run } from "../../core/run.ts";
import type { GraphDrivers, Step } from "./node.ts";

/** Writes the answer from the hits and findings, with a citation for every statement. */
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
  const draft = next.value;
  const { reader, phases } = draft;
  const { status, evidence, threshold } = draft.verdict;
  const read = reader === undefined ? "" : `, read as ${reader.level}: ${reader.why}`;
  return {
    patch: { draft, shown, phases: [...state.phases, ...phases] },
    decided: `${status}, evidence ${evidence.toFixed(2)} (at least ${threshold.toFixed(2)} needed), ${plural(draft.citations.length, "citation")}, ${plural(draft.context.passages.length, "passage")}${read}`,
    details: {
      model: draft.model,
      tokens: draft.context.tokenCount,
      evidence,
      reader: reader?.level ?? null,
    },
    next: "judge",
  };
}

/** Judges the draft: what the answer says of itself, in one line. */
export async function judgeNode(state: AgentState): Promise<Step> {
  const { draft } = state;
  if (draft === null) throw new TypeError("judged before it was written");
  const { verdict } = draft;
  const supported = verdict.sentences.filter(({ support }) => support === "supported").length;
  return {
    patch: { verdict },
    decided: `${verdict.status}: ${supported} of ${plural(verdict.sentences.length, "sentence")} supported${verdict.removed > 0 ? `, ${verdict.removed} removed` : ""}`,
    details: { reason: verdict.reason, sentences: verdict.sentences },
    next: "finish",
  };
}

/** Shows the text held back so far. */
export async function* flushNode(state: AgentState): AsyncGenerator<AnswerEvent, Step> {
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
