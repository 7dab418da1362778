import { kindOf } from "../../language/asking/kinds.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { oneLine } from "../../language/words.ts";

/** A document that the principal may see, as the registry names it. */
export interface HeldDocument {
  readonly collection: string;
  readonly title: string;
  /** File name. */
  readonly name: string;
}

/** Most titles of one collection that are listed; the others are counted. */
const maxTitles = 20;

/** Before what documents are wanted about: then their text has to be searched, and titles say too little. */
const subjectOpening =
  /(?<![\p{L}])(?:about|on|for|über|zu|zum|zur|về|sur) (?!this|the (?:folder|collection)|dies|này|(?:in )?total)/iu;

/** Whether a question asks what there is to search, and of no subject. */
export const asksHoldings = (question: string): boolean =>
  kindOf(question) === "holdings" && !subjectOpening.test(question);

/** In one line, as a name may have breaks that would pass for lines of the reply. */
const titleOf = ({ title, name }: HeldDocument): string => {
  const [line, file] = [oneLine(title).slice(0, 80), oneLine(name)];
  return line === "" || line === file ? file : `${line} (${file})`;
};

/**
 * What there is to search, from the registry: each collection with its number of documents and their titles;
 * only the collections that the question names, where it names any. In the language of the question.
 */
export function holdingsReply(question: string, documents: readonly HeldDocument[]): string {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  const all = [...new Set(documents.map(({ collection }) => collection))].toSorted();
  const named = all.filter((name) => words.has(name));
  const collections = named.length > 0 ? named : all;
  const notes = notesFor(question).holdings;
  const parts = collections.map((collection) => {
    const own = documents.filter((held) => held.collection === collection);
    const rest = own.length - maxTitles;
    return [
      `${collection} (${own.length})`,
      ...own.slice(0, maxTitles).map((held) => `- ${titleOf(held)}`),
      ...(rest > 0 ? [`- … ${notes.more(rest)}`] : []),
    ].join("\n");
  });
  const count = documents.filter(({ collection }) => collections.includes(collection)).length;
  return [notes.documents(count), ...parts].join("\n");
}
