import type { SearchRequest } from "../app.ts";
import type { UnavailableCollection } from "../retrieval.ts";
import type { Citation } from "./answer.ts";

/** How documents relate to a statement: they support it, contradict it, do both, or neither. */
export const statementVerdicts = ["supported", "contradicted", "documents_disagree", "not_found"] as const;

/** A sentence of the user's text, checked against the documents. */
export interface CheckedStatement {
  readonly text: string;
  readonly verdict: (typeof statementVerdicts)[number];
  /** Why it is not supported; "" where it is. Passages are `[1]` and so on, by their markers. */
  readonly reason: string;
  /** The passages that support or contradict it, or that come near; empty where none does. */
  readonly sources: readonly Citation[];
}

export interface VerifyRequest extends Omit<SearchRequest, "query" | "mode" | "explain"> {
  readonly text: string;
}

export interface VerifyReport {
  /** In the order of the text; headings and questions state nothing and are left out. */
  readonly statements: readonly CheckedStatement[];
  /** Collections that could not be searched. */
  readonly unavailable: readonly UnavailableCollection[];
}
