import { contentWords, fold, wordsOf } from "../words.ts";

/** Fewest words of a name that a question names a document by: one alone (`invoices`) is as often a subject. */
const fewestWords = 2;

/** The words of a name as they are compared, without numbers, single letters and the ending of a file. */
const wordsOfName = (name: string): readonly string[] => [
  ...new Set(
    contentWords(
      name
        .slice(name.lastIndexOf("/") + 1)
        .replace(/\.[A-Za-z0-9]{1,8}$/, "")
        .replace(/[_.-]+/g, " "),
    )
      .filter((word) => /\p{L}{2}/u.test(word))
      .map(fold),
  ),
];

/**
 * The documents that a question names by all words of their title or of their file's name, two at least; of several
 * those with the most words. Empty where it names none.
 */
export function documentsNamed<T extends { readonly name: string; readonly title: string }>(
  question: string,
  documents: readonly T[],
): readonly T[] {
  const asked = new Set(wordsOf(question.replace(/[_.-]+/g, " ")).map(fold));
  const lengthOf = (name: string): number => {
    const words = wordsOfName(name);
    return words.length >= fewestWords && words.every((word) => asked.has(word)) ? words.length : 0;
  };
  const found = documents
    .map((document) => ({ document, count: Math.max(lengthOf(document.name), lengthOf(document.title)) }))
    .filter(({ count }) => count > 0);
  const most = Math.max(0, ...found.map(({ count }) => count));
  return found.filter(({ count }) => count === most).map(({ document }) => document);
}
