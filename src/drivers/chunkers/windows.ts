import type { ChunkDraft, SheetPart, Tokenizer } from "../../core/documents/chunk.ts";
import type { Block, PageText, ParsedDocument } from "../../core/documents/document.ts";
import { sentenceSegments } from "../../core/text.ts";
import {
  contentTypeOf,
  createHeadingPath,
  type Heading,
  innerHeadings,
  join,
  pathOf,
  placesOf,
} from "./drafts.ts";
import { type Stretch, stretchesOf } from "./fitting.ts";
import { type Unit, unitsOf } from "./units.ts";

/** Tokens that two neighbouring windows share. */
const sharedTokens = 50;
/** The encoder's own tokens around a window. */
const ownTokens = 2;

/**
 * A stretch of a page's text; a block belongs to the window in whose own part, `from` to `end`, it starts.
 */
interface Window {
  readonly start: number;
  readonly from: number;
  readonly end: number;
  readonly tokens: number;
}

/** A unit with its place among the windows. */
interface Placed {
  readonly unit: Unit;
  readonly page: number;
  readonly window: number;
}

/**
 * Chunks of a document with page texts, one per window of a page:
 * 1. A page's raw text is cut at line ends into overlapping windows. These are embedded.
 * 2. Every unit of the blocks goes to the window in which it starts. These are shown and cited, tables with
 *    their header, words mended.
 * 3. A window in which no block starts shows the end of the one that runs on into it, and its raw text where
 *   there is none.
 */
export function* windowChunks(
  document: ParsedDocument,
  pageTexts: readonly PageText[],
  windowTokens: number,
  tokenizer: Tokenizer,
): Generator<ChunkDraft> {
  const size = windowTokens - ownTokens;
  const windows = new Map(pageTexts.map(({ page, text }) => [page, windowsOf(text, size, tokenizer)]));
  const placed = Map.groupBy(
    place(document, pageTexts, windows, size, tokenizer),
    ({ page, window }) => `${page}/${window}`,
  );
  const labels = new Map(pageTexts.map((page) => [page.page, labelPart(page)]));
  const path = createHeadingPath();
  let last: Unit | undefined;
  for (const { page, text } of pageTexts)
    for (const [index, window] of (windows.get(page) ?? []).entries()) {
      const units = (placed.get(`${page}/${index}`) ?? []).map(({ unit }) => unit);
      const raw = text.slice(window.start, window.end).trim();
      const draft =
        units.length === 0
          ? runOnDraft(last, path.headings(), page, raw)
          : shownDraft(units, path.headings(), page);
      for (const unit of units) path.enter(unit);
      last = units.at(-1) ?? last;
      const { start, end, tokens } = window;
      const parts = draft.pages.flatMap((each) => labels.get(each) ?? []);
      const own = parts.length === 0 ? draft : { ...draft, sheetParts: parts };
      yield { ...own, window: { pageText: text, start, end }, tokenCount: tokens + ownTokens };
    }
}

/** Where a page is in its file by its label. */
const labelPart = ({ page, label: sheet }: PageText): readonly SheetPart[] =>
  sheet === undefined ? [] : [{ sheet, of: "label", columns: [], rows: [[0, page]] }];

/**
 * The text shown for a window in which no unit starts: the end of the unit before it, from the sentence or
 * line in which the window begins, so that the two read together repeat nothing; else its raw text.
 */
function runOnDraft(
  last: Unit | undefined,
  over: readonly Heading[],
  page: number,
  raw: string,
): Omit<ChunkDraft, "window" | "tokenCount"> {
  const own = { headings: over.map(({ text }) => text), pages: [page] };
  const end = last === undefined ? undefined : endFrom(last, raw);
  return end === undefined || last === undefined
    ? { text: raw, ...own, contentType: "paragraph" }
    : { text: end, ...own, contentType: last.kind };
}

/** A unit from the sentence or line that has the first line of a window; undefined where it has none. */
function endFrom({ kind, text }: Unit, windowText: string): string | undefined {
  const { letters, places } = lettersOf(text);
  for (const line of windowText.split("\n")) {
    const key = lettersOf(line).letters.slice(0, mostKey);
    const at = key.length < sureKey ? -1 : letters.indexOf(key);
    if (at === -1) continue;
    const place = places[at] ?? 0;
    if (kind !== "paragraph") return text.slice(text.lastIndexOf("\n", place) + 1);
    const start = [...sentenceSegments(text)].findLast(({ index }) => index <= place)?.index ?? 0;
    return text.slice(start).trimStart();
  }
  return undefined;
}

/** The text shown for a window: its units under the headings above them. */
function shownDraft(
  units: readonly Unit[],
  over: readonly Heading[],
  page: number,
): Omit<ChunkDraft, "window" | "tokenCount"> {
  const { above, own } = pathOf(over, units);
  const common = commonPath(over, units) ?? [...above, ...own];
  const begun = Math.max(0, common.length - above.length);
  const headings = common.map(({ text }) => text);
  // The rows of a long table are cited by the page they are on, a paragraph that spans two pages by both.
  const pages = units.flatMap(({ kind, pages: all }) =>
    kind === "table" ? [] : all.filter((each) => each >= page),
  );
  const { text, starts } = join(units);
  return {
    text,
    headings,
    ...(begun === 0 ? {} : { ownHeadings: begun }),
    ...innerHeadings(headings, placesOf(over, units, starts)),
    pages: [...new Set([page, ...pages])].sort((one, two) => one - two),
    ...contentTypeOf(units),
  };
}

