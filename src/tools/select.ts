import type { LanguageModel, QuestionKind } from "../core/answers/answer.ts";
import type { AvailableTool, Tool, ToolCall } from "../core/answers/tool.ts";
import { type CosineRange, calibrateCosine, cosine, type Purpose } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { classify } from "../language/asking/kinds/kinds.ts";
import { partsOf } from "../language/clauses.ts";
import { findUntrustedArgs, hasUnsourcedNumbers } from "./arguments.ts";
import { arithmeticIn } from "./calculator/arithmetic.ts";
import { chooseTool } from "./choose.ts";
import { parseWebSearch } from "./network/web-request.ts";
import { checkedArguments } from "./schema.ts";

/** A permitted tool, with what selection needs. */
export type SelectableTool = AvailableTool &
  Pick<Tool, "description" | "examples" | "parameters"> & {
    /** Whether the tool's own rule accepts the question; `isNear`: the question resembles its examples. */
    readonly answers?: (isNear: boolean) => Promise<boolean>;
  };

export interface SelectDrivers {
  embed(texts: readonly string[], purpose: Purpose): Promise<readonly Float32Array[]>;
  /** Of the embedding model. Default: `usualCosines`. */
  readonly cosineRange?: CosineRange;
  /** Opened only if a selection needs it. */
  model(): Promise<LanguageModel | null>;
  /** Cached vectors of descriptions and examples, kept between questions along with the embedder. */
  readonly vectors?: Map<string, Float32Array>;
  /** The question as typed, if it was rewritten: a rewrite may contain words of earlier answers. */
  readonly asked?: string;
  /** Earlier user messages, whose words arguments may also use. */
  readonly history?: readonly string[];
  /**
   * Text retrieved before tools are selected, including earlier answers: a value found only there needs a
   * grant.
   */
  readonly retrieved?: readonly string[];
}

/**
 * Cosines with bge-small. Above `sure` a tool is hardly ever wrong (BFCL). Between the two the model is
 * asked, which costs seconds, so `candidate` is above what questions about running text reach (0.50 to 0.65
 * with the descriptions of our own tools).
 */
const thresholds = { candidate: 0.65, sure: 0.74 };
const maxCandidates = 4;

export interface ScoredTool {
  readonly tool: SelectableTool;
  /**
   * Cosine of the question with the nearest of its description and examples, on the scale of `calibrateCosine`.
   */
  readonly score: number;
}

/**
 * Tools by the similarity of the question to their descriptions and examples, best first; ties by priority.
 */
export async function scoreTools(
  question: string,
  tools: readonly SelectableTool[],
  drivers: Pick<SelectDrivers, "embed" | "vectors" | "cosineRange">,
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
    calibrateCosine(
      Math.max(...texts(tool).map((text) => cosine(asked, vectors.get(text) ?? new Float32Array()))),
      drivers.cosineRange,
    );
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .toSorted((a, b) => b.score - a.score || b.tool.priority - a.tool.priority);
}

/**
 * Arguments that need no model: none, or the whole question if the tool takes a single text; null otherwise.
 */
function plainArguments(tool: SelectableTool, question: string): ToolCall["arguments"] | null {
  if (tool.type === "database_query") return {};
  if (tool.type === "web_search") return { query: question.slice(0, 400) };
  const required = tool.parameters["required"];
  return Array.isArray(required) && required.length > 0 ? null : {};
}

/**
 * The calls a question needs, highest priority first. Plain arithmetic only goes to the calculator. Every
 * other question is searched (`rag`); in addition, a tool runs if the question explicitly needs it (the
 * database for a total), if it is similar enough and needs no invented arguments, or if the model picks it
 * among the other candidates.
 */
export async function selectTools(
  question: string,
  tools: readonly SelectableTool[],
  drivers: SelectDrivers,
  run: Run,
): Promise<readonly ToolCall[]> {
  const calculator = tools.find(({ type }) => type === "calculator");
  const expression = calculator === undefined ? null : arithmeticIn(question);
  if (calculator !== undefined && expression !== null)
    return [callOf(calculator, { expression }, "arithmetic")];
  const byPriority = tools.toSorted((a, b) => b.priority - a.priority);
  const search = byPriority.find(({ type }) => type === "rag");
  const asked = [
    ...(search === undefined ? [] : [callOf(search, {}, "always")]),
    ...sumsAmong(question, calculator),
    ...(await totalsAmong(question, byPriority)),
    ...webSearch(question, byPriority, drivers),
  ];
  const called = new Set(asked.map(({ tool }) => tool));
  // Without two numbers there is nothing to compute.
  const others = byPriority.filter(
    ({ name, type }) =>
      type !== "rag" &&
      !called.has(name) &&
      (type !== "calculator" || (question.match(/\d+/g) ?? []).length > 1),
  );
  const chosen = await chooseAmong(others, question, drivers, run);
  const priorityOf = new Map(tools.map(({ name, priority }) => [name, priority]));
  const priority = ({ tool }: ToolCall): number => priorityOf.get(tool) ?? 0;
  return [...asked, ...chosen].toSorted((a, b) => priority(b) - priority(a));
}

/** The parts of a compound question that are plain arithmetic. */
function sumsAmong(question: string, calculator: SelectableTool | undefined): readonly ToolCall[] {
  if (calculator === undefined) return [];
  return partsOf(question).parts.flatMap((part) => {
    const expression = arithmeticIn(part);
    return expression === null ? [] : [callOf(calculator, { expression }, "arithmetic")];
  });
}

