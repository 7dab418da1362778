import { languages, listed } from "../languages.ts";
import { contentWords, fold, isFunctionWord, wordsOf } from "../words.ts";

/** Fewest words of a name that a question names a document by: one alone (`invoices`) is as often a subject. */
const fewestOfName = 2;

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
 * The documents that a question names by all words of their title or of their file's name, two at least or as many as
 * `fewest` says; of several those with the most words. Empty where it names none.
 */
export function documentsNamed<T extends { readonly name: string; readonly title: string }>(
  question: string,
  documents: readonly T[],
  fewest = fewestOfName,
): readonly T[] {
  const asked = new Set(wordsOf(question.replace(/[_.-]+/g, " ")).map(fold));
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

/** Kinds of documents, each with its names as words. */
const kinds = languages.flatMap(({ documentKinds }) =>
  listed(documentKinds).map((kind) => kind.split("|").map((name) => name.split("_"))),
);

/** A kind of document that a question means one by. */
export interface DocumentKind {
  /** As the question calls it. */
  readonly name: string;
  /** Whether a text, the name of a document or its headings, has a name of this kind. */
  isIn(text: string): boolean;
}

const holds = (all: readonly string[], name: readonly string[], at: number): boolean =>
  name.every((word, index) => all[at + index] === word);

/**
 * The kind of document that a question names one by: `the minutes of the meeting`. Not before another noun (`the
 * contract manufacturing`), and not counted (`ten minutes`). Null where it names none.
 */
export function documentKind(question: string): DocumentKind | null {
  const words = wordsOf(question.normalize("NFC").toLowerCase());
  for (const names of kinds)
    for (const name of names) {
      const at = words.findIndex((_, index) => holds(words, name, index));
      const next = words[at + name.length] ?? "";
      if (at < 1 || /^\p{N}/u.test(words[at - 1] ?? "")) continue;
      if (next !== "" && !isFunctionWord(next) && !/^\p{N}/u.test(next)) continue;
      return {
        name: name.join(" "),
        isIn(text) {
          const own = wordsOf(
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
