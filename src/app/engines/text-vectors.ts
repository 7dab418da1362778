import { createHash } from "node:crypto";
import {
  calibrateCosine,
  cosine,
  type Embedder,
  type Embedding,
  type Purpose,
} from "../../core/documents/embedding.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { lruBySize } from "../../core/lazy.ts";
import type { Run } from "../../core/run.ts";
import type { EmbeddingCache } from "../../pipeline/ingest/embed.ts";

/** Questions whose vectors are kept in memory: routing, search and tools look at the same one. */
const keptQuestions = 256;

/**
 * Vectors of texts that come again: questions within a process, the registry's fixed texts from run to run.
 */
export interface TextVectors {
  /**
   * Unit vectors, same order. A question alone is kept in memory; several texts are a fixed list and kept in
   * the cache of embeddings.
   */
  embed(texts: readonly string[], purpose: Purpose, run: Run): Promise<readonly Float32Array[]>;
  /** The embedder, with the questions it has seen remembered. */
  embedder(): Promise<Embedder>;
}

/** Access to the vectors of one app. */
export function createTextVectors(
  open: () => Promise<Embedder>,
  cache: () => Promise<{ readonly embeddings: EmbeddingCache }>,
): TextVectors {
  let remembering: Promise<Embedder> | undefined;
  const embedder = (): Promise<Embedder> => {
    remembering ??= open().then(rememberQuestions);
    return remembering;
  };
  return {
    embedder,
    async embed(texts, purpose, run) {
      const model = await embedder();
      if (purpose === "query" && texts.length === 1)
        return (await model.embed(texts, { purpose }, run.signal)).map(({ dense }) => dense);
      return embedFixed(texts, purpose, model, (await cache()).embeddings, run);
    },
  };
}

/** Texts near a question, whose vectors are kept in memory; one takes 1.5 KB with a small encoder. */
const keptLines = 6000;

/** Compares texts with a question: cosines as `usualCosines` scale them, one per text. */
export type Nearness = (
  question: string,
  texts: readonly string[],
  model: Embedder,
  signal: AbortSignal,
) => Promise<readonly number[]>;

/** Opens the comparison of texts with questions; texts compared lately are not embedded again. */
export function createTextSimilarity(): Nearness {
  const kept = lruBySize<string, Float32Array>(keptLines, () => 1);
  return async (question, texts, model, signal) => {
    const keyOf = (text: string): string => `${model.fingerprint}\0${text}`;
    const [asked] = await model.embed([question], { purpose: "query" }, signal);
    const known = new Map(texts.map((text) => [text, kept.get(keyOf(text))]));
    const missing = [...known].flatMap(([text, vector]) => (vector === undefined ? [text] : []));
    for (let at = 0; at < missing.length; at += atOnce) {
      signal.throwIfAborted();
      const slice = missing.slice(at, at + atOnce);
      const embedded = await model.embed(slice, { purpose: "passage" }, signal);
      for (const [index, text] of slice.entries()) {
        const vector = embedded[index]?.dense;
        if (vector === undefined) continue;
        known.set(text, vector);
        kept.set(keyOf(text), vector);
      }
    }
    return texts.map((text) => {
      const vector = known.get(text);
      return asked === undefined || vector === undefined
        ? 0
        : calibrateCosine(cosine(asked.dense, vector), model.cosineRange);
    });
  };
}

/** Most texts that are embedded at once: a request that is left ends after them. */
const atOnce = 16;

/**
 * Unit vectors of texts that are not kept, with the tokens that were read.
 * @throws USAGE_INVALID for a text that is longer than the model reads
 */
