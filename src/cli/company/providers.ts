import type { Command } from "commander";
import type { ProviderInput, RegistryApi } from "../../app/owner/registry.ts";
import { components, providerNames } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { providersShape, providerView, removedShape } from "../../shapes/registry.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { type ConfigFlags, configFrom, configOptions, given, requireSome } from "./registry-flags.ts";
import { fieldTable, type Rows, registerReading, registerSwitching } from "./rows.ts";

type Provider = ReturnType<RegistryApi["providers"]["get"]>;

const rows: Rows<Provider> = {
  noun: "provider",
  reference: "component/provider, e.g. llm/local",
  example: "llm/local",
  removable: "llm/ollama",
  help: {
    list: "list providers",
    enable: "enable a provider; the current one for its component is disabled",
    disable: "disable a provider; its configuration is kept",
    remove: "remove a provider",
  },
  list: (app, run) => app.registry.providers.list(run),
  get: (app, reference, run) => app.registry.providers.get(reference, run),
  setEnabled: (app, reference, active, run) => app.registry.providers.set(reference, { active }, run),
  remove(app, reference, session) {
    app.registry.providers.remove(reference, session.run);
    session.output.result({
      text: `removed provider ${reference}`,
      data: removedShape("provider", reference),
    });
  },
  printAll(session, providers) {
    const views = providers.map(providerView);
    const cells = views.map(({ name, enabled, config }) => [
      name,
      enabled ? "yes" : "no",
      JSON.stringify(config),
    ]);
    const text =
      views.length === 0
        ? "no providers; `ragctl agents seed` adds some"
        : table(["provider", "enabled", "config"], cells);
    session.output.result({ text, data: providersShape(views) });
  },
  print,
};

/** `ragctl providers …`: the models that write, rewrite and route; only enabled ones are called. */
export function registerProviders(program: Command): void {
  const providers = declared(program, "providers");
  registerReading(providers, rows);
  registerAdd(providers);
  registerSet(providers);
  registerSwitching(providers, rows);
}

function registerAdd(providers: Command): void {
  configOptions(providers.command("add"))
    .description("add and enable a provider; the current one for its component is disabled")
    .argument("<provider>", `component/provider: ${components.join(", ")} / ${providerNames.join(", ")}`)
    .option("--disabled", "add the provider without enabling it")
    .addHelpText(
      "after",
      "\nExample:\n  ragctl providers add llm/ollama --option base_url=http://127.0.0.1:11434 --option model=qwen2.5:7b",
    )
    .action(
      action(async (session, reference: string, flags: ConfigFlags & { readonly disabled?: boolean }) => {
        const config = configFrom(flags, () => ({})) ?? {};
        const provider = { ...wordsOf(reference), config, active: flags.disabled !== true };
        print(session, (await session.app()).registry.providers.add(provider, session.run));
      }),
    );
}

function registerSet(providers: Command): void {
  configOptions(providers.command("set"))
    .description("change the configuration of a provider")
    .argument("<provider>", "component/provider, e.g. llm/local")
    .addHelpText("after", "\nExample:\n  ragctl providers set llm/local --option temperature=0")
    .action(
      action(async (session, reference: string, flags: ConfigFlags) => {
        const { registry } = await session.app();
        const config = configFrom(flags, () => registry.providers.get(reference, session.run).config);
        const patch = given({ config });
        requireSome(patch, "providers set");
        print(session, registry.providers.set(reference, patch, session.run));
      }),
    );
}

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

function print(session: Session, provider: Provider): void {
  const view = providerView(provider);
  session.output.result({ text: fieldTable(view), data: providersShape([view]) });
}
