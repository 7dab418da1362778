import type { Command } from "commander";
import type { ModelState } from "../../models/models.ts";
import { modelsShape } from "../shapes/shapes.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { bytes } from "../shell/text.ts";
import { pullWithProgress } from "./pull.ts";

/** `ragctl models …`: the weights and programs ragctl runs on. */
export function registerModels(program: Command): void {
  const models = program.command("models").description("list, fetch, import and check models");

  models
    .command("list")
    .description("every model of the manifest and what of it is on this machine")
    .addHelpText("after", "\nExample:\n  ragctl models list")
    .action(
      action(async (session) => {
        const states = await (await (await session.app()).models()).list();
        session.output.result({ text: listText(states), data: modelsShape(states) });
      }),
    );

  models
    .command("pull")
    .description("download models; a broken download goes on where it stopped")
    .argument("<ids...>", "ids of `ragctl models list`")
    .addHelpText("after", "\nExample:\n  ragctl models pull bge-small-en-v1.5-int8")
    .action(
      action(async (session, ids: readonly string[]) => {
        await session.ownerOnly("fetch models");
        const manager = await (await session.app()).models();
        await pullWithProgress(manager, ids, session);
        const states = (await manager.list()).filter((state) => ids.includes(state.id));
        session.output.result({
          text: states.map((state) => `${state.id} ${state.state} in ${state.folder}`).join("\n"),
          data: modelsShape(states),
        });
      }),
    );

  models
    .command("import")
    .description("take a model from a file or folder you have, after checking its hash")
    .argument("<id>", "id of `ragctl models list`")
    .argument("<path>", "file or folder")
    .addHelpText("after", "\nExample:\n  ragctl models import bge-m3 /media/usb/bge-m3")
    .action(
      action(async (session, id: string, path: string) => {
        await session.ownerOnly("import models");
        const manager = await (await session.app()).models();
        const files = await manager.import(id, path, session.run.signal);
        session.output.result({
          text: `imported ${files.join(", ")} as ${id}`,
          data: { schema_version: 1, id, files },
        });
      }),
    );

  models
    .command("verify")
    .description(
      "read every byte of the models that are here and check the hashes; exit status 7 when one differs",
    )
    .argument("[ids...]", "only these")
    .addHelpText("after", "\nExample:\n  ragctl models verify")
    .action(
      action(async (session, ids: readonly string[]) => {
        const manager = await (await session.app()).models();
        const files = await manager.verify(ids.length === 0 ? undefined : ids, session.run.signal);
        const rows = files.map((file) => [file.id, file.file, file.state]);
        session.output.result({
          text:
            files.length === 0
              ? "no models are here; `ragctl setup` fetches them"
              : table(["model", "file", "state"], rows),
          data: { schema_version: 1, files },
          lines: files,
        });
        if (files.some((file) => file.state !== "ok")) session.exit(7);
      }),
    );

  models
    .command("path")
    .description("print the folder of a model")
    .argument("<id>", "id of `ragctl models list`")
    .addHelpText("after", "\nExample:\n  ragctl models path bge-small-en-v1.5-int8")
    .action(
      action(async (session, id: string) => {
        const path = await (await (await session.app()).models()).path(id);
        session.output.result({ text: path, data: { schema_version: 1, id, path } });
      }),
    );
}

function listText(states: readonly ModelState[]): string {
  const rows = states.map((state) => [
    state.id,
    state.task,
    state.state,
    state.downloadBytes === null ? "?" : bytes(state.downloadBytes),
    state.licence,
  ]);
  return table(["model", "task", "state", "download", "licence"], rows);
}