export async function embedTexts(
  model: Pick<Embedder, "maxTokens" | "tokenizer" | "embed">,
  texts: readonly string[],
  purpose: Purpose,
  signal: AbortSignal,
): Promise<{ readonly vectors: readonly Float32Array[]; readonly tokens: number }> {
  const counts = texts.map((text) => model.tokenizer.encodeForModel(text, model.maxTokens));
  const long = counts.findIndex(({ truncated }) => truncated > 0);
  if (long >= 0)
    throw new RagctlError("USAGE_INVALID", `text ${long + 1} has more than ${model.maxTokens} tokens`, {
      hint: "split it: the model reads no more",
    });
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += atOnce) {
    signal.throwIfAborted();
    const embedded = await model.embed(texts.slice(at, at + atOnce), { purpose }, signal);
    vectors.push(...embedded.map(({ dense }) => dense));
  }
  return { vectors, tokens: counts.reduce((sum, { ids }) => sum + ids.length, 0) };
}

/** The embedder with the newest questions kept in memory. */
function rememberQuestions(embedder: Embedder): Embedder {
  const questions = new Map<string, Embedding>();
  return {
    ...embedder,
    async embed(texts, options, signal) {
      if (options.purpose !== "query") return embedder.embed(texts, options, signal);
      const keyOf = (text: string): string => `${options.multi === true}\0${text}`;
      const missing = [...new Set(texts.filter((text) => !questions.has(keyOf(text))))];
      const embeddings = missing.length === 0 ? [] : await embedder.embed(missing, options, signal);
      const fresh = new Map(embeddings.map((embedding, at) => [missing[at], embedding]));
      const result = texts.map((text) => fresh.get(text) ?? questions.get(keyOf(text)));
      for (const [text, embedding] of fresh) if (text !== undefined) questions.set(keyOf(text), embedding);
      for (const oldest of [...questions.keys()].slice(0, Math.max(0, questions.size - keptQuestions)))
        questions.delete(oldest);
      return result.filter((embedding) => embedding !== undefined);
    },
  };
}

/** Vectors of a fixed list of texts, from the cache of embeddings where they are there. */
async function embedFixed(
  texts: readonly string[],
  purpose: Purpose,
  model: Embedder,
  cache: EmbeddingCache,
  run: Run,
): Promise<readonly Float32Array[]> {
  const hashed = texts.map((text) => ({
    text,
    hash: createHash("sha256").update(`${purpose}\0${text}`).digest("hex"),
  }));
  const cached = new Map(
    await cache.get(
      hashed.map(({ hash }) => hash),
      model.fingerprint,
    ),
  );
  const missing = hashed.filter(({ hash }) => !cached.has(hash));
  if (missing.length > 0) {
    const fresh = await model.embed(
      missing.map(({ text }) => text),
      { purpose },
      run.signal,
    );
    const entries = missing.flatMap(({ hash }, at) => {
      const embedding = fresh[at];
      return embedding === undefined ? [] : [{ hash, embedding }];
    });
    await cache.put(entries, model.fingerprint);
    for (const { hash, embedding } of entries) cached.set(hash, embedding);
  }
  return hashed.map(({ hash }) => cached.get(hash)?.dense ?? new Float32Array(model.dimensions));
}

/**
 * The vectors of the model that an operator's `semantic_router` row names, where it is installed; else those
 * given, with one warning. The model is opened with the first text.
 */
export function routerVectors(
  named: () => Promise<string | undefined>,
  of: (id: string) => TextVectors,
  given: TextVectors,
): TextVectors {
  let choice: Promise<TextVectors> | undefined;
  const choose = async (run: Run): Promise<TextVectors> => {
    const id = await named();
    if (id === undefined) return given;
    const vectors = of(id);
    try {
      await vectors.embedder();
      return vectors;
    } catch (error) {
      run.log.warn(
        `the semantic router's model ${id} cannot be used, so questions are routed by the embedding model: ${asRagctlError(error).message}`,
      );
      return given;
    }
  };
  return {
    embedder: given.embedder,
    async embed(texts, purpose, run) {
      choice ??= choose(run);
      return (await choice).embed(texts, purpose, run);
    },
  };
}
