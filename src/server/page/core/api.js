import { t, withStop } from "./text.js";

/** @import { AnswerTo, EventOf, Session } from "../shapes.d.ts" */

/** @typedef {{ readonly method?: string, readonly body?: unknown, readonly headers?: Readonly<Record<string, string>>, readonly signal?: AbortSignal }} Options */

/** An error response of the server. */
export class ApiError extends Error {
  /** @param {number} status @param {{ readonly code?: string, readonly message?: string, readonly hint?: string }} error */
  constructor(
    status,
    { code = "", message = t("connection.status", { status }), hint = "" } = {},
    retryAfter = 0,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    /** Seconds; 0 if the server gave none. */
    this.retryAfter = retryAfter;
  }
}

/** @param {unknown} thrown */
export const messageOf = (thrown) => (thrown instanceof Error ? thrown.message : String(thrown));

/** An error in one text: what went wrong, and the server's hint if it gave one. @param {unknown} thrown */
export const adviceOf = (thrown) =>
  `${withStop(messageOf(thrown))} ${thrown instanceof ApiError ? thrown.hint : ""}`.trim();

/** Whether the page itself aborted the request. @param {unknown} thrown */
export const isStopped = (thrown) => thrown instanceof DOMException && thrown.name === "AbortError";

/** The server was not reached, or the connection broke before the response. */
export class ConnectionError extends Error {
  hint = "";
}

/** Turns the browser's network errors into ConnectionError, to distinguish them from bugs of the page. @template Value @param {Promise<Value>} work */
async function connected(work) {
  try {
    return await work;
  } catch (cause) {
    if (isStopped(cause)) throw cause;
    throw new ConnectionError(t("connection.lost"), { cause });
  }
}

/** The response of `GET /v1/session`, once it has arrived. */
export const session = {
  /** @type {Session | undefined} */
  opened: undefined,
  /** Views are only shown after sign-in. @returns {Session} */
  get current() {
    if (session.opened === undefined) throw new Error("nobody is signed in");
    return session.opened;
  },
};

/** Headers of every request that changes something. */
export const writeHeaders = () => ({ "x-csrf-token": session.opened?.csrf_token ?? "" });

/** @param {Response} response */
async function errorOf(response) {
  const document = await response.json().catch(() => ({}));
  return new ApiError(response.status, document.error, Number(response.headers.get("retry-after") ?? 0));
}

/** @throws ApiError @throws ConnectionError @param {string} path @param {Options} options */
async function send(path, { method = "GET", body, headers = {}, signal } = {}) {
  const isJson = body !== undefined;
  const response = await connected(
    fetch(path, {
      method,
      signal: signal ?? null,
      headers: {
        ...(isJson ? { "content-type": "application/json" } : {}),
        ...(method === "GET" ? {} : writeHeaders()),
        ...headers,
      },
      ...(isJson ? { body: JSON.stringify(body) } : {}),
    }),
  );
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** @param {Response} response */
const answer = async (response) => (response.status === 204 ? undefined : response.json());

/** @template {string} Path @param {Path} path @param {Options} [options] @returns {Promise<AnswerTo<Path>>} */
export const get = async (path, options) => answer(await send(path, options));
/** @param {string} path */
export const getText = async (path) => (await send(path)).text();
/** @template {string} Path @param {Path} path @param {unknown} body @returns {Promise<AnswerTo<Path>>} */
export const post = async (path, body) => answer(await send(path, { method: "POST", body }));
/** @param {string} path */
export const remove = async (path) => void (await send(path, { method: "DELETE" }));

/**
 * A path with a query; empty values are omitted.
 * @template {string} Path
 * @param {Path} path
 * @param {Readonly<Record<string, string | number | readonly string[]>>} query
 * @returns {`${Path}?${string}`}
 */
export function withQuery(path, query) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  );
  return `${path}?${new URLSearchParams(given.filter(([, value]) => value !== ""))}`;
}

/**
 * Events of a stream, `{name, data}`, in the order they come. @throws ApiError also for an event `error`
 * @template {string} Path
 * @param {Path} path
 * @param {Options} options
 * @returns {AsyncGenerator<EventOf<Path>>}
 */
export async function* events(path, options = {}) {
  const response = await send(path, { ...options, headers: { accept: "text/event-stream" } });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await connected(reader.read());
      ended = done;
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event?.name === "error") throw new ApiError(response.status, event.data.error);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    if (!ended) await reader.cancel();
  }
}

/** Parses a block of a stream; undefined for a comment. @param {string} block */
function eventOf(block) {
  const fields = block
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const { event, data } = Object.fromEntries(fields.filter(([name]) => name !== ""));
  return event === undefined ? undefined : { name: event, data: JSON.parse(data) };
}

/** @param {string} room */
export const openSocket = (room) =>
  new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/chats/${encodeURIComponent(room)}/socket`);
