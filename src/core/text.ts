import { lazy } from "./lazy.ts";

/**
 * The text without the characters it ends with that `character`, a pattern of one character, matches.
 * `/[…]+$/` does the same in quadratic time: it is tried at every such character of a run that does not end
 * the text.
 */
export function trimEndOf(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * A visible character. Spaces, control characters and characters drawn as nothing, such as a zero-width space
 * or a soft hyphen, are not.
 */
export const visibleCharacter = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text says nothing: no character of it can be seen. */
export const isBlank = (text: string): boolean => !visibleCharacter.test(text);

/** The lines of a text, each with the place where it begins. */
export function placedLines(text: string): readonly { readonly text: string; readonly start: number }[] {
  let next = 0;
  return text.split("\n").map((line) => {
    const start = next;
    next += line.length + 1;
    return { text: line, start };
  });
}

/** Marks an omission in a passage; between rows of a table and after them it is a separate line. */
export const omission = "…";

/**
 * Characters that move the cursor of a terminal, change its title or its clipboard, or reverse the reading
 * direction.
 */
const steering = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text that is safe to show: names and texts of documents cannot control a terminal with it. Lines and tabs
 * are kept.
 */
export const sanitize = (text: string): string => text.replace(/\r\n/g, "\n").replace(steering, "\uFFFD");

/** The same JSON without such characters: those that JSON allows unescaped are escaped too. */
export const sanitizeJson = (json: string): string =>
  json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML shows it: never as markup, and with nothing that hides or turns it. */
export const htmlText = (text: string): string =>
  text
    .replace(/(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (character) => escapes[character] ?? "");

/** Splits a text into halves, between words where it has several, until each part fits; no part is blank. */
export function splitUntilFits(text: string, fits: (part: string) => boolean): readonly string[] {
  if (text.trim() === "") return [];
  if (text.length === 1 || fits(text)) return [text];
  const words = text.split(/\s+/);
  const [parts, joint] = words.length === 1 ? [text.split(""), ""] : [words, " "];
  const middle = Math.ceil(parts.length / 2);
  return [parts.slice(0, middle), parts.slice(middle)].flatMap((half) =>
    splitUntilFits(half.join(joint), fits),
  );
}

/**
 * A value with every text in it in Unicode normal form C, the one in which texts and names are indexed,
 * compared and shown: keyboards and files have `ộ` as one character or as three. Of arrays and plain objects;
 * keys stay.
 */
export function toNfc<T>(value: T): T {
  // Each text becomes a text and each list a list of the same kinds, so that the type holds.
  const same = (made: unknown): T => made as T;
  if (typeof value === "string") return same(value.normalize("NFC"));
  if (Array.isArray(value)) return same(value.map(toNfc));
  if (typeof value !== "object" || value === null) return value;
  return same(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toNfc(each)])));
}

/**
 * Of one language for all, so that a text has the same sentences on every machine. It takes 9 ms to make, and
 * most commands need none.
 */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/** Marks of notes right after the end of a sentence: `3 bar.[1]`. */
const noteMarks = /[.!?…。！？]["'“”’»«)]?\[\d[\d\][]*\]/gu;

/** A piece of a text up to the end of a sentence, with the white space after it, and its offset. */
export interface Segment {
  readonly segment: string;
  readonly index: number;
}

/**
 * A text cut at the ends of its sentences as Unicode has them (Standard Annex #29), but for the marks of
 * notes, which stay with the sentence that they follow.
 */
export function* sentenceSegments(text: string): Generator<Segment> {
  // A closing bracket belongs to the sentence before it; the text is cut where this one is.
  const marked = text.replace(noteMarks, (end) => end.replaceAll(/[\d\][]/g, ")"));
  for (const { segment, index } of segmenter().segment(marked))
    yield { segment: text.slice(index, index + segment.length), index };
}

const lineFeed = 10;

/**
 * Lines of UTF-8 without their ends; a last one without an end too. Only a line feed ends one, for other
 * signs that end lines may be inside a message. An input that fails has ended.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  try {
    for await (const data of input) {
      let from = 0;
      for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
        yield Buffer.concat([...parts, data.subarray(from, end)]).toString("utf8");
        parts = [];
        from = end + 1;
      }
      if (from < data.length) parts.push(data.subarray(from));
    }
  } catch {
    // Nothing more can be read.
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString("utf8");
}
