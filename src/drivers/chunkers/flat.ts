import type { ChunkDraft, Chunker, Tokenizer } from "../../core/documents/chunk.ts";
import { embedText } from "../../core/documents/chunk.ts";
import { chunkSizes, type FlatPreset, type GivenSizes } from "../../core/documents/chunk-sizes.ts";
import type { Block, ParsedDocument } from "../../core/documents/document.ts";
import { contentOf, innerHeadings, openPath } from "./drafts.ts";
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
const revision = 2;

/** A last chunk shorter than this joins the one before it, in characters. Source: mission A5, `fixed`. */
const shortest = 20;

/** Room for title, headings and the model's own tokens; both are cut out of the size. */
const reservedTokens = 4;

/** A stretch of the running text that is not cut. */
interface Atom {
  readonly text: string;
  readonly cost: number;
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
    chunk(document, tokenizer) {
      const title = options.titleOf(document);
      const cost =
        unit === "tokens" ? (text: string) => tokenizer.count(text) : (text: string) => text.length;
      const atoms = [...atomsOf(document, options.preset, sizes, cost)];
      return merged(atoms, options, title, tokenizer).map((group) => draft(group, title, tokenizer));
    },
  };
}

const sizesOf = ({ preset, sizes = { size: 0, overlap: -1 } }: FlatOptions) => chunkSizes(preset, sizes);

function* atomsOf(
  document: ParsedDocument,
  preset: FlatPreset,
  sizes: GivenSizes,
  cost: (text: string) => number,
): Generator<Atom> {
  const path = openPath();
  for (const block of document.content.blocks) {
    if (block.text.trim() === "") continue;
    path.enter(block);
    if (block.isName === true) continue;
    const headings = path.headings().map((heading) => heading.text);
    const pieces = cut(block.text, preset, sizes, cost);
    for (const [at, text] of pieces.entries()) {
      const ended = at === pieces.length - 1 ? `${text}\n\n` : text;
      yield { text: ended, cost: cost(ended), block, headings };
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

/** Fills chunks with atoms; each begins with the last atoms of the one before it, up to the overlap. */
function merged(atoms: readonly Atom[], options: FlatOptions, title: string, tokenizer: Tokenizer): Atom[][] {
  const { size, overlap } = sizesOf(options);
  const groups: Atom[][] = [];
  let open: Atom[] = [];
  let fresh = 0;
  const total = (group: readonly Atom[]): number => group.reduce((sum, atom) => sum + atom.cost, 0);
  const fits = (group: readonly Atom[]): boolean => {
    const text = group.map((atom) => atom.text).join("");
    const limit = options.maxTokens - reservedTokens;
    // A token is at least one character: only texts that could be too long are counted.
    return (
      total(group) <= size &&
      (text.length <= limit / 2 ||
        tokenizer.count(embedText({ title, headings: group[0]?.headings ?? [], text })) <= limit)
    );
  };
  for (const atom of atoms) {
    if (fresh > 0 && !fits([...open, atom])) {
      groups.push(open);
      const kept: Atom[] = [];
      for (const last of open.toReversed()) {
        if (total(kept) + last.cost > overlap || !fits([last, ...kept, atom])) break;
        kept.unshift(last);
      }
      open = kept;
      fresh = 0;
    }
    open.push(atom);
    fresh += 1;
  }
  const rest = open.slice(-fresh).map((atom) => atom.text);
  const before = groups.at(-1);
  if (
    fresh > 0 &&
    before !== undefined &&
    rest.join("").trim().length < shortest &&
    fits([...before, ...open.slice(-fresh)])
  ) {
    before.push(...open.slice(-fresh));
  } else if (fresh > 0) groups.push(open);
  return groups;
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
    ...contentOf(atoms.map(({ block }) => block)),
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
