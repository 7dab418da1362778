import type { AgentChoice, Draft, Found, IntentDecision } from "../core/answers/agent.ts";
import type { Answer, AnswerEvent, Verdict } from "../core/answers/answer.ts";
import type { TraceEvent } from "../core/answers/trace.ts";

/** Shows the text of a draft that was held back so far. */
export async function* showRest(
  { text, verdict }: Draft,
  shown: string,
): AsyncGenerator<AnswerEvent, Verdict> {
  // A draft that did not continue the text already shown was written again below it.
  if (text !== shown && !shown.endsWith(`\n${text}`))
    yield { type: "text-delta", text: text.startsWith(shown) ? text.slice(shown.length) : `\n${text}` };
  return verdict;
}

/** What an answer was made of; without `choice` and `found` where nothing was searched. */
export interface AnswerParts {
  readonly query: string;
  readonly intent: IntentDecision;
  readonly draft: Draft;
  readonly choice?: AgentChoice;
  readonly found?: Found;
}

/** The answer of a draft, with the steps that led to it. */
export function answerOf(
  { query, intent, draft, choice, found }: AnswerParts,
  trace: readonly TraceEvent[],
): Answer {
  const phases = [...(found?.phases ?? []), ...draft.phases];
  const sum = (parts: readonly { readonly durationMs: number }[]): number =>
    parts.reduce((total, { durationMs }) => total + durationMs, 0);
  // Time not spent in a search, tool or draft is that of decisions, so that the phases add up to the total.
  const durationMs = Math.max(0, sum(trace) - sum(phases));
  return {
    query,
    intent: intent.intent,
    response: draft.text,
    citations: draft.citations,
    verdict: draft.verdict,
    context: draft.context,
    model: draft.model,
    ...(draft.draft === undefined ? {} : { draft: draft.draft }),
    agent: choice?.agent?.name ?? null,
    tools: found?.results ?? [],
    trace,
    phases: [{ phase: "agents", durationMs, counts: { nodes: trace.length } }, ...phases],
    unavailable: found?.gathered?.unavailable ?? [],
  };
}
