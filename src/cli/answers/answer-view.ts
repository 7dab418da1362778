import type { Answer, AnswerEvent, Searched } from "../../core/answers/answer.ts";
import type { BudgetReport } from "../../core/answers/budget.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { Context } from "../../core/retrieval.ts";
import { duration, location, oneLine, phaseLine, plural } from "../../operations/text.ts";
import { traceShape } from "../../shapes/answer.ts";
import type { Output } from "../shell/output.ts";
import { createProgress } from "../shell/progress.ts";
import { warnUnavailable } from "../shell/unavailable.ts";

/**
 * Shows an answer while it is made: the current step, the passages it will be based on, its sentences as they
 * are judged.
 */
export interface AnswerView extends Disposable {
  take(event: AnswerEvent): void;
}

interface ViewOptions {
  /** Prints what every node decides. Default false. */
  readonly trace?: boolean;
  /** Streams the text on stdout, where results are text; a batch prints whole answers. */
  readonly stream: boolean;
}

/** The current step once a node has ended, until the next event. */
const stageAfter: Readonly<Record<string, string>> = {
  intent: "choosing an agent",
  select_tools: "searching",
  execute: "preparing the answer",
  rewrite: "searching again with a reworded question",
};

/** Creates the view of one answer. */
export function createAnswerView(output: Output, { trace = false, stream }: ViewOptions): AnswerView {
  const progress = createProgress("", "", output);
  const text = output.format === "text";
  let midLine = false;
  const showContext = (context: Context, usualMs?: number): void => {
    const { passages } = context;
    // At a terminal the passages are shown as soon as they are found, long before a model on a CPU has read
    // them.
    if (output.interactive && stream && text && passages.length > 0) output.note(passagesText(context));
    progress.stage(`writing the answer from ${plural(passages.length, "passage")}`, usualMs);
  };
  const showText = (delta: string): void => {
    if (!stream || !text) return;
    output.stream(delta);
    midLine = !delta.endsWith("\n");
  };
  const showTrace = (event: TraceEvent): void => {
    if (midLine) output.stream("\n");
    midLine = false;
    if (output.format === "jsonl") output.line({ event: "node-end", ...traceShape(event) });
    else output.note(traceLine(event));
  };
  progress.stage("understanding the question");
  return {
    take(event) {
      switch (event.type) {
        case "context-ready":
          return showContext(event.context, event.usualMs);
        case "text-delta":
          return showText(event.text);
        case "node-end": {
          const { via, rewritten } = event.event.details;
          // A name that was read otherwise than it was typed is shown to who typed it.
          if (via === "spelling" && text) output.note(`read as: ${String(rewritten)}`);
          if (trace) showTrace(event.event);
          const stage = stageAfter[event.event.node];
          if (stage !== undefined) progress.stage(stage);
          return;
        }
        case "answer-end":
          progress.close();
          warnUnavailable(output, event.answer.unavailable);
      }
    },
    [Symbol.dispose]: progress.close,
  };
}

/** Shows an answer while it is made. */
export async function viewAnswer(
  events: AsyncIterable<AnswerEvent>,
  output: Output,
  options: ViewOptions,
): Promise<Answer> {
  using view = createAnswerView(output, options);
  for await (const event of events) {
    view.take(event);
    if (event.type === "answer-end") return event.answer;
  }
  throw new TypeError("the answer stream ended without an answer");
}

/** `route           3 ms  HR Assistant`: one node's decision. */
function traceLine({ node, decided, durationMs }: TraceEvent): string {
  return `${node.padEnd(12)} ${durationMs.toFixed(0).padStart(6)} ms  ${oneLine(decided, 160)}`;
}

/** The passages an answer will rest on, with the numbers it will cite. */
function passagesText({ passages }: Context): string {
  const lines = passages.map(
    ({ marker, chunk, headings = chunk.headings }) =>
      `  [${marker}] ${location(chunk.sourceName, chunk.pages, headings.join(" › "), cellsOf(chunk))}`,
  );
  return [`${plural(passages.length, "passage")} found:`, ...lines].join("\n");
}

/** A quote without the marks of notes in it, which would pass for markers of the answer. */
const withoutMarks = (quote: string): string => quote.replace(/(?<=\S)\[\d{1,3}\]/g, "");

const signs = { supported: "✓", partial: "~", unsupported: "✗" } as const;

/** How the numbers of an answer that are in no passage were computed. */
const derivations = ({ verdict }: Answer): readonly string[] =>
  verdict.sentences.flatMap(({ derivation, support }) =>
    derivation === undefined || support === "unsupported" ? [] : [`calculated: ${derivation}`],
  );

