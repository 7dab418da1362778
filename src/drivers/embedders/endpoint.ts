import { createHash } from "node:crypto";
import type { Embedder, Embedding, Purpose } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { endpointOf, estimateTokens, reasonOf, request } from "../llms/remote-requests.ts";

/** Texts that one request carries. */
const batchSize = 32;
/** Characters of a token at least, in the texts that are sent: longer ones are cut. */
const charactersPerToken = 3;

/** A model that embeds at an endpoint, as its row states it. */
export interface EndpointFacts {
  /** `embedding:` and the row's provider. */
  readonly id: string;
  readonly kind: "ollama" | "openai";
  readonly baseUrl: string;
  /** Name of the model there. */
  readonly model: string;
  readonly dimensions: number;
  /** Longest text, in tokens. */
  readonly maxTokens: number;
  /** Put before a text of that purpose; "" for none. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** Time for one request, ms. */
  readonly timeoutMs: number;
}

/** Changes whenever vectors would; a server may move. */
export function endpointFingerprint(facts: EndpointFacts): string {
  const { model, dimensions, maxTokens, queryPrefix, passagePrefix } = facts;
  const prefixes = createHash("sha256").update(`${queryPrefix}\0${passagePrefix}`).digest("hex").slice(0, 8);
  return ["endpoint", model, dimensions, prefixes, maxTokens].join(":");
}

const vectors = z.array(z.array(z.number()));
/** `data` in any order of OpenAI's interface, `embeddings` in the order asked of Ollama's. */
const answered = z.union([
  z
    .looseObject({ data: z.array(z.looseObject({ index: z.number(), embedding: z.array(z.number()) })) })
    .transform(({ data }) => data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding)),
  z.looseObject({ embeddings: vectors }).transform(({ embeddings }) => embeddings),
]);

/**
 * Omits the address and the server's reply, because the message reaches whoever searches. `doctor` names the
 * address.
 */
const failure = (
  code: "PROVIDER_FAILED" | "PROVIDER_UNAVAILABLE",
  id: string,
  message: string,
): RagctlError =>
  new RagctlError(code, `${id} ${message}`, {
    hint: "check its configuration (ragctl providers list) and its server (ragctl doctor)",
  });

/** Shape [dimensions], L2 norm 1. @throws PROVIDER_FAILED */
function unit(vector: readonly number[], { id, dimensions }: EndpointFacts): Embedding {
  const norm = Math.hypot(...vector);
  if (vector.length !== dimensions)
    throw failure(
      "PROVIDER_FAILED",
      id,
      `gives vectors of ${vector.length} dimensions, but is configured for ${dimensions}`,
    );
  if (!(norm > 0) || !Number.isFinite(norm)) throw failure("PROVIDER_FAILED", id, "gives an empty vector");
  return { dense: Float32Array.from(vector, (value) => value / norm) };
}

/** The vectors of texts by one request. @throws PROVIDER_FAILED, PROVIDER_UNAVAILABLE */
async function embedBatch(
  texts: readonly string[],
  facts: EndpointFacts,
  apiKey: string | undefined,
  signal: AbortSignal,
): Promise<readonly Embedding[]> {
  const { id, kind, baseUrl, model, timeoutMs } = facts;
  const late = AbortSignal.timeout(timeoutMs);
  const url = endpointOf(baseUrl, kind === "ollama" ? "/api/embed" : "/embeddings");
  const body = { model, input: texts };
  const either = AbortSignal.any([signal, late]);
  const response = await request(url, apiKey, either, body).catch((error: unknown) => {
    signal.throwIfAborted();
    const why = late.aborted
      ? `did not respond within ${timeoutMs} ms`
      : `cannot be reached (${reasonOf(error)})`;
    throw failure("PROVIDER_UNAVAILABLE", id, why);
  });
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const isBusy = status === 503 || status === 429;
    throw failure(isBusy ? "PROVIDER_UNAVAILABLE" : "PROVIDER_FAILED", id, `responded with status ${status}`);
  }
  const content: unknown = await response.json().catch(() => undefined);
  signal.throwIfAborted();
  const parsed = answered.safeParse(content);
  if (!parsed.success || parsed.data.length !== texts.length)
    throw failure("PROVIDER_FAILED", id, "did not return one vector per text");
  return parsed.data.map((vector) => unit(vector, facts));
}

/**
 * A model behind `/embeddings` as OpenAI describes it, or Ollama's `/api/embed`. Its tokenizer is not here:
 * tokens are estimated. @throws CONFIG_INVALID
 */
export default function open(facts: EndpointFacts, apiKey: string | undefined): Embedder {
  const { id, baseUrl, dimensions, maxTokens, queryPrefix, passagePrefix } = facts;
  const { host } = endpointOf(baseUrl, "");
  const prefixOf = (purpose: Purpose): string => (purpose === "query" ? queryPrefix : passagePrefix);
  const encode = (text: string): readonly number[] => new Array<number>(estimateTokens(text)).fill(0);
  return {
    ...{ id, dimensions, maxTokens },
    fingerprint: endpointFingerprint(facts),
    heads: { sparse: false, multi: false },
    provider: host,
    tokenizer: {
      count: estimateTokens,
      encode,
      encodeForModel: (text, most) => {
        const ids = encode(text);
        return { ids: ids.slice(0, most), truncated: Math.max(0, ids.length - most) };
      },
    },
    async embed(texts, { purpose }, signal) {
      const sent = texts.map((text) => (prefixOf(purpose) + text).slice(0, maxTokens * charactersPerToken));
      const embeddings: Embedding[] = [];
      for (let at = 0; at < sent.length; at += batchSize)
        embeddings.push(...(await embedBatch(sent.slice(at, at + batchSize), facts, apiKey, signal)));
      return embeddings;
    },
    async [Symbol.asyncDispose]() {},
  };
}
