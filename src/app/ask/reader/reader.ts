import type { AgentState, Draft } from "../../../core/answers/agent.ts";
import type { LanguageModel } from "../../../core/answers/answer.ts";
import type { Run } from "../../../core/run.ts";
import { answerInSteps, type StepsEvent, type StepsOptions } from "../../../pipeline/answer/steps/steps.ts";
import type { ReaderTool } from "../../../pipeline/answer/steps/tool.ts";
import { searchOf } from "../gathering.ts";
import { originsOf } from "../origins.ts";
import { type AskHome, agentOf, type QuestionContext } from "../question.ts";
import { calculateTool, resultOf } from "./calculate.ts";
import { readTool } from "./read.ts";
import type { ReaderScope } from "./scope.ts";
import { searchTool } from "./search.ts";
import { openReaderTables } from "./tables.ts";

type ReaderHome = Pick<AskHome, "retrieval" | "documents" | "settings" | "cache" | "tables">;

/**
 * Answers with a reader that is trusted with tools. They look at what principal and agent may read and the
 * request admits, whatever the reader asks for.
 */
export async function* answerByReader(
  state: AgentState,
  options: StepsOptions,
  model: LanguageModel,
  question: QuestionContext,
  given: ReaderHome,
  run: Run,
): AsyncGenerator<StepsEvent, Draft> {
  const { request, replayKeeper, origins } = question;
  const home = { ...given, retrieval: searchOf(state, given).retrieval };
  const collections = state.permissions?.collections ?? [];
  const scope: ReaderScope = { request, collections, agent: question.through(agentOf(state)) };
  const isSearchable = state.gathered !== null && collections.length > 0;
  const hits = state.gathered?.hits ?? [];
  await using tables = isSearchable ? openReaderTables(scope, hits, question, home, run) : null;
  const tools: readonly ReaderTool[] = [
    ...(isSearchable
      ? [
          searchTool(scope, home, ({ hits }) => replayKeeper.gathered(hits, collections)),
          readTool(scope, home),
        ]
      : []),
    ...(tables === null ? [] : [tables.tool]),
    calculateTool(),
  ];
  const drivers = {
    ...{ model, tools, fence: replayKeeper.fence, calculate: resultOf },
    tables: async () => (await tables?.describe(state.clarifiedQuery, (text) => model.count(text))) ?? "",
  };
  const draft = yield* answerInSteps(state.clarifiedQuery, hits, options, drivers, run);
  origins.made(originsOf(draft, [...hits, ...(state.gathered?.forms ?? [])]));
  return draft;
}
