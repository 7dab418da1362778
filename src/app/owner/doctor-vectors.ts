import { asRagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { StepParts } from "../documents/ingest.ts";
import { lostContents } from "../documents/lost.ts";
import type { Check } from "./check.ts";

/** Collections of a store that belong to no row of the registry: messages of rooms, and what an audit makes for a while. */
const withoutRow = /^(?:audit_|chat_messages_)/;

/** Holds what the registry shows against what the stores hold, collection by collection; one that cannot be asked does not hide the others. */
export async function checkVectors(
  parts: Pick<StepParts, "collections" | "documents" | "shadows" | "store" | "rawStore">,
): Promise<Omit<Check, "name">> {
  const [lost, notCounted, hints]: [string[], string[], string[]] = [[], [], []];
  const collections = parts.collections.list();
  for (const { name, instance } of collections) {
    const shown = parts.documents.latest([name]);
    try {
      const contents =
        shown.length === 0 ? new Set() : await lostContents(name, shown, await parts.store(instance));
      const count = shown.filter(({ versionId }) => contents.has(versionId)).length;
      if (count === 0) continue;
      lost.push(`${count} of the ${shown.length} documents of ${name} have no vectors, or not all`);
      hints.push(`ragctl reembed --collection ${name}`);
    } catch (error) {
      notCounted.push(`${name} (${asRagctlError(error).code})`);
    }
  }
  const unknown = await unknownCollections(parts);
  const said = [
    ...lost,
    ...(notCounted.length === 0 ? [] : [`could not be counted: ${notCounted.join(", ")}`]),
    ...(unknown.length === 0 ? [] : [`not in this registry: ${unknown.join(", ")}`]),
  ];
  if (lost.length > 0)
    return {
      status: "failed",
      message: said.join("; "),
      hint: `make them again from the documents: ${hints.join("; ")}`,
    };
  if (notCounted.length > 0)
    return { status: "warning", message: said.join("; "), hint: "mend the stores above, then look again" };
  if (unknown.length > 0) {
    const hint =
      "they are of another home, or of a registry that is gone: ragctl backup restore brings one back, an ingest of the same name uses them";
    return { status: "warning", message: said.join("; "), hint };
  }
  const sum = collections.reduce((chunks, collection) => chunks + collection.chunks, 0);
  return {
    status: "ok",
    message: `${collections.length} collections, ${sum} chunks: as the registry says`,
    hint: "",
  };
}

/** Collections of ragctl that a store holds and no row of this registry names, as `instance/name`. */
async function unknownCollections({
  collections,
  shadows,
  rawStore,
}: Pick<StepParts, "collections" | "shadows" | "rawStore">) {
  const known = new Set([
    ...collections.list().map(({ name, storeName }) => storeName ?? name),
    ...shadows.list().map(({ storeName }) => storeName),
  ]);
  const found: string[] = [];
  for (const instance of ["public", "private"] satisfies Instance[]) {
    // A store that does not answer has a check of its own.
    const specs = await rawStore(instance)
      .then((store) => store.collections())
      .catch(() => []);
    found.push(
      ...specs
        .filter(({ name }) => !known.has(name) && !withoutRow.test(name))
        .map(({ name }) => `${instance}/${name}`),
    );
  }
  return found;
}
