import { RagctlError } from "../../core/errors.ts";
import { abortable } from "../../core/run.ts";
import { allowsHost } from "../../core/tool-config.ts";
import { type Lookup, type NetworkAddress, resolveChecked, systemLookup } from "./address.ts";

export interface HttpRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpRules {
  /**
   * Allowed hosts, `api.example.com` or `api.example.com:8443`; checked for the first request and every
   * redirect.
   */
  readonly hosts: readonly string[];
  /** Whether non-public addresses are allowed. */
  readonly allowPrivate: boolean;
  /** For the whole request, including redirects. */
  readonly timeoutMs: number;
  /** Size limit of the body; no compression is requested. */
  readonly maxBytes: number;
  readonly lookup?: Lookup;
  /** Accepted content types. Default: JSON and text. */
  readonly accepts?: (contentType: string) => boolean;
}

/** A response with its raw body. */
export interface HttpBody extends Omit<HttpReply, "text"> {
  readonly bytes: Uint8Array;
}

export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The final address, after redirects. */
  readonly url: string;
}

const maxRedirects = 3;
const textTypes =
  /^(?:text\/(?:plain|csv|html|xml|markdown)|application\/(?:[\w.+-]+\+)?(?:json|xml|x-ndjson))\b/i;

const refused = (
  message: string,
  hint = "add the host to allowed_hosts of the tool, if it is trusted",
): RagctlError => new RagctlError("TOOL_REFUSED", message, { hint });

/** Checks a URL: http(s), no credentials, an allowed host. @throws TOOL_REFUSED, TOOL_INVALID */
export function checkUrl(text: string, hosts: readonly string[]): URL {
  if (!URL.canParse(text))
    throw new RagctlError("TOOL_INVALID", `"${text.slice(0, 100)}" is not a web address`, {
      hint: "use https://host/path",
    });
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refused(`${url.protocol} addresses are not supported`, "use https");
  if (url.username !== "" || url.password !== "")
    throw refused("an address must not contain a user name", "put credentials in a header");
  if (!allowsHost(hosts, url)) throw refused(`the host ${url.host} is not an allowed host`);
  return url;
}

type Undici = typeof import("undici");

