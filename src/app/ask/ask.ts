import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { readUtterances, type Utterances } from "../../agents/decide/utterances.ts";
import { runGraph } from "../../agents/graph/graph.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import type { AskRequest } from "../../core/app.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import type { RunRecord } from "../../registry/history/runs.ts";
import { askRecord, unfinishedAsk } from "../records.ts";
import { type AskContext, type GraphParts, openGraphDrivers } from "./graph-drivers.ts";

export interface AskParts extends GraphParts {
  readonly programVersion: string;
  readonly record: (record: RunRecord) => void;
}

const utterancesPath = fileURLToPath(new URL("../../../config/intents.yaml", import.meta.url));

/** The labelled utterances of config/intents.yaml. @throws CONFIG_INVALID */
export function loadUtterances(): Utterances {
  return readUtterances(parse(readFileSync(utterancesPath, "utf8")), "config/intents.yaml");
}

/** Whether a question was turned away at the door: then nothing ran, and nothing is recorded. */
const turnedAway = (error: RagctlError): boolean => error.exitStatus >= 2 && error.exitStatus <= 4;

/**
 * Walks a question through the agents' graph, within what the run's principal may read, and records the answer; one that is stopped or fails
 * is recorded with what was shown until then.
 */
export async function* askQuestion(
  request: AskRequest,
  context: AskContext,
  parts: AskParts,
  run: Run,
): AsyncGenerator<AnswerEvent> {
  const timing = { startedAt: new Date(), programVersion: parts.programVersion };
  // A principal may be named by its id or in another case; its runs are found by its name.
  const recorded: Run = { ...run, principal: parts.access.principal(run).name };
  const since = performance.now();
  const opening: PhaseMetrics[] = [];
  let shown = "";
  let isRecorded = false;
  let failure: RagctlError | undefined;
  const recordUnfinished = (): void => {
    if (isRecorded) return;
    isRecorded = true;
    if (run.signal.aborted) failure ??= asRagctlError(run.signal.reason);
    parts.record(
      unfinishedAsk({ question: request.query, shown, phases: opening }, failure, recorded, timing),
    );
  };
  // Written as the signal falls: what is busy then, a model for one, may not come to its end before the process does.
  run.signal.throwIfAborted();
  run.signal.addEventListener("abort", recordUnfinished, { once: true });
  try {
    const drivers = await openGraphDrivers(request, context, parts);
    opening.push({ phase: "open", durationMs: performance.now() - since, counts: {} });
    for await (const event of runGraph(request.query, context.history, drivers, run)) {
      if (event.type === "text-delta") shown += event.text;
      if (event.type !== "answer-end") {
        yield event;
        continue;
      }
      const origins = drivers.origins();
      const answer = {
        ...event.answer,
        ...(origins === undefined ? {} : { origins }),
        phases: [...opening, ...event.answer.phases],
      };
      const model = answer.model === null ? null : await parts.models.of("llm", null, run).model();
      if (!isRecorded) parts.record(askRecord(answer, recorded, model?.provider ?? "", timing));
      isRecorded = true;
      yield { type: "answer-end", answer };
    }
  } catch (error) {
    failure = asRagctlError(error);
    if (!turnedAway(failure)) recordUnfinished();
    isRecorded = true;
    throw error;
  } finally {
    run.signal.removeEventListener("abort", recordUnfinished);
    recordUnfinished();
  }
}
