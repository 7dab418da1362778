import { hint, ownerOnly } from "../../app/audit/attempt.ts";
import type { AgentPatch, RegistryApi } from "../../app/owner/registry.ts";
import { z } from "../../core/schema.ts";
import { agentsShape, agentView, seedShape } from "../../shapes/registry.ts";
import { name, toggle } from "../fields.ts";
import { defined, field, type InputOf, type Operation, operation } from "../operation.ts";
import { fieldTable, listed, type Text, tableOf } from "../result-text.ts";
import { oneLine } from "../text.ts";
import { jsonFrom, requireAnyOption } from "./config.ts";
import { rowField, rowOperations } from "./rows.ts";

type Agent = Awaited<ReturnType<RegistryApi["agents"]["get"]>>;

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const agent = rowField("agent", "name or id");
const tool = field("<tool>", name, "name or id");
const departmentHelp = "department whose collections it may read";

const agentFields = {
  description: field(
    "--description <text>",
    text,
    "topics it answers, in one or two sentences; used to match questions to agents",
  ),
  persona: field(
    "--persona <text>",
    text,
    'how it speaks, e.g. "You are calm and brief."; part of every prompt',
  ),
  guidelines: field("--guidelines <text>", text, "rules for its answers, one per line; part of every prompt"),
  topics: field("--topic <text>", texts, "topic it answers; may be repeated; replaces the existing topics"),
  examples: field(
    "--example <question>",
    texts,
    "example of a question it answers; may be repeated; replaces the existing examples",
  ),
  provider_config: field(
    "--provider-config <json>",
    text,
    'provider for this agent, e.g. {"provider": "ollama", "model": "…"}; {} uses the registry\'s provider',
  ),
};

type Described = InputOf<typeof agentFields>;

function patchOf({ topics, examples, provider_config: provider, ...rest }: Described): AgentPatch {
  const capabilities = defined({ topics, examples });
  return {
    ...defined(rest),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
    ...(provider === undefined ? {} : { providerConfig: jsonFrom(provider, "--provider-config") }),
  };
}

function agentText(row: Agent): Text {
  const { given_tools = [], provider_config: provider, ...fields } = agentView(row);
  const tools = given_tools.map(
    ({ tool, priority, enabled }) => `${tool} (${priority}${enabled ? "" : ", disabled"})`,
  );
  return fieldTable({ ...fields, tools, provider });
}

const seed = operation({
  name: "agents seed",
  summary:
    "fill the registry with the example company from config/seed.yaml; existing entries are kept, removed ones are not restored",
  input: { force: toggle("--force", "also restore entries that were removed after an earlier seed") },
  document: "seed",
  examples: ["ragctl agents seed"],
  attempt: () => [ownerOnly],
  run: (app, { force }, { run }) => app.registry.seed({ force }, run),
  print: seedShape,
  text: ({ added }) =>
    tableOf(Object.entries(seedShape({ added, leftOut: [], undescribed: [] }).added), {
      added: ([name]) => name,
      rows: ([, rows]) => rows,
    }),
  notes: ({ undescribed, leftOut }) =>
    [
      undescribed.length > 0 &&
        `unchanged because they existed: ${undescribed.join(", ")}; \`ragctl collections describe\` says what a collection is for`,
      leftOut.length > 0 && `skipped because they were removed: ${leftOut.join(", ")}; --force restores them`,
    ].filter((note) => note !== false),
});

const shared = rowOperations<Agent>({
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
  http: { tag: "Company", offers: ["list", "show"] },
  seen: hint,
  of: (app) => app.registry.agents,
  print: agentsShape,
  textOfAll: (agents) =>
    listed(agents.map(agentView), "no agents; `ragctl agents seed` adds an example company", {
      agent: ({ name }) => name,
      department: ({ department }) => department,
      enabled: ({ enabled }) => (enabled ? "yes" : "no"),
      tools: ({ tools }) => tools.join(", "),
      description: ({ description }) => oneLine(description, 60),
    }),
  text: agentText,
});

const add = operation({
  ...shared.shown,
  name: "agents add",
  summary: "add an agent",
  input: {
    name: field("<name>", name, "name of the new agent"),
    ...agentFields,
    department: field("--department <name>", name, departmentHelp),
    tools: field(
      "--tool <tool>",
      z.array(name).default([]),
      "tool the agent can use, preferred tool first; may be repeated",
    ),
  },
  examples: ['ragctl agents add "Legal Assistant" --department legal --topic contracts --tool "RAG Search"'],
  attempt: ({ word }) => [{ input: { name: word, department: "general" }, ...ownerOnly }],
  run: (app, { name, department, tools, ...rest }, { run }) =>
    app.registry.agents.add({ name, department, ...patchOf(rest) }, tools, run),
});

const set = operation({
  ...shared.shown,
  name: "agents set",
  summary: "change fields of an agent; fields you do not name are unchanged",
  input: { agent, ...agentFields, department: field("--department <name>", name.optional(), departmentHelp) },
  examples: ['ragctl agents set "HR Assistant" --topic leave --topic payroll'],
  attempt: ({ tool }) => [{ input: { agent: tool.name, persona: "" }, ...ownerOnly }],
  run(app, { agent, department, ...rest }, { run }) {
    const patch = { ...defined({ department }), ...patchOf(rest) };
    requireAnyOption(patch, "agents set");
    return app.registry.agents.set(agent, patch, run);
  },
});

const give = operation({
  ...shared.shown,
  name: "agents give",
  summary: "give an agent a tool, or change its priority or state",
  input: {
    agent,
    tool,
    priority: field(
      "--priority <n>",
      z.int().optional(),
      "priority; higher is preferred (default: below its other tools)",
    ),
    enable: toggle("--enable", "let the agent use the tool"),
    disable: toggle("--disable", "stop the agent from using the tool, but keep the assignment"),
  },
  examples: ['ragctl agents give "HR Assistant" Calculator --priority 20'],
  attempt: ({ tool }) => [{ input: { agent: "HR Assistant", tool: tool.name }, ...ownerOnly }],
  run(app, { agent, tool, priority, enable, disable }, { run }) {
    const enabled = disable ? false : enable || undefined;
    return app.registry.agents.give(agent, { tool, ...defined({ priority, enabled }) }, run);
  },
});

const take = operation({
  ...shared.shown,
  name: "agents take",
  summary: "take a tool away from an agent",
  input: { agent, tool },
  examples: ['ragctl agents take "HR Assistant" Calculator'],
  attempt: ({ tool }) => [{ input: { agent: "HR Assistant", tool: tool.name }, ...ownerOnly }],
  run: (app, input, { run }) => app.registry.agents.take(input.agent, input.tool, run),
});

/** Who answers, about what, and with which tools, in the order of the help. */
export const agents: readonly Operation[] = [
  ...[seed, shared.list, shared.show, add, set],
  ...[shared.enable, shared.disable, shared.remove, give, take],
];
