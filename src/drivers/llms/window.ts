import { z } from "../../core/schema.ts";
import { endpointOf, type RemoteSettings, request } from "./remote-requests.ts";

/** Default window of a model, tokens; larger windows of Ollama take its memory. */
export const usualWindow = 8192;

/** How long to wait for a server, ms: its answer is not worth a longer wait. */
const tellMs = 3_000;

/** What a server reports about a model that it serves. */
export interface ToldModel {
  /** Tokens of prompt and answer. */
  readonly contextTokens?: number;
  /** It can think before it answers, and takes the wish that it does not. */
  readonly mayThink?: boolean;
  /** It has no tool calls of its own. */
  readonly tools?: "schema";
}

const listed = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      max_model_len: z.number().nullish(),
      loaded_context_length: z.number().nullish(),
      max_context_length: z.number().nullish(),
    }),
  ),
});
const props = z.looseObject({ default_generation_settings: z.looseObject({ n_ctx: z.number() }) });
const shown = z.looseObject({
  parameters: z.string().default(""),
  model_info: z.record(z.string(), z.unknown()).default({}),
  capabilities: z.array(z.string()).default([]),
});

/**
 * The JSON of an endpoint in this form; undefined where it has another, or none. @throws where it is not
 * reached
 */
async function asked<T>(
  url: URL,
  schema: z.ZodType<T>,
  { apiKey, timeoutMs = tellMs }: RemoteSettings,
  body?: object,
): Promise<T | undefined> {
  const response = await request(url, apiKey, AbortSignal.timeout(Math.min(tellMs, timeoutMs)), body);
  const content: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (!response.ok) await response.body?.cancel();
  return schema.safeParse(content).data;
}

/**
 * vLLM reports the window in its list of models, llama.cpp in its properties, LM Studio in a separate list.
 */
async function toldByOpenai(settings: RemoteSettings): Promise<ToldModel> {
  const { baseUrl, model } = settings;
  const of = (list: z.infer<typeof listed> | undefined) => list?.data.find(({ id }) => id === model);
  const vllm = of(await asked(endpointOf(baseUrl, "/models"), listed, settings))?.max_model_len;
  if (typeof vllm === "number") return { contextTokens: vllm, mayThink: true };
  const root = baseUrl.replace(/\/v1\/?$/, "");
  const llama = await asked(endpointOf(root, "/props"), props, settings);
  if (llama !== undefined) return { contextTokens: llama.default_generation_settings.n_ctx, mayThink: true };
  const studio = of(await asked(endpointOf(root, "/api/v0/models"), listed, settings));
  const { loaded_context_length: loaded, max_context_length: most } = studio ?? {};
  if (typeof loaded === "number") return { contextTokens: loaded };
  return typeof most === "number" ? { contextTokens: Math.min(most, usualWindow) } : {};
}

/**
 * Ollama uses the window of the request: that in the model's file, else the default, up to the model's
 * maximum.
 */
async function toldByOllama(settings: RemoteSettings): Promise<ToldModel> {
  const url = endpointOf(settings.baseUrl, "/api/show");
  const model = await asked(url, shown, settings, { model: settings.model });
  if (model === undefined) return {};
  const { parameters, model_info: info, capabilities } = model;
  const own = Number(/^num_ctx\s+(\d{1,9})$/m.exec(parameters)?.[1] ?? usualWindow);
  const most = Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1];
  return {
    contextTokens: typeof most === "number" ? Math.min(own, most) : own,
    mayThink: capabilities.includes("thinking"),
    ...(capabilities.length === 0 || capabilities.includes("tools") ? {} : { tools: "schema" }),
  };
}

/**
 * What the server reports about the model; empty where it reports nothing or does not answer. @throws
 * CONFIG_INVALID
 */
export async function probeServerModel(
  kind: "ollama" | "openai",
  settings: RemoteSettings,
): Promise<ToldModel> {
  endpointOf(settings.baseUrl, "");
  try {
    const told = await (kind === "ollama" ? toldByOllama(settings) : toldByOpenai(settings));
    const { contextTokens = 1 } = told;
    // Nothing sensible is so small: it is not known.
    return contextTokens >= 1 ? told : { ...told, contextTokens: usualWindow };
  } catch {
    // Whether it is there is found out by the question itself, with an error that says so.
    return {};
  }
}
