import type { ChunkDraft, Chunker, Tokenizer } from "../../core/documents/chunk.ts";
import { embedText } from "../../core/documents/chunk.ts";
import { chunkSizes, type FlatPreset, type GivenSizes } from "../../core/documents/chunk-sizes.ts";
import type { Block, ParsedDocument } from "../../core/documents/document.ts";
import { contentTypeOf, createHeadingPath, innerHeadings } from "./drafts.ts";
import { sentences } from "./units.ts";

export interface FlatOptions {
  readonly preset: FlatPreset;
  /** Absent: those of the preset. */
  readonly sizes?: GivenSizes;
  /** Upper bound of a chunk as embedded, title and headings included, in tokens. */
  readonly maxTokens: number;
  /** Title that is embedded with every chunk. */
  readonly titleOf: (document: Pick<ParsedDocument, "file" | "content">) => string;
}

/** Raised when the same document is cut or labelled otherwise. */
const revision = 3;

/** A last chunk shorter than this joins the one before it, in characters. Only of the preset `fixed`. */
const shortest = 20;

/** Room for title, headings and the model's own tokens; both are cut out of the size. */
const reservedTokens = 4;

/** A stretch of the running text that is not cut. */
interface Atom {
  readonly text: string;
  /** In the unit of the preset's size. */
  readonly cost: number;
  readonly tokens: number;
  readonly block: Block;
  readonly headings: readonly string[];
}

/**
 * Cuts the running text of a document without regard to its structure; headings are text and are kept as the
 * path too.
 */
export default function openFlatChunker(options: FlatOptions): Chunker {
  const sizes = sizesOf(options);
  const { size, overlap, unit } = sizes;
  return {
    id: `${options.preset}-${size}-${overlap}-${options.maxTokens}-${revision}`,
    overlap: { size: overlap, unit },
    *chunk(document, tokenizer) {
      const title = options.titleOf(document);
      const atoms = atomsOf(document, options.preset, sizes, tokenizer);
      for (const group of merged(atoms, options, title, tokenizer)) yield draft(group, title, tokenizer);
    },
  };
}

const sizesOf = ({ preset, sizes = { size: 0, overlap: -1 } }: FlatOptions) => chunkSizes(preset, sizes);

function* atomsOf(
  document: ParsedDocument,
  preset: FlatPreset,
  sizes: ReturnType<typeof sizesOf>,
  tokenizer: Tokenizer,
): Generator<Atom> {
  const path = createHeadingPath();
  const isCounted = sizes.unit === "tokens";
  const cost = (text: string): number => (isCounted ? tokenizer.count(text) : text.length);
  for (const block of document.content.blocks) {
    if (block.text.trim() === "") continue;
    path.enter(block);
    if (block.isName === true) continue;
    const headings = path.headings().map((heading) => heading.text);
    const pieces = cut(block.text, preset, sizes, cost);
    for (const [at, piece] of pieces.entries()) {
      const text = at === pieces.length - 1 ? `${piece}\n\n` : piece;
      const tokens = tokenizer.count(text);
      yield { text, cost: isCounted ? tokens : text.length, tokens, block, headings };
    }
  }
}

/** The pieces a text may be cut into; together they are the text. */
function cut(
  text: string,
  preset: FlatPreset,
  { size, overlap }: GivenSizes,
  cost: (text: string) => number,
): string[] {
  if (preset === "fixed") return stretches(text, overlap === 0 ? size : overlap);
  if (preset === "window") return text.match(/(?:^\s+)?\S+\s*/gu) ?? [];
  const separators = preset === "sentence" ? [sentenceParts] : [/(?<=\n\n)/, /(?<=\n)/, sentenceParts];
  return split(text, [...separators, /(?<=\s)/], (piece) => cost(piece) > Math.max(overlap, size / 4));
}

/** Cuts a text into pieces of this length without splitting a character. */
function stretches(text: string, length: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, at) =>
    characters.slice(at * length, (at + 1) * length).join(""),
  );
}