/** Connects only to the checked addresses. */
const pinnedAgent = (undici: Undici, addresses: readonly NetworkAddress[], { timeoutMs }: HttpRules) =>
  new undici.Agent({
    connect: {
      lookup: (_host, options, done) => {
        const [first] = addresses;
        if (options.all === true) done(null, [...addresses]);
        else if (first !== undefined) done(null, first.address, first.family);
      },
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: 32 * 1024,
  });

/** One request without redirects, on a connection restricted to the checked addresses. */
async function once(
  undici: Undici,
  url: URL,
  request: HttpRequest,
  addresses: readonly NetworkAddress[],
  rules: HttpRules,
  signal: AbortSignal,
) {
  const agent = pinnedAgent(undici, addresses, rules);
  try {
    const { statusCode, headers, body } = await undici.request(url.href, {
      method: request.method,
      headers: {
        "user-agent": "ragctl",
        "accept-encoding": "identity",
        accept: "application/json, text/plain;q=0.9, text/*;q=0.5",
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      dispatcher: agent,
      signal,
    });
    const header = (name: string): string => String(headers[name] ?? "");
    if (statusCode >= 300 && statusCode < 400 && header("location") !== "")
      return { status: statusCode, location: header("location"), contentType: "", bytes: new Uint8Array() };
    const contentType = header("content-type");
    const { accepts = (type: string): boolean => textTypes.test(type) } = rules;
    if (!accepts(contentType)) throw noText(url, contentType);
    return { status: statusCode, location: "", contentType, bytes: await bytesOf(body, url, rules) };
  } finally {
    agent.destroy().catch(() => {});
  }
}

const noText = ({ host }: URL, contentType: string): RagctlError =>
  new RagctlError(
    "TOOL_FAILED",
    `${host} answered ${contentType === "" ? "without a content type" : contentType.slice(0, 60)}, not JSON or text`,
    { hint: "only JSON and text are read" },
  );

/** @throws TOOL_FAILED beyond the size limit */
async function bytesOf(
  body: AsyncIterable<Uint8Array>,
  { host }: URL,
  { maxBytes }: HttpRules,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes)
      throw new RagctlError("TOOL_FAILED", `${host} answered more than ${maxBytes} bytes`, {
        hint: "ask for less, or raise max_bytes of the tool",
      });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Requests a web address within the rules of a tool: allowed hosts only, addresses resolved, checked and
 * pinned before each connection, at most three redirects each checked like the first address, limits of time
 * and size, JSON and text only. Headers of the tool are not sent to another host. @throws TOOL_REFUSED,
 * TOOL_INVALID, TOOL_TIMEOUT, TOOL_FAILED
 */
export async function guardedFetch(
  request: HttpRequest,
  rules: HttpRules,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { bytes, ...reply } = await guardedDownload(request, rules, signal);
  return { ...reply, text: Buffer.from(bytes).toString("utf8") };
}

/** Fetches as `guardedFetch`, with the raw body, for the content types that the rules accept. @throws as it */
export async function guardedDownload(
  request: HttpRequest,
  rules: HttpRules,
  signal: AbortSignal,
): Promise<HttpBody> {
  const undici = await import("undici");
  const limit = AbortSignal.timeout(rules.timeoutMs);
  const both = AbortSignal.any([signal, limit]);
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const url = checkUrl(current.url, rules.hosts);
    try {
      const lookup = resolveChecked(url.hostname, rules.allowPrivate, rules.lookup ?? systemLookup);
      const addresses = await abortable(lookup, both);
      const reply = await once(undici, url, current, addresses, rules, both);
      if (reply.location === "")
        return { status: reply.status, contentType: reply.contentType, bytes: reply.bytes, url: url.href };
      if (redirects >= maxRedirects)
        throw new RagctlError("TOOL_FAILED", `${url.host} redirected more than ${maxRedirects} times`, {
          hint: "use the final address",
        });
      current = redirected(current, url, reply);
    } catch (cause) {
      if (cause instanceof RagctlError) throw cause;
      signal.throwIfAborted();
      throw limit.aborted ? tooSlow(url.host, rules.timeoutMs, cause) : unreachable(url.host, cause);
    }
  }
}

/** The request for a redirect. @throws TOOL_FAILED, TOOL_REFUSED if it must not be followed */
function redirected(
  request: HttpRequest,
  url: URL,
  { status, location }: { readonly status: number; readonly location: string },
): HttpRequest {
  if (!URL.canParse(location, url.href))
    throw new RagctlError("TOOL_FAILED", `${url.host} redirected to no address`, {
      hint: "contact its operator",
    });
  const next = new URL(location, url);
  if (url.protocol === "https:" && next.protocol === "http:")
    throw refused(`${url.host} redirected to an unencrypted address`, "use the final address");
  const keepsBody = status === 307 || status === 308;
  const { body, ...rest } = request;
  return {
    ...rest,
    ...(keepsBody && body !== undefined ? { body } : {}),
    url: next.href,
    method: keepsBody ? request.method : "GET",
    headers: next.host === url.host ? request.headers : {},
  };
}

function tooSlow(host: string, timeoutMs: number, cause: unknown): RagctlError {
  return new RagctlError("TOOL_TIMEOUT", `${host} did not respond within ${timeoutMs} ms`, {
    hint: "try again, or raise timeout_ms of the tool",
    cause,
  });
}

function unreachable(host: string, cause: unknown): RagctlError {
  const reason = cause instanceof Error ? cause.message : cause;
  return new RagctlError("TOOL_FAILED", `${host} cannot be reached (${reason})`, {
    hint: "check the network and the address of the tool",
    cause,
  });
}
