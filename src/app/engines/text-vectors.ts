import { createHash } from "node:crypto";
import type { Embedder, Embedding, Purpose } from "../../core/documents/embedding.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { EmbeddingCache } from "../../pipeline/ingest/embed.ts";

/** Questions whose vectors are kept in memory: routing, search and tools look at the same one. */
const keptQuestions = 256;

/** Vectors of texts that come again: questions within a process, the registry's fixed texts from run to run. */
export interface TextVectors {
  /** Unit vectors, same order. A question alone is kept in memory; several texts are a fixed list and kept in the cache of embeddings. */
  embed(texts: readonly string[], purpose: Purpose, run: Run): Promise<readonly Float32Array[]>;
  /** The embedder, with the questions it has seen remembered. */
  embedder(): Promise<Embedder>;
}

/** Opens the vectors of one app. */
export function openTextVectors(
  open: () => Promise<Embedder>,
  cache: () => Promise<{ readonly embeddings: EmbeddingCache }>,
): TextVectors {
  const questions = new Map<string, Embedding>();
  let remembering: Promise<Embedder> | undefined;
  const remember = async (): Promise<Embedder> => {
    const embedder = await open();
    return {
      ...embedder,
      async embed(texts, options, signal) {
        const key = (text: string): string => `${options.multi === true}\0${text}`;
        if (options.purpose !== "query") return embedder.embed(texts, options, signal);
        const missing = [...new Set(texts.filter((text) => !questions.has(key(text))))];
        const fresh = missing.length === 0 ? [] : await embedder.embed(missing, options, signal);
        const found = new Map(missing.map((text, at) => [text, fresh[at]]));
        const result = texts.map((text) => found.get(text) ?? questions.get(key(text)));
        for (const [text, embedding] of found)
          if (embedding !== undefined) questions.set(key(text), embedding);
        for (const oldest of [...questions.keys()].slice(0, Math.max(0, questions.size - keptQuestions)))
          questions.delete(oldest);
        return result.filter((embedding) => embedding !== undefined);
      },
    };
  };
  const embedder = (): Promise<Embedder> => {
    remembering ??= remember();
    return remembering;
  };
  return {
    embedder,
    async embed(texts, purpose, run) {
      const model = await embedder();
      if (purpose === "query" && texts.length === 1)
        return (await model.embed(texts, { purpose }, run.signal)).map(({ dense }) => dense);
      const { embeddings } = await cache();
      const hashes = texts.map((text) => createHash("sha256").update(`${purpose}\0${text}`).digest("hex"));
      const known = new Map(embeddings.get(hashes, model.fingerprint));
      const missing = texts.flatMap((text, at) =>
        known.has(hashes[at] ?? "") ? [] : [{ text, hash: hashes[at] ?? "" }],
      );
      const fresh =
        missing.length === 0
          ? []
          : await model.embed(
              missing.map(({ text }) => text),
              { purpose },
              run.signal,
            );
      const entries = missing.flatMap(({ hash }, at) => {
        const embedding = fresh[at];
        return embedding === undefined ? [] : [{ hash, embedding }];
      });
      if (entries.length > 0) embeddings.put(entries, model.fingerprint);
      for (const { hash, embedding } of entries) known.set(hash, embedding);
      return hashes.map((hash) => known.get(hash)?.dense ?? new Float32Array(model.dimensions));
    },
  };
}

/**
 * The vectors of the model that an operator's `semantic_router` row names, where it is installed; else those given, with one warning.
 * The model is opened with the first text.
 */
export function routerVectors(
  named: () => string | undefined,
  of: (id: string) => TextVectors,
  given: TextVectors,
): TextVectors {
  let chosen: Promise<TextVectors> | undefined;
  const choose = async (run: Run): Promise<TextVectors> => {
    const id = named();
    if (id === undefined) return given;
    const own = of(id);
    try {
      await own.embedder();
      return own;
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
      chosen ??= choose(run);
      return (await chosen).embed(texts, purpose, run);
    },
  };
}
