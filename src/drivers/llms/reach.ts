import { z } from "../../core/schema.ts";
import { endpointOf, providerFailed, providerUnavailable, reasonOf, request } from "./remote-requests.ts";

/**
 * How long an endpoint is waited for, ms: a check of whether it is there does not wait for a model to load.
 */
const reachMs = 3_000;

/** Names as OpenAI's interface lists them, and as Ollama does. */
const listing = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name)),
]);

/** Settings of a request to a provider. */
export interface ReachSettings {
  readonly kind: "openai-compatible" | "ollama";
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Default 3 000 ms. */
  readonly timeoutMs?: number;
}

/**
 * The models that a provider lists (`/models`, Ollama `/api/tags`): a question that costs it nothing. Null
 * where it answers otherwise, as some do. @throws PROVIDER_UNAVAILABLE when it is down or slow,
 * PROVIDER_FAILED when it refuses
 */
export async function listProviderModels({
  kind,
  baseUrl,
  apiKey,
  timeoutMs = reachMs,
}: ReachSettings): Promise<readonly string[] | null> {
  const url = endpointOf(baseUrl, kind === "ollama" ? "/api/tags" : "/models");
  const response = await request(url, apiKey, AbortSignal.timeout(timeoutMs)).catch((error: unknown) => {
    const late = error instanceof Error && error.name === "TimeoutError";
    throw providerUnavailable(
      url,
      late ? `did not respond within ${timeoutMs} ms` : `cannot be reached (${reasonOf(error)})`,
      error,
    );
  });
  if (!response.ok) await response.body?.cancel();
  if (response.status === 401 || response.status === 403)
    throw providerFailed(url, `rejected the key (status ${response.status})`);
  if (response.status >= 500) throw providerUnavailable(url, `responded with status ${response.status}`);
  const parsed = listing.safeParse(response.ok ? await response.json().catch(() => undefined) : undefined);
  return parsed.success ? parsed.data : null;
}
