import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { Answer } from "../../core/answers/answer.ts";
import type { IngestReport } from "../../core/app.ts";
import { closeAnswer, openAnswerView } from "../answers/answer-view.ts";
import { follow, ingestText } from "../documents/ingest.ts";
import { askShape } from "../shapes/answer.ts";
import { ingestShape } from "../shapes/shapes.ts";
import { action } from "../shell/session.ts";
import { chooseForMachine, setUp } from "./setup.ts";

const fixtures = new URL("../../../fixtures/", import.meta.url);

/** Collection that only the demo uses. */
const demoCollection = "ragctl_demo";

/** `ragctl demo`: the whole chain on documents that come with ragctl. */
export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("fetch small models if needed, ingest a small company's documents and ask three questions")
    .addHelpText("after", "\nExample:\n  ragctl demo")
    .action(
      action(async (session) => {
        const app = await session.app();
        const { profile } = await chooseForMachine(app);
        await setUp(app, profile === "full" ? "standard" : profile, session);
        const report = await ingestFixtures(session);
        if (session.output.format === "text")
          session.output.result({ text: `${ingestText(report)}\n`, data: undefined });
        const answers: Answer[] = [];
        for (const query of await demoQuestions()) {
          if (session.output.format === "text") session.output.stream(`\n▸ ${query}\n\n`);
          using view = openAnswerView(session.output, { stream: true });
          for await (const event of app.ask(
            { query, topK: session.settings.mmr.topK, collections: [demoCollection] },
            session.run,
          )) {
            view.take(event);
            if (event.type !== "answer-end") continue;
            answers.push(event.answer);
            if (session.output.format === "text") closeAnswer(event.answer, session.output);
          }
        }
        const next = [
          "",
          "next:",
          "  ragctl setup            larger models that fit this machine",
          "  ragctl ingest ./docs    your own documents",
          '  ragctl ask "question"',
        ];
        session.output.result({
          text: next.join("\n"),
          data: { schema_version: 1, ingest: ingestShape.report(report), answers: answers.map(askShape) },
        });
      }),
    );
}

async function ingestFixtures(session: Parameters<typeof setUp>[2]): Promise<IngestReport> {
  const app = await session.app();
  const request = {
    paths: [fileURLToPath(new URL("documents", fixtures))],
    collection: demoCollection,
    instance: "public",
    department: "",
  } as const;
  return follow(app.ingest(request, session.run), session);
}

async function demoQuestions(): Promise<readonly string[]> {
  const lines = (await readFile(new URL("questions.jsonl", fixtures), "utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines
    .map((line): { readonly query: string; readonly demo?: boolean } => JSON.parse(line))
    .filter((question) => question.demo === true)
    .map((question) => question.query);
}
