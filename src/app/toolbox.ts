import type { AgentProfile, AgentState } from "../core/agent.ts";
import type { LanguageModel } from "../core/answer.ts";
import type { Purpose } from "../core/embedding.ts";
import type { Run } from "../core/run.ts";
import type { AvailableTool, Tool, ToolCall, ToolResult } from "../core/tool.ts";
import type { SheetTable } from "../tools/drivers.ts";
import type { Access } from "./access.ts";

/** Choosing and running the tools of one app. */
export interface Toolbox {
  select(question: string, tools: readonly AvailableTool[], run: Run): Promise<readonly ToolCall[]>;
  /** Each call is checked against the permissions once more, right before it runs. */
  run(calls: readonly ToolCall[], state: AgentState, run: Run): Promise<readonly ToolResult[]>;
}

export interface ToolboxParts {
  readonly access: Pick<Access, "tool">;
  readonly embed: (texts: readonly string[], purpose: Purpose, run: Run) => Promise<readonly Float32Array[]>;
  /** The model that chooses tools and writes SQL. */
  readonly model: (agent: AgentProfile | null) => Promise<LanguageModel | null>;
  /** Spreadsheets of these collections, which the caller has checked. */
  readonly sheets: (collections: readonly string[], run: Run) => AsyncIterable<SheetTable>;
  readonly secret: (name: string) => string | undefined;
  readonly environment: () => Readonly<Record<string, string>>;
  /** Closes what is opened here. */
  readonly resources: AsyncDisposableStack;
}

/** Opens the tools; a tool is made from its row on first use, and anew when its row changed. */
export function openToolbox({ access, embed, model, sheets, secret, environment, resources }: ToolboxParts): Toolbox {
  const opened = new Map<string, Promise<Tool>>();
  /** A tool that reads nothing of documents can live as long as the app; one that does is made for one state. */
  const open = async (tool: AvailableTool, state: AgentState | null, run: Run): Promise<Tool> => {
    const { openTool } = await import("../tools/table.ts");
    const collections = state?.permissions?.collections ?? [];
    const key = JSON.stringify([tool.name, tool.type, tool.config, state === null ? null : collections]);
    const known =
      opened.get(key) ??
      openTool(tool, {
        model: state === null ? null : await model(state.selectedAgent?.agent ?? null),
        sheets: () => sheets(collections, run),
        retrieve: async () => [],
        secret,
        environment: environment(),
      }).then((made) => resources.use(made));
    opened.set(key, known);
    return known;
  };
  return {
    async select(question, tools, run) {
      const { selectTools } = await import("../tools/select.ts");
      const described = await Promise.all(
        tools.map(async (tool) => {
          const { description, examples, parameters } = await open(tool, null, run);
          return { ...tool, description, examples, parameters };
        }),
      );
      return selectTools(question, described, { embed: (texts, purpose) => embed(texts, purpose, run), model: () => model(null) }, run);
    },
    async run(calls, state, run) {
      if (calls.length === 0) return [];
      const { runTools } = await import("../tools/run.ts");
      const agent = state.selectedAgent?.agent ?? null;
      const rows = new Map(state.availableTools.map((tool) => [tool.name, tool]));
      const tools = new Map<string, Tool>();
      for (const { tool } of calls) {
        const row = rows.get(tool);
        if (row !== undefined) tools.set(tool, await open(row, state, run));
      }
      // A tool that is not among those given needs a grant of its own, which no one has.
      const unknown = { requires_grant: true };
      const allowed = (call: ToolCall) =>
        access.tool(run, agent, { name: call.tool, permissions: rows.get(call.tool)?.permissions ?? unknown });
      return runTools(calls, tools, allowed, state.clarifiedQuery, run);
    },
  };
}
