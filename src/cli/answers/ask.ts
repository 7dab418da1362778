import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { Answer } from "../../core/answers/answer.ts";
import { usageError } from "../../core/metadata/metadata.ts";
import { askFields, askOptions } from "../../operations/answers/ask.ts";
import { text, toggle, under } from "../../operations/fields.ts";
import type { InputOf } from "../../operations/operation.ts";
import { askShape, exitStatusFor } from "../../shapes/answer.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { questionField, settingFields } from "../shell/options.ts";
import { closeAnswer, viewAnswer } from "./answer-view.ts";
import { ingestFile } from "./ask-file.ts";
import { forEachQuestion } from "./batch.ts";

const { threads: _, ...models } = settingFields;
const { top_k, agent, grounded, budget, ...narrowing } = askFields;
const input = {
  words: questionField,
  ...under("Question:", {
    batch: text("--batch <file>", "answer every line of a JSONL file of {id, query}, or - for stdin"),
    question: text("--question <text>", "question, given as an option"),
    pdf: text(
      "--pdf <file>",
      "answer from this file only (PDF or any supported format), in a private collection that is removed afterwards",
    ),
    keep: toggle("--keep", "keep the collection of --pdf, for other questions and for `ragctl replay`"),
    ...{ top_k, agent, grounded, budget },
  }),
  ...narrowing,
  ...under("Models and stores:", models),
  ...under("Output:", {
    trace: toggle("--trace", "print each step's decision as it happens"),
    sentences: toggle("--sentences", "print a verdict for each sentence below the answer"),
  }),
};
type Asked = InputOf<typeof input>;
const examples = ['ragctl ask "How many days of parental leave do employees get?"'];

/** `ragctl ask`: one question, or a file of them. */
export function registerAsk(program: Command): void {
  defineCommand(declare(program, "ask"), { input, examples }, async (session, typed) => {
    const { output, run, settings } = session;
    const { batch, trace } = typed;
    const asked = questionOf(typed);
    const file = fileOf(typed);
    await using resources = new AsyncDisposableStack();
    const only = file === undefined ? {} : await ingestFile(file, typed, session, resources);
    const app = await session.app();
    const options = { ...askOptions(typed, settings.retrieve.topK), ...only };
    const answer = (query: string, stream: boolean): Promise<Answer> => {
      // A separate run for each question, so that each leaves its record.
      const own = { ...run, id: stream ? run.id : randomUUID() };
      return viewAnswer(app.ask({ query, ...options }, own), output, { stream, trace });
    };
    await forEachQuestion(asked, batch, session, {
      async one(query) {
        const result = await answer(query, true);
        if (output.format === "text") closeAnswer(result, output, typed);
        else output.result({ text: "", data: askShape(result) });
        session.exit(exitStatusFor(result.verdict));
      },
      line: async (query) => askShape(await answer(query, false)),
    });
  });
}

/** The question, whichever way it was given. @throws USAGE_INVALID where it was given twice */
function questionOf({ words, question }: Asked): readonly string[] {
  if (question === undefined) return words;
  if (words.length === 0) return [question];
  throw usageError("the question was given twice: as an argument and with --question", "remove one of them");
}

/** The file to answer from. @throws USAGE_INVALID where the request names others too, or how to cut none */
function fileOf({ pdf, keep, collections, documents, chunkSize, chunkOverlap }: Asked): string | undefined {
  if (pdf === undefined && (keep || (chunkSize ?? chunkOverlap) !== undefined))
    throw usageError(
      "--keep, --chunk-size and --chunk-overlap apply only to a file that is asked with --pdf",
      "remove them; documents are cut when they are ingested: `ragctl ingest PATH --chunk-size N`",
    );
  if (pdf === undefined || (collections ?? documents) === undefined) return pdf;
  throw usageError(
    "--pdf cannot be combined with --collection or --document: it answers from that file only",
    "remove --pdf to search your ingested documents",
  );
}
