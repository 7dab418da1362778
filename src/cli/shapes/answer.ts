import type { Answer, Citation, SentenceVerdict, Verdict } from "../../core/answers/answer.ts";
import type { ToolResult } from "../../core/answers/tool.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import type { SearchResult } from "../../core/app.ts";
import { errorTable } from "../../core/errors.ts";
import type { Hit, UnavailableCollection } from "../../core/retrieval.ts";
import { phaseShape, placeShape, type RunView, runShape, schemaVersion, sectionOf } from "./shapes.ts";

function hitShape({ chunk, score, via }: Hit, index: number) {
  return {
    rank: index + 1,
    score,
    text: chunk.text,
    source_file: chunk.sourceName,
    ...placeShape(chunk.pages, sectionOf(chunk)),
    chunk_id: chunk.id,
    collection: chunk.collection,
    department: chunk.department,
    via,
  };
}

/** search.schema.json; in a batch the caller adds `id`. */
export function searchShape({ query, hits, phases, unavailable }: SearchResult) {
  return {
    schema_version: schemaVersion,
    query,
    hits: hits.map(hitShape),
    unavailable: unavailable.map(unavailableShape),
    phases: phases.map(phaseShape),
  };
}

/** One member of `unavailable`: a collection that could not be searched. */
export function unavailableShape({ collection, code, reason, hint }: UnavailableCollection) {
  return { collection, code, reason, hint };
}

function citationShape({ marker, sourceFile, pages, section, chunkId, quote, quotes }: Citation) {
  return { marker, source_file: sourceFile, ...placeShape(pages, section), chunk_id: chunkId, quote, quotes };
}

const sentenceShape = ({ text, markers, support, reason }: SentenceVerdict) => ({
  text,
  markers,
  support,
  reason,
});

function verdictShape({ status, reason, evidence, threshold, grounded, sentences, removed }: Verdict) {
  return { status, reason, evidence, threshold, grounded, removed, sentences: sentences.map(sentenceShape) };
}

function toolShape({ call, status, code, message, data, durationMs }: ToolResult) {
  return {
    tool: call.tool,
    type: call.type,
    arguments: call.arguments,
    reason: call.reason,
    status,
    code,
    message,
    data,
    duration_ms: durationMs,
  };
}

/** One member of `trace` in ask.schema.json, and the event of `--trace` in JSON lines. */
export function traceShape({ node, decided, durationMs, details }: TraceEvent) {
  return { node, decided, duration_ms: durationMs, details };
}

/** Refusals, questions back and answers with sentences that no passage supports end with statuses of their own. */
export function exitOf({ status }: Verdict): number {
  if (status === "refused") return errorTable.EVIDENCE_MISSING.exit;
  if (status === "clarify") return errorTable.QUESTION_VAGUE.exit;
  return status === "unverified" ? errorTable.ANSWER_UNVERIFIED.exit : 0;
}

/** ask.schema.json; in a batch the caller adds `id`. */
export function askShape({
  query,
  intent,
  response,
  citations,
  verdict,
  agent,
  model,
  tools,
  trace,
  phases,
  unavailable,
}: Answer) {
  return {
    schema_version: schemaVersion,
    query,
    intent,
    agent,
    model,
    response,
    citations: citations.map(citationShape),
    verdict: verdictShape(verdict),
    refused: verdict.status === "refused",
    exit_status: exitOf(verdict),
    tools: tools.map(toolShape),
    trace: trace.map(traceShape),
    unavailable: unavailable.map(unavailableShape),
    phases: phases.map(phaseShape),
  };
}

/** run.schema.json: what was asked and answered, what it rests on, and what ended it. */
export function runDetailShape(run: RunView) {
  const { error, answer } = run;
  const asked =
    answer === null
      ? {}
      : {
          question: answer.question,
          response: answer.response,
          verdict: answer.verdict === null ? null : verdictShape(answer.verdict),
          citations: answer.citations.map(citationShape),
        };
  return { schema_version: schemaVersion, ...runShape(run), error, ...asked };
}