const sentenceParts = (text: string): string[] => {
  const parts: string[] = [];
  let rest = text;
  for (const sentence of sentences(text)) {
    const end = rest.indexOf(sentence) + sentence.length;
    const blank = rest.slice(end).match(/^\s*/)?.[0].length ?? 0;
    parts.push(rest.slice(0, end + blank));
    rest = rest.slice(end + blank);
  }
  return rest === "" ? parts : [...parts, rest];
};

/** Splits by the first separator, pieces that are still too long by the next, finally by characters. */
function split(
  text: string,
  [first, ...rest]: readonly (RegExp | ((text: string) => string[]))[],
  tooLong: (piece: string) => boolean,
): string[] {
  if (!tooLong(text)) return [text];
  if (first === undefined)
    return text.length === 1 ? [text] : halves(text).flatMap((half) => split(half, [], tooLong));
  const parts = typeof first === "function" ? first(text) : text.split(first);
  return parts.flatMap((part) => split(part, rest, tooLong));
}

/** Two halves that do not part a surrogate pair. */
function halves(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return [text.slice(0, 1), text.slice(1)];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")];
}

/** What atoms take of a chunk. */
type Load = Pick<Atom, "cost" | "tokens">;
const none: Load = { cost: 0, tokens: 0 };
const plus = (load: Load, { cost, tokens }: Load): Load => ({
  cost: load.cost + cost,
  tokens: load.tokens + tokens,
});

/** Fills chunks with atoms; each begins with the last atoms of the one before it, up to the overlap. */
function* merged(
  atoms: Iterable<Atom>,
  options: FlatOptions,
  title: string,
  tokenizer: Tokenizer,
): Generator<readonly Atom[]> {
  const { size, overlap } = sizesOf(options);
  const heads = new WeakMap<readonly string[], number>();
  const headTokens = (headings: readonly string[]): number => {
    const known = heads.get(headings) ?? tokenizer.count(embedText({ title, headings, text: "" }));
    heads.set(headings, known);
    return known;
  };
  const fits = (first: Atom | undefined, { cost, tokens }: Load): boolean =>
    cost <= size && tokens + headTokens(first?.headings ?? []) <= options.maxTokens - reservedTokens;
  /** The last atoms of a chunk that the next, which goes on with `atom`, begins with. */
  const shared = (group: readonly Atom[], atom: Atom): Atom[] => {
    const kept: Atom[] = [];
    let load = none;
    for (const last of group.toReversed()) {
      const more = plus(load, last);
      if (more.cost > overlap || !fits(last, plus(more, atom))) break;
      kept.unshift(last);
      load = more;
    }
    return kept;
  };
  let before: Atom[] = [];
  let open: Atom[] = [];
  let load = none;
  let fresh = 0;
  for (const atom of atoms) {
    if (fresh > 0 && !fits(open[0], plus(load, atom))) {
      if (before.length > 0) yield before;
      before = open;
      open = shared(open, atom);
      load = open.reduce(plus, none);
      fresh = 0;
    }
    open.push(atom);
    load = plus(load, atom);
    fresh += 1;
  }
  const rest = open.slice(open.length - fresh);
  const text = rest.map((atom) => atom.text).join("");
  const joins =
    before.length > 0 &&
    text.trim().length < shortest &&
    fits(before[0], [...before, ...rest].reduce(plus, none));
  if (before.length > 0) yield joins ? [...before, ...rest] : before;
  if (!joins && open.length > 0) yield open;
}

function draft(atoms: readonly Atom[], title: string, tokenizer: Tokenizer): ChunkDraft {
  const whole = atoms.map((atom) => atom.text).join("");
  const text = whole.trim();
  const headings = atoms[0]?.headings ?? [];
  return {
    text,
    headings,
    ...innerHeadings(headings, placesOf(atoms, whole.length - whole.trimStart().length)),
    pages: [...new Set(atoms.flatMap((atom) => atom.block.pages))].sort((a, b) => a - b),
    ...contentTypeOf(atoms.map(({ block }) => block)),
    tokenCount: tokenizer.count(embedText({ title, headings, text })) + 2,
  };
}

/** The headings above each atom, with its place in the text; `blank`: characters before that text. */
function placesOf(atoms: readonly Atom[], blank: number) {
  let end = -blank;
  return atoms.map(({ text, headings }) => {
    const start = Math.max(0, end);
    end += text.length;
    return { start, path: headings };
  });
}
