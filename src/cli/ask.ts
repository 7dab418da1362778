import type { Command } from "commander";
import type { Answer, AnswerEvent } from "../core/answer.ts";
import { readBatch } from "./batch.ts";
import { collectionOption, type FilterFlags, filterOptions, requestFilters, topKOption } from "./options.ts";
import type { Session } from "./session.ts";
import { action } from "./session.ts";
import { askShape } from "./shapes.ts";
import { phaseLine, place } from "./text.ts";

interface AskFlags extends FilterFlags {
  readonly batch?: string;
  readonly topK?: number;
}

/** `ragctl ask`: one question, or a file of them. */
export function registerAsk(program: Command): void {
  const command = program
    .command("ask")
    .description("answer a question from the documents, with citations; exit status 5 when the evidence is missing")
    .argument("[question...]", "the question")
    .option("--batch <file>", "answer every line of a JSONL file ({id, query} each; - for standard input)")
    .addOption(collectionOption())
    .addOption(topKOption("passages to retrieve"));
  filterOptions(command).addHelpText("after", '\nExample:\n  ragctl ask "How many days of parental leave do employees get?"');
  command.action(
    action(async (session, words: readonly string[], flags: AskFlags) => {
      const app = await session.app();
      const request = (query: string) => ({ query, topK: flags.topK ?? session.settings.mmr.topK, ...requestFilters(flags) });
      for await (const { id, query } of readBatch(words, flags.batch)) {
        const answer = await follow(app.ask(request(query), session.run), session, id === undefined);
        if (id !== undefined) session.output.line({ id, ...askShape(answer) });
        else {
          session.output.result({ text: session.output.format === "text" ? footer(answer) : "", data: askShape(answer) });
          if (answer.verdict.status === "refused") session.exit(5);
        }
      }
    }),
  );
}

/** Prints the text as it comes (text format only) and returns the finished answer. */
async function follow(events: AsyncIterable<AnswerEvent>, session: Session, stream: boolean): Promise<Answer> {
  let answer: Answer | undefined;
  const streaming = stream && session.output.format === "text";
  for await (const event of events) {
    if (event.type === "text-delta" && streaming) session.output.stream(event.text);
    if (event.type === "answer-end") answer = event.answer;
  }
  if (answer === undefined) throw new TypeError("the answer stream ended without an answer");
  return answer;
}

/** What stands under an answer: where each citation leads, what decided, and how long it took. */
export function footer(answer: Answer): string {
  const lines = ["", ""];
  for (const citation of answer.citations) {
    lines.push(`[${citation.marker}] ${place(citation.sourceFile, citation.pages, citation.section)}`);
    if (citation.quote !== "") lines.push(`    “${citation.quote}”`);
  }
  if (answer.verdict.status !== "answered") lines.push(`${answer.verdict.status}: ${answer.verdict.reason}`);
  lines.push("", phaseLine(answer.phases));
  return lines.join("\n");
}
