import type { AgentProfile } from "../../../core/answers/agent.ts";
import type { Tool, ToolCall, ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Run } from "../../../core/run.ts";
import type { MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import type { AskHome } from "../question.ts";

/** The calculator under its usual name: a principal needs the permission for it. */
const row = { name: "Calculator", type: "calculator", config: {}, permissions: {} } as const;

/** An answer with the rows that it was computed from. */
type RowsAnswer = Pick<MeasureAnswer, "text"> &
  Partial<Pick<MeasureAnswer, "sums">> & {
    readonly lines: readonly Pick<MeasureAnswer["lines"][number], "row" | "chunk">[];
  };

/** What was computed from rows of tables, and how. */
export interface Computed {
  readonly answer: RowsAnswer;
  /** What it is called, and what it is computed as. */
  readonly name: string;
  readonly formula: string;
}

/** The pages of an answer under the first of its chunks, so that they are cited as that document. */
function sourceOf({ lines }: RowsAnswer): Chunk | undefined {
  const [first] = lines;
  const pages = [...new Set(lines.flatMap(({ chunk }) => chunk.pages))].toSorted(
    (left, right) => left - right,
  );
  return first && { ...first.chunk, headings: [], pages };
}

/** What the calculation found, as a tool. */
function toolOf({ answer, name, formula }: Computed): Tool {
  const of = sourceOf(answer);
  const text = [answer.text, ...(answer.sums ?? []), ...answer.lines.map(({ row: line }) => line)].join("\n");
  const finding = { text, source: of?.sourceName ?? "", section: "", contentType: "table" as const };
  return {
    type: row.type,
    description: "Computes a measure from the rows of a document's tables.",
    examples: [],
    parameters: {},
    call: async () => ({
      message: answer.text,
      findings: [{ ...finding, ...(of !== undefined && { of }) }],
      data: { measure: name, formula, value: answer.text },
    }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Gives what was computed as the result of the calculator, if agent and principal may use that. */
export async function giveComputed(
  computed: Computed,
  question: string,
  access: AskHome["access"],
  agent: AgentProfile | null,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { runTools } = await import("../../../tools/run.ts");
  const call: ToolCall = {
    ...{ tool: row.name, type: row.type, arguments: { formula: computed.formula } },
    reason: `it asks for ${computed.name}`,
  };
  const decide = () => access.tool(run, agent, row);
  return runTools([call], new Map([[row.name, toolOf(computed)]]), decide, question, run);
}
