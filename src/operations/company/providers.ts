import { ownerOnly, owners } from "../../app/audit/attempt.ts";
import type { ProviderInput, RegistryApi } from "../../app/owner/registry.ts";
import { components, providerNames } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { providersShape, providerView } from "../../shapes/registry.ts";
import { name, toggle } from "../fields.ts";
import { defined, field, type Operation, operation } from "../operation.ts";
import { fieldTable, listed } from "../result-text.ts";
import { configFields, configFrom, requireAnyOption } from "./config.ts";
import { rowField, rowOperations } from "./rows.ts";

type Provider = Awaited<ReturnType<RegistryApi["providers"]["get"]>>;

const reference = "component/provider, e.g. llm/local";

const shared = rowOperations<Provider>({
  noun: "provider",
  reference,
  example: "llm/local",
  removable: "llm/ollama",
  help: {
    list: "list providers",
    enable: "enable a provider; the current one for its component is disabled",
    disable: "disable a provider; its configuration is kept",
    remove: "remove a provider",
  },
  seen: owners,
  of: (app) => app.registry.providers,
  print: providersShape,
  textOfAll: (providers) =>
    listed(providers.map(providerView), "no providers; `ragctl agents seed` adds some", {
      provider: ({ name }) => name,
      enabled: ({ enabled }) => (enabled ? "yes" : "no"),
      config: ({ config }) => JSON.stringify(config),
    }),
  text: (row) => fieldTable(providerView(row)),
});

const add = operation({
  ...shared.shown,
  name: "providers add",
  summary: "add and enable a provider; the current one for its component is disabled",
  input: {
    provider: field(
      "<provider>",
      name,
      `component/provider: ${components.join(", ")} / ${providerNames.join(", ")}`,
    ),
    ...configFields,
    disabled: toggle("--disabled", "add the provider without enabling it"),
  },
  examples: [
    "ragctl providers add llm/ollama --option base_url=http://127.0.0.1:11434 --option model=qwen2.5:7b",
  ],
  attempt: () => [{ input: { provider: "llm/local" }, ...ownerOnly }],
  async run(app, { provider, disabled, ...rest }, { run }) {
    const config = (await configFrom(rest)) ?? {};
    return app.registry.providers.add({ ...wordsOf(provider), config, enabled: !disabled }, run);
  },
});

const set = operation({
  ...shared.shown,
  name: "providers set",
  summary: "change the configuration of a provider",
  input: { provider: rowField("provider", reference), ...configFields },
  examples: ["ragctl providers set llm/local --option temperature=0"],
  attempt: () => [{ input: { provider: "llm/local", config: "{}" }, ...ownerOnly }],
  async run(app, { provider, ...rest }, { run }) {
    const { providers } = app.registry;
    const patch = defined({
      config: await configFrom(rest, async () => (await providers.get(provider, run)).config),
    });
    requireAnyOption(patch, "providers set");
    return providers.set(provider, patch, run);
  },
});

/** `llm/local` in its two words. @throws USAGE_INVALID with the word that was meant */
function wordsOf(reference: string): Pick<ProviderInput, "component" | "provider"> {
  const [component = "", provider = ""] = reference.split("/", 2);
  const one = <Word extends string>(word: string, known: readonly Word[], what: string): Word => {
    const match = known.find((each) => each === word);
    if (match !== undefined) return match;
    throw new RagctlError("USAGE_INVALID", `unknown ${what} "${word}"${didYouMean(word, known)}`, {
      hint: `write component/provider, with one of: ${known.join(", ")}`,
    });
  };
  return {
    component: one(component, components, "component"),
    provider: one(provider, providerNames, "provider"),
  };
}

/** The models that write, rewrite and route, in the order of the help. */
export const providers: readonly Operation[] = [
  ...[shared.list, shared.show, add, set, shared.enable, shared.disable, shared.remove],
];
