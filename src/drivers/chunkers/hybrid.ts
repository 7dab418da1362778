import type { ChunkDraft, Chunker, Tokenizer } from "../../core/documents/chunk.ts";
import { embedText } from "../../core/documents/chunk.ts";
import type { Block } from "../../core/documents/document.ts";
import {
  contentTypeOf,
  type Heading,
  headerToRepeat,
  innerHeadings,
  join,
  pathOf,
  placesOf,
} from "./drafts.ts";
import { type Unit, unitsOf } from "./units.ts";
import { windowChunks } from "./windows.ts";

export interface HybridOptions {
  /**
   * Upper bound of a chunk as embedded: title, headings, text and special tokens. Range 64 to the model's
   * maximum.
   */
  readonly maxTokens: number;
  /** Tokens of a page's window, special tokens included. Default: 402 where `maxTokens` allows it. */
  readonly windowTokens?: number;
  /** A chunk shorter than this continues under the next heading of the same page instead of ending at it. */
  readonly minTokens: number;
  /** Title that is embedded with every chunk. */
  readonly titleOf: (document: {
    readonly file: { readonly name: string };
    readonly content: { readonly title: string };
  }) => string;
}

/** A unit is never cut shorter than this, tokens. */
const minRoom = 16;

/** Raised when the same document is cut or labelled otherwise. */
const revision = 9;

/**
 * Tokens of a page's window where no size is given. Windows of 200 and of 400 tokens find equally many pages,
 * so the larger one: fewer vectors (docs/decisions/0009-what-is-embedded.md).
 */
const usualWindow = 402;

/** Room for the model's own tokens around the text ([CLS], [SEP]) and for joining. */
const reservedTokens = 4;

/**
 * Cuts a document that has page texts into windows of its pages (`windows.ts`). Any other document is cut by
 * structure first, then by size:
 * 1. A heading opens a chunk, unless the chunk before it is still shorter than `minTokens`.
 * 2. A page ends a chunk, unless a block spans both pages.
 * 3. Blocks fill the chunk up to `maxTokens`; a longer block is cut at rows, lines or sentences.
 * 4. A heading never ends a chunk, and a table row always has its header.
 */
export default function openHybridChunker(options: HybridOptions): Chunker {
  const { maxTokens, minTokens, windowTokens } = options;
  const window = windowTokens ?? Math.min(usualWindow, maxTokens);
  const sizes = [maxTokens, minTokens, ...(windowTokens === undefined ? [] : [windowTokens])];
  return {
    id: `hybrid-${sizes.join("-")}-${revision}`,
    *chunk(document, tokenizer) {
      const { pageTexts = [] } = document.content;
      if (pageTexts.length > 0) {
        yield* windowChunks(document, pageTexts, window, tokenizer);
        return;
      }
      const title = options.titleOf(document);
      const builder = chunkBuilder(title, options, tokenizer);
      for (const block of document.content.blocks) {
        if (block.text.trim() === "") continue;
        if (block.kind === "heading") builder.heading(block);
        else
          for (const unit of unitsOf(block, {
            maxTokens: builder.room(),
            source: document.file.name,
            tokenizer,
          })) {
            builder.add(unit);
            yield* builder.made();
          }
      }
      builder.end();
      yield* builder.made();
    },
  };
}

