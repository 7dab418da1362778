import type { AgentState } from "../../../core/answers/agent.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { kindOf } from "../../../language/asking/kinds.ts";
import { contentWords, fold, wordsOf } from "../../../language/words.ts";
import { summaryHits } from "../../../pipeline/answer/kinds/summary.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { type AskHome, agentOf, type Question } from "../question.ts";

/** Passages that a summary is written from, at most. */
export const summaryPassages = 8;

/** Characters per token, for a budget that any model keeps. */
const charactersPerToken = 3;

/** Words of a question that name a kind of document or a summary, not which one. */
const general = new Set(
  "summary summarize summarise overview outline document report paper file section chapter main key points findings takeaways about give brief short"
    .split(" ")
    .map(fold),
);

/** The words of a question that can name a document or one of its sections. */
const namingWords = (question: string): readonly string[] =>
  contentWords(question)
    .flatMap((word) => wordsOf(word.replace(/[_./-]+/g, " ")))
    .map(fold)
    .filter((word) => !general.has(word));

/** Words of a name as they are compared; `watch_d.pdf` has three. */
const wordsOfName = (name: string): ReadonlySet<string> =>
  new Set(wordsOf(name.replace(/[_./\\-]+/g, " ")).map(fold));

/**
 * The document that a summary is asked of: the one that is named, by request or in the question; else the one
 * that most of the first hits are of.
 */
function documentOf(
  question: string,
  hits: readonly Hit[],
  documents: readonly DocumentRecord[],
  named: readonly string[],
): DocumentRecord | undefined {
  const [only, ...others] = documents.filter(({ id }) => named.includes(id));
  if (only !== undefined && others.length === 0) return only;
  const asked = namingWords(question);
  const byName = documents
    .map((document) => {
      const own = wordsOfName(`${document.title} ${document.name}`);
      return { document, shared: asked.filter((word) => own.has(word)).length };
    })
    .filter(({ shared }) => shared > 0 && shared * 2 >= asked.length)
    .toSorted((left, right) => right.shared - left.shared);
  if (byName[0] !== undefined && byName[0].shared > (byName[1]?.shared ?? 0)) return byName[0].document;
  const first = hits.slice(0, 5).map(({ chunk }) => chunk.documentId);
  const most = first.find((id) => first.filter((other) => other === id).length * 2 > first.length);
  return documents.find(({ id }) => id === most);
}

/** The chunks of the section that a question names by its heading; all where it names none. */
function sectionOf(question: string, chunks: readonly Chunk[]): readonly Chunk[] {
  if (!/(?<![\p{L}])(?:section|chapter|abschnitt|kapitel|chapitre|mục|chương)(?![\p{L}])/iu.test(question))
    return chunks;
  const asked = new Set(namingWords(question));
  const within = chunks.flatMap(sectionsOf).filter(({ headings }) =>
    headings.some((heading) => {
      const own = wordsOf(heading).map(fold);
      return own.filter((word) => asked.has(word)).length * 2 >= Math.max(1, own.length);
    }),
  );
  return within.length > 0 ? within : chunks;
}

/**
 * For a summary: the sentences that carry the whole document it is asked of, instead of the passages nearest
 * to the question; null for another question, and where no one document is meant.
 */
export async function summaryOf(
  state: AgentState,
  hits: readonly Hit[],
  { request, sight }: Pick<Question, "request" | "sight">,
  { documents, retrieval, settings }: Pick<AskHome, "documents" | "retrieval" | "settings">,
  run: Run,
): Promise<readonly Hit[] | null> {
  const question = state.clarifiedQuery;
  if (kindOf(question) !== "summary") return null;
  const agent = agentOf(state);
  const readable = sight.readableBy(agent);
  const held = documents.asOf(readable, request.versions);
  const document = documentOf(question, hits, held, request.documents ?? []);
  if (document === undefined) return null;
  const chunks = sectionOf(question, await retrieval.whole(document, request, run, agent));
  const found = summaryHits(chunks, {
    maxTokens: settings.answer.contextTokens,
    maxPassages: summaryPassages,
    count: (text) => Math.ceil(text.length / charactersPerToken),
  });
  return found.length === 0 ? null : found;
}
