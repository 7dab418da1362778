import type { Command } from "commander";
import type { DraftQuestion } from "../../core/answers/evaluation.ts";
import { z } from "../../core/schema.ts";
import { narrowingCollections } from "../../operations/answers/narrowing.ts";
import { field } from "../../operations/operation.ts";
import { plural } from "../../operations/text.ts";
import { draftShape, draftsShape } from "../../shapes/evaluation.ts";
import { defineCommand } from "../operations.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

const input = {
  count: field("-n, --count <n>", z.int().min(1).default(20), "number of questions to draft"),
  collections: narrowingCollections,
};

/** `ragctl eval make`: questions drafted from one's own documents. */
export function registerMake(command: Command): void {
  const summary =
    "draft questions from your documents with the local model, one JSON object per line; check each one before use";
  const examples = ["ragctl eval make --count 30 > questions.jsonl"];
  defineCommand(command.command("make"), { summary, input, examples }, (session, { count, collections }) => {
    // `eval` has --collection too, and takes it wherever it appears.
    const { collection = collections } = command.opts<{ readonly collection?: readonly string[] }>();
    return makeQuestions(session, count, collection ?? []);
  });
}

async function makeQuestions(session: Session, count: number, collections: readonly string[]): Promise<void> {
  const { output } = session;
  const { evaluation } = await session.app();
  session.onStop("stopping: questions already printed are kept");
  const drafts: DraftQuestion[] = [];
  let missed = 0;
  using progress = createProgress("draft", "question", output);
  progress.stage("reading documents");
  for await (const event of evaluation.draft({ count, collections }, session.run)) {
    if (event.type === "draft-miss") missed += 1;
    else {
      drafts.push(event.draft);
      if (output.format !== "json") output.line(draftShape(event.draft));
      progress.set(drafts.length, count);
    }
  }
  progress.close();
  if (output.format === "json") output.result({ text: "", data: draftsShape(drafts) });
  output.note(
    `${plural(drafts.length, "question")} drafted; ${plural(missed, "passage")} gave none. Check each question and remove its "draft" field before you rely on it.`,
  );
  if (drafts.length === 0) session.exit(3);
}
