import type { Answer, AnswerEvent } from "../core/answer.ts";
import type { SearchRequest } from "../core/app.ts";
import type { Hit } from "../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../core/run.ts";
import { type SynthesizeDrivers, type SynthesizeOptions, synthesize, synthesizeDefaults } from "./synthesize.ts";

export type AskRequest = Omit<SearchRequest, "mode">;
export type AskSettings = SynthesizeOptions;
export const askDefaults: AskSettings = synthesizeDefaults;

export interface AskDrivers extends SynthesizeDrivers {
  /** Hits best first; `cosine` is the best dense score where the hits themselves are fused or reranked. */
  retrieve(
    request: AskRequest,
    run: Run,
  ): Promise<{ readonly hits: readonly Hit[]; readonly phases: readonly PhaseMetrics[]; readonly cosine?: number }>;
  readonly settings: AskSettings;
}

/** One question, one search, one draft: the answer without agents. */
export async function* ask(request: AskRequest, drivers: AskDrivers, run: Run): AsyncGenerator<AnswerEvent> {
  const retrieved = await drivers.retrieve(request, run);
  const options = { ...drivers.settings, ...(retrieved.cosine === undefined ? {} : { cosine: retrieved.cosine }) };
  const draft = yield* synthesize(request.query, retrieved.hits, options, drivers, run);
  const { text, citations, verdict, model, context, phases } = draft;
  const answer: Answer = {
    query: request.query,
    intent: "retrieval",
    response: text,
    citations,
    verdict,
    context,
    model,
    agent: null,
    tools: [],
    trace: [],
    phases: [...retrieved.phases, ...phases],
  };
  yield { type: "answer-end", answer };
}
