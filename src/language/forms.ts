import { allWords, alternatives, languages, patternsOf } from "./languages.ts";
import type { SocialPhrase } from "./schema/language.ts";
import { contentWords, isFunctionWord, isVague, oneLine, splitWords } from "./words.ts";

/** Something said that is no question about documents. */
export type Social = SocialPhrase | "meta";

/** Longest text considered, in characters: nothing longer is a greeting. */
const longestForm = 160;

const fillers = allWords((language) => language.fillers);

/** Questions about the assistant: who it is, what it can do, what it can search. */
const meta = patternsOf(({ aboutAssistant }) => aboutAssistant, "u");

const phraseTable: ReadonlyMap<string, SocialPhrase> = new Map(
  languages.flatMap(({ phrases = {} }) =>
    // The keys of the object are exactly these kinds.
    (Object.entries(phrases) as [SocialPhrase, string][]).flatMap(([kind, list]) =>
      list
        .split("|")
        .map((phrase) => [splitWords(phrase.replaceAll("’", "'")).join(" ").toLowerCase(), kind] as const),
    ),
  ),
);
const longestPhrase = Math.max(...[...phraseTable.keys()].map((phrase) => phrase.split(" ").length));
const contractions: readonly (readonly [RegExp, string])[] = [
  [/\b(?:pls|plz)\b/g, "please"],
  [/\bwho's\b/g, "who is"],
  [/\bur\b/g, "your"],
];

function plain(text: string): string {
  const lower = oneLine(text).toLowerCase().replaceAll("’", "'");
  return contractions.reduce(
    (current, [pattern, full]) => current.replace(pattern, full),
    splitWords(lower).join(" "),
  );
}

/**
 * The kinds of social phrases that make up the entire text, in order; empty if it says anything else.
 * Drawn-out letters count once (`heyyy`); a question about the assistant may follow a greeting.
 */
export function socialPhraseKinds(text: string): readonly Social[] {
  if (text.length > longestForm) return [];
  const tokens = plain(text)
    .replace(/(\p{L})\1{2,}/gu, "$1")
    .split(" ")
    .filter((token) => token !== "");
  const found: Social[] = [];
  for (let at = 0; at < tokens.length; ) {
    const rest = tokens.slice(at);
    if (meta.some((pattern) => pattern.test(rest.join(" ")))) return [...found, "meta"];
    const length = Array.from(
      { length: Math.min(longestPhrase, rest.length) },
      (_, i) => Math.min(longestPhrase, rest.length) - i,
    ).find((count) => phraseTable.has(rest.slice(0, count).join(" ")));
    const kind = length === undefined ? undefined : phraseTable.get(rest.slice(0, length).join(" "));
    if (length !== undefined && kind !== undefined) {
      found.push(kind);
      at += length;
    } else if (fillers.has(rest[0] ?? "")) at += 1;
    else return [];
  }
  return found;
}

const conjunction = new RegExp(`^(?:${alternatives(({ and }) => and)})\\s+`, "iu");

/** Longest greeting or thanks that opens a question, in characters. */
const longestOpening = 40;

/** A question without an opening greeting or thanks: `Hi, when is payday?` → `when is payday?`. */
export function stripGreeting(text: string): string {
  const [match = "", opening = ""] = /^\s*([\p{L}'’][\p{L}'’\s]*)[,.!:–-]+\s+(?=\S)/u.exec(text) ?? [];
  if (opening.trimEnd().length > longestOpening || socialPhraseKinds(opening).length === 0) return text;
  return text.slice(match.length).replace(conjunction, "");
}

const numberWords = new RegExp(
  `(?<![\\p{L}])(?:${alternatives((language) => language.asksNumber)})(?![\\p{L}])`,
  "iu",
);
/** Whether a question explicitly asks for a number. */
export const asksForExplicitNumber = (question: string): boolean =>
  numberWords.test(question.normalize("NFC"));

const pointers = new Set([
  ...allWords(({ pronouns }) => pronouns?.subjects),
  ...allWords(({ pronouns }) => pronouns?.pointers),
]);

/** Longest text that may lack a subject, in words: more words narrow it down even if each is general. */
const longestVague = 8;

/**
 * A question without a subject, followed by the names of the documents that the request is restricted to,
 * which are its subject. Null if it has a subject, or no document is given.
 */
export function withDocumentNames(question: string, names: readonly string[]): string | null {
  if (names.length === 0 || vaguenessReason(question) === null) return null;
  return `${question.replace(/[?.!]{1,3}$/, "")} (${names.slice(0, 3).join(", ")})`;
}

/**
 * Why a text is too vague to search for: no word names a subject. Null if one does. A single content word
 * with a bare `it` or `that` is still too vague (`How does it start?`).
 */
export function vaguenessReason(text: string): string | null {
  const clipped = oneLine(text.slice(0, 2000));
  if (!/[\p{L}\p{N}]/u.test(clipped)) return "there is no word in it";
  const words = splitWords(clipped);
  const subjects = contentWords(clipped).filter((word) => !isVague(word));
  if (words.length > longestVague) return null;
  const bare = words.find(
    (word, index) =>
      pointers.has(word.toLowerCase()) &&
      (words[index + 1] === undefined || isFunctionWord(words[index + 1] ?? "")),
  );
  if (subjects.length === 0) {
    // `in this report` refers to an ingested document.
    return bare === undefined && words.length > 4 && contentWords(clipped).length > 2
      ? null
      : "no word names a subject";
  }
  const impersonal = /\b(?:it|this|that|es) \p{L}+ (?:to|that|zu)\b/iu.test(clipped);
  const named = /\p{Lu}|\p{N}/u.test(subjects[0] ?? "");
  return subjects.length === 1 && bare !== undefined && !impersonal && !named
    ? `"${bare}" points at nothing that was said`
    : null;
}
