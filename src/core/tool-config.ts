import type { ToolType } from "./answers/tool.ts";
import { z } from "./schema.ts";

const text = z.string().min(1, "it is empty");
const count = (least: number, most: number) => z.int().min(least).max(most);
const jsonObject = z.record(z.string(), z.unknown());
const noArguments = { type: "object", properties: {}, additionalProperties: false };

/** Fields of every type. */
const common = {
  /** For the model and for choosing by similarity; replaces the tool's own. */
  description: text.optional(),
  /** Questions it answers; replace the tool's own. */
  examples: z.array(text).optional(),
};

const milvusUri = z
  .string()
  .regex(/^https?:\/\/[^\s@]+$/, "must be an address such as http://host:19530, without a password");

/** A host, perhaps with its port, as `allowed_hosts` names it; undefined for anything else. */
function hostOf(entry: string): { readonly name: string; readonly port: string } | undefined {
  const [, port = ""] = /:(\d{1,5})$/.exec(entry) ?? [];
  const address = `http://${entry}`;
  if (/[\s/\\?#@*]|[^\d\]]:$|:$/.test(entry) || !URL.canParse(address)) return undefined;
  return { name: new URL(address).hostname, port };
}

/** The port that an address leads to. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/** Whether a list of hosts contains that of an address; an entry without a port matches the default ports. */
export const allowsHost = (hosts: readonly string[], url: URL): boolean =>
  hosts.some((entry) => {
    const host = hostOf(entry);
    return host?.name === url.hostname && (host.port === "" ? url.port === "" : host.port === portOf(url));
  });

/** Hosts that a tool may contact: its `allowed_hosts`, or where that is empty those of its own addresses. */
export const effectiveHosts = (
  allowed: readonly string[],
  addresses: readonly string[],
): readonly string[] =>
  allowed.length > 0
    ? allowed
    : addresses.flatMap((each) => (URL.canParse(each) ? [new URL(each).host] : []));

/** Limits of network requests. */
const network = {
  /** All that may be asked, redirects included; empty: the hosts of the row's own addresses. */
  allowed_hosts: z
    .array(
      text.refine(
        (entry) => hostOf(entry) !== undefined,
        "not a host: use api.example.com or api.example.com:8443, without https:// and path",
      ),
    )
    .default([]),
  allow_private: z.boolean().default(false),
  timeout_ms: count(100, 120_000).default(10_000),
};

/** One of the `endpoints` of `api_call`. */
export const endpointConfig = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, "use only letters, digits, underscores and hyphens"),
  description: text,
  examples: z.array(z.string()).default([]),
  method: z.enum(["GET", "POST"]).default("GET"),
  /**
   * `https://api.example.com/v1/orders/{id}`: `{argument}` in the path or the query is replaced, encoded;
   * `{secret:NAME}` in the query too.
   */
  url: text,
  /**
   * JSON Schema of the arguments; those the template does not name go into the query (GET) or the JSON body
   * (POST).
   */
  parameters: jsonObject.default(noArguments),
  /** `{secret:NAME}` in a value is replaced by that secret. */
  headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[^\r\n]*$/)).default({}),
});

/**
 * Whether a database tool names one database at most; without one it asks the sheets of ingested documents.
 */
export const namesOneDatabase = (config: {
  readonly path?: unknown;
  readonly url?: unknown;
  readonly url_secret?: unknown;
}): boolean =>
  [config.path, config.url, config.url_secret].filter((place) => place !== undefined).length <= 1;
export const oneDatabaseMessage = "set exactly one of path, url and url_secret";

/**
 * `config` of a tool row by the tool's type: the range of each field, and its default. The tool reads its row
 * with it; the registry derives its own, stricter schema from it, which refuses other fields and credentials.
 */
export const toolConfigs = {
  rag: z.looseObject({
    ...common,
    /** Weight of relevance against variety in maximal marginal relevance. */
    mmr_lambda: z.number().min(0).max(1).optional(),
    /** Passages. */
    top_k: count(1, 100).optional(),
    /** Milvus servers that this tool searches instead of those of the settings. */
    milvus_public_uri: milvusUri.optional(),
    milvus_private_uri: milvusUri.optional(),
  }),
  calculator: z.looseObject({ ...common, precision_digits: count(1, 50).default(12) }),
  database_query: z
    .looseObject({
      ...common,
      /** A SQLite file. */
      path: text.optional(),
      /**
       * A PostgreSQL address without a password, `postgresql://reader@host/db`; rows with one are refused
       * since ragctl checks them.
       */
      url: z
        .string()
        .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
        .optional(),
      /** Name of the secret that holds the whole address. */
      url_secret: text.optional(),
      schema: text.default("public"),
      /** Tables that may be asked; empty: all. */
      tables: z.array(z.string()).default([]),
      read_only: z.literal(true, "a database can only be read").default(true),
      row_limit: count(1, 10_000).default(100),
      timeout_ms: count(100, 120_000).default(5000),
      max_bytes: count(1000, 10_000_000).default(200_000),
      max_cell_characters: count(10, 100_000).default(500),
    })
    .refine(namesOneDatabase, oneDatabaseMessage),
  api_call: z.looseObject({
    ...common,
    ...network,
    endpoints: z.array(endpointConfig).default([]),
    max_bytes: count(100, 10_000_000).default(200_000),
  }),
  web_search: z.looseObject({
    ...common,
    ...network,
    /**
     * Address of the JSON search, e.g. `https://search.example.com/search?format=json`; `{secret:NAME}` in
     * its query is replaced; "" for off.
     */
    endpoint: z.string().default(""),
    /** Name of the query's parameter. */
    query_parameter: z.string().regex(/^\w+$/).default("q"),
    max_results: count(1, 50).default(5),
    max_bytes: count(1000, 10_000_000).default(1_000_000),
  }),
  generic: z.looseObject({
    ...common,
    description: text,
    /**
     * Program and its arguments; `{name}` within one is replaced by that argument of the call. There is no
     * shell.
     */
    argv: z
      .array(z.string().refine((part) => !part.includes("\0"), "NUL is not allowed"))
      .min(1, "the program is missing"),
    parameters: jsonObject.default(noArguments),
    /** Folder the program runs in. */
    cwd: z.string().optional(),
    output: z.enum(["json", "text"]).default("text"),
    timeout_ms: count(50, 600_000).default(10_000),
    max_bytes: count(100, 10_000_000).default(200_000),
  }),
} as const satisfies Record<ToolType, z.ZodObject>;
