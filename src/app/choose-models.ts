import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseDocument } from "yaml";
import type { Models } from "../models/models.ts";

/** Writes the embedding and the answering model among `ids` into a settings file; everything else in it stays, comments too. */
export async function chooseModels(ids: readonly string[], models: Models, path: string): Promise<void> {
  const document = parseDocument(existsSync(path) ? await readFile(path, "utf8") : "{}\n");
  for (const [task, section] of [
    ["embed", "embed"],
    ["generate", "answer"],
  ] as const) {
    const id = ids.find((candidate) => models.entry(candidate).task === task);
    if (id !== undefined) document.setIn([section, "model"], id);
  }
  await writeFile(path, document.toString(), { mode: 0o600 });
}
