import type { Command } from "commander";
import type { ReaderVerdict } from "../../core/answers/reading.ts";
import { z } from "../../core/schema.ts";
import type { ModelState } from "../../models/models.ts";
import { field } from "../../operations/operation.ts";
import { bytes } from "../../operations/text.ts";
import { importedModelShape, modelPathShape, modelsShape, verificationShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";
import type { Session } from "../shell/session.ts";
import { registerProbe } from "./probe.ts";
import { pullWithProgress } from "./pull.ts";

/** `ragctl models …`: the weights and programs ragctl runs on. */
export function registerModels(program: Command): void {
  const models = declare(program, "models");
  const listing = {
    summary: "list all models and whether they are installed",
    examples: ["ragctl models list"],
  };
  defineCommand(models.command("list"), listing, async (session) => {
    const states = await (await (await session.machine()).models()).list();
    const listed = await withReaders(states, session);
    session.output.result({ text: listText(listed), data: modelsShape(listed) });
  });
  registerPull(models);
  registerImport(models);
  registerVerify(models);
  registerPath(models);
  registerProbe(models);
}

/** A model, with its reading level where known. */
type Listed = ModelState & { readonly reader?: ReaderVerdict | undefined };

/** Models with their reading levels, if the registry with the probes can be opened. */
async function withReaders(states: readonly ModelState[], session: Session): Promise<readonly Listed[]> {
  const app = await session.app().catch(() => null);
  if (app === null) return states;
  const ids = states
    .filter(({ task, state }) => task === "generate" && state === "ready")
    .map(({ id }) => id);
  const readers = await app.evaluation.readers(ids);
  return states.map((state) => ({ ...state, reader: readers.get(state.id) }));
}

function registerPull(models: Command): void {
  defineCommand(
    models.command("pull"),
    {
      summary: "download models; an interrupted download resumes",
      input: { ids: field("<ids...>", z.array(z.string()), "model ids from `ragctl models list`") },
      examples: ["ragctl models pull bge-small-en-v1.5-int8"],
    },
    async (session, { ids }) => {
      await session.ownerOnly("download models");
      const manager = await (await session.machine()).models();
      await pullWithProgress(manager, ids, session);
      const states = (await manager.list()).filter((state) => ids.includes(state.id));
      const text = states.map((state) => `${state.id} ${state.state} in ${state.folder}`).join("\n");
      session.output.result({ text, data: modelsShape(states) });
    },
  );
}

const id = field("<id>", z.string(), "model id from `ragctl models list`");

function registerImport(models: Command): void {
  defineCommand(
    models.command("import"),
    {
      summary: "check the hash of a local file or folder and install it as a model",
      input: { id, path: field("<path>", z.string(), "file or folder") },
      examples: ["ragctl models import bge-m3 /media/usb/bge-m3"],
    },
    async (session, { id, path }) => {
      await session.ownerOnly("import models");
      const manager = await (await session.machine()).models();
      const files = await manager.import(id, path, session.run.signal);
      const text = `imported ${files.join(", ")} as ${id}`;
      session.output.result({ text, data: importedModelShape({ id, files }) });
    },
  );
}

function registerVerify(models: Command): void {
  defineCommand(
    models.command("verify"),
    {
      summary: "check the hashes of installed models; exits with 7 on a mismatch",
      input: { ids: field("[ids...]", z.array(z.string()), "models to check (default: all installed)") },
      examples: ["ragctl models verify"],
    },
    async (session, { ids }) => {
      const manager = await (await session.machine()).models();
      const files = await manager.verify(ids.length === 0 ? undefined : ids, session.run.signal);
      const rows = files.map((file) => [file.id, file.file, file.state]);
      session.output.result({
        text:
          files.length === 0
            ? "no models installed; `ragctl setup` downloads them"
            : table(["model", "file", "state"], rows),
        data: verificationShape({ files }),
      });
      if (files.some((file) => file.state !== "ok")) session.exit(7);
    },
  );
}

function registerPath(models: Command): void {
  defineCommand(
    models.command("path"),
    {
      summary: "print the folder of a model",
      input: { id },
      examples: ["ragctl models path bge-small-en-v1.5-int8"],
    },
    async ({ machine, output }, { id }) => {
      const path = await (await (await machine()).models()).path(id);
      output.result({ text: path, data: modelPathShape({ id, path }) });
    },
  );
}

function listText(states: readonly Listed[]): string {
  const rows = states.map((state) => [
    state.id,
    state.task,
    state.state,
    state.downloadBytes === null ? "?" : bytes(state.downloadBytes),
    state.licence,
    state.reader === undefined ? "" : `${state.reader.level}: ${state.reader.why}`,
  ]);
  return table(["model", "task", "state", "download", "licence", "reader"], rows);
}
