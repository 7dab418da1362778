import { type Command, Option } from "commander";
import type { ToolInput, ToolPatch } from "../../app/owner/registry.ts";
import { toolTypes } from "../../core/answers/tool.ts";
import { removedShape, toolsShape, toolView } from "../shapes/registry.ts";
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

interface ToolFlags extends ConfigFlags {
  readonly type?: ToolInput["type"];
  readonly permissions?: string;
}

/** `ragctl tools …`: what agents can use beside their own words. */
export function registerTools(program: Command): void {
  const tools = program
    .command("tools")
    .description("the tools of the registry: search, calculator, database, …");

  tools
    .command("list")
    .description("list the tools")
    .addHelpText("after", "\nExample:\n  ragctl tools list")
    .action(
      action(async (session) => {
        const views = (await session.app()).manage.tools.list(session.run).map(toolView);
        const rows = views.map((view) => [
          view.name,
          view.type,
          view.enabled ? "yes" : "no",
          oneLine(JSON.stringify(view.config), 80),
        ]);
        const text =
          views.length === 0
            ? "no tools; `ragctl agents seed` adds some"
            : table(["tool", "type", "enabled", "config"], rows);
        session.output.result({ text, data: toolsShape(views), lines: views });
      }),
    );

  tools
    .command("show")
    .description("show one tool")
    .argument("<tool>", "name or id")
    .addHelpText("after", "\nExample:\n  ragctl tools show Calculator")
    .action(
      action(async (session, reference: string) => {
        print(session, toolView((await session.app()).manage.tools.get(reference, session.run)));
      }),
    );

  toolFlags(tools.command("add"))
    .description("add a tool; `ragctl agents give AGENT TOOL` lets an agent use it")
    .argument("<name>", "name of the new tool")
    .addOption(typeOption().makeOptionMandatory())
    .option("--disabled", "add it without letting anyone use it yet")
    .addHelpText("after", '\nExample:\n  ragctl tools add "Manual Search" --type rag --option top_k=6')
    .action(
      action(
        async (
          session,
          name: string,
          flags: ToolFlags & { readonly type: ToolInput["type"]; readonly disabled?: boolean },
        ) => {
          const config = configFrom(flags, () => ({})) ?? {};
          const tool: ToolInput = {
            name,
            type: flags.type,
            config,
            ...permissionsOf(flags),
            enabled: flags.disabled !== true,
          };
          print(session, toolView((await session.app()).manage.tools.add(tool, session.run)));
        },
      ),
    );

  toolFlags(tools.command("set"))
    .description("change fields of a tool; the others stay")
    .argument("<tool>", "name or id")
    .addOption(typeOption())
    .addHelpText("after", "\nExample:\n  ragctl tools set Calculator --option precision_digits=20")
    .action(
      action(async (session, reference: string, flags: ToolFlags) => {
        const { manage } = await session.app();
        const config = configFrom(flags, () => manage.tools.get(reference, session.run).config);
        const patch: ToolPatch = { ...given({ type: flags.type, config }), ...permissionsOf(flags) };
        requireSome(patch, "tools");
        print(session, toolView(manage.tools.set(reference, patch, session.run)));
      }),
    );

  for (const [name, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    tools
      .command(name)
      .description(
        enabled ? "let agents use a tool" : "keep every agent from using a tool; everything about it stays",
      )
      .argument("<tool>", "name or id")
      .addHelpText("after", `\nExample:\n  ragctl tools ${name} "Database Query"`)
      .action(
        action(async (session, reference: string) => {
          print(
            session,
            toolView((await session.app()).manage.tools.set(reference, { enabled }, session.run)),
          );
        }),
      );
  }

  tools
    .command("remove")
    .description("remove a tool, take it from every agent and drop the rules about it")
    .argument("<tool>", "name or id")
    .addHelpText("after", '\nExample:\n  ragctl tools remove "Web Search"')
    .action(
      action(async (session, reference: string) => {
        (await session.app()).manage.tools.remove(reference, session.run);
        session.output.result({
          text: `removed the tool ${reference}`,
          data: removedShape("tool", reference),
        });
      }),
    );
}

function typeOption(): Option {
  return new Option("--type <type>", "kind of tool").choices(toolTypes);
}

function toolFlags(command: Command): Command {
  return configOptions(command).option(
    "--permissions <json>",
    'who may use it, e.g. {"network": true}, {"requires_grant": true} or {"departments": ["it"]}',
  );
}

function permissionsOf(flags: ToolFlags): Pick<ToolPatch, "permissions"> {
  return flags.permissions === undefined ? {} : { permissions: jsonFrom(flags.permissions, "--permissions") };
}

function print(session: Session, view: ReturnType<typeof toolView>): void {
  const rows = Object.entries(view).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  session.output.result({ text: table(["field", "value"], rows), data: toolsShape([view]) });
}
