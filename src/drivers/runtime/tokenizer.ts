import { readFile } from "node:fs/promises";
import type { Tokenizer } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";

/** A tokenizer with what a model's inputs and sparse head need to know of its special tokens. */
export interface ModelTokenizer extends Tokenizer {
  /** Id that fills a short row of a batch. */
  readonly padId: number;
  /** Ids of the start, end, padding and unknown tokens: they never carry a lexical weight. */
  readonly specialIds: ReadonlySet<number>;
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

/** Whether a blank always ends a token, so that a text's ids are its words' ids one after another. */
function splitsAtBlanks(preTokenizer: unknown): boolean {
  const part = z
    .looseObject({ type: z.string(), pretokenizers: z.array(z.unknown()).optional() })
    .safeParse(preTokenizer).data;
  if (part === undefined) return false;
  if (part.type === "Sequence") return (part.pretokenizers ?? []).some(splitsAtBlanks);
  return part.type === "BertPreTokenizer" || part.type === "WhitespaceSplit";
}

async function readTokenizerFile(path: string): Promise<z.infer<typeof fileSchema>> {
  const hint = "fetch it again with `ragctl models pull`";
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    throw new RagctlError("MODEL_MISSING", `the tokenizer ${path} cannot be read`, { hint, cause });
  }
  try {
    return fileSchema.parse(JSON.parse(content));
  } catch (cause) {
    throw new RagctlError("MODEL_UNREADABLE", `${path} is not a tokenizer.json`, { hint, cause });
  }
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
    throw new RagctlError("MODEL_UNREADABLE", `the tokenizer ${path} is of a kind that is not understood`, {
      cause,
    });
  }
  const whole = (text: string): readonly number[] => inner.encode(text, { add_special_tokens: false }).ids;

  const byWord = splitsAtBlanks(file.pre_tokenizer);
  const idsOfWord = new Map<string, readonly number[]>();
  const wordIds = (word: string): readonly number[] => {
    const cached = idsOfWord.get(word);
    if (cached !== undefined) return cached;
    const ids = whole(word);
    if (word.length <= memory.wordCharacters) {
      if (idsOfWord.size >= memory.words) idsOfWord.clear();
      idsOfWord.set(word, ids);
    }
    return ids;
  };
  const words = (text: string): string[] => text.split(/[ \t\r\n]+/).filter((word) => word !== "");

  const encode = (text: string): readonly number[] => (byWord ? words(text).flatMap(wordIds) : whole(text));
  const count = (text: string): number =>
    byWord ? words(text).reduce((total, word) => total + wordIds(word).length, 0) : whole(text).length;

  // What the model wants before and after a text: found by tokenizing nothing but the frame around one word.
  const body = whole("a");
  const framed = inner.encode("a").ids;
  const head = framed.slice(0, framed.indexOf(body[0] ?? -1));
  const tail = framed.slice(head.length + body.length);

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
  };
}
