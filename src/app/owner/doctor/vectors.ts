import { asRagctlError } from "../../../core/errors.ts";
import { plural } from "../../../core/plural.ts";
import type { Instance } from "../../../core/retrieval.ts";
import type { Check } from "../../../shapes/machine.ts";
import { findMissingVectors } from "../../documents/lost.ts";
import type { Home } from "../../home.ts";

/**
 * Collections of a store that belong to no row of the registry: messages of rooms, and temporary ones of an
 * audit.
 */
const withoutRow = /^(?:audit_|chat_messages_)/;

type StoredHome = Pick<Home, "collections" | "documents" | "shadows" | "collectionStore" | "store">;

/**
 * Compares the registry with the stores, collection by collection; an unreachable one does not hide the
 * others.
 */
export async function checkVectors(home: StoredHome): Promise<Omit<Check, "name">> {
  const lost: string[] = [];
  const notCounted: string[] = [];
  const hints: string[] = [];
  const collections = await home.collections.list();
  for (const { name, instance } of collections) {
    try {
      const { count, total } = await countLost(name, instance, home);
      if (count === 0) continue;
      lost.push(`${count} of ${total} documents in ${name} lack some or all vectors`);
      hints.push(`ragctl reembed --collection ${name}`);
    } catch (error) {
      notCounted.push(`${name} (${asRagctlError(error).code})`);
    }
  }
  const unknown = await unknownCollections(home);
  const message = [
    ...lost,
    ...(notCounted.length === 0 ? [] : [`not checked: ${notCounted.join(", ")}`]),
    ...(unknown.length === 0 ? [] : [`not in this registry: ${unknown.join(", ")}`]),
  ].join("; ");
  if (lost.length > 0) {
    const hint = `rebuild them from the documents: ${hints.join("; ")}`;
    return { status: "failed", message, hint };
  }
  if (notCounted.length > 0)
    return { status: "warning", message, hint: "fix the stores above, then run doctor again" };
  if (unknown.length > 0) {
    const hint =
      "they belong to another home or a lost registry; restore it with ragctl backup restore, or ingest into a collection of the same name to use them";
    return { status: "warning", message, hint };
  }
  const sum = collections.reduce((chunks, collection) => chunks + collection.chunks, 0);
  return {
    status: "ok",
    message: `${plural(collections.length, "collection")}, ${plural(sum, "chunk")}, matching the registry`,
    hint: "",
  };
}

/** Visible documents of a collection, and those of them whose vectors its store lost. */
async function countLost(
  collection: string,
  instance: Instance,
  { documents, collectionStore }: StoredHome,
): Promise<{ readonly count: number; readonly total: number }> {
  const visible = await documents.latest([collection]);
  if (visible.length === 0) return { count: 0, total: 0 };
  const contents = await findMissingVectors(collection, visible, await collectionStore(instance));
  const count = visible.filter(({ versionId }) => contents.has(versionId)).length;
  return { count, total: visible.length };
}

/** Collections of ragctl that a store holds and no row of this registry names, as `instance/name`. */
async function unknownCollections({ collections, shadows, store }: StoredHome): Promise<readonly string[]> {
  const rows = new Set([
    ...(await collections.list()).map(({ name, storeName }) => storeName ?? name),
    ...(await shadows.list()).map(({ storeName }) => storeName),
  ]);
  const unknown: string[] = [];
  for (const instance of ["public", "private"] satisfies Instance[]) {
    // A separate check covers a store that does not answer.
    const specs = await store(instance)
      .then((opened) => opened.collections())
      .catch(() => []);
    const names = specs.map(({ name }) => name).filter((name) => !rows.has(name) && !withoutRow.test(name));
    unknown.push(...names.map((name) => `${instance}/${name}`));
  }
  return unknown;
}
