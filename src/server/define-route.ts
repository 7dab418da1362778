import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { formatZodIssues, z } from "../core/schema.ts";
import { readJson } from "./body.ts";
import type { Server } from "./server.ts";
import type { Visitor } from "./sign-in/authenticator.ts";

/** The response for one status: JSON, events, bytes, or nothing. */
export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Event name → schema of its data. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** Media type of bytes or text. */
  readonly mediaType?: string;
}

/** A request with its sender and the server. */
export interface Call {
  readonly request: Request;
  readonly visitor: Visitor;
  readonly run: Run;
  readonly server: Server;
  /** Aborts the work for this request, for example when its stream has no reader left. */
  readonly leave: (reason?: unknown) => void;
}

type Method = "get" | "post" | "patch" | "delete";

interface Facts<Query, Body> {
  /** Whether no sign-in is needed. Default false. */
  readonly open?: boolean;
  /** Whether errors have the format of OpenAI's API. Default false. */
  readonly openAi?: boolean;
  readonly query?: Query;
  readonly body?: Body;
  /** Media types of a body that the handler parses itself. */
  readonly upload?: readonly string[];
  readonly answers: Readonly<Record<number, RouteResponse>>;
  /** Messages of a WebSocket: from the client, and from the server by type. */
  readonly messages?: { readonly sent: z.ZodType; readonly received: Readonly<Record<string, z.ZodType>> };
}

/** The description of a route in /openapi.json. */
export interface Described extends Facts<z.ZodObject, z.ZodType> {
  readonly method: Method;
  /** In OpenAPI's syntax: `/v1/documents/{document}`. */
  readonly path: string;
  /** Its heading in /openapi.json. */
  readonly tag: string;
  readonly summary: string;
}

/** A validated request. */
export interface Input<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** A route: its description and its handler. */
export interface Endpoint extends Described {
  readonly handle: (params: Readonly<Record<string, string>>, call: Call) => Promise<Response>;
}

/** A route without a heading. */
export type Untagged = Omit<Endpoint, "tag">;

/** Adds a heading to endpoints. */
export const withTag = (tag: string, endpoints: readonly Untagged[]): readonly Endpoint[] =>
  endpoints.map((each) => ({ ...each, tag }));

type Empty = z.ZodObject<Record<never, never>>;

/** Longest JSON body, bytes. */
const jsonLimit = 2 ** 20;

/**
 * A route (`GET /v1/documents/{document}`) that validates query and body with the schemas of its description.
 */
export function endpoint<Query extends z.ZodObject = Empty, Body extends z.ZodType = z.ZodUndefined>(
  route: `${Uppercase<Method>} /${string}`,
  summary: string,
  facts: Facts<Query, Body>,
  work: (input: Input<z.output<Query>, z.output<Body>>, call: Call) => Promise<Response> | Response,
): Untagged {
  const [method, path] = route.split(" ") as [string, string]; // as its type says
  return {
    ...facts,
    method: method.toLowerCase() as Method,
    path,
    summary,
    async handle(params, call) {
      const query = checkedQuery(facts.query ?? z.strictObject({}), call.request.url);
      const given =
        facts.body === undefined || mayLack(facts.body, call.request)
          ? undefined
          : await readJson(call.request, jsonLimit);
      const body = facts.body === undefined ? undefined : parseOrReject(facts.body, given, "the body");
      // Without a schema the type is undefined, and so is the value.
      return work({ params, query: query as z.output<Query>, body: body as z.output<Body> }, call);
    },
  };
}

/** Whether a request has no body and may have none. */
const mayLack = (schema: z.ZodType, { headers }: Request): boolean =>
  !headers.has("content-type") &&
  !headers.has("transfer-encoding") &&
  Number(headers.get("content-length") ?? 0) === 0 &&
  schema.safeParse(undefined).success;

/** Parses a value by a schema. @throws REQUEST_INVALID that names the invalid member */
export function parseOrReject<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RagctlError("REQUEST_INVALID", `${what} is not valid: ${formatZodIssues(result.error)}`, {
    hint: "/openapi.json describes every request",
  });
}

function checkedQuery(schema: z.ZodObject, url: string): unknown {
  const { searchParams } = new URL(url);
  const given = [...new Set(searchParams.keys())].map((name) => {
    const member = unwrapped(schema.shape[name]);
    const values = searchParams.getAll(name).map((text) => parsedText(member, text));
    return [name, member instanceof z.ZodArray || values.length > 1 ? values : values[0]];
  });
  return parseOrReject(schema, Object.fromEntries(given), "the query");
}

const unwrapped = (schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap()) : schema;

/** A value of an address, where numbers are text. */
function parsedText(schema: z.core.$ZodType | undefined, text: string): unknown {
  const isChoice = schema instanceof z.ZodUnion && schema.options.some((each) => each instanceof z.ZodNumber);
  return schema instanceof z.ZodNumber || (isChoice && !Number.isNaN(Number(text))) ? Number(text) : text;
}
