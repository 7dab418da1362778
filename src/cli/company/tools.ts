import { type Command, Option } from "commander";
import type { RegistryApi, ToolInput, ToolPatch } from "../../app/owner/registry.ts";
import { toolTypes } from "../../core/answers/tool.ts";
import { removedShape, toolsShape, toolView } from "../../shapes/registry.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { oneLine } from "../shell/text.ts";
import {
  type ConfigFlags,
  configFrom,
  configOptions,
  given,
  jsonFrom,
  requireSome,
} from "./registry-flags.ts";
import { fieldTable, type Rows, registerReading, registerSwitching } from "./rows.ts";

type Tool = ReturnType<RegistryApi["tools"]["get"]>;

interface ToolFlags extends ConfigFlags {
  readonly type?: ToolInput["type"];
  readonly permissions?: string;
}

interface AddFlags extends ToolFlags {
  readonly type: ToolInput["type"];
  readonly disabled?: boolean;
}

const rows: Rows<Tool> = {
  noun: "tool",
  reference: "name or id",
  example: '"Database Query"',
  removable: '"Web Search"',
  help: {
    list: "list tools",
    enable: "let agents use a tool",
    disable: "stop all agents from using a tool; its configuration is kept",
    remove: "remove a tool, its permission rules, and its assignment to agents",
  },
  list: (app, run) => app.registry.tools.list(run),
  get: (app, reference, run) => app.registry.tools.get(reference, run),
  setEnabled: (app, reference, enabled, run) => app.registry.tools.set(reference, { enabled }, run),
  remove(app, reference, session) {
    app.registry.tools.remove(reference, session.run);
    session.output.result({
      text: `removed tool ${reference}`,
      data: removedShape("tool", reference),
    });
  },
  printAll(session, tools) {
    const views = tools.map(toolView);
    const cells = views.map(({ name, type, enabled, config }) => [
      name,
      type,
      enabled ? "yes" : "no",
      oneLine(JSON.stringify(config), 80),
    ]);
    const text =
      views.length === 0
        ? "no tools; `ragctl agents seed` adds some"
        : table(["tool", "type", "enabled", "config"], cells);
    session.output.result({ text, data: toolsShape(views) });
  },
  print,
};

/** `ragctl tools …`: the tools that agents can use. */
export function registerTools(program: Command): void {
  const tools = declared(program, "tools");
  registerReading(tools, rows);
  registerAdd(tools);
  registerSet(tools);
  registerSwitching(tools, rows);
}

function registerAdd(tools: Command): void {
  toolFlags(tools.command("add"))
    .description("add a tool; `ragctl agents give AGENT TOOL` lets an agent use it")
    .argument("<name>", "name of the new tool")
    .addOption(typeOption().makeOptionMandatory())
    .option("--disabled", "add the tool without enabling it")
    .addHelpText("after", '\nExample:\n  ragctl tools add "Manual Search" --type rag --option top_k=6')
    .action(
      action(async (session, name: string, flags: AddFlags) => {
        const tool: ToolInput = {
          name,
          type: flags.type,
          config: configFrom(flags, () => ({})) ?? {},
          ...permissionsOf(flags),
          enabled: flags.disabled !== true,
        };
        print(session, (await session.app()).registry.tools.add(tool, session.run));
      }),
    );
}

function registerSet(tools: Command): void {
  toolFlags(tools.command("set"))
    .description("change fields of a tool; fields you do not name are unchanged")
    .argument("<tool>", "name or id")
    .addOption(typeOption())
    .addHelpText("after", "\nExample:\n  ragctl tools set Calculator --option precision_digits=20")
    .action(
      action(async (session, reference: string, flags: ToolFlags) => {
        const { registry } = await session.app();
        const config = configFrom(flags, () => registry.tools.get(reference, session.run).config);
        const patch: ToolPatch = { ...given({ type: flags.type, config }), ...permissionsOf(flags) };
        requireSome(patch, "tools set");
        print(session, registry.tools.set(reference, patch, session.run));
      }),
    );
}

function typeOption(): Option {
  return new Option("--type <type>", `type: ${toolTypes.join(", ")}; any other word becomes generic`);
}

function toolFlags(command: Command): Command {
  return configOptions(command).option(
    "--permissions <json>",
    'restrictions, e.g. {"network": true}, {"requires_grant": true} or {"departments": ["it"]}',
  );
}

function permissionsOf(flags: ToolFlags): Pick<ToolPatch, "permissions"> {
  return flags.permissions === undefined ? {} : { permissions: jsonFrom(flags.permissions, "--permissions") };
}

function print(session: Session, tool: Tool): void {
  const view = toolView(tool);
  session.output.result({ text: fieldTable(view), data: toolsShape([view]) });
}
