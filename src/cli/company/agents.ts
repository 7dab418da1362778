import type { Command } from "commander";
import type { AgentInput, AgentPatch } from "../../app/owner/registry.ts";
import { type AgentView, agentsShape, agentView, removedShape, seedShape } from "../shapes/registry.ts";
import { listOption } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { oneLine } from "../shell/text.ts";
import { given, jsonFrom, requireSome, wholeNumber } from "./registry-flags.ts";

interface AgentFlags {
  readonly department?: string;
  readonly description?: string;
  readonly topic?: readonly string[];
  readonly example?: readonly string[];
  readonly providerConfig?: string;
}

/** `ragctl agents …`: who answers, about what, and with which tools. */
export function registerAgents(program: Command): void {
  const agents = program
    .command("agents")
    .description("the agents of the registry: who answers, about what, with which tools");
  registerSeed(agents);

  agents
    .command("list")
    .description("list the agents with their tools by priority")
    .addHelpText("after", "\nExample:\n  ragctl agents list")
    .action(
      action(async (session) => {
        const views = (await session.app()).manage.agents.list(session.run).map(agentView);
        const rows = views.map((view) => [
          view.name,
          view.department,
          view.enabled ? "yes" : "no",
          view.tools.join(", "),
          oneLine(view.description, 60),
        ]);
        const text =
          views.length === 0
            ? "no agents; `ragctl agents seed` adds a company"
            : table(["agent", "department", "enabled", "tools", "description"], rows);
        session.output.result({ text, data: agentsShape(views), lines: views });
      }),
    );

  agents
    .command("show")
    .description("show one agent")
    .argument("<agent>", "name or id")
    .addHelpText("after", '\nExample:\n  ragctl agents show "HR Assistant"')
    .action(
      action(async (session, reference: string) => {
        print(session, agentView((await session.app()).manage.agents.get(reference, session.run)));
      }),
    );

  agentFlags(agents.command("add"))
    .description("add an agent")
    .argument("<name>", "name of the new agent")
    .requiredOption("--department <name>", "department whose collections it may read")
    .addOption(listOption("--tool <tool>", "tool to give it, the most preferred first; may be repeated"))
    .addHelpText(
      "after",
      '\nExample:\n  ragctl agents add "Legal Assistant" --department legal --topic contracts --tool "RAG Search"',
    )
    .action(
      action(
        async (
          session,
          name: string,
          flags: AgentFlags & { readonly department: string; readonly tool?: readonly string[] },
        ) => {
          const agent: AgentInput = { name, department: flags.department, ...patchOf(flags) };
          print(
            session,
            agentView((await session.app()).manage.agents.add(agent, flags.tool ?? [], session.run)),
          );
        },
      ),
    );

  agentFlags(agents.command("set"))
    .description("change fields of an agent; the others stay")
    .argument("<agent>", "name or id")
    .option("--department <name>", "department whose collections it may read")
    .addHelpText("after", '\nExample:\n  ragctl agents set "HR Assistant" --topic leave --topic payroll')
    .action(
      action(async (session, reference: string, flags: AgentFlags) => {
        const patch = patchOf(flags);
        requireSome(patch, "agents");
        print(session, agentView((await session.app()).manage.agents.set(reference, patch, session.run)));
      }),
    );

  for (const [name, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    agents
      .command(name)
      .description(
        enabled ? "let an agent answer again" : "keep an agent from answering; everything about it stays",
      )
      .argument("<agent>", "name or id")
      .addHelpText("after", `\nExample:\n  ragctl agents ${name} "HR Assistant"`)
      .action(
        action(async (session, reference: string) => {
          print(
            session,
            agentView((await session.app()).manage.agents.set(reference, { enabled }, session.run)),
          );
        }),
      );
  }

  agents
    .command("remove")
    .description("remove an agent and the rules about it; its tools stay, and seeding does not bring it back")
    .argument("<agent>", "name or id")
    .addHelpText("after", '\nExample:\n  ragctl agents remove "Legal Assistant"')
    .action(
      action(async (session, reference: string) => {
        const { manage } = await session.app();
        manage.agents.remove(reference, session.run);
        session.output.result({
          text: `removed the agent ${reference}`,
          data: removedShape("agent", reference),
        });
      }),
    );

  agents
    .command("give")
    .description("give an agent a tool, or change how it may use it")
    .argument("<agent>", "name or id")
    .argument("<tool>", "name or id")
    .option(
      "--priority <n>",
      "tools of a higher priority are preferred (default: below its other tools)",
      wholeNumber,
    )
    .option("--enable", "let it use the tool")
    .option("--disable", "keep it from using the tool without taking it")
    .addHelpText("after", '\nExample:\n  ragctl agents give "HR Assistant" Calculator --priority 20')
    .action(
      action(
        async (
          session,
          reference: string,
          tool: string,
          flags: { readonly priority?: number; readonly enable?: boolean; readonly disable?: boolean },
        ) => {
          const enabled = flags.disable === true ? false : flags.enable;
          const how = { tool, ...given({ priority: flags.priority, enabled }) };
          print(session, agentView((await session.app()).manage.agents.give(reference, how, session.run)));
        },
      ),
    );

  agents
    .command("take")
    .description("take a tool from an agent")
    .argument("<agent>", "name or id")
    .argument("<tool>", "name or id")
    .addHelpText("after", '\nExample:\n  ragctl agents take "HR Assistant" Calculator')
    .action(
      action(async (session, reference: string, tool: string) => {
        print(session, agentView((await session.app()).manage.agents.take(reference, tool, session.run)));
      }),
    );
}

function registerSeed(agents: Command): void {
  agents
    .command("seed")
    .description(
      "fill the registry with the company of config/seed.yaml; what is there stays as it is, what was removed stays away",
    )
    .option("--force", "bring back what was removed since an earlier seeding")
    .addHelpText("after", "\nExample:\n  ragctl agents seed")
    .action(
      action(async (session, flags: { readonly force?: boolean }) => {
        const report = (await session.app()).manage.seed({ force: flags.force === true }, session.run);
        const data = seedShape(report);
        session.output.result({ text: table(["added", "rows"], Object.entries(data.added)), data });
        if (report.leftOut.length > 0)
          session.output.note(
            `left out, because it was removed before: ${report.leftOut.join(", ")}; --force brings it back`,
          );
      }),
    );
}

function agentFlags(command: Command): Command {
  return command
    .option(
      "--description <text>",
      "what it answers about, in one or two sentences; questions are compared with it",
    )
    .addOption(
      listOption(
        "--topic <text>",
        "a topic it answers about; may be repeated, the topics given replace the ones before",
      ),
    )
    .addOption(
      listOption(
        "--example <question>",
        "a question it answers; may be repeated, the ones given replace the ones before",
      ),
    )
    .option(
      "--provider-config <json>",
      'a provider of its own, e.g. {"provider": "ollama", "model": "…"}; {} is the one of the registry',
    );
}

function patchOf(flags: AgentFlags): AgentPatch {
  const { department, description, topic: topics, example: examples, providerConfig } = flags;
  const capabilities = given({ topics: topics && [...topics], examples: examples && [...examples] });
  return {
    ...given({ department, description }),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
    ...(providerConfig === undefined
      ? {}
      : { providerConfig: jsonFrom(providerConfig, "--provider-config") }),
  };
}

function print(session: Session, view: AgentView): void {
  const { given_tools = [], provider_config, ...fields } = view;
  const tools = given_tools.map(
    ({ tool, priority, enabled }) => `${tool} (${priority}${enabled ? "" : ", disabled"})`,
  );
  const shown = { ...fields, tools, provider: JSON.stringify(provider_config) };
  const rows = Object.entries(shown).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join("\n") : String(value),
  ]);
  session.output.result({ text: table(["field", "value"], rows), data: agentsShape([view]) });
}
