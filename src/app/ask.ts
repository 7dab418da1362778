import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { runGraph } from "../agents/graph.ts";
import { readUtterances, type Utterances } from "../agents/utterances.ts";
import type { AnswerEvent } from "../core/answer.ts";
import type { AskRequest } from "../core/app.ts";
import type { Run } from "../core/run.ts";
import type { RunRecord } from "../registry/runs.ts";
import { type AskContext, type GraphParts, openGraphDrivers } from "./graph-drivers.ts";
import { askRecord } from "./records.ts";

export interface AskParts extends GraphParts {
  readonly programVersion: string;
  readonly record: (record: RunRecord) => void;
}

const utterancesPath = fileURLToPath(new URL("../../config/intents.yaml", import.meta.url));

/** The labelled utterances of config/intents.yaml. @throws CONFIG_INVALID */
export function loadUtterances(): Utterances {
  return readUtterances(parse(readFileSync(utterancesPath, "utf8")), "config/intents.yaml");
}

/** Walks a question through the agents' graph, within what the run's principal may read, and records the answer. */
export async function* askQuestion(request: AskRequest, context: AskContext, parts: AskParts, run: Run): AsyncGenerator<AnswerEvent> {
  const timing = { startedAt: new Date(), programVersion: parts.programVersion };
  // A principal may be named by its id or in another case; its runs are found by its name.
  const recorded: Run = { ...run, principal: parts.access.principal(run).name };
  const drivers = await openGraphDrivers(request, context, parts);
  for await (const event of runGraph(request.query, context.history, drivers, run)) {
    if (event.type !== "answer-end") {
      yield event;
      continue;
    }
    const origins = drivers.origins();
    const answer = origins === undefined ? event.answer : { ...event.answer, origins };
    const model = answer.model === null ? null : await parts.models.of("llm", null, run).model();
    parts.record(askRecord(answer, recorded, model?.provider ?? "", timing));
    yield { type: "answer-end", answer };
  }
}
