import type { Command } from "commander";
import type { LocalApp } from "../app.ts";
import { table } from "./output.ts";
import { action } from "./session.ts";
import { type AgentView, agentsShape, collectionsShape } from "./shapes.ts";
import { oneLine } from "./text.ts";

/** `ragctl agents …` and `collections`: who answers, and from what. */
export function registerAgents(program: Command): void {
  const agents = program.command("agents").description("the agents of the registry");

  agents
    .command("seed")
    .description("fill the registry with the company of config/seed.yaml; what is there already stays as it is")
    .addHelpText("after", "\nExample:\n  ragctl agents seed")
    .action(
      action(async (session) => {
        const app = await session.app();
        const added = app.seed();
        const rows = Object.entries(added).map(([name, count]) => [name, count]);
        session.output.result({ text: table(["added", "rows"], rows), data: { schema_version: 1, added } });
      }),
    );

  agents
    .command("list")
    .description("list the agents with their tools by priority")
    .addHelpText("after", "\nExample:\n  ragctl agents list")
    .action(
      action(async (session) => {
        const views = (await session.app()).agents().map(agentView);
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
        const view = agentView((await session.app()).agent(reference));
        const rows = Object.entries(view).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
        session.output.result({ text: table(["field", "value"], rows), data: agentsShape([view]) });
      }),
    );

  program
    .command("collections")
    .description("list the collections with their documents, chunks and embedding model")
    .addHelpText("after", "\nExample:\n  ragctl collections")
    .action(
      action(async (session) => {
        const collections = await (await session.app()).collections();
        const rows = collections.map((c) => [c.name, c.instance, c.documents, c.chunks, c.embedder, c.lexical]);
        const text =
          rows.length === 0
            ? "no collections; `ragctl ingest PATH` makes one"
            : table(["collection", "instance", "documents", "chunks", "embedder", "lexical"], rows);
        session.output.result({ text, data: collectionsShape(collections), lines: collections });
      }),
    );
}

/** What people see of an agent; a disabled tool is left out, topics stand for its capabilities. */
function agentView({ name, department, description, capabilities, tools, enabled }: ReturnType<LocalApp["agent"]>): AgentView {
  const topics = Object.values(capabilities).flatMap((value) => (Array.isArray(value) ? value.map(String) : []));
  return {
    name,
    department,
    description,
    capabilities: topics,
    tools: tools.filter((tool) => tool.enabled).map((tool) => tool.name),
    enabled,
  };
}
