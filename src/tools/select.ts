import type { LanguageModel } from "../core/answers/answer.ts";
import type { AvailableTool, Tool, ToolCall } from "../core/answers/tool.ts";
import { cosine, type Purpose } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { argumentsFrom } from "./arguments.ts";
import { arithmeticIn } from "./calculator/arithmetic.ts";
import { choose } from "./choose.ts";
import { checkedArguments } from "./schema.ts";

/** A tool that may be used, with what choosing it needs. */
export type SelectableTool = AvailableTool & Pick<Tool, "description" | "examples" | "parameters">;

export interface SelectDrivers {
  embed(texts: readonly string[], purpose: Purpose): Promise<readonly Float32Array[]>;
  /** Asked for only when a choice needs it. */
  model(): Promise<LanguageModel | null>;
  /** Vectors of descriptions and examples, kept between questions by whoever holds the embedder. */
  readonly vectors?: Map<string, Float32Array>;
  /** The question as it was typed, where it was rewritten: a rewrite may hold words of earlier answers. */
  readonly asked?: string;
  /** What people said earlier, whose words arguments may hold too. */
  readonly history?: readonly string[];
  /** Text that was retrieved before tools are chosen, earlier answers too: a value that stands only there needs a grant. */
  readonly retrieved?: readonly string[];
}

/**
 * Cosines with bge-small. Above `sure` a tool is hardly ever a wrong one (BFCL); between the two the model is asked, which costs seconds, so
 * `candidate` lies above what questions about running text reach (0.50 to 0.65 with the descriptions of our own tools).
 */
const thresholds = { candidate: 0.65, sure: 0.74 };
const maxCandidates = 4;

export interface ScoredTool {
  readonly tool: SelectableTool;
  /** Cosine of the question with the nearest of its description and examples. */
  readonly score: number;
}

/** Tools by the similarity of the question with their descriptions and examples, best first; equal ones by priority. */
export async function scoreTools(
  question: string,
  tools: readonly SelectableTool[],
  drivers: Pick<SelectDrivers, "embed" | "vectors">,
): Promise<readonly ScoredTool[]> {
  const vectors = drivers.vectors ?? new Map<string, Float32Array>();
  const texts = (tool: SelectableTool): readonly string[] => [tool.description, ...tool.examples];
  const missing = [...new Set(tools.flatMap(texts))].filter((text) => !vectors.has(text));
  const [[asked], made] = await Promise.all([
    drivers.embed([question.slice(0, 2000)], "query"),
    missing.length === 0 ? [] : drivers.embed(missing, "passage"),
  ]);
  missing.forEach((text, index) => {
    const vector = made[index];
    if (vector !== undefined) vectors.set(text, vector);
  });
  if (asked === undefined) throw new RagctlError("INTERNAL", "the embedder gave no vector for the question");
  const score = (tool: SelectableTool): number =>
    Math.max(...texts(tool).map((text) => cosine(asked, vectors.get(text) ?? new Float32Array())));
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .toSorted((a, b) => b.score - a.score || b.tool.priority - a.tool.priority);
}

/** Arguments that need no model: none, or the whole question where the tool asks for one text. Null where there is no such way. */
function plainArguments(tool: SelectableTool, question: string): ToolCall["arguments"] | null {
  if (tool.type === "database_query") return {};
  if (tool.type === "web_search") return { query: question.slice(0, 400) };
  const required = tool.parameters["required"];
  return Array.isArray(required) && required.length > 0 ? null : {};
}

/**
 * The calls a question needs. Plain arithmetic is the calculator's alone; every other question is searched (`rag`), and at most one more tool is
 * added: the nearest by similarity when it is near enough and needs no arguments made up, else the one that the model picks, or none.
 */
export async function selectTools(
  question: string,
  tools: readonly SelectableTool[],
  drivers: SelectDrivers,
  run: Run,
): Promise<readonly ToolCall[]> {
  const calculator = tools.find(({ type }) => type === "calculator");
  const expression = calculator === undefined ? null : arithmeticIn(question);
  if (calculator !== undefined && expression !== null) {
    return [{ tool: calculator.name, type: "calculator", arguments: { expression }, reason: "arithmetic" }];
  }
  const byPriority = tools.toSorted((a, b) => b.priority - a.priority);
  const search = byPriority.find(({ type }) => type === "rag");
  const calls: ToolCall[] =
    search === undefined ? [] : [{ tool: search.name, type: "rag", arguments: {}, reason: "always" }];
  // Without two numbers there is nothing to compute.
  const others = byPriority.filter(
    ({ type }) => type !== "rag" && (type !== "calculator" || (question.match(/\d+/g) ?? []).length > 1),
  );
  if (others.length === 0) return calls;
  const scored = (await scoreTools(question, others, drivers))
    .filter(({ score }) => score >= thresholds.candidate)
    .slice(0, maxCandidates);
  const [best] = scored;
  if (best === undefined) return calls;
  const plain = plainArguments(best.tool, question);
  if (plain !== null && best.score >= thresholds.sure) {
    const call = callOf(best.tool, plain, `similarity ${best.score.toFixed(2)}`);
    return isGrounded(call, best.tool, question, drivers, run) ? [...calls, call] : calls;
  }
  const model = await drivers.model();
  if (model === null) return calls;
  const chosen = await choose(
    question,
    scored.map(({ tool }) => tool),
    drivers.history ?? [],
    model,
    run.signal,
  );
  const tool = scored.find((entry) => entry.tool.name === chosen?.tool);
  if (chosen === null || tool === undefined) return calls;
  const call = callOf(tool.tool, chosen.arguments, `model, similarity ${tool.score.toFixed(2)}`);
  return isGrounded(call, tool.tool, question, drivers, run) ? [...calls, call] : calls;
}

function callOf({ name, type }: SelectableTool, given: ToolCall["arguments"], reason: string): ToolCall {
  return { tool: name, type, arguments: given, reason };
}

/** Whether a call's arguments fit the schema and come from the conversation; what does not is left out and logged. */
function isGrounded(
  call: ToolCall,
  tool: SelectableTool,
  question: string,
  { asked = question, history = [], retrieved = [] }: SelectDrivers,
  run: Run,
): boolean {
  try {
    checkedArguments(tool.parameters, call.arguments, tool.name);
  } catch (error) {
    if (!(error instanceof RagctlError)) throw error;
    run.log.event("tool-call-refused", { tool: tool.name, reason: error.message });
    return false;
  }
  const foreign = argumentsFrom(call.arguments, {
    question: asked,
    history,
    retrieved,
    parameters: tool.parameters,
  });
  if (foreign.length === 0 || tool.permissions["arguments_from_documents"] === true) return true;
  run.log.event("tool-call-refused", {
    tool: tool.name,
    reason: `arguments from documents: ${foreign.map(({ path }) => path).join(", ")}`,
  });
  return false;
}
