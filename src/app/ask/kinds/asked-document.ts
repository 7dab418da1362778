import type { Hit } from "../../../core/retrieval.ts";
import { documentsInQuestion } from "../../../language/asking/document-names.ts";
import { allWords } from "../../../language/languages.ts";
import { datesIn, sameDate } from "../../../language/time/dates.ts";
import { contentWords, foldWord, splitWords } from "../../../language/words.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";

/** Words of a question that name a kind of document or a summary, not which one. */
const general = new Set([...allWords(({ summaries }) => summaries?.asked)].map(foldWord));

/** The words of a question that can name a document or one of its sections. */
export const documentNameTerms = (question: string): readonly string[] =>
  contentWords(question)
    .flatMap((word) => splitWords(word.replace(/[_./-]+/g, " ")))
    .map(foldWord)
    .filter((word) => !general.has(word));

/** Words of a name in normal form for comparison; `watch_d.pdf` has three. */
export const wordsOfName = (name: string): ReadonlySet<string> =>
  new Set(splitWords(name.replace(/[_./\\-]+/g, " ")).map(foldWord));

/** The document that a question means, and how it was found. */
export interface AskedDocument {
  readonly document: DocumentRecord;
  readonly by: "request" | "question" | "hits";
}

/**
 * The documents whose title or name contains the dates of a question, in whatever language; all where none
 * does.
 */
function ofItsDates(question: string, documents: readonly DocumentRecord[]): readonly DocumentRecord[] {
  const asked = datesIn(question).dates;
  const tellsAll = ({ title, name }: DocumentRecord): boolean => {
    const own = datesIn(`${title}\n${name.replace(/_/g, " ")}`).dates.flat();
    return asked.every((readings) => readings.some((date) => own.some((other) => sameDate(date, other))));
  };
  const found = asked.length === 0 ? [] : documents.filter(tellsAll);
  return found.length === 0 ? documents : found;
}

/**
 * The document that a question is asked of: the one that is named, by request or in the question, there also
 * by its date; else the one that most of the first hits are of.
 */
export function documentOf(
  question: string,
  hits: readonly Hit[],
  documents: readonly DocumentRecord[],
  named: readonly string[],
): AskedDocument | null {
  const [only, ...others] = documents.filter(({ id }) => named.includes(id));
  if (only !== undefined && others.length === 0) return { document: only, by: "request" };
  const candidates = ofItsDates(question, documents);
  const [dated] = candidates;
  if (dated !== undefined && candidates.length === 1 && documents.length > 1)
    return { document: dated, by: "question" };
  const asked = documentNameTerms(question);
  const whole = documentsInQuestion(asked.join(" "), candidates, 1);
  const byName = candidates
    .map((document) => {
      const own = wordsOfName(`${document.title} ${document.name}`);
      return { document, shared: asked.filter((word) => own.has(word)).length };
    })
    .filter(({ document, shared }) => shared > 0 && (shared * 2 >= asked.length || whole.includes(document)))
    .toSorted((left, right) => right.shared - left.shared);
  if (byName[0] !== undefined && byName[0].shared > (byName[1]?.shared ?? 0))
    return { document: byName[0].document, by: "question" };
  const first = hits.slice(0, 5).map(({ chunk }) => chunk.documentId);
  const most = first.find((id) => first.filter((other) => other === id).length * 2 > first.length);
  const document = documents.find(({ id }) => id === most);
  return document === undefined ? null : { document, by: "hits" };
}
