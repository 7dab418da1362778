import type { Command } from "commander";
import type { ReaderVerdict } from "../../core/answers/reading.ts";
import type { ModelState } from "../../models/models.ts";
import { bytes } from "../../operations/text.ts";
import { importedModelShape, modelPathShape, modelsShape, verificationShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { registerProbe } from "./probe.ts";
import { pullWithProgress } from "./pull.ts";

/** `ragctl models …`: the weights and programs ragctl runs on. */
export function registerModels(program: Command): void {
  const models = declared(program, "models");

  models
    .command("list")
    .description("list all models and whether they are installed")
    .addHelpText("after", "\nExample:\n  ragctl models list")
    .action(
      action(async (session) => {
        const states = await (await (await session.machine()).models()).list();
        const listed = await withReaders(states, session);
        session.output.result({ text: listText(listed), data: modelsShape(listed) });
      }),
    );
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
  models
    .command("pull")
    .description("download models; an interrupted download resumes")
    .argument("<ids...>", "model ids from `ragctl models list`")
    .addHelpText("after", "\nExample:\n  ragctl models pull bge-small-en-v1.5-int8")
    .action(
      action(async (session, ids: readonly string[]) => {
        await session.ownerOnly("download models");
        const manager = await (await session.machine()).models();
        await pullWithProgress(manager, ids, session);
        const states = (await manager.list()).filter((state) => ids.includes(state.id));
        session.output.result({
          text: states.map((state) => `${state.id} ${state.state} in ${state.folder}`).join("\n"),
          data: modelsShape(states),
        });
      }),
    );
}

function registerImport(models: Command): void {
  models
    .command("import")
    .description("check the hash of a local file or folder and install it as a model")
    .argument("<id>", "model id from `ragctl models list`")
    .argument("<path>", "file or folder")
    .addHelpText("after", "\nExample:\n  ragctl models import bge-m3 /media/usb/bge-m3")
    .action(
      action(async (session, id: string, path: string) => {
        await session.ownerOnly("import models");
        const manager = await (await session.machine()).models();
        const files = await manager.import(id, path, session.run.signal);
        session.output.result({
          text: `imported ${files.join(", ")} as ${id}`,
          data: importedModelShape({ id, files }),
        });
      }),
    );
}

function registerVerify(models: Command): void {
  models
    .command("verify")
    .description("check the hashes of installed models; exits with 7 on a mismatch")
    .argument("[ids...]", "models to check (default: all installed)")
    .addHelpText("after", "\nExample:\n  ragctl models verify")
    .action(
      action(async (session, ids: readonly string[]) => {
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
      }),
    );
}

function registerPath(models: Command): void {
  models
    .command("path")
    .description("print the folder of a model")
    .argument("<id>", "model id from `ragctl models list`")
    .addHelpText("after", "\nExample:\n  ragctl models path bge-small-en-v1.5-int8")
    .action(
      action(async (session, id: string) => {
        const path = await (await (await session.machine()).models()).path(id);
        session.output.result({ text: path, data: modelPathShape({ id, path }) });
      }),
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
