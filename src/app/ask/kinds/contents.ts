import type { Gathered } from "../../../core/answers/agent.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { stripFormat } from "../../../language/asking/answer-form.ts";
import { documentKind } from "../../../language/asking/document-names.ts";
import { type ContentRequest, parseStructureQuestion } from "../../../language/asking/kinds/contents.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { AskHome, UnderstoodQuestion } from "../question.ts";
import { documentNameTerms, documentOf } from "./asked-document.ts";

/**
 * The document whose parts the question wants; null for another question, undefined where it is unclear
 * which.
 */
function documentMeant(
  { document, isGeneral }: ContentRequest,
  held: readonly DocumentRecord[],
  narrowed: readonly string[],
): DocumentRecord | null | undefined {
  const isAny =
    isGeneral || documentNameTerms(document).length === 0 || documentKind(`the ${document}`) !== null;
  const named = documentOf(document, [], held, []);
  const candidates = narrowed.length === 0 ? held : held.filter(({ id }) => narrowed.includes(id));
  const [only, ...others] = candidates;
  if (named !== null && candidates.includes(named.document)) return named.document;
  if (!isAny) return null;
  return others.length === 0 ? only : undefined;
}

/**
 * For a question about the parts of a document: all its chunks, or none where several may be meant; null for
 * another question, and where it names no document.
 */
export async function contentsOf(
  { text, agent, request, sight }: UnderstoodQuestion,
  { documents, retrieval }: Pick<AskHome, "documents" | "retrieval">,
  run: Run,
): Promise<Required<Pick<Gathered, "hits" | "contents">> | null> {
  const asked = parseStructureQuestion(stripFormat(text));
  if (asked === null) return null;
  const held = await documents.asOf(await sight.readableBy(agent), request.versions);
  const document = documentMeant(asked, held, request.documents ?? []);
  if (document === null) return null;
  const search = { part: asked.part, documents: held.length };
  if (document === undefined) return { hits: [], contents: { ...search, document: null } };
  const chunks = await retrieval.whole(document, request, run, agent);
  const hits = chunks.map((chunk): Hit => ({ chunk, score: 0, via: "fused" }));
  return { hits, contents: { ...search, document: { name: document.name, pages: document.pages } } };
}
