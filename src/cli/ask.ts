import { type Command, Option } from "commander";
import type { Answer, AnswerEvent } from "../core/answer.ts";
import { groundedModes } from "../core/answer.ts";
import type { TraceEvent } from "../core/trace.ts";
import { askShape, exitOf, traceShape } from "./answer-shapes.ts";
import { readBatch } from "./batch.ts";
import { collectionOption, type FilterFlags, filterOptions, requestFilters, topKOption } from "./options.ts";
import type { Session } from "./session.ts";
import { action } from "./session.ts";
import { oneLine, phaseLine, place } from "./text.ts";
import { noteUnavailable } from "./unavailable.ts";

interface AskFlags extends FilterFlags {
  readonly batch?: string;
  readonly agent?: string;
  readonly grounded?: (typeof groundedModes)[number];
  readonly trace?: boolean;
  readonly sentences?: boolean;
  readonly topK?: number;
}

/** `ragctl ask`: one question, or a file of them. */
export function registerAsk(program: Command): void {
  const command = program
    .command("ask")
    .description(
      "answer a question from the documents, with citations; exit status 5 when the evidence is missing, 9 when the question is too vague and one comes back",
    )
    .argument("[question...]", "the question")
    .option("--batch <file>", "answer every line of a JSONL file ({id, query} each; - for standard input)")
    .addOption(collectionOption())
    .addOption(topKOption("passages to retrieve"))
    .option("--agent <name>", "this agent answers; without it the router chooses among those you may use")
    .addOption(
      new Option("--grounded <mode>", "sentences no passage supports: removed, marked, or left (default strict)").choices(groundedModes),
    )
    .option("--trace", "print what every node of the graph decides, as it decides")
    .option("--sentences", "print the verdict on every sentence under the answer");
  filterOptions(command).addHelpText("after", '\nExample:\n  ragctl ask "How many days of parental leave do employees get?"');
  command.action(
    action(async (session, words: readonly string[], flags: AskFlags) => {
      const app = await session.app();
      const request = (query: string) => ({
        query,
        topK: flags.topK ?? session.settings.retrieve.topK,
        ...requestFilters(flags),
        ...(flags.agent === undefined ? {} : { agent: flags.agent }),
        ...(flags.grounded === undefined ? {} : { grounded: flags.grounded }),
      });
      for await (const { id, query } of readBatch(words, flags.batch)) {
        const answer = await follow(app.ask(request(query), session.run), session, {
          stream: id === undefined,
          trace: flags.trace === true,
        });
        noteUnavailable(session.output, answer.unavailable);
        if (id !== undefined) session.output.line({ id, ...askShape(answer) });
        else {
          session.output.result({
            text: session.output.format === "text" ? footer(answer, flags.sentences === true) : "",
            data: askShape(answer),
          });
          session.exit(exitOf(answer.verdict));
        }
      }
    }),
  );
}

/** Prints text and trace as they come and returns the finished answer. */
async function follow(
  events: AsyncIterable<AnswerEvent>,
  session: Session,
  show: { readonly stream: boolean; readonly trace: boolean },
): Promise<Answer> {
  const { output } = session;
  let answer: Answer | undefined;
  let midLine = false;
  for await (const event of events) {
    if (event.type === "text-delta" && show.stream && output.format === "text") {
      output.stream(event.text);
      midLine = !event.text.endsWith("\n");
    }
    if (event.type === "node-end" && show.trace) {
      if (midLine) output.stream("\n");
      midLine = false;
      if (output.format === "jsonl") output.line({ event: "node-end", ...traceShape(event.event) });
      else output.note(traceLine(event.event));
    }
    if (event.type === "answer-end") answer = event.answer;
  }
  if (answer === undefined) throw new TypeError("the answer stream ended without an answer");
  return answer;
}

/** `route           3 ms  HR Assistant`: one node's decision. */
export function traceLine({ node, decided, durationMs }: TraceEvent): string {
  return `${node.padEnd(12)} ${durationMs.toFixed(0).padStart(6)} ms  ${oneLine(decided, 160)}`;
}

const signs = { supported: "✓", partial: "~", unsupported: "✗" } as const;

/** What stands under an answer: where each citation leads, what decided, and how long it took. */
export function footer(answer: Answer, sentences = false): string {
  const { verdict } = answer;
  const lines = ["", ""];
  for (const citation of answer.citations) {
    lines.push(`[${citation.marker}] ${place(citation.sourceFile, citation.pages, citation.section)}`);
    for (const quote of citation.quotes) lines.push(`    “${quote}”`);
  }
  for (const { call, status, message } of answer.tools) lines.push(`${call.tool}: ${status === "ok" ? message : `${status}: ${message}`}`);
  if (sentences) {
    for (const { text, support, reason } of verdict.sentences)
      lines.push(`${signs[support]} ${oneLine(text, 120)}${reason === "" ? "" : `  (${reason})`}`);
  }
  if (verdict.status !== "answered") lines.push(`${verdict.status}: ${verdict.reason}`);
  else if (verdict.removed > 0)
    lines.push(`${verdict.removed} unsupported ${verdict.removed === 1 ? "sentence" : "sentences"} removed; --sentences shows them`);
  lines.push("", phaseLine(answer.phases));
  return lines.join("\n");
}