function chunkBuilder(title: string, options: HybridOptions, tokenizer: Tokenizer) {
  const drafts: ChunkDraft[] = [];
  const path: Heading[] = [];
  let open: Unit[] = [];
  /** The headings above the open units. */
  let openPath: readonly Heading[] = [];
  let openTokens = 0;
  const bodyLimit = (headings: readonly Heading[]): number =>
    options.maxTokens -
    reservedTokens -
    tokenizer.count(embedText({ title, headings: kept(headings), text: "" }));
  /** Headings that take at most a quarter of the chunk; the innermost ones win. */
  const kept = (headings: readonly Heading[]): readonly string[] => {
    const texts = headings.map((heading) => heading.text);
    while (texts.length > 0 && tokenizer.count(texts.join(" › ")) > options.maxTokens / 4) texts.shift();
    return texts;
  };
  /** The open units as a chunk. Its path takes in the headings it begins with. */
  const emit = (): void => {
    if (open.every(({ isName }) => isName === true)) return;
    const { above, own } = pathOf(openPath, open);
    const shown = above.slice(above.length - kept(above).length);
    drafts.push(draft(open, shown, own, title, tokenizer));
  };
  const close = (): void => {
    const trailing: Unit[] = [];
    while (open.at(-1)?.kind === "heading") trailing.unshift(...open.splice(-1));
    if (open.length > 0) emit();
    open = trailing;
    openTokens = trailing.reduce((sum, unit) => sum + unit.tokens, 0);
    openPath = path.slice(0, path.length - pathOf([], trailing).own.length);
  };
  /** Headings that leave no room for text become a separate chunk. */
  const alone = (): void => {
    emit();
    open = [];
    openTokens = 0;
  };
  return {
    /** Tokens left for the next unit once its headings are counted. */
    room(): number {
      const under = bodyLimit(path);
      const beside = open.every((unit) => unit.kind === "heading") ? bodyLimit(openPath) - openTokens : under;
      return Math.max(minRoom, Math.min(under, beside) - 2);
    },
    heading(block: Block): void {
      const level = block.level ?? 1;
      if (openTokens >= options.minTokens || samePage(open, block.pages) === false) close();
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      if (open.length === 0) openPath = [...path];
      path.push({ level, text: block.text });
      const unit = headingUnit(block, level, tokenizer);
      open.push(unit);
      openTokens += unit.tokens;
    },
    add(unit: Unit): void {
      const header = tokenizer.count(headerToRepeat(unit, open.at(-1)) ?? "");
      const limit = bodyLimit(openPath);
      if (
        open.length > 0 &&
        (openTokens + header + unit.tokens + 1 > limit || samePage(open, unit.pages) === false)
      )
        close();
      if (open.length > 0 && openTokens + header + unit.tokens + 1 > bodyLimit(openPath)) alone();
      if (open.length === 0) openPath = [...path];
      open.push(unit);
      openTokens += unit.tokens + header + 1;
    },
    end(): void {
      close();
      if (open.length > 0) emit();
    },
    /** The chunks made since the last call. */
    made: (): readonly ChunkDraft[] => drafts.splice(0),
  };
}

function headingUnit({ text, pages, isName, place }: Block, level: number, tokenizer: Tokenizer): Unit {
  const tokens = tokenizer.count(text);
  const own = { ...(isName && { isName }), ...(place && { at: place }) };
  return { kind: "heading", text, level, pages, tokens, joiner: "\n\n", ...own };
}

/**
 * Whether a block on `pages` may join the open units: undefined when nothing is open or pages are unknown.
 */
function samePage(open: readonly Unit[], pages: readonly number[]): boolean | undefined {
  const current = open.at(-1)?.pages.at(-1);
  const next = pages[0];
  return current === undefined || next === undefined ? undefined : current === next;
}

/** `own`: the headings that the units begin with, below those `above`. */
function draft(
  units: readonly Unit[],
  above: readonly Heading[],
  own: readonly Heading[],
  title: string,
  tokenizer: Tokenizer,
): ChunkDraft {
  const { text, starts, ...sheet } = join(units);
  const headings = [...above, ...own].map((heading) => heading.text);
  // A name is embedded before the text, which does not begin with it.
  const written = own.length - 1 - own.findLastIndex(({ isName }) => isName === true);
  const path = { headings, ...(written === 0 ? {} : { ownHeadings: written }) };
  return {
    text,
    ...path,
    ...innerHeadings(headings, placesOf(above, units, starts)),
    ...sheet,
    pages: [...new Set(units.flatMap((unit) => unit.pages))].sort((a, b) => a - b),
    ...contentTypeOf(units),
    tokenCount: tokenizer.count(embedText({ title, ...path, text })) + 2,
  };
}
