import type { Tokenizer } from "../../core/documents/chunk.ts";

/** A stretch of a text, in UTF-16 code units, the end exclusive, with the tokens of its words. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** A part of a text with its tokens. */
export interface TextPiece {
  readonly text: string;
  readonly tokens: number;
}

/** Times `maxTokens`: a text of more characters is cut without being counted whole first. */
const hardlyFits = 16;
/** Signs in a word after which data and code can be cut. */
const separator = /[,;:)\]}>|&]/;

/** The end of a stretch of a word of at most `most` characters, after a sign that divides where it has one. */
function endIn(text: string, start: number, end: number, most: number): number {
  if (end - start <= most) return end;
  const latest = start + most;
  for (let at = latest; at > start + most / 2; at--) if (separator.test(text.charAt(at - 1))) return at;
  // A surrogate pair stays whole.
  return /[\ud800-\udbff]/.test(text.charAt(latest - 1)) ? latest - 1 || latest : latest;
}

/** Parts of a word that is too long for one, each counted once or twice. */
function* partsOf(
  text: string,
  { start: from, end: to }: Omit<Stretch, "tokens">,
  maxTokens: number,
  tokenizer: Tokenizer,
): Generator<Stretch> {
  for (let start = from; start < to; ) {
    let end = endIn(text, start, to, Math.max(2, Math.floor(maxTokens / 2)));
    let tokens = tokenizer.count(text.slice(start, end));
    while (tokens > maxTokens && end - start > 1) {
      end = endIn(text, start, end, Math.floor((end - start) / 2));
      tokens = tokenizer.count(text.slice(start, end));
    }
    yield { start, end, tokens };
    start = end;
  }
}

/** The words of a text from `from` to `to`, those too long in parts. */
function* wordsOf(
  text: string,
  from: number,
  to: number,
  maxTokens: number,
  tokenizer: Tokenizer,
): Generator<Stretch> {
  const word = /\S+/g;
  word.lastIndex = from;
  for (let found = word.exec(text); found !== null && found.index < to; found = word.exec(text)) {
    const [start, end] = [found.index, Math.min(to, word.lastIndex)];
    const isLong = end - start > hardlyFits * maxTokens;
    const tokens = isLong ? Number.POSITIVE_INFINITY : tokenizer.count(text.slice(start, end));
    if (tokens <= maxTokens) yield { start, end, tokens };
    else yield* partsOf(text, { start, end }, maxTokens, tokenizer);
  }
}

/**
 * A text from `from` to `to` in stretches of at most `maxTokens`, as few as there can be, cut between words,
 * or within one that is too long. White space around a cut belongs to neither side. Takes time in proportion
 * to the text.
 */
export function* stretchesOf(
  text: string,
  from: number,
  to: number,
  maxTokens: number,
  tokenizer: Tokenizer,
): Generator<Stretch> {
  if (to - from <= hardlyFits * maxTokens) {
    const tokens = tokenizer.count(text.slice(from, to));
    if (tokens <= maxTokens) {
      yield { start: from, end: to, tokens };
      return;
    }
  }
  let open: Stretch | undefined;
  for (const word of wordsOf(text, from, to, maxTokens, tokenizer)) {
    if (open !== undefined && open.tokens + word.tokens > maxTokens) {
      yield open;
      open = undefined;
    }
    open = { start: open?.start ?? word.start, end: word.end, tokens: (open?.tokens ?? 0) + word.tokens };
  }
  if (open !== undefined) yield open;
}

/** A text in parts of at most `maxTokens`, none of them blank. */
export function* splitToLimit(text: string, maxTokens: number, tokenizer: Tokenizer): Generator<TextPiece> {
  if (text.trim() === "") return;
  for (const { start, end, tokens } of stretchesOf(text, 0, text.length, maxTokens, tokenizer))
    yield { text: text.slice(start, end), tokens };
}
