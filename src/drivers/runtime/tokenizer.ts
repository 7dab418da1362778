import { readFile } from "node:fs/promises";
import type { Tokenizer } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";

/** A tokenizer with the special tokens that a model's inputs and sparse head need. */
export interface ModelTokenizer extends Tokenizer {
  /** Id that fills a short row of a batch. */
  readonly padId: number;
  /** Ids of the start, end, padding and unknown tokens: they never carry a lexical weight. */
  readonly specialIds: ReadonlySet<number>;
  /**
   * Two texts as a cross-encoder reads them, in at most `maxTokens`. The second text is cut at its end; the
   * first only where it takes more than half of the room and the second needs the rest.
   */
  encodePair(first: string, second: string, maxTokens: number): EncodedPair;
}

/** Token ids of a pair and, for each, which of the two texts it counts to. */
export interface EncodedPair {
  readonly ids: readonly number[];
  /** Same length as `ids`; models without token types ignore it. */
  readonly typeIds: readonly number[];
  /** Tokens of both texts that were cut. */
  readonly truncated: number;
}

/** The part of a tokenizer.json that is read here; the library reads the rest. */
const fileSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.number(), content: z.string() })),
  pre_tokenizer: z.unknown(),
  model: z.looseObject({ type: z.string().optional() }),
});

const specialNames = new Set(["[CLS]", "[SEP]", "[PAD]", "[UNK]", "<s>", "</s>", "<pad>", "<unk>"]);
const padNames = new Set(["[PAD]", "<pad>"]);

/** Words kept with their ids, and the longest kept, in characters; the table is emptied when full. */
const memory = { words: 60_000, wordCharacters: 48 };

/**
 * Longest word that is read at once, characters: the library puts the tokens of a word on the stack, and needs
 * more than linear time for some. Only data has longer ones.
 */
const longestWord = 1_000;

/** A word in stretches that can be read at once, no surrogate pair cut. */
function* stretches(word: string): Generator<string> {
  for (let start = 0; start < word.length; ) {
    const end = start + longestWord;
    const cut = end < word.length && /[\ud800-\udbff]/.test(word.charAt(end - 1)) ? end - 1 : end;
    yield word.slice(start, cut);
    start = cut;
  }
}

/** Whether a blank always ends a token, so that a text's ids are its words' ids one after another. */
function splitsAtBlanks(preTokenizer: unknown): boolean {
  const part = z
    .looseObject({ type: z.string(), pretokenizers: z.array(z.unknown()).optional() })
    .safeParse(preTokenizer).data;
  if (part === undefined) return false;
  if (part.type === "Sequence") return (part.pretokenizers ?? []).some(splitsAtBlanks);
  return part.type === "BertPreTokenizer" || part.type === "WhitespaceSplit";
}

/**
 * Cuts a word where the tokenizer would: BERT's makes a token of every punctuation mark, so that the words
 * between the marks of code and data are known from before.
 */
