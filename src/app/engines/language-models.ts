import type { Settings } from "../../config/settings.ts";
import type { AgentProfile } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import { vendorDefaults } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Run } from "../../core/run.ts";
import type { ComponentType, Providers } from "../../registry/company/providers.ts";
import type { LocalModels, ModelOutlook } from "./local-models.ts";
import type { Readings } from "./readings.ts";
import { withRedactedErrors } from "./redaction.ts";

/** A model with the limits its provider's row states. */
export interface ServedModel {
  /** Opens it on first use; null where none is installed. @throws PROVIDER_UNAVAILABLE */
  readonly model: () => Promise<LanguageModel | null>;
  /** The same without opening it; null where none is installed. */
  readonly outlook: () => Promise<ModelOutlook | null>;
  /** The row's own; absent: those of the settings. */
  readonly temperature?: number;
  readonly maxTokens?: number;
}

export interface LanguageModels {
  /**
   * The model of a part of the chain; an agent's own provider takes precedence over the component's. Nothing
   * is opened yet. Only the owner sees where a provider is and what it replied.
   */
  of(
    component: Exclude<ComponentType, "semantic_router" | "embedding">,
    agent: Pick<AgentProfile, "providerConfig"> | null,
    run: Run,
  ): Promise<ServedModel>;
}

export interface LanguageModelParts {
  readonly settings: Settings;
  /** The caller named `answer.model` for this call: no provider's row takes its place. */
  readonly isModelNamed?: boolean;
  readonly providers: Pick<Providers, "list">;
  readonly local: LocalModels;
  readonly readings: Pick<Readings, "of">;
  /** Value of the environment variable a row names. */
  readonly secret: (name: string) => string | undefined;
  readonly isOwner: (run: Run) => Promise<boolean>;
  /** Closes everything opened here. */
  readonly resources: AsyncDisposableStack;
}

/**
 * Creates the models that registry rows name; each is opened once, on first use, and no address is called that
 * no row names.
 */
export function createLanguageModels({
  settings,
  isModelNamed = false,
  providers,
  local,
  readings,
  secret,
  isOwner,
  resources,
}: LanguageModelParts): LanguageModels {
  const isNamed = isModelNamed && settings.answer.model !== "auto";
  const opened = new Map<string, Promise<LanguageModel | null>>();
  const once = (key: string, open: () => Promise<LanguageModel | null>): Promise<LanguageModel | null> => {
    const known = opened.get(key);
    if (known !== undefined) return known;
    const model = open();
    opened.set(key, model);
    // A model that could not be opened is tried again by the next caller.
    model.catch(() => opened.delete(key));
    return model;
  };
  const localModel = async (reference: string | null): Promise<LanguageModel | null> => {
    const id = settings.answer.model === "auto" ? reference : null;
    const named = id === null ? null : await once(`local/${id}`, () => local.open(id));
    const model = named ?? (await once("local/", () => local.open(null)));
    // Quotes in its place would look as if it had written them.
    if (model !== null || !isNamed) return model;
    throw new RagctlError("MODEL_MISSING", `model ${settings.answer.model} is not installed`, {
      hint: `run: ragctl models pull ${settings.answer.model}`,
    });
  };
  const localOutlook = async (reference: string | null): Promise<ModelOutlook | null> => {
    const id = settings.answer.model === "auto" ? reference : null;
    return (id === null ? null : await local.outlook(id)) ?? local.outlook(null);
  };
  const remoteModel = (provider: string, config: JsonObject): Promise<LanguageModel | null> =>
    once(JSON.stringify([provider, config]), async () =>
      resources.use(
        await (provider === "ollama" ? openOllama(config) : openCompatible(config, provider, secret)),
      ),
    );
  return {
    async of(component, agent, run) {
      const row = isNamed ? undefined : (await providers.list({ component })).find(({ enabled }) => enabled);
      const agentConfig = component === "llm" && !isNamed ? (agent?.providerConfig ?? {}) : {};
      const provider =
        typeof agentConfig["provider"] === "string" ? agentConfig["provider"] : (row?.provider ?? "local");
      // An agent that names another provider takes nothing of the component's row: its model is not known
      // there.
      const config: JsonObject =
        provider === row?.provider
          ? { ...vendorDefaults(provider), ...row.config, ...agentConfig }
          : { ...vendorDefaults(provider), ...agentConfig };
      const id = typeof config["model"] === "string" ? config["model"] : null;
      const open = () => (provider === "local" ? localModel(id) : remoteModel(provider, config));
      return {
        model: async () => ((await isOwner(run)) ? open() : withRedactedErrors(open)),
        // A provider is assumed to have its model loaded.
        outlook: async () =>
          provider === "local" ? localOutlook(id) : await describeRemoteModel(id ?? "", config, readings),
        ...limits(config),
      };
    },
  };
}