/** The scope of the search for a refusal: `searched 13 documents, 23 pages; 1 page could not be read`. */
function searchedText({ documents, pages, unreadDocuments, unreadPages }: Searched): string {
  const unread = [
    ...(unreadDocuments > 0 ? [plural(unreadDocuments, "file")] : []),
    ...(unreadPages > 0 ? [plural(unreadPages, "page")] : []),
  ];
  const lost = unread.length === 0 ? "" : `; ${unread.join(" and ")} could not be read`;
  return `searched ${plural(documents, "document")} (${plural(pages, "page")})${lost}`;
}

/**
 * The part under an answer's text: the target of each citation, the results of tools, and with `sentences`
 * each verdict.
 */
export function sourcesText(answer: Answer, sentences = false): string {
  const lines: string[] = [];
  for (const citation of answer.citations) {
    lines.push(
      `[${citation.marker}] ${location(citation.sourceFile, citation.pages, citation.section, citation.cells)}`,
    );
    for (const quote of citation.quotes) lines.push(`    “${withoutMarks(quote)}”`);
  }
  if (answer.searched !== undefined) lines.push(searchedText(answer.searched));
  lines.push(...derivations(answer));
  for (const { call, status, message } of answer.tools)
    lines.push(`${call.tool}: ${status === "ok" ? message : `${status}: ${message}`}`);
  if (sentences) {
    for (const { text, support, reason, rule } of answer.verdict.sentences)
      lines.push(`${signs[support]} ${oneLine(text, 120)}  (${rule}${reason === "" ? "" : `: ${reason}`})`);
  }
  return lines.join("\n");
}

/** Whether a text names a score, such as `0.24`. */
const hasScore = (text: string): boolean => /\d[.,]\d\d/.test(text);

/** The reason of a verdict. Scores come before its first colon and are for a trace only. */
function reasonText(reason: string, trace: boolean): string {
  const [first = "", ...rest] = reason.split(": ");
  return trace || !hasScore(first) ? reason : rest.join(": ");
}

/** What a small model wrote, with the sentences that no passage supports marked. */
function draftText({ draft }: Answer): string {
  if (draft === undefined) return "";
  const doubted = draft.sentences.filter(({ support }) => support === "unsupported");
  const marks = doubted.map(
    ({ text, reason }) => `✗ ${oneLine(text, 120)}${reason === "" ? "" : ` (${reason})`}`,
  );
  return [`Draft by ${draft.model}, a small model: check it against the lines above.`, draft.text, ...marks]
    .filter((line) => line !== "")
    .join("\n");
}

/** The verdict on an answer and its duration; each phase with `trace`. Not part of the answer. */
function verdictText({ verdict, phases, budget }: Answer, trace: boolean): string {
  const lines: string[] = [];
  const inPart = verdict.sentences.filter(({ support }) => support === "partial").length;
  const reason = reasonText(verdict.reason, trace);
  if (verdict.status !== "answered")
    lines.push([verdict.status, reason].filter((part) => part !== "").join(": "));
  else if (verdict.removed > 0)
    lines.push(`${plural(verdict.removed, "unsupported sentence")} removed; --sentences shows them`);
  if (verdict.status === "answered" && inPart > 0)
    lines.push(`${plural(inPart, "sentence")} only partly supported; --sentences shows why`);
  const took = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  lines.push(trace ? phaseLine(phases) : `took ${duration(took)}`);
  return [...lines, ...(budget === undefined ? [] : [budgetText(budget)])].join("\n");
}

const rateWords = {
  measured: "",
  "warm-up": ", planned from a short test of the model",
  assumed: ", planned from cautious assumptions: nothing has been measured yet",
} as const;

/** What became of the time an answer was given, and what it has less of. */
function budgetText({ promisedMs, usedMs, rates, plan, leftOut }: BudgetReport): string {
  const writing =
    plan.kind === "quote"
      ? "no model"
      : `${plural(plan.passages, "passage")}, ${plan.promptTokens} prompt tokens, at most ${plan.answerTokens} answer tokens`;
  const planned = `${plural(plan.formulations, "query formulation")}, ${writing}`;
  return [
    `budget ${duration(promisedMs)}: used ${duration(usedMs)}${rateWords[rates]}; planned: ${planned}`,
    ...(leftOut.length === 0 ? [] : [`skipped: ${leftOut.join("; ")}`]),
  ].join("\n");
}

/**
 * Ends an answer that was streamed as text: its sources on stdout, unless only the bare answer is wanted; the
 * verdict on stderr.
 */
export function closeAnswer(
  answer: Answer,
  output: Output,
  { sentences = false, trace = false }: { readonly sentences?: boolean; readonly trace?: boolean } = {},
): void {
  const sources = output.quiet && !sentences ? "" : sourcesText(answer, sentences);
  const below = [sources, draftText(answer)].filter((part) => part !== "");
  output.stream(`${["", ...below].join("\n\n")}\n`);
  // A blank line between answer and verdict where both are on the screen.
  output.note(`${output.interactive ? "\n" : ""}${verdictText(answer, trace)}`);
}
