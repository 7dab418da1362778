import type { JsonObject } from "../../../core/json.ts";
import type { Providers } from "../../../registry/company/providers.ts";
import type { Check } from "../../../shapes/machine.ts";
import { providerKey } from "../../engines/language-models.ts";

/** The active row of the answering model where it names a provider elsewhere. */
export interface AnsweringProvider {
  /** One of `providerNames`, but not `local`. */
  readonly provider: string;
  readonly config: JsonObject;
}

/** The provider elsewhere that answers by the registry's rows; null where the local model does. */
export async function answeringProvider(
  providers: Pick<Providers, "list">,
): Promise<AnsweringProvider | null> {
  const row = (await providers.list({ component: "llm" })).find(({ enabled }) => enabled);
  const provider = row?.provider;
  if (row === undefined || provider === undefined || provider === "local") return null;
  return { provider, config: row.config };
}

/**
 * Names the provider that answers and says whether it does, by asking its endpoint for the list of its
 * models. @throws PROVIDER_*
 */
export async function checkProvider(
  { provider, config }: AnsweringProvider,
  secret: (name: string) => string | undefined,
): Promise<Omit<Check, "name">> {
  const { listProviderModels } = await import("../../../drivers/llms/reach.ts");
  const [baseUrl, model] = [String(config["base_url"] ?? ""), String(config["model"] ?? "")];
  const kind = provider === "ollama" ? "ollama" : "openai-compatible";
  const apiKey = provider === "ollama" ? undefined : providerKey(config, provider, secret);
  const models = await listProviderModels({ kind, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) });
  const who = `${model} of ${provider} at ${baseUrl}`;
  if (models === null) return { status: "ok", message: `${who}: responds, but lists no models`, hint: "" };
  // Ollama lists `name:latest` for a request of `name`.
  const hasModel = models.some((name) => name === model || name === `${model}:latest`);
  if (hasModel) return { status: "ok", message: `${who}: responds and has the model`, hint: "" };
  const preview = models.slice(0, 5).join(", ") || "none";
  return {
    status: "warning",
    message: `${who}: responds, but does not list that model; it lists ${preview}`,
    hint: `choose a listed model: ragctl providers set llm/${provider} --option model=NAME`,
  };
}
