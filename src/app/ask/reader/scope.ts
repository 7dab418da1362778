import type { AgentProfile } from "../../../core/answers/agent.ts";
import type { AskRequest, SearchRequest } from "../../../core/app.ts";
import { resolveDocument } from "../../../core/documents/reference.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { AskHome } from "../question.ts";
import { documentsOf } from "../visibility.ts";

/** What the tools of one reader may look at; decided by the permissions and the request, never by the reader. */
export interface ReaderScope {
  readonly request: AskRequest;
  /** Collections that both the principal and the agent may read. */
  readonly collections: readonly string[];
  /** The agent whose rights limit what is read; null for none. */
  readonly agent: AgentProfile | null;
}

/** The document that a reader names. @throws NOT_FOUND, in the same words where it may not be read */
export const documentNamed = async (
  name: string,
  scope: Pick<ReaderScope, "collections" | "request">,
  home: Pick<AskHome, "documents">,
): Promise<DocumentRecord> => resolveDocument(name, await documentsOf(scope, home));

/** A search of this scope. */
export const searchIn = (
  { request, collections }: ReaderScope,
  narrowed: Partial<SearchRequest>,
): Omit<SearchRequest, "query"> => ({ ...request, mode: "hybrid", collections, ...narrowed });
