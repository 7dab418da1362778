import { hasRow } from "../../../core/documents/table-text.ts";
import { placedLines } from "../../../core/text.ts";
import { patternsOf } from "../../../language/languages.ts";
import { sentences } from "../../../language/sentences.ts";
import { normalizeVisibleText } from "../clean.ts";
import { confusableSkeleton } from "./confusables.ts";

/** Sentences that address the answering assistant, matched against one on one line (NFKC, single spaces). */
const instructionForms = patternsOf(({ injections }) => injections, "iu");

/**
 * Questions about prompts and assistants, for which such sentences may be the answer. Words common in other
 * questions (`output`, `response time`, `answer in German`, `assistant manager`) do not count.
 */
const asksAboutIt = patternsOf(({ aboutInjections }) => aboutInjections, "iu");

/**
 * Sentences longer than this, in characters, are lists or tables without full stops: only the lines of an
 * order are removed from them.
 */
const longestSentence = 600;
/** Longest order across neighbouring lines, in characters. */
const longestOrder = 300;

/** Part of a text, `end` exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a sentence tries to instruct an assistant about what to write, do or forget. Hidden characters,
 * line breaks and look-alike letters do not hide it. A filter, not a guarantee: other wordings pass.
 */
export function isPromptInjection(sentence: string): boolean {
  const plain = normalizeVisibleText(sentence).normalize("NFKC").replace(/\s+/g, " ");
  const unbroken = plain.replace(/(?<=\p{L})[-‐] (?=\p{Ll})/gu, "");
  const readings = new Set([plain, unbroken, confusableSkeleton(plain), confusableSkeleton(unbroken)]);
  return [...readings].some((reading) => instructionForms.some((form) => form.test(reading)));
}

/**
 * Sentences of a text on one line, shifted by `offset`; lower-case text after a quotation belongs to the
 * sentence before it.
 */
function sentenceRanges(line: string, offset: number): Range[] {
  const ranges: Range[] = [];
  let at = 0;
  for (const sentence of sentences(line)) {
    const start = line.indexOf(sentence, at);
    at = start + sentence.length;
    const before = ranges.at(-1);
    if (before !== undefined && /^\p{Ll}/u.test(sentence))
      ranges[ranges.length - 1] = { start: before.start, end: offset + at };
    else ranges.push({ start: offset + start, end: offset + at });
  }
  return ranges;
}

/** Groups of lines separated only by single line breaks; a table row is its own group. */
function blocksOf(text: string): Range[][] {
  const blocks: Range[][] = [[]];
  for (const { text: line, start } of placedLines(text)) {
    const alone = line.trim() === "" || hasRow(line);
    if (alone) blocks.push([{ start, end: start + line.length }], []);
    else blocks.at(-1)?.push({ start, end: start + line.length });
  }
  return blocks.filter((block) => block.length > 0);
}

/** Last line, from `first` on, that could belong to the same order. */
function reachOf(first: number, lines: readonly Range[], alone: readonly boolean[]): number {
  const most = (lines[first]?.start ?? 0) + longestOrder;
  let reach = first;
  if (alone[first]) return reach;
  while (alone[reach + 1] === false && (lines[reach + 1]?.end ?? 0) <= most) reach += 1;
  return reach;
}

/**
 * Neighbouring lines that form an order together but not individually, in a sentence too long to be one. The
 * longest candidate is tested first, because most lines begin no order.
 */
function ordersAcrossLines(text: string, lines: readonly Range[]): Range[] {
  const orders: Range[] = [];
  const alone = lines.map(({ start, end }) => isPromptInjection(text.slice(start, end)));
  const isOrder = (first: number, last: number): boolean =>
    isPromptInjection(text.slice(lines[first]?.start, lines[last]?.end));
  for (let first = 0; first < lines.length; first += 1) {
    const reach = reachOf(first, lines, alone);
    if (reach === first || !isOrder(first, reach)) continue;
    let last = first + 1;
    while (last < reach && !isOrder(first, last)) last += 1;
    while (first + 1 < last && isOrder(first + 1, last)) first += 1;
    orders.push({ start: lines[first]?.start ?? 0, end: lines[last]?.end ?? 0 });
    first = last;
  }
  return orders;
}

/**
 * Where a visible text addresses an assistant, in order: whole sentences, both line by line and across single
 * line breaks.
 */
function ordersIn(text: string): Range[] {
  const flagged = (ranges: readonly Range[]): Range[] =>
    ranges.filter(({ start, end }) => isPromptInjection(text.slice(start, end)));
  const found = blocksOf(text).flatMap((lines) => {
    const byLine = lines.flatMap(({ start, end }) => flagged(sentenceRanges(text.slice(start, end), start)));
    const [first] = lines;
    const last = lines.at(-1);
    if (first === undefined || last === undefined || lines.length === 1) return byLine;
    const joined = sentenceRanges(text.slice(first.start, last.end).replaceAll("\n", " "), first.start);
    const across = joined.flatMap((sentence) => {
      if (!text.slice(sentence.start, sentence.end).includes("\n")) return [];
      if (sentence.end - sentence.start <= longestSentence) return flagged([sentence]);
      return ordersAcrossLines(
        text,
        lines.filter(({ start, end }) => start < sentence.end && end > sentence.start),
      );
    });
    return [...byLine, ...across];
  });
  const orders: Range[] = [];
  for (const range of found.toSorted((left, right) => left.start - right.start)) {
    const before = orders.at(-1);
    if (before === undefined || range.start >= before.end) orders.push(range);
    else orders[orders.length - 1] = { start: before.start, end: Math.max(before.end, range.end) };
  }
  return orders;
}

/** A text without these parts; a part removed inside a line leaves one space. */
function without(text: string, parts: readonly Range[]): string {
  const ends = [...parts.map(({ start }) => start), text.length];
  const starts = [0, ...parts.map(({ end }) => end)];
  return ends
    .map((end, index) => text.slice(starts[index], end))
    .join("\u0000")
    .split("\n")
    .map((line) =>
      line.includes("\u0000")
        ? line
            .split("\u0000")
            .map((piece) => piece.trim())
            .filter((piece) => piece !== "")
            .join(" ")
        : line,
    )
    .join("\n");
}

/** Whether a question is about sentences that address an assistant. */
export function asksAboutInjection(question: string): boolean {
  const asked = question.normalize("NFC");
  return asksAboutIt.some((form) => form.test(asked));
}

/**
 * A text without the sentences that address an assistant, and how many were removed; unchanged if the
 * question is about such sentences (`isAsked`).
 */
export function stripInjections(
  text: string,
  isAsked: boolean,
): { readonly text: string; readonly removed: number } {
  if (isAsked) return { text, removed: 0 };
  const plain = normalizeVisibleText(text);
  const orders = ordersIn(plain);
  return orders.length === 0
    ? { text, removed: 0 }
    : { text: without(plain, orders), removed: orders.length };
}
