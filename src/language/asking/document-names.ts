import { languages, parseWords } from "../languages.ts";
import { contentWords, foldWord, isFunctionWord, splitWords } from "../words.ts";

/** Fewest words of its name that identify a document: a single one (`invoices`) is as often a subject. */
const fewestOfName = 2;

/** The normalised words of a name, without numbers, single letters and the file extension. */
const wordsOfName = (name: string): readonly string[] => [
  ...new Set(
    contentWords(
      name
        .slice(name.lastIndexOf("/") + 1)
        .replace(/\.[A-Za-z0-9]{1,8}$/, "")
        .replace(/[_.-]+/g, " "),
    )
      .filter((word) => /\p{L}{2}/u.test(word))
      .map(foldWord),
  ),
];

/**
 * The documents that a question names by all words of their title or file name, at least two or `fewest`; of
 * several, those with the most words. Empty if it names none.
 */
export function documentsInQuestion<T extends { readonly name: string; readonly title: string }>(
  question: string,
  documents: readonly T[],
  fewest = fewestOfName,
): readonly T[] {
  const asked = new Set(splitWords(question.replace(/[_.-]+/g, " ")).map(foldWord));
  const lengthOf = (name: string): number => {
    const words = wordsOfName(name);
    return words.length >= fewest && words.every((word) => asked.has(word)) ? words.length : 0;
  };
  const found = documents
    .map((document) => ({ document, count: Math.max(lengthOf(document.name), lengthOf(document.title)) }))
    .filter(({ count }) => count > 0);
  const most = Math.max(0, ...found.map(({ count }) => count));
  return found.filter(({ count }) => count === most).map(({ document }) => document);
}

/** Kinds of documents, with their names split into words. */
const kinds = languages.flatMap(({ documentKinds }) =>
  parseWords(documentKinds).map((kind) => kind.split("|").map((name) => name.split("_"))),
);

/** A kind of document by which a question refers to one. */
export interface DocumentKind {
  /** As written in the question. */
  readonly name: string;
  /** Whether a document's name or headings mention this kind. */
  isIn(text: string): boolean;
}

const holds = (all: readonly string[], name: readonly string[], at: number): boolean =>
  name.every((word, index) => all[at + index] === word);

/**
 * The kind of document a question refers to: `the minutes of the meeting`. Not before another noun (`the
 * contract manufacturing`), and not after a number (`ten minutes`). Null if there is none.
 */
export function documentKind(question: string): DocumentKind | null {
  const words = splitWords(question.normalize("NFC").toLowerCase());
  for (const names of kinds)
    for (const name of names) {
      const at = words.findIndex((_, index) => holds(words, name, index));
      const next = words[at + name.length] ?? "";
      if (at < 1 || /^\p{N}/u.test(words[at - 1] ?? "")) continue;
      if (next !== "" && !isFunctionWord(next) && !/^\p{N}/u.test(next)) continue;
      return {
        name: name.join(" "),
        isIn(text) {
          const own = splitWords(
            text
              .normalize("NFC")
              .toLowerCase()
              .replace(/[_.-]+/g, " "),
          );
          return names.some((other) => own.some((_, index) => holds(own, other, index)));
        },
      };
    }
  return null;
}
