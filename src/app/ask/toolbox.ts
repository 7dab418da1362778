import { caller } from "../../config/caller.ts";
import type { AgentProfile, PermittedResources, Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import type { AvailableTool, Tool, ToolCall, ToolResult } from "../../core/answers/tool.ts";
import type { CosineRange, Purpose } from "../../core/documents/embedding.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Decision } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import type { SheetTable } from "../../tables/schema.ts";
import type { SelectableTool } from "../../tools/select.ts";
import { createToolPool } from "../../tools/tool-pool.ts";
import type { Access } from "../access.ts";
import type { Home } from "../home.ts";

/**
 * What was said, as far as choosing tools goes: answers are made of documents, which have no say in what a
 * tool is given.
 */
export interface Said {
  /** The question as it was typed. */
  readonly asked: string;
  readonly history: readonly Turn[];
}

/** A question with the agent that answers, and what both it and the principal may read and use. */
export interface ToolQuestion extends Pick<PermittedResources, "collections" | "tools"> {
  readonly text: string;
  readonly answeredBy: AgentProfile | null;
}

/** Choosing and running the tools of one app. */
export interface Toolbox {
  select(question: ToolQuestion, said: Said, run: Run): Promise<readonly ToolCall[]>;
  /** Each call is checked against the permissions once more, right before it runs. */
  run(calls: readonly ToolCall[], question: ToolQuestion, run: Run): Promise<readonly ToolResult[]>;
}

export interface ToolboxParts extends Pick<Home, "secret" | "environment" | "resources"> {
  readonly access: Pick<Access, "toolNow">;
  readonly embed: (texts: readonly string[], purpose: Purpose, run: Run) => Promise<readonly Float32Array[]>;
  /** Of the model that embeds; undefined: the usual one. */
  readonly cosineRange: () => Promise<CosineRange | undefined>;
  /** The model that chooses tools and writes SQL. */
  readonly model: (agent: AgentProfile | null, run: Run) => Promise<LanguageModel | null>;
  /** Spreadsheets of these collections, which the caller has checked. */
  readonly sheets: (collections: readonly string[], run: Run) => AsyncIterable<SheetTable>;
  /** Changes when a spreadsheet of these collections does. */
  readonly sheetsMark: (collections: readonly string[]) => Promise<string>;
}

/** The usable tool of a row; null, with a warning, for a row that is wrong. */
type OpenTool = (tool: AvailableTool) => Promise<Tool | null>;

/** Runs work with the tools for what a question may read. */
type LendTools = <T>(question: ToolQuestion, run: Run, work: (open: OpenTool) => Promise<T>) => Promise<T>;

/** Creates the tools; a tool is made from its row on first use, and again when its row changed. */
export function createToolbox(parts: ToolboxParts): Toolbox {
  const lend = toolLender(parts);
  /** Of descriptions and examples; the same tools are looked at for every question. */
  const vectors = new Map<string, Float32Array>();
  return {
    async select(question, { asked, history }, run) {
      const { selectTools } = await import("../../tools/select.ts");
      const { text, tools } = question;
      const textsOf = (role: Turn["role"]) =>
        history.flatMap((turn) => (turn.role === role ? [turn.text] : []));
      const cosineRange = await parts.cosineRange();
      const drivers = {
        vectors,
        ...(cosineRange && { cosineRange }),
        asked,
        history: textsOf("user"),
        retrieved: textsOf("assistant"),
        model: () => parts.model(null, run),
        embed: (texts: readonly string[], purpose: Purpose) => parts.embed(texts, purpose, run),
      };
      return lend(question, run, async (open) => {
        const described = tools.map((tool) => describe(tool, text, open, run));
        return selectTools(text, (await Promise.all(described)).flat(), drivers, run);
      });
    },
    async run(calls, question, run) {
      if (calls.length === 0) return [];
      const { runTools } = await import("../../tools/run.ts");
      const { text, answeredBy: agent } = question;
      const rows = new Map(question.tools.map((tool) => [tool.name, tool]));
      const decide = async ({ tool: name, type }: ToolCall): Promise<Decision> => {
        const row = rows.get(name);
        return row === undefined
          ? notAvailable(name)
          : parts.access.toolNow(run, agent, { name, type, permissions: row.permissions });
      };
      return lend(question, run, async (open) => {
        const tools = new Map<string, Tool>();
        for (const { tool: name } of calls) {
          const row = rows.get(name);
          const tool = row === undefined ? null : await open(row);
          if (tool !== null) tools.set(name, tool);
        }
        return runTools(calls, tools, decide, text, run);
      });
    },
  };
}

/** A tool that is not among those of the question, whether it exists or not. */
const notAvailable = (name: string): Decision => ({
  effect: "deny",
  rule: "default-deny",
  reason: `${name} is not available: it is disabled, not assigned to the agent that answers, or not granted`,
  grantId: null,
});

/** Lends tools that stay open for the readers of last. */
function toolLender(parts: ToolboxParts): LendTools {
  const pool = parts.resources.use(createToolPool());
  return async ({ collections, answeredBy: agent }, run, work) => {
    // The agent's own model may be at another provider, which must see nothing of what other agents read.
    const key = JSON.stringify([collections, agent?.id ?? "", run.principal]);
    const warn = (error: unknown): void =>
      run.log.warn(`a tool could not be closed: ${asRagctlError(error).message}`);
    return pool.use({ key, mark: await parts.sheetsMark(collections) }, warn, (pooled) =>
      work((tool) =>
        pooled(tool.name, JSON.stringify([tool.type, tool.config]), async () => {
          const { openTool } = await import("../../tools/by-type.ts");
          return openTool(tool, {
            model: () => parts.model(agent, run),
            sheets: () => parts.sheets(collections, run),
            secret: parts.secret,
            environment: parts.environment(),
            cwd: caller().cwd,
          });
        }).catch((error: unknown) => {
          run.signal.throwIfAborted();
          run.log.warn(`${tool.name} cannot be used: ${asRagctlError(error).message}`);
          return null;
        }),
      ),
    );
  };
}

/** A tool's row with what the tool says of itself; none for one that cannot be used. */
async function describe(
  row: AvailableTool,
  question: string,
  open: OpenTool,
  run: Run,
): Promise<readonly SelectableTool[]> {
  const tool = await open(row);
  if (tool === null) return [];
  const { description, examples, parameters } = tool;
  const told = { ...row, description, examples, parameters };
  if (tool.answers === undefined) return [told];
  const ask = tool.answers;
  const answers = (isNear: boolean): Promise<boolean> =>
    ask(question, isNear, run).catch((error: unknown) => {
      run.signal.throwIfAborted();
      run.log.warn(`cannot check whether ${row.name} responds: ${asRagctlError(error).message}`);
      return false;
    });
  return [{ ...told, answers }];
}
