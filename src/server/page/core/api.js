import { t } from "./text.js";

/** What the server refused, in its own words. */
export class ApiError extends Error {
  constructor(
    status,
    { code = "", message = `the server answered ${status}`, hint = "" } = {},
    retryAfter = 0,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    /** Seconds; 0 where the server named none. */
    this.retryAfter = retryAfter;
  }
}

/** The server was not reached, or the connection ended before its answer. */
export class ConnectionError extends Error {
  hint = "";
}

/** What the browser says of a connection in words of its own, as an error that can be told from a fault of the page. */
async function connected(work) {
  try {
    return await work;
  } catch (cause) {
    if (cause.name === "AbortError") throw cause;
    throw new ConnectionError(t("connection.lost"), { cause });
  }
}

/** Who is signed in; a copy of `GET /v1/session`. */
export const session = { current: undefined };

/** Headers that every request which changes something carries. */
export const writeHeaders = () => ({ "x-csrf-token": session.current?.csrf_token ?? "" });

async function errorOf(response) {
  const document = await response.json().catch(() => ({}));
  return new ApiError(response.status, document.error, Number(response.headers.get("retry-after") ?? 0));
}

/** One request to this server. @throws ApiError @throws ConnectionError */
async function send(path, { method = "GET", body, headers = {}, signal } = {}) {
  const isJson = body !== undefined;
  const response = await connected(
    fetch(path, {
      method,
      signal,
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

const answer = async (response) => (response.status === 204 ? undefined : response.json());

export const get = async (path, options) => answer(await send(path, options));
export const getText = async (path) => (await send(path)).text();
export const post = async (path, body, options) =>
  answer(await send(path, { ...options, method: "POST", body }));
export const patch = async (path, body) => answer(await send(path, { method: "PATCH", body }));
export const remove = async (path) => answer(await send(path, { method: "DELETE" }));

/** A path with a query; lists are repeated, what is undefined is left out. */
export function withQuery(path, query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined && each !== "") search.append(name, each);
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Events of a stream, `{name, data}`, in the order they come. @throws ApiError also for an event `error` */
export async function* events(path, options = {}) {
  const response = await send(path, { ...options, headers: { accept: "text/event-stream" } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await connected(reader.read());
      ended = done;
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
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

/** One block of a stream; undefined for a comment. */
function eventOf(block) {
  const fields = block
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const { event, data } = Object.fromEntries(fields.filter(([name]) => name !== ""));
  return event === undefined ? undefined : { name: event, data: JSON.parse(data) };
}

/** Opens the socket of a room. */
export const openSocket = (room) =>
  new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/rooms/${encodeURIComponent(room)}/socket`);
