import type { Answer, AnswerEvent, LanguageModel, Verdict } from "../core/answer.ts";
import type { SearchRequest } from "../core/app.ts";
import type { Context, Hit } from "../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../core/run.ts";
import type { Grounded } from "./answer.ts";
import { extractiveAnswer, finished, generateAnswer, ground } from "./answer.ts";
import { context } from "./context.ts";
import { type Evidence, type EvidenceOptions, evidence, evidenceDefaults } from "./evidence.ts";
import { sourceLine } from "./prompt.ts";

export type AskRequest = Omit<SearchRequest, "mode">;

export interface AskSettings {
  /** Budget of the passages together, in the model's tokens. */
  readonly contextTokens: number;
  readonly maxPassages: number;
  /** Longer passages are cut to what bears on the question; 0 never. */
  readonly focusTokens: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly evidence: EvidenceOptions;
}

export const askDefaults: AskSettings = {
  contextTokens: 1200,
  maxPassages: 5,
  focusTokens: 180,
  maxTokens: 320,
  temperature: 0.1,
  evidence: evidenceDefaults,
};

export interface AskDrivers {
  /** Hits best first; `cosine` is the best dense score where the hits themselves are fused or reranked. */
  retrieve(
    request: AskRequest,
    run: Run,
  ): Promise<{ readonly hits: readonly Hit[]; readonly phases: readonly PhaseMetrics[]; readonly cosine?: number }>;
  /** The answering model, loaded on first use; null where none is installed. */
  model(): Promise<LanguageModel | null>;
  readonly settings: AskSettings;
}

/** Characters per token when no model is there to count. */
const roughCount = (text: string): number => Math.ceil(text.length / 4);

function describeLack({ score, threshold, parts }: Evidence): string {
  const lacks = [
    ...(parts.missingNames.length > 0 ? [`no passage mentions ${parts.missingNames.join(", ")}`] : []),
    ...(parts.missingNumbers.length > 0 ? [`none has ${parts.missingNumbers.join(", ")}`] : []),
  ];
  return `evidence ${score.toFixed(2)} is below ${threshold.toFixed(2)}${lacks.length > 0 ? `: ${lacks.join("; ")}` : ""}`;
}

function refusal(hits: readonly Hit[]): string {
  const nearest = [...new Set(hits.map((hit) => sourceLine(hit)))].slice(0, 3);
  const lead = "I found no passage that answers this in the collections searched.";
  return nearest.length === 0 ? lead : `${lead}\nNearest finds:\n${nearest.map((line) => `- ${line}`).join("\n")}`;
}

function verdictOf(status: "answered" | "extractive", grounded: Grounded, found: Evidence, groundless: boolean): Verdict {
  const cited = `${grounded.statements - grounded.uncited} of ${grounded.statements} statements cited`;
  const doubt = grounded.unsupported > 0 ? `, ${grounded.unsupported} with weak support in the passages` : "";
  const reason =
    status === "answered"
      ? `${cited}${doubt}`
      : `${groundless ? "nothing the model wrote stands in the passages" : "no answering model is installed"}: sentences quoted from the passages (${cited})`;
  return { status, reason, evidence: found.score, threshold: found.threshold };
}

/** The statements that are complete by now, checked and cited, without what was shown already; "" while none is new. */
function newlyGrounded(text: string, shown: string, built: Context): string {
  const boundary = text.match(/^[\s\S]*\](?=\s+\S)/)?.[0];
  if (boundary === undefined) return "";
  const { text: ready, citations } = ground(boundary, built.passages);
  return citations.length > 0 && ready.startsWith(shown) ? ready.slice(shown.length) : "";
}

/**
 * From a question to a cited answer:
 * 1. retrieve; 2. hold the evidence against its threshold and refuse before any model is loaded; 3. build the context;
 * 4. generate, or quote where there is no model; 5. tie every statement to its passage; where none can be tied, quote.
 * Deltas are whole statements, checked: together they are the text of `answer-end`.
 */
export async function* ask(request: AskRequest, drivers: AskDrivers, run: Run): AsyncGenerator<AnswerEvent> {
  const { settings } = drivers;
  const phases: PhaseMetrics[] = [];
  let since = performance.now();
  const close = (phase: string, counts: Readonly<Record<string, number>>): void => {
    const now = performance.now();
    phases.push({ phase, durationMs: now - since, counts });
    run.log.event("phase", { phase, duration_ms: now - since, ...counts });
    since = now;
  };
  const finish = (response: string, verdict: Verdict, used: Context, rest: Pick<Answer, "citations" | "model">): AnswerEvent => ({
    type: "answer-end",
    answer: { query: request.query, intent: "retrieval", response, verdict, context: used, phases, ...rest },
  });

  const retrieved = await drivers.retrieve(request, run);
  phases.push(...retrieved.phases);
  run.signal.throwIfAborted();

  since = performance.now();
  const found = evidence(request.query, retrieved.hits, settings.evidence, retrieved.cosine);
  close("evidence", { hits: retrieved.hits.length, score: found.score, threshold: found.threshold });
  if (!found.enough) {
    const response = refusal(retrieved.hits);
    const dropped = { overBudget: retrieved.hits.length, duplicate: 0 };
    const verdict: Verdict = { status: "refused", reason: describeLack(found), evidence: found.score, threshold: found.threshold };
    const none: Context = { question: request.query, passages: [], tokenCount: 0, dropped };
    yield { type: "context-ready", context: none };
    yield { type: "text-delta", text: response };
    yield finish(response, verdict, none, { citations: [], model: null });
    return;
  }

  const model = await drivers.model();
  if (model !== null) close("load", {});
  const room = model === null ? settings.contextTokens : Math.min(settings.contextTokens, model.contextTokens - settings.maxTokens - 256);
  const built = context(request.query, retrieved.hits, {
    maxTokens: room,
    maxPassages: settings.maxPassages,
    focusTokens: settings.focusTokens,
    count: model === null ? roughCount : (text) => model.count(text),
  });
  close("context", { passages: built.passages.length, tokens: built.tokenCount, ...built.dropped });
  yield { type: "context-ready", context: built };

  const quoted = (): string => extractiveAnswer(built);
  let text = "";
  let shown = "";
  if (model === null) text = quoted();
  else {
    since = performance.now();
    let counts: Record<string, number> = {};
    // An answer that circled has no end event: it is cut back too.
    let cut = true;
    for await (const event of generateAnswer(built, model, settings, run.signal)) {
      if (event.type === "text-delta") {
        text += event.text;
        const more = newlyGrounded(text, shown, built);
        if (more !== "") yield { type: "text-delta", text: more };
        shown += more;
      } else {
        const { type: _, reason, ...measured } = event;
        counts = measured;
        cut = reason !== "stop";
      }
    }
    if (cut) text = finished(text);
    close("generate", counts);
  }
  const written = ground(text, built.passages);
  const groundless = model !== null && written.citations.length === 0;
  const grounded = groundless ? ground(quoted(), built.passages) : written;
  close("ground", { statements: written.statements, uncited: written.uncited, unsupported: written.unsupported });
  yield { type: "text-delta", text: grounded.text.startsWith(shown) ? grounded.text.slice(shown.length) : `\n${grounded.text}` };
  const status = model === null || groundless ? "extractive" : "answered";
  yield finish(grounded.text, verdictOf(status, grounded, found, groundless), built, {
    citations: grounded.citations,
    model: model?.id ?? null,
  });
}
