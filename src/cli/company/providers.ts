import type { Command } from "commander";
import type { ProviderInput } from "../../app/owner/registry.ts";
import { components, providerNames } from "../../core/answers/provider.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { providersShape, providerView, removedShape } from "../shapes/registry.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { type ConfigFlags, configFrom, configOptions, requireSome } from "./registry-flags.ts";

/** `ragctl providers …`: what writes, rewrites and routes; nothing is called that is not enabled here. */
export function registerProviders(program: Command): void {
  const providers = program
    .command("providers")
    .description(
      "who serves the parts of the chain: llm, reflection, semantic_router; one of each is enabled",
    );

  providers
    .command("list")
    .description("list the providers")
    .addHelpText("after", "\nExample:\n  ragctl providers list")
    .action(
      action(async (session) => {
        const views = (await session.app()).manage.providers.list(session.run).map(providerView);
        const rows = views.map((view) => [
          view.name,
          view.enabled ? "yes" : "no",
          JSON.stringify(view.config),
        ]);
        const text =
          views.length === 0
            ? "no providers; `ragctl agents seed` adds some"
            : table(["provider", "enabled", "config"], rows);
        session.output.result({ text, data: providersShape(views), lines: views });
      }),
    );

  providers
    .command("show")
    .description("show one provider")
    .argument("<provider>", "component/provider, e.g. llm/local")
    .addHelpText("after", "\nExample:\n  ragctl providers show llm/local")
    .action(
      action(async (session, reference: string) => {
        print(session, (await session.app()).manage.providers.get(reference, session.run));
      }),
    );

  configOptions(providers.command("add"))
    .description("add a provider and enable it; the one of its component before is disabled")
    .argument("<provider>", `component/provider: ${components.join(", ")} / ${providerNames.join(", ")}`)
    .option("--disabled", "leave the one that is enabled in its place")
    .addHelpText(
      "after",
      "\nExample:\n  ragctl providers add llm/ollama --option base_url=http://127.0.0.1:11434 --option model=qwen2.5:7b",
    )
    .action(
      action(async (session, reference: string, flags: ConfigFlags & { readonly disabled?: boolean }) => {
        const config = configFrom(flags, () => ({})) ?? {};
        const provider = { ...wordsOf(reference), config, active: flags.disabled !== true };
        print(session, (await session.app()).manage.providers.add(provider, session.run));
      }),
    );

  configOptions(providers.command("set"))
    .description("change the configuration of a provider")
    .argument("<provider>", "component/provider, e.g. llm/local")
    .addHelpText("after", "\nExample:\n  ragctl providers set llm/local --option temperature=0")
    .action(
      action(async (session, reference: string, flags: ConfigFlags) => {
        const { manage } = await session.app();
        const config = configFrom(flags, () => manage.providers.get(reference, session.run).config);
        requireSome(config === undefined ? {} : { config }, "providers");
        print(session, manage.providers.set(reference, config === undefined ? {} : { config }, session.run));
      }),
    );

  for (const [name, active] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    providers
      .command(name)
      .description(
        active ? "use a provider; the one of its component before is disabled" : "use a provider no more",
      )
      .argument("<provider>", "component/provider, e.g. llm/local")
      .addHelpText("after", `\nExample:\n  ragctl providers ${name} llm/local`)
      .action(
        action(async (session, reference: string) => {
          print(session, (await session.app()).manage.providers.set(reference, { active }, session.run));
        }),
      );
  }

  providers
    .command("remove")
    .description("remove a provider")
    .argument("<provider>", "component/provider, e.g. llm/ollama")
    .addHelpText("after", "\nExample:\n  ragctl providers remove llm/ollama")
    .action(
      action(async (session, reference: string) => {
        (await session.app()).manage.providers.remove(reference, session.run);
        session.output.result({
          text: `removed the provider ${reference}`,
          data: removedShape("provider", reference),
        });
      }),
    );
}

/** `llm/local` in its two words. @throws USAGE_INVALID with the word that was meant */
function wordsOf(reference: string): Pick<ProviderInput, "component" | "provider"> {
  const [component = "", provider = ""] = reference.split("/", 2);
  const one = <Word extends string>(word: string, known: readonly Word[], what: string): Word => {
    const found = known.find((each) => each === word);
    if (found !== undefined) return found;
    throw new RagctlError("USAGE_INVALID", `${what} "${word}" is unknown${didYouMean(word, known)}`, {
      hint: `a provider is named component/provider: ${known.join(", ")}`,
    });
  };
  return {
    component: one(component, components, "the component"),
    provider: one(provider, providerNames, "the provider"),
  };
}

function print(session: Session, provider: Parameters<typeof providerView>[0]): void {
  const view = providerView(provider);
  const rows = Object.entries(view).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  session.output.result({ text: table(["field", "value"], rows), data: providersShape([view]) });
}