/**
 * Totals and averages are computed over the tables, however dissimilar the question is from the tool, unless
 * the tool knows that it has none.
 */
async function totalsAmong(question: string, tools: readonly SelectableTool[]): Promise<readonly ToolCall[]> {
  if (classify(question) !== "total") return [];
  for (const tool of tools.filter(({ type }) => type === "database_query"))
    if ((await tool.answers?.(false)) !== false) return [callOf(tool, {}, "it asks for a total")];
  return [];
}

/** A web search if the question asks for one, even without such a tool: the call then fails and says so. */
function webSearch(
  question: string,
  tools: readonly SelectableTool[],
  { asked = question }: SelectDrivers,
): readonly ToolCall[] {
  if (parseWebSearch(asked) === null) return [];
  const query = (parseWebSearch(question) ?? question).slice(0, 400);
  const tool = tools.find(({ type }) => type === "web_search") ?? absentWebSearch;
  return [callOf(tool, { query }, "asked for")];
}

/** Placeholder for a call when no web search may be used. */
const absentWebSearch = { name: "Web search", type: "web_search" } as const;

/**
 * Calls by similarity, then those the model makes with the remaining candidates, one at a time until it picks
 * none.
 */
async function chooseAmong(
  tools: readonly SelectableTool[],
  question: string,
  drivers: SelectDrivers,
  run: Run,
): Promise<readonly ToolCall[]> {
  if (tools.length === 0) return [];
  const scored = await scoreTools(question, tools, drivers);
  const ruled = await Promise.all(
    scored.map(async ({ tool, score }) => {
      const isNear = score >= thresholds.candidate;
      return { tool, score, isRule: (await tool.answers?.(isNear)) === true, isNear };
    }),
  );
  const candidates = ruled.filter(
    ({ tool, isRule, isNear }) => isRule || (isNear && !isOfProse(tool, question)),
  );
  const plain = candidates.map((candidate) => ({ candidate, call: plainCall(candidate, question) }));
  const left = plain.flatMap(({ candidate, call }) => (call === null ? [candidate] : []));
  const sure = plain.flatMap(({ candidate, call }) =>
    call !== null && isGrounded(call, candidate.tool, question, drivers, run) ? [call] : [],
  );
  const open = left.slice(0, maxCandidates).map(withoutQuestion);
  return [...sure, ...(await pickAmong(open, question, drivers, run))];
}

/** Kinds of questions that table rows do not answer, however similar the words. */
const kindsOfProse: ReadonlySet<QuestionKind> = new Set(["yes_no", "definition", "procedure", "summary"]);

/** Whether the model's SQL, which takes seconds to write, would miss the question. */
const isOfProse = ({ type }: SelectableTool, question: string): boolean =>
  type === "database_query" && kindsOfProse.has(classify(question));

/** A database gets the user's question, not one that the model rephrases. */
const withoutQuestion = ({ tool, score }: ScoredTool): ScoredTool =>
  tool.type === "database_query" ? { tool: { ...tool, parameters: noParameters }, score } : { tool, score };

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false };

/** A call that needs no model; null if the tool is not similar enough or needs invented arguments. */
function plainCall(
  { tool, score, isRule }: ScoredTool & { readonly isRule: boolean },
  question: string,
): ToolCall | null {
  const given = isRule || score >= thresholds.sure ? plainArguments(tool, question) : null;
  if (given === null) return null;
  return callOf(tool, given, isRule ? "a rule of its own" : `similarity ${score.toFixed(2)}`);
}

/** The model's picks, one tool at a time, until it picks none. */
async function pickAmong(
  candidates: readonly ScoredTool[],
  question: string,
  drivers: SelectDrivers,
  run: Run,
): Promise<readonly ToolCall[]> {
  const calls: ToolCall[] = [];
  let open = candidates;
  while (open.length > 0) {
    const model = await drivers.model();
    if (model === null) break;
    const offered = open.map(({ tool }) => tool);
    const chosen = await chooseTool(question, offered, drivers.history ?? [], model, run.signal);
    const picked = open.find(({ tool }) => tool.name === chosen?.tool);
    if (chosen === null || picked === undefined) break;
    const given = picked.tool.type === "database_query" ? {} : chosen.arguments;
    const call = callOf(picked.tool, given, `model, similarity ${picked.score.toFixed(2)}`);
    if (isGrounded(call, picked.tool, question, drivers, run)) calls.push(call);
    open = open.filter((candidate) => candidate !== picked);
  }
  return calls;
}

function callOf(
  { name, type }: Pick<SelectableTool, "name" | "type">,
  given: ToolCall["arguments"],
  reason: string,
): ToolCall {
  return { tool: name, type, arguments: given, reason };
}

/**
 * Whether a call's arguments match the schema and come from the conversation; otherwise it is dropped and
 * logged.
 */
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
  const sources = { question: asked, history, retrieved, parameters: tool.parameters };
  if (tool.type === "calculator" && hasUnsourcedNumbers(call.arguments, sources)) {
    run.log.event("tool-call-refused", { tool: tool.name, reason: "none of its numbers was said" });
    return false;
  }
  const foreign = findUntrustedArgs(call.arguments, sources);
  if (foreign.length === 0 || tool.permissions["arguments_from_documents"] === true) return true;
  run.log.event("tool-call-refused", {
    tool: tool.name,
    reason: `arguments from documents: ${foreign.map(({ path }) => path).join(", ")}`,
  });
  return false;
}
