import { isAbsolute, resolve, sep } from "node:path";
import { components, providerNames, vendors } from "../../core/answers/provider.ts";
import { toolTypeOf } from "../../core/answers/tool.ts";
import type { JsonObject } from "../../core/json.ts";
import { didYouMean } from "../../core/nearest.ts";
import { z } from "../../core/schema.ts";
import { sanitizeForMessage } from "../rows.ts";

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const hiddenButLines = /[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u;

/** An object that knows its keys alone; a stranger's message says which key was probably meant. */
export function strictRow<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const [key = ""] = issue.keys ?? [];
      return `there is no field "${sanitizeForMessage(key)}"${didYouMean(key, known) || `; fields: ${known.join(", ")}`}`;
    },
  });
}

/** The members of a row but for those `left` out, without defaults: what is omitted remains omitted. */
export function withoutDefaults(shape: z.ZodRawShape, left: readonly string[] = []): z.ZodRawShape {
  const bare = (field: z.core.$ZodType): z.core.$ZodType => {
    if (!(field instanceof z.ZodDefault || field instanceof z.ZodPrefault)) return field;
    const inner = field.unwrap();
    return z.optional(inner instanceof z.ZodObject ? strictRow(withoutDefaults(inner.shape)) : inner);
  };
  const members = Object.entries(shape).filter(([name]) => !left.includes(name));
  return Object.fromEntries(members.map(([name, field]) => [name, bare(field)]));
}

const nameOf = (longest: number) =>
  z
    .string()
    .min(1, "a name is required")
    .max(longest, `at most ${longest} characters`)
    .refine((name) => !hidden.test(name), "control or invisible characters are not allowed")
    .refine((name) => name === name.trim(), "no leading or trailing spaces")
    .refine((name) => name !== "*", "must not be *, which means every name")
    .transform((name) => name.normalize("NFC"));

/** What people call a row: one line of 1 to 100 visible characters in Unicode normal form C. */
export const rowName = nameOf(100);

/** The name of a room, with that of its maker before it: `ada/workshop`. */
export const roomName = nameOf(201);

/** A department or a collection: `^[a-z][a-z0-9_]{0,62}$`. */
export const word = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,62}$/,
    "up to 63 lowercase letters, digits and underscores, starting with a letter",
  );

/** Folders by absolute paths, each once: `.`, `..`, doubled and trailing `/` are taken out. */
export const rootList = z
  .array(
    z
      .string()
      .max(4096, "at most 4096 characters")
      .refine((path) => isAbsolute(path), "an absolute path is required")
      .refine((path) => !/\p{Cc}/u.test(path), "control characters are not allowed")
      .transform((path) => resolve(path).split(sep).join("/")),
  )
  .max(100, "at most 100")
  .transform((paths) => [...new Set(paths)].sort());

const line = (longest: number) =>
  z
    .string()
    .min(1, "it is empty")
    .max(longest, `at most ${longest} characters`)
    .refine((text) => !hidden.test(text), "control or invisible characters are not allowed");

/** A description: up to 2000 characters, lines and tabs allowed. */
export const prose = z
  .string()
  .max(2000, "at most 2000 characters")
  .refine((text) => !hiddenButLines.test(text), "control or invisible characters are not allowed");

/** Instructions of an operator to a model: at most 1000 characters, since every prompt carries them. */
export const instructions = prose.max(1000, "at most 1000 characters");

const unique = (values: readonly string[]): boolean =>
  new Set(values.map((value) => value.toLowerCase())).size === values.length;

/** The subjects of an agent: the semantic router compares questions with them. */
export const capabilitiesSchema = strictRow({
  topics: z.array(line(100)).max(100, "at most 100").refine(unique, "duplicate topic").default([]),
  /** Questions it answers. */
  examples: z.array(line(500)).max(100, "at most 100").refine(unique, "duplicate example").default([]),
});
export type Capabilities = z.infer<typeof capabilitiesSchema>;

/** Numbers and texts of JSON, nested no deeper than 20. */
const jsonObjectSchema = z
  .record(z.string(), z.json())
  .refine((value) => depth(value) <= 20, "nested deeper than 20 levels");

function depth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

const httpUrl = z
  .url({ protocol: /^https?$/, error: "an http or https URL is required" })
  .refine(
    (text) => !/\/\/[^/]*@/.test(text),
    "no user or password in the URL: set api_key_env to the environment variable that holds the key",
  );
const model = line(200);
const limits = {
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(131_072).optional(),
};
const remote = {
  ...limits,
  base_url: httpUrl,
  timeout_ms: z.int().min(100).max(600_000).optional(),
  context_tokens: z.int().min(256).max(10_000_000).optional(),
  /** How tools are offered to the server; without one by its own calls, until it refuses them. */
  tools: z.enum(["native", "schema", "text"]).optional(),
};
const apiKeyEnv = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable, not the key itself")
  .optional();

