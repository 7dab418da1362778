import type { ToolType } from "../../core/answers/tool.ts";
import { z } from "../../core/schema.ts";
import { jsonObjectSchema, prose, strict } from "./definitions.ts";
import { faultOfAddress, holdsNoPassword, isSecretHeader } from "./tool-secrets.ts";

/** What every type knows. */
const common = {
  /** For the model and for choosing by similarity; replaces the tool's own. */
  description: prose.min(1, "it is empty").optional(),
  /** Questions it answers; replace the tool's own. */
  examples: z.array(prose.min(1, "it is empty")).optional(),
};

const count = (least: number, most: number) => z.int().min(least).max(most).optional();
const text = z.string().min(1, "it is empty");
/** Limits of what goes over the network. */
const network = {
  allowed_hosts: z.array(text).optional(),
  allow_private: z.boolean().optional(),
  timeout_ms: count(100, 120_000),
};

/** A web address without credentials: rows are shown and exported as they are. */
const address = z.string().superRefine((value, context) => {
  const message = faultOfAddress(value);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const headers = z
  .record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[^\r\n]*$/))
  .superRefine((fields, context) => {
    for (const [name, value] of Object.entries(fields))
      if (isSecretHeader(name, value))
        context.addIssue({
          code: "custom",
          path: [name],
          message:
            "no key in a row: write {secret:NAME} in its place, with NAME the environment variable that holds it",
        });
  });

const endpoint = strict({
  name: z.string().regex(/^[\w-]{1,64}$/, "letters, digits, _ and - only"),
  description: text,
  examples: z.array(z.string()).optional(),
  method: z.enum(["GET", "POST"]).optional(),
  url: address.min(1, "it is empty"),
  /** JSON Schema of the arguments. */
  parameters: jsonObjectSchema.optional(),
  headers: headers.optional(),
});

/** `config` of a tool row, by its type: a stranger's field is refused here, when it is written; the driver checks what it opens. */
export const toolConfigSchemas: Readonly<Record<ToolType, z.ZodType<Record<string, unknown>>>> = {
  rag: strict({
    ...common,
    /** Weight of relevance against variety in maximal marginal relevance. */
    mmr_lambda: z.number().min(0).max(1).optional(),
    /** Passages. */
    top_k: count(1, 100),
  }),
  calculator: strict({ ...common, precision_digits: count(1, 50) }),
  database_query: strict({
    ...common,
    path: text.optional(),
    url: z
      .string()
      .regex(/^postgres(ql)?:\/\//, "it must begin with postgresql://")
      .refine(
        holdsNoPassword,
        "no password in the address: name the environment variable that holds the whole address in url_secret",
      )
      .optional(),
    url_secret: text.optional(),
    schema: text.optional(),
    tables: z.array(z.string()).optional(),
    read_only: z.literal(true, "a database is only ever read").optional(),
    row_limit: count(1, 10_000),
    timeout_ms: count(100, 120_000),
    max_bytes: count(1000, 10_000_000),
    max_cell_characters: count(10, 100_000),
  }).refine(
    (value) => [value.path, value.url, value.url_secret].filter((place) => place !== undefined).length <= 1,
    "name one of path, url and url_secret",
  ),
  api_call: strict({
    ...common,
    ...network,
    endpoints: z.array(endpoint).optional(),
    max_bytes: count(100, 10_000_000),
  }),
  web_search: strict({
    ...common,
    ...network,
    /** "" for off. */
    endpoint: address.optional(),
    query_parameter: z.string().regex(/^\w+$/).optional(),
    max_results: count(1, 50),
    max_bytes: count(1000, 10_000_000),
  }),
  generic: strict({
    ...common,
    description: prose.min(1, "it is empty"),
    /** Program and its arguments; there is no shell. */
    argv: z
      .array(z.string().refine((part) => !part.includes("\0"), "NUL is not allowed"))
      .min(1, "the program is needed"),
    parameters: jsonObjectSchema.optional(),
    cwd: z.string().optional(),
    output: z.enum(["json", "text"]).optional(),
    timeout_ms: count(50, 600_000),
    max_bytes: count(100, 10_000_000),
  }),
};
