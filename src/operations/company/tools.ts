import { hint, ownerOnly } from "../../app/audit/attempt.ts";
import type { RegistryApi, ToolInput, ToolPatch } from "../../app/owner/registry.ts";
import { toolTypes } from "../../core/answers/tool.ts";
import { z } from "../../core/schema.ts";
import { toolsShape, toolView } from "../../shapes/registry.ts";
import { name, text, toggle } from "../fields.ts";
import { defined, field, type Operation, operation } from "../operation.ts";
import { fieldTable, listed } from "../result-text.ts";
import { oneLine } from "../text.ts";
import { configFields, configFrom, jsonFrom, requireAnyOption } from "./config.ts";
import { rowField, rowOperations } from "./rows.ts";

type Tool = Awaited<ReturnType<RegistryApi["tools"]["get"]>>;

const type = z.string();
const typeHelp = `type: ${toolTypes.join(", ")}; any other word becomes generic`;
const toolFields = {
  ...configFields,
  permissions: text(
    "--permissions <json>",
    'restrictions, e.g. {"network": true}, {"requires_grant": true} or {"departments": ["it"]}',
  ),
};

const permissionsOf = (text: string | undefined): Pick<ToolPatch, "permissions"> =>
  text === undefined ? {} : { permissions: jsonFrom(text, "--permissions") };

const shared = rowOperations<Tool>({
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
  http: { tag: "Company", offers: ["list"] },
  seen: hint,
  of: (app) => app.registry.tools,
  print: toolsShape,
  textOfAll: (tools) =>
    listed(tools, "no tools; `ragctl agents seed` adds some", {
      tool: ({ name }) => name,
      type: ({ type }) => type,
      enabled: ({ enabled }) => (enabled ? "yes" : "no"),
      config: ({ config }) => oneLine(JSON.stringify(config), 80),
    }),
  text: (row) => fieldTable(toolView(row)),
});

const add = operation({
  ...shared.shown,
  name: "tools add",
  summary: "add a tool; `ragctl agents give AGENT TOOL` lets an agent use it",
  input: {
    name: field("<name>", name, "name of the new tool"),
    ...toolFields,
    type: field("--type <type>", type, typeHelp),
    disabled: toggle("--disabled", "add the tool without enabling it"),
  },
  examples: ['ragctl tools add "Manual Search" --type rag --option top_k=6'],
  attempt: ({ word }) => [{ input: { name: word, type: "rag" }, ...ownerOnly }],
  async run(app, { name, type, permissions, disabled, ...rest }, { run }) {
    const config = (await configFrom(rest)) ?? {};
    const tool: ToolInput = { name, type, config, ...permissionsOf(permissions), enabled: !disabled };
    return app.registry.tools.add(tool, run);
  },
});

const set = operation({
  ...shared.shown,
  name: "tools set",
  summary: "change fields of a tool; fields you do not name are unchanged",
  input: {
    tool: rowField("tool", "name or id"),
    ...toolFields,
    type: field("--type <type>", type.optional(), typeHelp),
  },
  examples: ["ragctl tools set Calculator --option precision_digits=20"],
  attempt: ({ tool }) => [{ input: { tool: tool.name, type: "rag" }, ...ownerOnly }],
  async run(app, { tool, type, permissions, ...rest }, { run }) {
    const { tools } = app.registry;
    const config = await configFrom(rest, async () => (await tools.get(tool, run)).config);
    const patch: ToolPatch = { ...defined({ type, config }), ...permissionsOf(permissions) };
    requireAnyOption(patch, "tools set");
    return tools.set(tool, patch, run);
  },
});

/** The tools that agents can use, in the order of the help. */
export const tools: readonly Operation[] = [
  ...[shared.list, shared.show, add, set, shared.enable, shared.disable, shared.remove],
];
