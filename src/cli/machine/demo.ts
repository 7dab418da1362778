import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import { isLocalStore } from "../../config/setting-kinds.ts";
import { isModelPath } from "../../config/settings.ts";
import type { Answer } from "../../core/answers/answer.ts";
import type { IngestReport } from "../../core/app.ts";
import { asRagctlError } from "../../core/errors.ts";
import { storeRuntime } from "../../models/profile.ts";
import { askShape } from "../../shapes/answer.ts";
import { ingestShape } from "../../shapes/documents.ts";
import { demoShape } from "../../shapes/machine.ts";
import { closeAnswer, viewAnswer } from "../answers/answer-view.ts";
import { declare } from "../commands.ts";
import { ingestText, printIngestProgress } from "../documents/ingest.ts";
import { defineCommand } from "../operations.ts";
import type { Session } from "../shell/session.ts";
import { chooseForMachine, setUpModels } from "./setup.ts";

const fixtures = new URL("../../../fixtures/", import.meta.url);

/** Collection that only the demo uses. */
const demoCollection = "ragctl_demo";

/** `ragctl demo`: the whole chain on documents that come with ragctl. */
export function registerDemo(program: Command): void {
  defineCommand(declare(program, "demo"), { examples: ["ragctl demo"] }, async (session) => {
    await session.ownerOnly("set up this machine");
    const app = await session.app();
    await prepare(app, session);
    const report = await ingestFixtures(session);
    if (session.output.format === "text")
      session.output.result({ text: `${ingestText(report)}\n`, data: undefined });
    const answers: Answer[] = [];
    for (const query of await demoQuestions()) answers.push(await askDemo(query, session));
    const next = [
      "",
      "next:",
      "  ragctl ingest ./docs    add your own documents",
      '  ragctl ask "question"   ask about them',
      "  ragctl serve            use ragctl in your browser",
    ];
    session.output.result({
      text: next.join("\n"),
      data: demoShape({ ingest: ingestShape.report(report), answers: answers.map(askShape) }),
    });
  });
}

/**
 * Fetches the models of this machine's profile; where that fails, the installed ones are enough if there is
 * an embedding model and a store.
 * @throws NETWORK_UNAVAILABLE, DOWNLOAD_FAILED
 */
async function prepare(app: LocalApp, session: Session): Promise<void> {
  const { profile } = await chooseForMachine(app);
  try {
    await setUpModels(app, profile === "full" ? "standard" : profile, session);
  } catch (error) {
    const { code, message } = asRagctlError(error);
    const isAbsent = code === "NETWORK_UNAVAILABLE" || code === "DOWNLOAD_FAILED";
    if (!isAbsent || !(await isUsable(app, session.settings))) throw error;
    session.output.note(`${message}\ncontinuing with the installed models`);
  }
}

async function isUsable(app: LocalApp, { embed, milvus }: Session["settings"]): Promise<boolean> {
  const states = await (await app.models()).list();
  const isReady = (wanted: string): boolean =>
    states.some(({ id, state }) => id === wanted && state === "ready");
  return (
    (isReady(embed.model) || isModelPath(embed.model)) &&
    (!isLocalStore(milvus.publicUri) || isReady(storeRuntime))
  );
}

/** Asks one question and shows its answer as `ragctl ask` does. */
async function askDemo(query: string, session: Session): Promise<Answer> {
  const app = await session.app();
  const { output, settings } = session;
  if (output.format === "text") output.stream(`\n▸ ${query}\n\n`);
  const request = { query, topK: settings.mmr.topK, collections: [demoCollection], write: "always" as const };
  // Each question leaves its own row in the history.
  const run = { ...session.run, id: randomUUID() };
  const answer = await viewAnswer(app.ask(request, run), output, { stream: true });
  if (output.format === "text") closeAnswer(answer, output);
  return answer;
}

async function ingestFixtures(session: Session): Promise<IngestReport> {
  const app = await session.app();
  const request = {
    paths: [fileURLToPath(new URL("documents", fixtures))],
    collection: demoCollection,
    instance: "public",
    department: "",
  } as const;
  return printIngestProgress(app.ingest(request, session.run), session);
}

async function demoQuestions(): Promise<readonly string[]> {
  const text = await readFile(new URL("questions.jsonl", fixtures), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): { readonly question: string; readonly demo?: boolean } => JSON.parse(line))
    .filter(({ demo }) => demo === true)
    .map(({ question }) => question);
}
