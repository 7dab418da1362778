import type { Message, ModelTool } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";

/**
 * How tools are offered to a server: by its own tool calls, as a JSON schema of the output, or in the text of
 * the system message alone.
 */
export type ToolForm = "native" | "schema" | "text";

/** A provider that is asked over HTTP; made only from a row that names its address. */
export interface RemoteSettings {
  /** Name of the model at the provider. */
  readonly model: string;
  /** Address of the interface, e.g. `http://localhost:11434` or `https://host/v1`. */
  readonly baseUrl: string;
  /** Value of the key, read by the composition root; absent for none. */
  readonly apiKey?: string;
  /** Context of the model, tokens. Default 8 192. */
  readonly contextTokens?: number;
  /** The model can think before it answers, and its server takes the wish that it does not. Default false. */
  readonly mayThink?: boolean;
  /** How tools are offered to it; default `native` until it refuses them. */
  readonly tools?: ToolForm;
  /** Time until the answer begins, and between two of its parts, ms. Default 60 000. */
  readonly timeoutMs?: number;
}

/**
 * Characters of a token, for counting where the tokenizer is at the other end; on the safe side for European
 * text.
 */
const charactersPerToken = 3.5;
/** Longest line of a stream that is read, characters. */
const maxLine = 1_000_000;

/** The status of failure of a provider, with the beginning of its body: the cause of an error. */
export class ProviderStatus extends Error {
  readonly status: number;
  constructor(status: number, body: string) {
    super(body);
    this.status = status;
  }
}

/** Tokens a text has at most, nearly: the provider's own tokenizer is not here. */
export function estimateTokens(text: string): number {
  return text === ""
    ? 0
    : Math.max(1, Math.ceil(text.length / charactersPerToken), Math.ceil(Buffer.byteLength(text) / 4));
}

/** Tokens around a message that name its role. */
const roleTokens = 4;

/** Tokens of a prompt at most, nearly: messages with the calls they make, and the tools that are offered. */
export function estimatePrompt(messages: readonly Message[], tools: readonly ModelTool[] = []): number {
  const texts = messages.map(({ text, toolCalls = [] }) =>
    [text, ...toolCalls.map((call) => `${call.name} ${call.arguments}`)].join("\n").trim(),
  );
  const offered = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return texts.reduce((sum, text) => sum + estimateTokens(text) + roleTokens, offered);
}

/** Tokens that messages leave for the answer, nearly. @throws USAGE_INVALID when they cannot fit */
export function remainingTokens(
  messages: readonly Message[],
  tools: readonly ModelTool[] | undefined,
  contextTokens: number,
  id: string,
): number {
  const tokens = estimatePrompt(messages, tools);
  if (tokens < contextTokens) return contextTokens - tokens;
  throw new RagctlError(
    "USAGE_INVALID",
    `the prompt has about ${tokens} tokens, but ${id} holds only ${contextTokens}`,
    {
      hint: "lower --top-k or answer.contextTokens, or raise context_tokens of the provider and the server's own limit",
    },
  );
}

/** Address of one method of the interface. @throws CONFIG_INVALID */
export function endpointOf(baseUrl: string, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "") {
    throw new RagctlError("CONFIG_INVALID", `"${baseUrl.slice(0, 120)}" is not a valid provider address`, {
      hint: "use http://host:port or https://host/v1 without a user name",
    });
  }
  return new URL(`${url.pathname.replace(/\/$/, "")}${path}`, url.origin);
}

const failed = (url: URL, message: string, cause?: unknown): RagctlError =>
  new RagctlError("PROVIDER_FAILED", `the provider ${url.href} ${message}`, {
    hint: "check the provider's address, model and key with `ragctl providers show`",
    cause,
  });
const unavailable = (url: URL, message: string, cause?: unknown): RagctlError =>
  new RagctlError("PROVIDER_UNAVAILABLE", `the provider ${url.href} ${message}`, {
    hint: "start it or correct its address, or use the local model (`ragctl providers list`)",
    cause,
  });

