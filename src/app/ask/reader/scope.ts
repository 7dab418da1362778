import type { AgentProfile } from "../../../core/answers/agent.ts";
import type { AskRequest, SearchRequest } from "../../../core/app.ts";
import { documentByReference } from "../../../core/documents/reference.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { AskHome } from "../question.ts";

/** What the tools of one reader may look at; decided by the permissions and the request, never by the reader. */
export interface ReaderScope {
  readonly request: AskRequest;
  /** Collections that both the principal and the agent may read. */
  readonly collections: readonly string[];
  /** The agent whose rights limit what is read; null for none. */
  readonly agent: AgentProfile | null;
}

/** The documents of a scope that the request admits. */
export function documentsOf(
  { collections, request }: Pick<ReaderScope, "collections" | "request">,
  { documents }: Pick<AskHome, "documents">,
): readonly DocumentRecord[] {
  // No names at all would mean every collection to the registry.
  if (collections.length === 0) return [];
  const { versions = "latest", documents: ids, formats, department } = request;
  const held = documents.asOf(collections, typeof versions === "object" ? versions : "latest");
  return held.filter(
    (each) =>
      ids?.includes(each.id) !== false &&
      formats?.includes(each.format) !== false &&
      (department === undefined || each.department === department),
  );
}

/** The document that a reader names. @throws NOT_FOUND, in the same words where it may not be read */
export const documentNamed = (
  name: string,
  scope: Pick<ReaderScope, "collections" | "request">,
  home: Pick<AskHome, "documents">,
): DocumentRecord => documentByReference(name, documentsOf(scope, home));

/** A search of this scope. */
export const searchIn = (
  { request, collections }: ReaderScope,
  narrowed: Partial<SearchRequest>,
): Omit<SearchRequest, "query"> => ({ ...request, mode: "hybrid", collections, ...narrowed });
