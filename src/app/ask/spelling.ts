import type { SearchRequest } from "../../core/app.ts";
import type { Run } from "../../core/run.ts";
import type { AskHome, Question } from "./question.ts";

/**
 * The question with misspelt names of documents as these are called. Only documents that may be read are known,
 * and their collections become origins.
 */
export async function speltQuestion(
  typed: string,
  versions: NonNullable<SearchRequest["versions"]>,
  { sight, origins }: Pick<Question, "sight" | "origins">,
  { retrieval, documents }: Pick<AskHome, "retrieval" | "documents">,
  run: Run,
): Promise<string> {
  const collections = sight.readable();
  if (collections.length === 0) return typed;
  const { text, misspelt } = await retrieval.spelt(typed, { collections, versions }, run);
  const ids = new Set(misspelt.flatMap((each) => each.documents));
  if (ids.size === 0) return typed;
  const holders = documents.asOf(collections, versions).filter(({ id }) => ids.has(id));
  origins.read([...new Set(holders.map(({ collection }) => collection))]);
  return text;
}