/** Why a connection could not be made, e.g. `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error)
    return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
  return error.message;
}

/**
 * Asks a provider, by a body with JSON where there is one. Redirects are not followed, so that the key goes
 * nowhere else.
 */
export const request = (
  url: URL,
  apiKey: string | undefined,
  signal: AbortSignal,
  body?: unknown,
): Promise<Response> =>
  fetch(url, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    redirect: "manual",
    signal,
  });

/**
 * Posts JSON and gives the lines of the answer as they come.
 * @throws PROVIDER_UNAVAILABLE when it is down or slow, PROVIDER_FAILED for a status of failure or an answer
 *   that cannot be read
 */
export async function* postLines(
  url: URL,
  body: unknown,
  settings: RemoteSettings,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const timeoutMs = settings.timeoutMs ?? 60_000;
  const slow = new AbortController();
  const onTimeout = (): void => slow.abort(unavailable(url, `did not respond within ${timeoutMs} ms`));
  const timer = setTimeout(onTimeout, timeoutMs);
  try {
    signal.throwIfAborted();
    const parts = await post(url, body, settings.apiKey, AbortSignal.any([signal, slow.signal]));
    for await (const line of linesOf(url, parts, () => timer.refresh())) {
      signal.throwIfAborted();
      yield line;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RagctlError) throw error;
    if (slow.signal.aborted) throw slow.signal.reason;
    throw connectionError(url, error);
  } finally {
    clearTimeout(timer);
    slow.abort();
  }
}

/**
 * Sends the request; the body of an answer with a status of success. @throws PROVIDER_UNAVAILABLE,
 * PROVIDER_FAILED by status
 */
async function post(
  url: URL,
  body: unknown,
  apiKey: string | undefined,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await request(url, apiKey, signal, body);
  const { status } = response;
  if (status >= 300 && status < 400) throw failed(url, `redirects (${status}); redirects are not followed`);
  if (response.ok && response.body !== null) return response.body;
  const said = withoutSecrets(await bodyStart(response), apiKey);
  const reason = said.slice(0, 200);
  const message = `responded with status ${status}${reason === "" ? "" : `: ${reason}`}`;
  const cause = new ProviderStatus(status, said);
  throw status === 503 || status === 429 ? unavailable(url, message, cause) : failed(url, message, cause);
}

/** The lines of a stream, trimmed and without empty ones. @throws PROVIDER_FAILED for a line without end */
async function* linesOf(
  url: URL,
  parts: AsyncIterable<Uint8Array>,
  onPart: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    onPart();
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLine) throw failed(url, "sent an endless line");
    yield* lines.map((line) => line.trim()).filter((line) => line !== "");
  }
  if (rest.trim() !== "") yield rest.trim();
}

/** A connection that could not be made, or that broke off while the answer came. */
function connectionError(url: URL, error: unknown): RagctlError {
  const reason = reasonOf(error);
  return /terminated|aborted|closed|UND_ERR_SOCKET|ECONNRESET/i.test(reason)
    ? failed(url, `interrupted its answer (${reason})`, error)
    : unavailable(url, `cannot be reached (${reason})`, error);
}

/** About the first kilobyte of a response, which says what is wrong; the rest is not awaited. */
async function bodyStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      if (text.length > 1000) break;
    }
  } catch {
    // The received part is reported.
  }
  return text.slice(0, 1000);
}

/** A server's message in one line, without the API key and without anything that looks like another key. */
function withoutSecrets(text: string, apiKey: string | undefined): string {
  const withoutKey = apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, "***");
  return withoutKey
    .replace(/\b(bearer|basic)\s+[^\s"',]+/gi, "$1 ***")
    .replace(/\b(sk|pk|key|gsk|xai|hf)[-_][\w-]{8,}/gi, "***")
    .replace(/\s+/g, " ");
}

/** One part of a stream, read. @throws PROVIDER_FAILED */
export function parseStreamChunk<T>(url: URL, line: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw failed(url, `sent unexpected JSON ("${line.slice(0, 60)}")`, cause);
  }
}

export const providerFailed = failed;
export const providerUnavailable = unavailable;
