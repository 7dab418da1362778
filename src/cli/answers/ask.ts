import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import type { Answer } from "../../core/answers/answer.ts";
import { groundedModes } from "../../core/answers/answer.ts";
import { usage } from "../../core/metadata/metadata.ts";
import { given } from "../../operations/operation.ts";
import { askShape, exitOf } from "../../shapes/answer.ts";
import { declared } from "../commands.ts";
import type { GlobalFlags } from "../shell/global-options.ts";
import {
  chunkOverlapOption,
  chunkSizeOption,
  collectionOption,
  embeddingModelOption,
  exportTypeOption,
  milvusOption,
  positiveInteger,
  rerankerOption,
  topKOption,
} from "../shell/options.ts";
import { action } from "../shell/session.ts";
import { closeAnswer, openAnswerView } from "./answer-view.ts";
import { ingestFile } from "./ask-file.ts";
import { eachQuestion } from "./batch.ts";
import { type FilterFlags, filterOptions, requestFilters } from "./filters.ts";

interface AskFlags extends FilterFlags, Pick<GlobalFlags, "chunkSize" | "chunkOverlap"> {
  readonly pdf?: string;
  readonly question?: string;
  readonly batch?: string;
  readonly agent?: string;
  readonly grounded?: (typeof groundedModes)[number];
  readonly budget?: string;
  readonly trace?: boolean;
  readonly sentences?: boolean;
  readonly topK?: number;
}

/** `ragctl ask` with its flags. */
function askCommand(program: Command): Command {
  const command = declared(program, "ask")
    .argument("[question...]", "question, or - to read it from stdin")
    .option("--batch <file>", "answer every line of a JSONL file of {id, query}, or - for stdin")
    .option("--question <text>", "question, given as an option")
    .option(
      "--pdf <file>",
      "answer from this file only (PDF or any supported format); it is ingested into its own private collection first",
    )
    .addOption(collectionOption())
    .addOption(topKOption("number of passages to retrieve"))
    .option("--agent <name>", "agent that answers (default: chosen by the router)")
    .addOption(
      new Option(
        "--grounded <mode>",
        "what to do with unsupported sentences: strict leaves them out (default), prefer marks them, off keeps them",
      ).choices(groundedModes),
    )
    .option("--budget <time>", "time budget for the answer, e.g. 10s (answer.budget; default: none)")
    .option(
      "--llm-model <model>",
      "local language model to use instead of a provider: id, path or file:// URL (answer.model; default: auto)",
    )
    .addOption(embeddingModelOption())
    .addOption(chunkSizeOption())
    .addOption(chunkOverlapOption())
    .addOption(milvusOption())
    .addOption(rerankerOption())
    .addOption(exportTypeOption())
    .addOption(
      new Option(
        "--context-window <n>",
        "maximum tokens of passages given to the model (answer.contextTokens; default: depends on the model)",
      ).argParser(positiveInteger),
    )
    .option("--trace", "print each graph node's decision as it happens")
    .option("--sentences", "print a verdict for each sentence below the answer");
  return filterOptions(command).addHelpText(
    "after",
    '\nExample:\n  ragctl ask "How many days of parental leave do employees get?"',
  );
}

/** `ragctl ask`: one question, or a file of them. */
export function registerAsk(program: Command): void {
  askCommand(program).action(
    action(async (session, words: readonly string[], flags: AskFlags) => {
      const { output } = session;
      const asked = questionOf(words, flags);
      const file = fileOf(flags);
      const only = file === undefined ? {} : await ingestFile(file, session);
      const app = await session.app();
      const request = (query: string) => ({
        query,
        topK: flags.topK ?? session.settings.retrieve.topK,
        ...requestFilters(flags),
        ...only,
        ...given({ agent: flags.agent, grounded: flags.grounded, budget: flags.budget }),
      });
      const answer = async (query: string, stream: boolean): Promise<Answer> => {
        using view = openAnswerView(output, { stream, trace: flags.trace === true });
        // A separate run for each question, so that each leaves its record.
        for await (const event of app.ask(request(query), {
          ...session.run,
          id: stream ? session.run.id : randomUUID(),
        })) {
          view.take(event);
          if (event.type === "answer-end") return event.answer;
        }
        throw new TypeError("the answer stream ended without an answer");
      };
      await eachQuestion(asked, flags.batch, session, {
        async one(query) {
          const result = await answer(query, true);
          if (output.format === "text") closeAnswer(result, output, flags);
          else output.result({ text: "", data: askShape(result) });
          session.exit(exitOf(result.verdict));
        },
        line: async (query) => askShape(await answer(query, false)),
      });
    }),
  );
}

/** The question, whichever way it was given. @throws USAGE_INVALID where it was given twice */
function questionOf(words: readonly string[], { question }: AskFlags): readonly string[] {
  if (question === undefined) return words;
  if (words.length === 0) return [question];
  throw usage("the question was given twice: as an argument and with --question", "remove one of them");
}

/** The file to answer from. @throws USAGE_INVALID where the request names others too, or how to cut none */
function fileOf({ pdf, collection, document, chunkSize, chunkOverlap }: AskFlags): string | undefined {
  if (pdf === undefined && (chunkSize ?? chunkOverlap) !== undefined)
    throw usage(
      "--chunk-size and --chunk-overlap apply only to a file that is asked with --pdf",
      "remove them; documents are cut when they are ingested: `ragctl ingest PATH --chunk-size N`",
    );
  if (pdf === undefined || (collection ?? document) === undefined) return pdf;
  throw usage(
    "--pdf cannot be combined with --collection or --document: it answers from that file only",
    "remove --pdf to search your ingested documents",
  );
}
