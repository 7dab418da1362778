import { editSettings } from "../../config/edit.ts";
import type { Models } from "../../models/models.ts";

/**
 * Writes the embedding and the answering model among `ids` into a settings file; everything else in it stays,
 * comments too.
 */
export function chooseModels(ids: readonly string[], models: Models, path: string): void {
  const changes = new Map<string, string>();
  for (const [task, key] of [
    ["embed", "embed.model"],
    ["generate", "answer.model"],
  ] as const) {
    const id = ids.find((candidate) => models.entry(candidate).task === task);
    if (id !== undefined) changes.set(key, id);
  }
  editSettings(path, changes);
}
