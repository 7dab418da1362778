import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { problemsOf, z } from "../core/schema.ts";
import { readJson } from "./body.ts";
import type { Server } from "./server.ts";
import type { Visitor } from "./sign-in/door.ts";

/** What comes back under one status: JSON, a stream of events, bytes, or nothing. */
export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Event name → schema of its data. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** Of bytes or text. */
  readonly mediaType?: string;
}

/** What a request is answered for. */
export interface Call {
  readonly request: Request;
  readonly visitor: Visitor;
  readonly run: Run;
  readonly server: Server;
  /** Ends the work of this request, e.g. because nobody reads its stream any more. */
  readonly leave: (reason?: unknown) => void;
}

type Method = "get" | "post" | "patch" | "delete";

interface Facts<Query, Body> {
  /** Whether it is answered without a sign-in. Default false. */
  readonly open?: boolean;
  /** Whether errors have the form of OpenAI's API. Default false. */
  readonly openAi?: boolean;
  readonly query?: Query;
  readonly body?: Body;
  /** Media types of a body that the handler reads itself. */
  readonly upload?: readonly string[];
  readonly answers: Readonly<Record<number, Answer>>;
  /** Of a WebSocket: the messages that a client sends, and those it is sent by their type. */
  readonly messages?: { readonly sent: z.ZodType; readonly received: Readonly<Record<string, z.ZodType>> };
}

/** What /openapi.json says of a route. */
export interface Described extends Facts<z.ZodObject, z.ZodType> {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/documents/{document}`. */
  readonly path: string;
  /** The heading it stands under. */
  readonly tag: string;
  readonly summary: string;
}

/** A checked request. */
export interface Input<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** One route: what it takes, what it gives, and who answers. */
export interface Endpoint extends Described {
  readonly handle: (params: Readonly<Record<string, string>>, call: Call) => Promise<Response>;
}

/** One that stands under no heading yet. */
export type Untagged = Omit<Endpoint, "tag">;

/** Endpoints under their heading. */
export const tagged = (tag: string, endpoints: readonly Untagged[]): readonly Endpoint[] =>
  endpoints.map((each) => ({ ...each, tag }));

type Empty = z.ZodObject<Record<never, never>>;

/** Longest JSON body, bytes. */
const jsonLimit = 2 ** 20;

/** A route (`GET /v1/documents/{document}`) whose query and body are checked by the schemas that describe it. */
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
      const body = facts.body === undefined ? undefined : valid(facts.body, given, "the body");
      // Without schemas the types are those of nothing, and nothing is what stands there.
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

/** `value` as the schema says. @throws REQUEST_INVALID that names the member */
export function valid<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RagctlError("REQUEST_INVALID", `${what} is not valid: ${problemsOf(result.error)}`, {
    hint: "/openapi.json describes every request",
  });
}

function checkedQuery(schema: z.ZodObject, url: string): unknown {
  const { searchParams } = new URL(url);
  const given = [...new Set(searchParams.keys())].map((name) => {
    const values = searchParams.getAll(name);
    return [name, isList(schema.shape[name]) || values.length > 1 ? values : values[0]];
  });
  return valid(schema, Object.fromEntries(given), "the query");
}

function isList(schema: z.core.$ZodType | undefined): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}
