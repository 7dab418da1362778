import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalApp, openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Answer } from "../../src/core/answers/answer.ts";
import type { AskRequest } from "../../src/core/app.ts";
import type { Instance } from "../../src/core/retrieval.ts";
import type { Run } from "../../src/core/run.ts";
import { stopHost } from "../../src/resident/client.ts";
import { skipLite, testHome } from "../contracts/store.ts";

const embedder = "bge-small-en-v1.5-int8";

/** Reason to skip, or false. */
export const skipScene = existsSync(join(testHome, "models", embedder))
  ? skipLite
  : `no embedding model in ${testHome}: run ragctl setup, or set RAGCTL_TEST_HOME`;

/** The seeded company in a home of its own, over the real embedder and store, without a language model. */
export interface Scene extends AsyncDisposable {
  readonly home: string;
  readonly app: LocalApp;
  as(principal: string): Run;
  /** Ingests texts by file name, or the files at these paths, as the owner. */
  ingest(
    collection: string,
    instance: Instance,
    files: Readonly<Record<string, string>> | readonly string[],
  ): Promise<void>;
  ask(query: string, principal: string, more?: Partial<AskRequest>): Promise<Answer>;
  /** Closes the app and opens it again, as a later process would, with these settings by key. */
  reopen(flags?: Readonly<Record<string, unknown>>, isModelNamed?: boolean): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const home = await mkdtemp(join(tmpdir(), "ragctl-scene-"));
  const documents = await mkdtemp(join(tmpdir(), "ragctl-scene-documents-"));
  await mkdir(join(home, "models"), { mode: 0o700 });
  for (const id of [embedder, "milvus-lite-2.5.1"])
    await symlink(join(testHome, "models", id), join(home, "models", id));
  const log = { event: () => undefined, warn: () => undefined };
  const open = (flags: Readonly<Record<string, unknown>> = {}, isModelNamed = false) =>
    openApp(
      loadSettings({ flags: { home, "answer.model": "smollm2-135m-instruct-q4_1", ...flags }, trust: false })
        .settings,
      "0.0.0",
      log,
      { isModelNamed },
    );
  const as = (principal: string): Run => ({
    id: randomUUID(),
    principal,
    signal: new AbortController().signal,
    log,
  });
  let app = await open();
  await app.registry.seed({}, as("owner"));
  return {
    home,
    get app() {
      return app;
    },
    as,
    async ingest(collection, instance, files) {
      let paths = files;
      if (!Array.isArray(files)) {
        const folder = join(documents, `in-${collection}`);
        await mkdir(folder, { recursive: true });
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
        paths = [folder];
      }
      await Array.fromAsync(
        app.ingest({ paths: paths as readonly string[], collection, instance, department: "" }, as("owner")),
      );
    },
    async ask(query, principal, more = {}) {
      const events = await Array.fromAsync(
        app.ask({ query, topK: 5, collections: [], ...more }, as(principal)),
      );
      const end = events.at(-1);
      if (end?.type !== "answer-end") throw new TypeError("no answer");
      return end.answer;
    },
    async reopen(flags, isModelNamed) {
      await app[Symbol.asyncDispose]();
      app = await open(flags, isModelNamed);
    },
    async [Symbol.asyncDispose]() {
      await stopHost(home);
      await app[Symbol.asyncDispose]();
      for (const folder of [home, documents])
        await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
