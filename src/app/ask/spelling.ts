import type { SearchRequest } from "../../core/app.ts";
import type { Run } from "../../core/run.ts";
import { mayNameMisspelt } from "../../language/asking/spelling.ts";
import type { AskHome, Question } from "./question.ts";

/**
 * The question with misspelt names of documents as these are called; as it was typed where some passage has a
 * word as it was. Only documents that may be read are known, and their collections become origins.
 */
export async function speltQuestion(
  typed: string,
  versions: NonNullable<SearchRequest["versions"]>,
  { sight, origins }: Pick<Question, "sight" | "origins">,
  { retrieval, documents }: Pick<AskHome, "retrieval" | "documents">,
  run: Run,
): Promise<string> {
  const collections = mayNameMisspelt(typed) ? sight.readable() : [];
  if (collections.length === 0) return typed;
  const { text, misspelt } = retrieval.catalogue(collections, versions).spelt(typed);
  if (misspelt.length === 0) return typed;
  const query = misspelt.map((each) => each.typed).join(" ");
  const { hits } = await retrieval.search({ query, collections, topK: 1, mode: "lexical", versions }, run);
  if (hits.length > 0) return typed;
  const ids = new Set(misspelt.flatMap((each) => each.documents));
  const holders = documents.asOf(collections, versions).filter(({ id }) => ids.has(id));
  origins.read([...new Set(holders.map(({ collection }) => collection))]);
  return text;
}
