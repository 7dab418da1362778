import type { Draft, Gathered } from "../../../core/answers/agent.ts";
import type { LanguageModel } from "../../../core/answers/answer.ts";
import type { Run } from "../../../core/run.ts";
import type { ReaderTool } from "../../../pipeline/answer/tools/tool.ts";
import { answerInSteps, type StepsEvent, type StepsOptions } from "../../../pipeline/answer/tools/tools.ts";
import { originsOf } from "../origins.ts";
import type { AskHome, RoutedQuestion } from "../question.ts";
import { calculateTool, resultOf } from "./calculate.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { openReaderTables } from "./tables.ts";

type ReaderHome = Pick<AskHome, "retrieval" | "documents" | "settings" | "cache" | "tables">;

/**
 * Answers with a reader that is trusted with tools. They look at what principal and agent may read and the
 * request admits, whatever the reader asks for.
 */
export async function* answerByReader(
  gathered: Gathered | null,
  options: StepsOptions,
  model: LanguageModel,
  question: RoutedQuestion,
  given: ReaderHome,
  run: Run,
): AsyncGenerator<StepsEvent, Draft> {
  const { text, collections, replayKeeper, origins } = question;
  const home = { ...given, retrieval: question.search.retrieval };
  const isSearchable = gathered !== null && collections.length > 0;
  const { hits = [], forms = [] } = gathered ?? {};
  await using tables = isSearchable ? await openReaderTables(question, hits, home, run) : null;
  const tools: readonly ReaderTool[] = [
    ...(isSearchable
      ? [
          searchTool(question, home, ({ hits }) => replayKeeper.gathered(hits, collections)),
          readTool(question, home),
        ]
      : []),
    ...(tables === null ? [] : [tables.tool]),
    calculateTool(),
  ];
  const drivers = {
    ...{ model, tools, fence: replayKeeper.fence, calculate: resultOf },
    tables: async () => (await tables?.describe(text, (shown) => model.count(shown))) ?? "",
  };
  const draft = yield* answerInSteps(text, hits, options, drivers, run);
  origins.made(originsOf(draft, [...hits, ...forms]));
  return draft;
}
