import type { Command } from "commander";
import type { DraftQuestion } from "../../core/answers/evaluation.ts";
import { counted } from "../../operations/text.ts";
import { draftShape, draftsShape } from "../../shapes/evaluation.ts";
import { collectionOption, positiveInteger } from "../shell/options.ts";
import { openProgress } from "../shell/progress.ts";
import { action, type Session } from "../shell/session.ts";

interface CollectionFlag {
  readonly collection?: readonly string[];
}

interface MakeFlags extends CollectionFlag {
  readonly count: number;
}

/** `ragctl eval make`: questions drafted from one's own documents. */
export function registerMake(command: Command): void {
  command
    .command("make")
    .description(
      "draft questions from your documents with the local model, one JSON object per line; check each one before use",
    )
    .option("-n, --count <n>", "number of questions to draft", positiveInteger, 20)
    .addOption(collectionOption())
    .addHelpText("after", "\nExample:\n  ragctl eval make --count 30 > questions.jsonl")
    .action(
      // `eval` has --collection too, and takes it wherever it appears.
      action((session, flags: MakeFlags) =>
        makeQuestions(session, {
          ...flags,
          collection: command.opts<CollectionFlag>().collection ?? flags.collection ?? [],
        }),
      ),
    );
}

async function makeQuestions(session: Session, { count, collection = [] }: MakeFlags): Promise<void> {
  const { output } = session;
  const { evaluation } = await session.app();
  session.onStop("stopping: questions already printed are kept");
  const drafts: DraftQuestion[] = [];
  let missed = 0;
  using progress = openProgress("draft", "question", output);
  progress.stage("reading documents");
  for await (const event of evaluation.draft({ count, collections: collection }, session.run)) {
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
    `${counted(drafts.length, "question")} drafted; ${counted(missed, "passage")} gave none. Check each question and remove its "draft" field before you rely on it.`,
  );
  if (drafts.length === 0) session.exit(3);
}
