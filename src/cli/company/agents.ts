import type { Command } from "commander";
import type { AgentInput, AgentPatch, RegistryApi } from "../../app/owner/registry.ts";
import { agentsShape, agentView, removedShape, seedShape } from "../../shapes/registry.ts";
import { declared } from "../commands.ts";
import { listOption } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { oneLine } from "../shell/text.ts";
import { given, jsonFrom, requireSome, wholeNumber } from "./registry-flags.ts";
import { fieldTable, type Rows, registerReading, registerSwitching } from "./rows.ts";

type Agent = ReturnType<RegistryApi["agents"]["get"]>;

interface AgentFlags {
  readonly department?: string;
  readonly description?: string;
  readonly persona?: string;
  readonly guidelines?: string;
  readonly topic?: readonly string[];
  readonly example?: readonly string[];
  readonly providerConfig?: string;
}

interface AddFlags extends AgentFlags {
  readonly department: string;
  readonly tool?: readonly string[];
}

interface GiveFlags {
  readonly priority?: number;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

const rows: Rows<Agent> = {
  noun: "agent",
  reference: "name or id",
  example: '"HR Assistant"',
  removable: '"Legal Assistant"',
  help: {
    list: "list agents and their tools, highest priority first",
    enable: "enable a disabled agent",
    disable: "stop an agent from answering; its configuration is kept",
    remove: "remove an agent and its permission rules; its tools are kept, and seeding does not restore it",
  },
  list: (app, run) => app.registry.agents.list(run),
  get: (app, reference, run) => app.registry.agents.get(reference, run),
  setEnabled: (app, reference, enabled, run) => app.registry.agents.set(reference, { enabled }, run),
  remove(app, reference, session) {
    app.registry.agents.remove(reference, session.run);
    session.output.result({
      text: `removed agent ${reference}`,
      data: removedShape("agent", reference),
    });
  },
  printAll(session, agents) {
    const views = agents.map(agentView);
    const cells = views.map((view) => [
      view.name,
      view.department,
      view.enabled ? "yes" : "no",
      view.tools.join(", "),
      oneLine(view.description, 60),
    ]);
    const text =
      views.length === 0
        ? "no agents; `ragctl agents seed` adds an example company"
        : table(["agent", "department", "enabled", "tools", "description"], cells);
    session.output.result({ text, data: agentsShape(views) });
  },
  print,
};

/** `ragctl agents …`: who answers, about what, and with which tools. */
export function registerAgents(program: Command): void {
  const agents = declared(program, "agents");
  registerSeed(agents);
  registerReading(agents, rows);
  registerAdd(agents);
  registerSet(agents);
  registerSwitching(agents, rows);
  registerGive(agents);
  registerTake(agents);
}

function registerSeed(agents: Command): void {
  agents
    .command("seed")
    .description(
      "fill the registry with the example company from config/seed.yaml; existing entries are kept, removed ones are not restored",
    )
    .option("--force", "also restore entries that were removed after an earlier seed")
    .addHelpText("after", "\nExample:\n  ragctl agents seed")
    .action(
      action(async (session, flags: { readonly force?: boolean }) => {
        const report = (await session.app()).registry.seed({ force: flags.force === true }, session.run);
        const data = seedShape(report);
        session.output.result({ text: table(["added", "rows"], Object.entries(data.added)), data });
        if (report.undescribed.length > 0)
          session.output.note(
            `unchanged because they existed: ${report.undescribed.join(", ")}; \`ragctl collections describe\` says what a collection is for`,
          );
        if (report.leftOut.length > 0)
          session.output.note(
            `skipped because they were removed: ${report.leftOut.join(", ")}; --force restores them`,
          );
      }),
    );
}

function registerAdd(agents: Command): void {
  agentFlags(agents.command("add"))
    .description("add an agent")
    .argument("<name>", "name of the new agent")
    .requiredOption("--department <name>", "department whose collections it may read")
    .addOption(listOption("--tool <tool>", "tool the agent can use, preferred tool first; may be repeated"))
    .addHelpText(
      "after",
      '\nExample:\n  ragctl agents add "Legal Assistant" --department legal --topic contracts --tool "RAG Search"',
    )
    .action(
      action(async (session, name: string, flags: AddFlags) => {
        const agent: AgentInput = { name, department: flags.department, ...patchOf(flags) };
        print(session, (await session.app()).registry.agents.add(agent, flags.tool ?? [], session.run));
      }),
    );
}

function registerSet(agents: Command): void {
  agentFlags(agents.command("set"))
    .description("change fields of an agent; fields you do not name are unchanged")
    .argument("<agent>", "name or id")
    .option("--department <name>", "department whose collections it may read")
    .addHelpText("after", '\nExample:\n  ragctl agents set "HR Assistant" --topic leave --topic payroll')
    .action(
      action(async (session, reference: string, flags: AgentFlags) => {
        const patch = patchOf(flags);
        requireSome(patch, "agents set");
        print(session, (await session.app()).registry.agents.set(reference, patch, session.run));
      }),
    );
}

function registerGive(agents: Command): void {
  agents
    .command("give")
    .description("give an agent a tool, or change its priority or state")
    .argument("<agent>", "name or id")
    .argument("<tool>", "name or id")
    .option("--priority <n>", "priority; higher is preferred (default: below its other tools)", wholeNumber)
    .option("--enable", "let the agent use the tool")
    .option("--disable", "stop the agent from using the tool, but keep the assignment")
    .addHelpText("after", '\nExample:\n  ragctl agents give "HR Assistant" Calculator --priority 20')
    .action(
      action(async (session, reference: string, tool: string, flags: GiveFlags) => {
        const enabled = flags.disable === true ? false : flags.enable;
        const terms = { tool, ...given({ priority: flags.priority, enabled }) };
        print(session, (await session.app()).registry.agents.give(reference, terms, session.run));
      }),
    );
}

function registerTake(agents: Command): void {
  agents
    .command("take")
    .description("take a tool away from an agent")
    .argument("<agent>", "name or id")
    .argument("<tool>", "name or id")
    .addHelpText("after", '\nExample:\n  ragctl agents take "HR Assistant" Calculator')
    .action(
      action(async (session, reference: string, tool: string) => {
        print(session, (await session.app()).registry.agents.take(reference, tool, session.run));
      }),
    );
}

function agentFlags(command: Command): Command {
  return command
    .option(
      "--description <text>",
      "topics it answers, in one or two sentences; used to match questions to agents",
    )
    .option("--persona <text>", 'how it speaks, e.g. "You are calm and brief."; part of every prompt')
    .option("--guidelines <text>", "rules for its answers, one per line; part of every prompt")
    .addOption(
      listOption("--topic <text>", "topic it answers; may be repeated; replaces the existing topics"),
    )
    .addOption(
      listOption(
        "--example <question>",
        "example of a question it answers; may be repeated; replaces the existing examples",
      ),
    )
    .option(
      "--provider-config <json>",
      'provider for this agent, e.g. {"provider": "ollama", "model": "…"}; {} uses the registry\'s provider',
    );
}

function patchOf(flags: AgentFlags): AgentPatch {
  const {
    department,
    description,
    persona,
    guidelines,
    topic: topics,
    example: examples,
    providerConfig,
  } = flags;
  const capabilities = given({ topics: topics && [...topics], examples: examples && [...examples] });
  return {
    ...given({ department, description, persona, guidelines }),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
    ...(providerConfig === undefined
      ? {}
      : { providerConfig: jsonFrom(providerConfig, "--provider-config") }),
  };
}

function print(session: Session, agent: Agent): void {
  const view = agentView(agent);
  const { given_tools = [], provider_config: provider, ...fields } = view;
  const tools = given_tools.map(
    ({ tool, priority, enabled }) => `${tool} (${priority}${enabled ? "" : ", disabled"})`,
  );
  session.output.result({
    text: fieldTable({ ...fields, tools, provider }),
    data: agentsShape([view]),
  });
}