/** How the server takes a GBNF grammar; without one what it writes is free, and only checked. */
const grammarForm = z.enum(["llama.cpp", "vllm", "none"]).optional();

/** A vendor's row: its address and the variable of its key are filled in, so that the row shows them. */
const vendor = ({ base_url, api_key_env }: (typeof vendors)[keyof typeof vendors]) =>
  strictRow({
    model,
    ...remote,
    base_url: httpUrl.default(base_url),
    api_key_env: apiKeyEnv.default(api_key_env),
  });

/**
 * The config of an `embedding` provider. It states everything that identifies the vectors, so that the server
 * need not be asked.
 */
const embeddingServer = strictRow({
  model,
  base_url: httpUrl,
  api_key_env: apiKeyEnv,
  dimensions: z.int().min(8).max(32_768),
  max_tokens: z.int().min(64).max(131_072).default(512),
  query_prefix: z.string().max(500).default(""),
  passage_prefix: z.string().max(500).default(""),
  timeout_ms: z.int().min(100).max(600_000).default(60_000),
});
const embeddingServers: readonly string[] = ["openai-compatible", "ollama"];

/** The form of a provider row's `config`. */
export const providerConfigSchema = (
  component: string,
  provider: (typeof providerNames)[number],
): z.ZodType<JsonObject> => (component === "embedding" ? embeddingServer : providerConfigSchemas[provider]);

/** `config` of a provider row, by the provider's name. */
const providerConfigSchemas = {
  local: strictRow({ model, ...limits }),
  "openai-compatible": strictRow({ model, ...remote, api_key_env: apiKeyEnv, grammar: grammarForm }),
  ollama: strictRow({ model, ...remote, keep_alive: line(20).optional() }),
  openai: vendor(vendors.openai),
  anthropic: vendor(vendors.anthropic),
  gemini: vendor(vendors.gemini),
  sentence_transformers: strictRow({ model }),
} as const satisfies Record<(typeof providerNames)[number], z.ZodType>;

/** `provider_config` of an agent: empty, or the differences from the `llm` provider it names. */
const agentProviderSchema = strictRow({
  provider: z.enum(providerNames).exclude(["sentence_transformers"]).optional(),
  model: model.optional(),
  ...remote,
  base_url: httpUrl.optional(),
  api_key_env: apiKeyEnv,
  grammar: grammarForm,
  keep_alive: line(20).optional(),
});

/** Fields of an agent as an operator states them. */
export const agentSchema = strictRow({
  name: rowName,
  department: word,
  description: prose.default(""),
  persona: instructions.default(""),
  guidelines: instructions.default(""),
  capabilities: capabilitiesSchema.prefault({}),
  enabled: z.boolean().default(true),
  providerConfig: agentProviderSchema.prefault({}),
});
export type AgentInput = z.input<typeof agentSchema>;

/** The type of a tool; one that ragctl does not have is `generic`, a program of the operator's. */
const toolType = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,49}$/i, "must be a word such as calculator")
  .transform((name) => toolTypeOf(name));

/** Who may use a tool that an agent was given. */
const toolPermissionsSchema = strictRow({
  /**
   * Accepted because rows and files have it; nothing reads it: a search is always by the permissions of
   * principal and agent.
   */
  requires_department_access: z.boolean().optional(),
  /** Reaches the network, which needs a grant of the tool. */
  network: z.boolean().optional(),
  requires_grant: z.boolean().optional(),
  /** Its arguments may contain only text from documents and earlier answers. */
  arguments_from_documents: z.boolean().optional(),
  /** Departments whose principals need no grant of it; absent: all. */
  departments: z.array(word).optional(),
});

/** Fields of a tool; `config` is checked separately, by its type. */
export const toolSchema = strictRow({
  name: rowName,
  type: toolType,
  enabled: z.boolean().default(true),
  config: jsonObjectSchema.prefault({}),
  permissions: toolPermissionsSchema.prefault({}),
});
export type ToolInput = z.input<typeof toolSchema>;

/** Fields of a provider; `config` is checked separately, by the provider's name. */
export const providerSchema = strictRow({
  component: z.enum(components),
  provider: z.enum(providerNames),
  enabled: z.boolean().default(true),
  config: jsonObjectSchema,
}).refine(
  ({ component, provider }) =>
    component === "embedding"
      ? embeddingServers.includes(provider)
      : provider !== "sentence_transformers" || component === "semantic_router",
  {
    path: ["provider"],
    message:
      "sentence_transformers works for semantic_router only, and embedding needs openai-compatible or ollama",
  },
);
export type ProviderInput = z.input<typeof providerSchema>;

/** Place of a tool among an agent's tools; higher is asked first. */
export const priority = z.int().min(-1000).max(1000);
