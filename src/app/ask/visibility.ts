import type { AskRequest } from "../../core/app.ts";
import { lazy } from "../../core/lazy.ts";
import type { ActingAgent } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { Access } from "../access.ts";
import type { Home } from "../home.ts";

/** The collections that one question may look at, by the rules of when it was asked. */
export interface QuestionSight {
  /** Those to search: the ones named, or all that may be read. @throws NOT_FOUND, COLLECTION_EMPTY */
  searched(): Promise<readonly string[]>;
  /** Readable collections among those named, or among all; may be empty. */
  readable(): Promise<readonly string[]>;
  /** Those to search that the agent may read too; null for the principal by itself. @throws as `searched` */
  readableBy(agent: ActingAgent | null): Promise<readonly string[]>;
}

/**
 * Opens the sight of a question; `needsDocuments`: whether there is nothing to answer from where no
 * collection may be read.
 */
export async function openVisibilityScope(
  { collections }: Pick<AskRequest, "collections">,
  needsDocuments: boolean,
  access: Pick<Access, "sight" | "chosen">,
  run: Run,
): Promise<QuestionSight> {
  const rules = await access.sight(run);
  const searched = lazy(async () =>
    needsDocuments || collections.length > 0
      ? (await access.chosen(run, null, collections)).map(({ name }) => name)
      : rules.readableBy(null),
  );
  return {
    searched,
    readable: async () =>
      (await rules.readableBy(null)).filter((name) => collections.length === 0 || collections.includes(name)),
    async readableBy(agent) {
      const names = new Set(await rules.readableBy(agent));
      return (await searched()).filter((name) => names.has(name));
    },
  };
}

/** The time that a question is about: it is searched in the versions of then. */
export const versionsOf = ({ versions }: Pick<AskRequest, "versions">): "latest" | { readonly at: string } =>
  typeof versions === "object" ? versions : "latest";

/** The documents of collections that a request admits, on whichever of their pages. */
export async function documentsOf(
  { collections, request }: { readonly collections: readonly string[]; readonly request: AskRequest },
  { documents }: Pick<Home, "documents">,
): Promise<readonly DocumentRecord[]> {
  // No names at all would mean every collection to the registry.
  if (collections.length === 0) return [];
  const { documents: ids, formats, department } = request;
  return (await documents.asOf(collections, versionsOf(request))).filter(
    (each) =>
      ids?.includes(each.id) !== false &&
      formats?.includes(each.format) !== false &&
      (department === undefined || each.department === department),
  );
}
