import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import type { Answer } from "../../core/answers/answer.ts";
import { groundedModes } from "../../core/answers/answer.ts";
import { askShape, exitOf } from "../../shapes/answer.ts";
import { declared } from "../commands.ts";
import {
  collectionOption,
  type FilterFlags,
  filterOptions,
  positiveInteger,
  requestFilters,
  topKOption,
} from "../shell/options.ts";
import { action } from "../shell/session.ts";
import { closeAnswer, openAnswerView } from "./answer-view.ts";
import { eachQuestion } from "./batch.ts";

interface AskFlags extends FilterFlags {
  readonly batch?: string;
  readonly agent?: string;
  readonly grounded?: (typeof groundedModes)[number];
  readonly budget?: string;
  readonly trace?: boolean;
  readonly sentences?: boolean;
  readonly topK?: number;
}

/** `ragctl ask`: one question, or a file of them. */
export function registerAsk(program: Command): void {
  const command = declared(program, "ask")
    .argument("[question...]", "question; - reads from stdin")
    .option("--batch <file>", "answer each line of a JSONL file of {id, query}; - reads from stdin")
    .addOption(collectionOption())
    .addOption(topKOption("passages to retrieve"))
    .option("--agent <name>", "agent that answers (default: the router chooses one you may use)")
    .addOption(
      new Option(
        "--grounded <mode>",
        "unsupported sentences: remove (strict, the default), mark (prefer) or keep (off)",
      ).choices(groundedModes),
    )
    .option("--budget <time>", "plan the answer to end within this time, e.g. 10s (answer.budget)")
    .option("--llm-model <model>", "id, path or file:// address of the language model (answer.model)")
    .addOption(
      new Option(
        "--context-window <n>",
        "tokens of passages shown to the model (answer.contextTokens)",
      ).argParser(positiveInteger),
    )
    .option("--trace", "print the decision of each graph node as it is made")
    .option("--sentences", "print a verdict on each sentence below the answer");
  filterOptions(command).addHelpText(
    "after",
    '\nExample:\n  ragctl ask "How many days of parental leave do employees get?"',
  );
  command.action(
    action(async (session, words: readonly string[], flags: AskFlags) => {
      const { output } = session;
      const app = await session.app();
      const request = (query: string) => ({
        query,
        topK: flags.topK ?? session.settings.retrieve.topK,
        ...requestFilters(flags),
        ...(flags.agent === undefined ? {} : { agent: flags.agent }),
        ...(flags.grounded === undefined ? {} : { grounded: flags.grounded }),
        ...(flags.budget === undefined ? {} : { budget: flags.budget }),
      });
      const answer = async (query: string, stream: boolean): Promise<Answer> => {
        using view = openAnswerView(output, { stream, trace: flags.trace === true });
        // A run of its own for each question, so that each leaves its record.
        for await (const event of app.ask(request(query), {
          ...session.run,
          id: stream ? session.run.id : randomUUID(),
        })) {
          view.take(event);
          if (event.type === "answer-end") return event.answer;
        }
        throw new TypeError("the answer stream ended without an answer");
      };
      await eachQuestion(words, flags.batch, session, {
        async one(query) {
          const result = await answer(query, true);
          if (output.format === "text") closeAnswer(result, output, flags.sentences === true);
          else output.result({ text: "", data: askShape(result) });
          session.exit(exitOf(result.verdict));
        },
        line: async (query) => askShape(await answer(query, false)),
      });
    }),
  );
}