/** Facts about a provider's model, by its name there and the provider's address. */
export async function describeRemoteModel(
  id: string,
  config: JsonObject,
  readings: Pick<Readings, "of">,
): Promise<ModelOutlook> {
  const fingerprint = String(config["base_url"] ?? "");
  const reading = await readings.of({ id, fingerprint });
  return { id, fingerprint, fileBytes: 0, isLoaded: true, isRemote: true, reading };
}

const toolForms = ["native", "schema", "text"] as const;
const grammarForms = ["llama.cpp", "vllm", "none"] as const;

async function openOllama(config: JsonObject) {
  const { default: open } = await import("../../drivers/llms/ollama.ts");
  const { probeServerModel } = await import("../../drivers/llms/window.ts");
  const keepAlive = config["keep_alive"];
  const endpoint = endpointOf(config);
  return open({
    ...(await probeServerModel("ollama", endpoint)),
    ...endpoint,
    ...(typeof keepAlive === "string" ? { keepAlive } : {}),
  });
}

async function openCompatible(config: JsonObject, provider: string, secret: LanguageModelParts["secret"]) {
  const { default: open } = await import("../../drivers/llms/openai.ts");
  const { probeServerModel } = await import("../../drivers/llms/window.ts");
  const apiKey = providerKey(config, provider, secret);
  const grammar = grammarForms.find((form) => form === config["grammar"]);
  const endpoint = { ...endpointOf(config), ...(apiKey === undefined ? {} : { apiKey }) };
  return open({
    // A vendor's window is large, and its interface does not report it.
    ...(provider === "openai-compatible" ? await probeServerModel("openai", endpoint) : {}),
    ...endpoint,
    ...(grammar === undefined ? {} : { grammar }),
  });
}

/** Where a provider is and which of its models answers. */
function endpointOf(config: JsonObject) {
  const { timeout_ms: timeoutMs, context_tokens: contextTokens } = config;
  const tools = toolForms.find((form) => form === config["tools"]);
  return {
    baseUrl: text(config, "base_url"),
    model: text(config, "model"),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(typeof contextTokens === "number" ? { contextTokens } : {}),
    ...(tools === undefined ? {} : { tools }),
  };
}

function limits(config: JsonObject): Pick<ServedModel, "temperature" | "maxTokens"> {
  const { temperature, max_tokens: maxTokens } = config;
  return {
    ...(typeof temperature === "number" ? { temperature } : {}),
    ...(typeof maxTokens === "number" ? { maxTokens } : {}),
  };
}

function text(config: JsonObject, key: string): string {
  const value = config[key];
  if (typeof value === "string" && value !== "") return value;
  throw new RagctlError("CONFIG_INVALID", `the provider has no ${key}`, {
    hint: "set it with `ragctl providers set`; `ragctl providers list` shows the current values",
  });
}

/**
 * The key of a provider, from the environment variable its row names; undefined where it names none. @throws
 * PROVIDER_UNAVAILABLE when it is not set
 */
export function providerKey(
  config: JsonObject,
  provider: string,
  secret: LanguageModelParts["secret"],
): string | undefined {
  const name = config["api_key_env"];
  if (typeof name !== "string") return undefined;
  const value = secret(name);
  if (value !== undefined && value !== "") return value;
  throw new RagctlError(
    "PROVIDER_UNAVAILABLE",
    `provider ${provider} needs the environment variable ${name}, which is not set`,
    {
      hint: `export ${name}=…, or use the local model: ragctl providers disable llm/${provider}`,
    },
  );
}
