import { z } from "../../core/schema.ts";
import {
  type Attempt,
  type AttemptOutcome,
  type AuditedSurface,
  type AuditedSurfaceName,
  auditName,
  defineAttempt,
  type ServedCopy,
} from "./attempt.ts";

/** What a request carries in addition to its route. */
interface Given {
  /** In place of the route's `{…}`, in their order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly json?: object;
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** Distinguishes this attempt from others of its route. */
  readonly by?: string;
}

/** The served copy. @throws TypeError where the library alone is audited */
export function requireServed({ served }: AuditedSurface): ServedCopy {
  if (served === null) throw new TypeError("nothing is served");
  return served;
}

/** Every string in a value, however deep. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Headers that differ from one answer to the next. */
const changing = ["x-run-id", "date"];

/** Replaces times and new ids, which reveal nothing. */
const withoutTimes = (text: string): string =>
  text
    .replace(/"(?:duration_ms|created|created_at)":[\d.e+-]+/g, '"time":0')
    .replace(/(?:chatcmpl-|(?:resp|msg|fs)_)[\da-f-]{36}/g, "id");

/** A response word for word, without the parts that differ between two equal requests. */
export async function outcomeOfResponse(response: Response): Promise<AttemptOutcome> {
  const body = withoutTimes(await response.text());
  const headers = [...response.headers].filter(([name]) => !changing.includes(name));
  const failed =
    !response.ok || /^event: error$|^data: \{"error"|"isError":true|"error":\{"code"/m.test(body);
  return { failed, text: `${response.status} ${body}\n${JSON.stringify(headers)}` };
}

/** The address of a request and everything else of it. */
function requestOf(route: string, { path = [], query = {}, json, body, headers = {} }: Given) {
  const [method = "", template = ""] = route.split(" ");
  const parts = path.values();
  const filled = template.replace(/\{\w+\}/g, () => encodeURIComponent(parts.next().value ?? ""));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) params.append(name, String(each));
  const search = params.toString();
  const sent = json === undefined ? body : JSON.stringify(json);
  const type = json === undefined ? {} : { "content-type": "application/json" };
  return {
    address: search === "" ? filled : `${filled}?${search}`,
    init: { method, headers: { ...type, ...headers }, ...(sent === undefined ? {} : { body: sent }) },
  };
}

/**
 * The strings of a value and their parts, e.g. an agent in the name of a model, an id in an address. Short
 * ones, which may occur anywhere, are left out.
 */
export function requestStrings(value: unknown): readonly string[] {
  const strings = stringsIn(value);
  const parts = strings.flatMap((text) => text.split("/"));
  const typed = [...strings, ...strings.map(encodeURIComponent), ...parts];
  return [...new Set(typed)].filter((text) => text.length >= 8);
}

/** Attempts by requests of one surface. */
export const requestAttempts =
  (surface: AuditedSurfaceName) =>
  (route: string, given: Given = {}, rest: Partial<Attempt> = {}): Attempt => {
    const { address, init } = requestOf(route, given);
    return defineAttempt(
      {
        surface,
        name: given.by === undefined ? route : `${route}, ${given.by}`,
        typed: requestStrings([given.path, given.query, given.json]),
        work: async (app, run) =>
          outcomeOfResponse(await requireServed(app).request(run.principal, address, init)),
      },
      { route, ...rest },
    );
  };

/** A request with a JSON body. */
export const jsonRequest = (body: object): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

const roomList = z.looseObject({ rooms: z.array(z.looseObject({ name: z.string() })) });

/** Runs `work` in a private room that is made for it and removed afterwards. */
export async function withPrivateRoom(
  app: AuditedSurface,
  principal: string,
  work: (room: string) => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  const served = requireServed(app);
  const made = await served.request(principal, "/v1/chats", jsonRequest({ name: auditName() }));
  if (!made.ok) return outcomeOfResponse(made);
  const { rooms: opened } = roomList.parse(await made.json());
  const room = opened[0]?.name ?? "";
  const address = `/v1/chats/${encodeURIComponent(room)}`;
  try {
    return await work(room);
  } finally {
    await served.request(principal, address, { method: "DELETE" });
  }
}
