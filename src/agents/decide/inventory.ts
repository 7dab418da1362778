import { classify } from "../../language/asking/kinds/kinds.ts";
import { alternation, alternatives } from "../../language/languages.ts";
import { notesFor } from "../../language/notes/notes.ts";
import type { Notes } from "../../language/schema/notes.ts";
import { isFunctionWord, oneLine } from "../../language/words.ts";

/** A document that the principal may see, from the registry. */
export interface HeldDocument {
  readonly collection: string;
  readonly title: string;
  /** Path of its file within the ingested folder. */
  readonly name: string;
  /** Full path of the file. */
  readonly path: string;
}

/** Most titles listed per collection; the rest are counted. */
const maxTitles = 20;

/** Precedes a subject: then the text must be searched, as titles are not enough. */
const subjectOpening = alternation(alternatives(({ inventory }) => inventory.about));

/** Whether a question asks what there is to search, without naming a subject. */
export const isInventoryQuestion = (question: string): boolean =>
  classify(question) === "holdings" && !subjectOpening.test(question);

/** On one line, because a line break in a name could pass for a line of the reply. */
const titleOf = ({ title, name }: HeldDocument): string => {
  const [line, file] = [oneLine(title).slice(0, 80), oneLine(name)];
  return line === "" || line === file ? file : `${line} (${file})`;
};

const folderWord = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${alternatives(({ folders }) => folders?.called)})(?![\\p{L}\\p{N}])`,
  "giu",
);
const holds = new RegExp(`^(?:${alternatives(({ folders }) => folders?.hold)})$`, "iu");
const quotes = /["“”„«»‘’']/gu;

/** Path of a document's folder, from the ingested one down; in lower case. */
function folderOf({ name, path }: HeldDocument): string {
  const root = path.endsWith(name)
    ? path
        .slice(0, -name.length)
        .split(/[\\/]/)
        .findLast((part) => part !== "")
    : "";
  return `/${root ?? ""}/${name}`.slice(0, -(name.split("/").at(-1) ?? "").length).toLowerCase();
}

/** All names and paths for a folder: `b`, `a/b` and `a` for `/a/b/`. */
function callings(folders: readonly string[]): string[] {
  const parts = [...new Set(folders)].map((folder) => folder.split("/").filter((part) => part !== ""));
  return parts.flatMap((path) =>
    path.flatMap((_, start) =>
      path.slice(start).map((_, length) => path.slice(start, start + length + 1).join("/")),
    ),
  );
}

/**
 * The folder that a question names next to the word for one: the longest existing folder, otherwise the
 * adjacent word; null if it names none.
 */
function namedFolder(question: string, known: readonly string[]): string | null {
  const text = oneLine(question.normalize("NFC").toLowerCase().replace(quotes, " "));
  const sides = [...text.matchAll(folderWord)].map((match) => ({
    before: text.slice(0, match.index).replace(/[\s-]$/u, ""),
    after: text.slice(match.index + match[0].length).trimStart(),
  }));
  const found = known
    .toSorted((one, other) => other.length - one.length)
    .find((name) =>
      sides.some(
        ({ before, after }) =>
          (` ${before}`.endsWith(` ${name}`) && !isFunctionWord(name)) ||
          (after.startsWith(name) && !/^[\p{L}\p{N}_-]/u.test(after.slice(name.length))),
      ),
    );
  if (found !== undefined) return found;
  const isName = (word: string | undefined): word is string =>
    word !== undefined && word !== "" && !isFunctionWord(word) && !holds.test(word);
  return (
    sides
      .flatMap(({ before, after }) => [
        before.split(/[\s,;]/u).at(-1),
        after.match(/^[^\s?!,;]+(?=\s?[?!.]?$)/u)?.[0],
      ])
      .find(isName) ?? null
  );
}

/**
 * What there is to search, from the registry: each collection with its number of documents and their titles,
 * restricted to the collections and the folder that the question names. In the language of the question.
 */
export function inventoryReply(question: string, documents: readonly HeldDocument[]): string {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  const all = [...new Set(documents.map(({ collection }) => collection))].toSorted();
  const named = all.filter((name) => words.has(name));
  const known = callings(documents.map(folderOf));
  const folder = namedFolder(question, known);
  const isKnown = folder !== null && known.includes(folder);
  const held = documents.filter(
    (document) =>
      (named.length === 0 || named.includes(document.collection)) &&
      (!isKnown || folderOf(document).includes(`/${folder}/`)),
  );
  const notes = notesFor(question).holdings;
  const isMissing = folder !== null && !isKnown && !named.includes(folder);
  return [
    ...(isMissing ? [notes.noFolder(folder)] : []),
    isKnown ? notes.documentsIn(held.length, folder) : notes.documents(held.length),
    ...listing(held, notes),
  ].join("\n");
}

/** The documents under their collections. */
function listing(held: readonly HeldDocument[], notes: Notes["holdings"]): string[] {
  const collections = [...new Set(held.map(({ collection }) => collection))].toSorted();
  return collections.flatMap((collection) => {
    const own = held.filter((document) => document.collection === collection);
    const rest = own.length - maxTitles;
    return [
      `${collection} (${own.length})`,
      ...own.slice(0, maxTitles).map((document) => `- ${titleOf(document)}`),
      ...(rest > 0 ? [`- … ${notes.more(rest)}`] : []),
    ];
  });
}