function partsBy({ pre_tokenizer: preTokenizer, added_tokens: added }: z.infer<typeof fileSchema>) {
  const isBert = z.looseObject({ type: z.literal("BertPreTokenizer") }).safeParse(preTokenizer).success;
  return (word: string): readonly string[] => {
    const short = word.length <= longestWord ? [word] : [...stretches(word)];
    if (!isBert || added.some(({ content }) => word.includes(content))) return short;
    return short.flatMap((part) => part.match(/[!-/:-@[-`{-~]|[^!-/:-@[-`{-~]+/g) ?? []);
  };
}

async function readTokenizerFile(path: string): Promise<z.infer<typeof fileSchema>> {
  const hint = "download it again with `ragctl models pull`";
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    throw new RagctlError("MODEL_MISSING", `cannot read the tokenizer ${path}`, { hint, cause });
  }
  try {
    return fileSchema.parse(JSON.parse(content));
  } catch (cause) {
    throw new RagctlError("MODEL_UNREADABLE", `${path} is not a tokenizer.json`, { hint, cause });
  }
}

interface LibraryTokenizer {
  encode(
    text: string,
    options: { text_pair: string; return_token_type_ids: true },
  ): {
    ids: number[];
    token_type_ids: number[];
  };
}

/** The model's special tokens around two texts: found by tokenizing one word, twice. */
function pairFrame(inner: LibraryTokenizer, body: readonly number[]) {
  const { ids, token_type_ids: types } = inner.encode("a", { text_pair: "a", return_token_type_ids: true });
  const isBody = (at: number): boolean => body.every((id, offset) => ids[at + offset] === id);
  const places = ids.map((_, at) => at).filter(isBody);
  const [first, second] = [places[0] ?? 0, places.at(-1) ?? 0];
  const [firstEnd, secondEnd] = [first + body.length, second + body.length];
  return {
    special: ids.length - 2 * body.length,
    join: (left: readonly number[], right: readonly number[]): Pick<EncodedPair, "ids" | "typeIds"> => ({
      ids: [
        ...ids.slice(0, first),
        ...left,
        ...ids.slice(firstEnd, second),
        ...right,
        ...ids.slice(secondEnd),
      ],
      typeIds: [
        ...types.slice(0, first),
        ...left.map(() => types[first] ?? 0),
        ...types.slice(firstEnd, second),
        ...right.map(() => types[second] ?? 0),
        ...types.slice(secondEnd),
      ],
    }),
  };
}

/** Caches the ids of words. */
function rememberWords(encode: (word: string) => readonly number[]): (word: string) => readonly number[] {
  const idsOfWord = new Map<string, readonly number[]>();
  return (word) => {
    const cached = idsOfWord.get(word);
    if (cached !== undefined) return cached;
    const ids = encode(word);
    if (word.length <= memory.wordCharacters) {
      if (idsOfWord.size >= memory.words) idsOfWord.clear();
      idsOfWord.set(word, ids);
    }
    return ids;
  };
}

/**
 * Opens a bare tokenizer.json (WordPiece of BERT, Unigram of XLM-RoBERTa, …).
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openTokenizer(path: string): Promise<ModelTokenizer> {
  const [file, library] = await Promise.all([readTokenizerFile(path), import("@huggingface/tokenizers")]);
  let inner: InstanceType<typeof library.Tokenizer>;
  try {
    inner = new library.Tokenizer(file, {});
  } catch (cause) {
    throw new RagctlError("MODEL_UNREADABLE", `the tokenizer ${path} has an unsupported type`, {
      cause,
    });
  }
  const whole = (text: string): readonly number[] => inner.encode(text, { add_special_tokens: false }).ids;

  const byWord = splitsAtBlanks(file.pre_tokenizer);
  const wordIds = rememberWords(whole);
  const partsOf = partsBy(file);
  const words = (text: string): string[] =>
    text.split(/[ \t\r\n]+/).flatMap((word) => (word === "" ? [] : partsOf(word)));

  const encode = (text: string): readonly number[] => (byWord ? words(text).flatMap(wordIds) : whole(text));
  const count = (text: string): number =>
    byWord ? words(text).reduce((total, word) => total + wordIds(word).length, 0) : whole(text).length;

  // The model's special tokens before and after a text: found by tokenizing one word.
  const body = whole("a");
  const framed = inner.encode("a").ids;
  const head = framed.slice(0, framed.indexOf(body[0] ?? -1));
  const tail = framed.slice(head.length + body.length);
  const pair = pairFrame(inner, body);

  return {
    padId: file.added_tokens.find((token) => padNames.has(token.content))?.id ?? 0,
    specialIds: new Set(
      file.added_tokens.filter((token) => specialNames.has(token.content)).map((token) => token.id),
    ),
    count,
    encode,
    encodeForModel(text, maxTokens) {
      const ids = encode(text);
      const room = Math.max(0, maxTokens - head.length - tail.length);
      return { ids: [...head, ...ids.slice(0, room), ...tail], truncated: Math.max(0, ids.length - room) };
    },
    encodePair(first, second, maxTokens) {
      const [left, right] = [encode(first), encode(second)];
      const room = Math.max(0, maxTokens - pair.special);
      const keptLeft = Math.min(left.length, Math.max(Math.floor(room / 2), room - right.length));
      const keptRight = Math.min(right.length, room - keptLeft);
      return {
        ...pair.join(left.slice(0, keptLeft), right.slice(0, keptRight)),
        truncated: left.length + right.length - keptLeft - keptRight,
      };
    },
  };
}
