import type { Settings } from "../config/settings.ts";
import type { IngestRequest } from "../core/app.ts";
import type { ParsedDocument, SourceFile } from "../core/document.ts";
import type { Embedder } from "../core/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { Instance, VectorStore } from "../core/retrieval.ts";
import openHybridChunker from "../drivers/chunkers/hybrid.ts";
import { openParserPool } from "../drivers/parsers/pool.ts";
import { documentTitle } from "../pipeline/chunk.ts";
import type { IngestDrivers } from "../pipeline/ingest.ts";
import { listSources, readSources } from "../pipeline/read.ts";
import type { Cache } from "../registry/cache.ts";
import type { Collections } from "../registry/collections.ts";
import type { Documents } from "../registry/documents.ts";

/** Raised when a parser reads the same bytes differently, so that cached documents are read anew. */
const parserRevision = 1;

export interface IngestParts {
  readonly settings: Settings;
  readonly documents: Documents;
  readonly collections: Collections;
  readonly embedder: () => Promise<Embedder>;
  /** What the embedding model was trained on. */
  readonly language: () => Promise<"english" | "multilingual">;
  readonly cache: () => Promise<Cache>;
  readonly store: (instance: Instance) => Promise<VectorStore>;
}

/** Opens what an ingest into the request's collection needs; closes the parsers when disposed. @throws FINGERPRINT_MISMATCH */
export async function openIngest(request: IngestRequest, parts: IngestParts): Promise<IngestDrivers & AsyncDisposable> {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(request.collection)) {
    throw new RagctlError("USAGE_INVALID", `"${request.collection}" cannot name a collection`, {
      hint: "use a lowercase letter, then up to 62 lowercase letters, digits and underscores",
    });
  }
  const { settings } = parts;
  const embedder = await parts.embedder();
  const spec = {
    name: request.collection,
    dimensions: embedder.dimensions,
    lexical: embedder.heads.sparse ? ("sparse" as const) : ("bm25" as const),
    fingerprint: embedder.fingerprint,
    analyzer: (await parts.language()) === "english" ? ("english" as const) : ("standard" as const),
  };
  parts.collections.ensure({ ...spec, instance: request.instance, embedder: embedder.id });
  const vectors = await parts.store(request.instance);
  await vectors.ensure(spec);
  const cache = await parts.cache();
  const { workers, timeoutMs, memoryMb, maxBytes } = settings.parse;
  const pool = openParserPool({ workers, timeoutMs, memoryMb, maxBytes });
  const sources = { cwd: process.cwd(), maxBytes };
  const maxTokens = Math.min(settings.chunk.maxTokens, embedder.maxTokens);
  return {
    files: async ({ paths }, run) => {
      const found = await listSources(paths, sources, run.signal);
      return { total: found.length, flow: readSources(found, run) };
    },
    parse: (file, signal) => parseCached(file, cache, () => pool.parse(file, signal)),
    parseAhead: workers + 1,
    chunker: openHybridChunker({ maxTokens, minTokens: Math.min(settings.chunk.minTokens, maxTokens / 2), titleOf: documentTitle }),
    embedder,
    cache: cache.embeddings,
    vectors,
    ledger: parts.documents,
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

async function parseCached(file: SourceFile, cache: Cache, parse: () => Promise<ParsedDocument>): Promise<ParsedDocument> {
  const key = `${file.format}/${parserRevision}/${file.name}`;
  const content = await cache.documents.get(file.sha256, key);
  if (content !== undefined) return { file, content, method: file.format };
  const document = await parse();
  await cache.documents.put(file.sha256, key, document.content);
  return document;
}