/**
 * The headings that all units share, so that no unit is cited under the heading of another section; undefined
 * where there are only headings.
 */
function commonPath(over: readonly Heading[], units: readonly Unit[]): readonly Heading[] | undefined {
  const path = createHeadingPath(over);
  let common: readonly Heading[] | undefined;
  for (const unit of units) {
    path.enter(unit);
    if (unit.kind === "heading") continue;
    const headings = path.headings();
    common = common === undefined ? headings : common.filter((heading, at) => heading === headings[at]);
  }
  return common;
}

function windowsOf(text: string, size: number, tokenizer: Tokenizer): readonly Window[] {
  const stretches = linesOf(text, size, tokenizer);
  const windows: Window[] = [];
  for (let first = 0, from = 0; first < stretches.length; ) {
    let last = first;
    let tokens = stretches[first]?.tokens ?? 0;
    while (last + 1 < stretches.length && tokens + (stretches[last + 1]?.tokens ?? 0) <= size) {
      last += 1;
      tokens += stretches[last]?.tokens ?? 0;
    }
    const end = stretches[last]?.end ?? text.length;
    windows.push({ start: stretches[first]?.start ?? 0, from, end, tokens });
    if (last === stretches.length - 1) break;
    from = end;
    first = firstShared(stretches, first, last);
  }
  return windows;
}

/**
 * Where the window after one that ends with stretch `last` begins: so far back that it shares some tokens,
 * but not with a window whole.
 */
function firstShared(stretches: readonly Stretch[], first: number, last: number): number {
  let next = last + 1;
  for (let shared = 0; next - 1 > first; next -= 1) {
    shared += stretches[next - 1]?.tokens ?? 0;
    if (shared > sharedTokens) break;
  }
  return next;
}

/** The lines of a page, and parts of those too long for a window. */
function linesOf(text: string, size: number, tokenizer: Tokenizer): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) stretches.push(...stretchesOf(text, start, end, size, tokenizer));
    start = end + 1;
  }
  return stretches;
}

/**
 * Every unit of the blocks with the window in which it starts; a unit without a known page is placed on the
 * page of the one before it.
 */
function* place(
  document: ParsedDocument,
  pageTexts: readonly PageText[],
  windows: ReadonlyMap<number, readonly Window[]>,
  size: number,
  tokenizer: Tokenizer,
): Generator<Placed> {
  const finder = openFinder(pageTexts);
  for (const block of document.content.blocks) {
    if (block.text.trim() === "") continue;
    for (const unit of blockUnits(block, size, document.file.name, tokenizer)) {
      const { page, at } = finder.find(unit.text, block.pages);
      const list = windows.get(page) ?? [];
      const window = list.findLastIndex(({ from }) => from <= at);
      yield { unit, page, window: Math.max(0, window) };
    }
  }
}

function blockUnits(block: Block, size: number, source: string, tokenizer: Tokenizer): Iterable<Unit> {
  if (block.kind !== "heading") return unitsOf(block, { maxTokens: size, source, tokenizer });
  const { kind, text, pages, level = 1 } = block;
  return [{ kind, text, pages, level, tokens: tokenizer.count(text), joiner: "\n\n" }];
}

/** Letters and digits that say where a unit starts. */
const mostKey = 32;
/**
 * A key of fewer is found by chance further on: it counts near the unit before it only, and never on another
 * page.
 */
const sureKey = 12;
const nearLetters = 400;

/**
 * Finds where units start in the pages' texts, by their first letters and digits, never before the unit found
 * last.
 */
function openFinder(pageTexts: readonly PageText[]) {
  const texts = new Map(pageTexts.map(({ page, text }) => [page, text]));
  let current = { page: pageTexts[0]?.page ?? 1, place: 0 };
  let read = { page: 0, ...lettersOf("") };
  const readPage = (page: number) => {
    if (read.page !== page) read = { page, ...lettersOf(texts.get(page) ?? "") };
    return read;
  };
  /** Letters before the key on the page, -1 where it is not there. */
  const placeOf = (key: string, page: number): number => {
    const from = page === current.page ? current.place : 0;
    const place = readPage(page).letters.indexOf(key, from);
    const isSure = key.length >= sureKey || (page === current.page && place - from <= nearLetters);
    return isSure ? place : -1;
  };
  return {
    find(text: string, pages: readonly number[]): { readonly page: number; readonly at: number } {
      const key = lettersOf(text.slice(0, 4 * mostKey)).letters.slice(0, mostKey);
      const candidates = pages.filter((page) => page >= current.page && texts.has(page));
      for (const page of key === "" ? [] : candidates) {
        const place = placeOf(key, page);
        if (place === -1) continue;
        current = { page, place: place + 1 };
        return { page, at: readPage(page).places[place] ?? 0 };
      }
      const [page = current.page] = candidates;
      if (page !== current.page) current = { page, place: 0 };
      return { page, at: readPage(page).places[current.place] ?? 0 };
    },
  };
}

/** The letters and digits of a text, lower-cased, with the place of each. */
function lettersOf(text: string): { readonly letters: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let letters = "";
  for (const { 0: character, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const lower = character.toLowerCase();
    letters += lower;
    for (let unit = 0; unit < lower.length; unit += 1) places.push(index);
  }
  return { letters, places };
}
