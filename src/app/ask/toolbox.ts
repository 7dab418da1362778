import type { AgentProfile, AgentState, Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import type { AvailableTool, Tool, ToolCall, ToolResult } from "../../core/answers/tool.ts";
import type { Purpose } from "../../core/documents/embedding.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { SheetTable } from "../../tools/drivers.ts";
import type { Access } from "../access.ts";

/** What was said, as far as choosing tools goes: answers are made of documents, which have no say in what a tool is given. */
export interface Said {
  /** The question as it was typed. */
  readonly asked: string;
  readonly history: readonly Turn[];
}

/** Choosing and running the tools of one app. */
export interface Toolbox {
  select(
    question: string,
    tools: readonly AvailableTool[],
    said: Said,
    run: Run,
  ): Promise<readonly ToolCall[]>;
  /** Each call is checked against the permissions once more, right before it runs. */
  run(calls: readonly ToolCall[], state: AgentState, run: Run): Promise<readonly ToolResult[]>;
}

export interface ToolboxParts {
  readonly access: Pick<Access, "tool">;
  readonly embed: (texts: readonly string[], purpose: Purpose, run: Run) => Promise<readonly Float32Array[]>;
  /** The model that chooses tools and writes SQL. */
  readonly model: (agent: AgentProfile | null, run: Run) => Promise<LanguageModel | null>;
  /** Spreadsheets of these collections, which the caller has checked. */
  readonly sheets: (collections: readonly string[], run: Run) => AsyncIterable<SheetTable>;
  /** Changes when a spreadsheet of these collections does. */
  readonly sheetsMark: (collections: readonly string[]) => string;
  readonly secret: (name: string) => string | undefined;
  readonly environment: () => Readonly<Record<string, string>>;
  /** Closes what is opened here. */
  readonly resources: AsyncDisposableStack;
}

/** Opens the tools; a tool is made from its row on first use, and anew when its row changed. */
export function openToolbox({
  access,
  embed,
  model,
  sheets,
  sheetsMark,
  secret,
  environment,
  resources,
}: ToolboxParts): Toolbox {
  const opened = new Map<string, Promise<Tool>>();
  /** Of descriptions and examples; the same tools are looked at for every question. */
  const vectors = new Map<string, Float32Array>();
  /** A tool that reads nothing of documents can live as long as the app; one that does is made for one state. */
  const open = async (tool: AvailableTool, state: AgentState | null, run: Run): Promise<Tool> => {
    const { openTool } = await import("../../tools/table.ts");
    const collections = state?.permissions?.collections ?? [];
    // The agent's own model may be at another provider, which must see nothing of what other agents read.
    const reader =
      state === null
        ? null
        : [collections, sheetsMark(collections), state.selectedAgent?.agent?.id ?? "", run.principal];
    const key = JSON.stringify([tool.name, tool.type, tool.config, reader]);
    const known =
      opened.get(key) ??
      openTool(tool, {
        model: state === null ? null : await model(state.selectedAgent?.agent ?? null, run),
        sheets: () => sheets(collections, run),
        secret,
        environment: environment(),
      }).then((made) => resources.use(made));
    opened.set(key, known);
    known.catch(() => opened.delete(key));
    return known;
  };
  /** One tool whose row is wrong is left out, with a warning, and the others go on. */
  const usable = (tool: AvailableTool, state: AgentState | null, run: Run): Promise<Tool | null> =>
    open(tool, state, run).catch((error: unknown) => {
      run.signal.throwIfAborted();
      run.log.warn(`${tool.name} cannot be used: ${asRagctlError(error).message}`);
      return null;
    });
  return {
    async select(question, tools, { asked, history }, run) {
      const { selectTools } = await import("../../tools/select.ts");
      const described = await Promise.all(
        tools.map(async (tool) => {
          const made = await usable(tool, null, run);
          return made === null
            ? []
            : [
                {
                  ...tool,
                  description: made.description,
                  examples: made.examples,
                  parameters: made.parameters,
                },
              ];
        }),
      );
      const of = (role: Turn["role"]) => history.flatMap((turn) => (turn.role === role ? [turn.text] : []));
      const drivers = {
        vectors,
        asked,
        history: of("user"),
        retrieved: of("assistant"),
        model: () => model(null, run),
      };
      return selectTools(
        question,
        described.flat(),
        { ...drivers, embed: (texts, purpose) => embed(texts, purpose, run) },
        run,
      );
    },
    async run(calls, state, run) {
      if (calls.length === 0) return [];
      const { runTools } = await import("../../tools/run.ts");
      const agent = state.selectedAgent?.agent ?? null;
      const rows = new Map(state.availableTools.map((tool) => [tool.name, tool]));
      const tools = new Map<string, Tool>();
      for (const { tool } of calls) {
        const row = rows.get(tool);
        const made = row === undefined ? null : await usable(row, state, run);
        if (made !== null) tools.set(tool, made);
      }
      // A tool that is not among those given needs a grant of its own, which no one has.
      const unknown = { requires_grant: true };
      const allowed = (call: ToolCall) =>
        access.tool(run, agent, {
          name: call.tool,
          type: call.type,
          permissions: rows.get(call.tool)?.permissions ?? unknown,
        });
      return runTools(calls, tools, allowed, state.clarifiedQuery, run);
    },
  };
}
