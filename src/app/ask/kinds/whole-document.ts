import type { Gathered } from "../../../core/answers/agent.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { type DocumentKind, documentKind } from "../../../language/asking/document-names.ts";
import { namesSection } from "../../../language/asking/kinds/contents.ts";
import { classify } from "../../../language/asking/kinds/kinds.ts";
import { contentWords, foldWord, splitWords } from "../../../language/words.ts";
import { summaryHits } from "../../../pipeline/answer/kinds/summary.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { AskHome, SearchedQuestion } from "../question.ts";
import { documentNameTerms, documentOf, wordsOfName } from "./asked-document.ts";

/** Passages that a summary is written from, at most. */
export const summaryPassages = 8;

/** Most words that may refer to a document together: `the test fixture`. */
const mostStandIns = 2;

/** Characters per token, for a budget that any model keeps. */
const charactersPerToken = 3;

/** Whether a document's name, title or a heading contains the question's word for it. */
const isCalled = (kind: DocumentKind, { title, name }: DocumentRecord, chunks: readonly Chunk[]): boolean =>
  kind.isIn([title, name, ...chunks.flatMap(({ headings }) => headings)].join("\n"));

/** Whether some document may be of the kind that a question means, judging by names and passages. */
const isHeld = (
  kind: DocumentKind | null,
  documents: readonly DocumentRecord[],
  hits: readonly Hit[],
): boolean =>
  kind === null ||
  documents.length < 2 ||
  documents.some(({ title, name }) => kind.isIn(`${title}\n${name}`)) ||
  hits.some(({ chunk }) => kind.isIn(chunk.headings.join("\n")));

/**
 * Replaces the first content word of a question by the document's name where the document has none of these
 * words: such a word (`the fixture`) refers to the document that the request names. Undefined where the
 * document has one.
 */
function standsFor(
  question: string,
  { title, name }: DocumentRecord,
  chunks: readonly Chunk[],
): string | undefined {
  const asked = contentWords(question).filter((word) => documentNameTerms(word).length > 0);
  const [first = ""] = asked;
  const own = new Set(
    [title, name, ...chunks.flatMap(({ headings, text }) => [...headings, text])].flatMap((text) => [
      ...wordsOfName(text),
    ]),
  );
  const isUnknown = asked.length > 0 && asked.flatMap(documentNameTerms).every((word) => !own.has(word));
  return isUnknown && asked.length <= mostStandIns ? question.replace(first, name) : undefined;
}

/** The chunks of the section that a question names by its heading; all where it names none. */
function sectionOf(question: string, chunks: readonly Chunk[]): readonly Chunk[] {
  if (!namesSection(question)) return chunks;
  const asked = new Set(documentNameTerms(question));
  const within = chunks.flatMap(sectionsOf).filter(({ headings }) =>
    headings.some((heading) => {
      const own = splitWords(heading).map(foldWord);
      return own.filter((word) => asked.has(word)).length * 2 >= Math.max(1, own.length);
    }),
  );
  return within.length > 0 ? within : chunks;
}

/**
 * For a summary: the sentences that carry the whole document it is asked of, instead of the passages nearest
 * to the question. No hits where the question means a kind of document (`the minutes`) that the nearest of
 * several is not called; null for another question, and where no one document is meant.
 */
export async function findSummaryPassages(
  { text: question, agent, hits, request, sight }: SearchedQuestion,
  contextTokens: number,
  { documents, retrieval }: Pick<AskHome, "documents" | "retrieval">,
  run: Run,
): Promise<Pick<Gathered, "hits" | "isWhole" | "unnamed" | "readAs"> | null> {
  if (classify(question) !== "summary") return null;
  const readable = await sight.readableBy(agent);
  const held = await documents.asOf(readable, request.versions);
  const asked = documentOf(question, hits, held, request.documents ?? []);
  const kind = documentKind(question);
  if (asked === null) return isHeld(kind, held, hits) ? null : { hits: [], unnamed: kind?.name ?? "" };
  const { document, by } = asked;
  const all = await retrieval.whole(document, request, run, agent);
  if (by !== "request" && kind !== null && held.length > 1 && !isCalled(kind, document, all))
    return { hits: [], unnamed: kind.name };
  const readAs = by === "request" ? standsFor(question, document, all) : undefined;
  const found = summaryHits(sectionOf(question, all), {
    maxTokens: contextTokens,
    maxPassages: summaryPassages,
    count: (text) => Math.ceil(text.length / charactersPerToken),
  });
  return found.length === 0
    ? null
    : { hits: found, isWhole: true, ...(readAs === undefined ? {} : { readAs }) };
}
