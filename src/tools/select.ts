import type { LanguageModel, QuestionKind } from "../core/answers/answer.ts";
import type { AvailableTool, Tool, ToolCall } from "../core/answers/tool.ts";
import { type CosineRange, cosine, type Purpose, usualCosine } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { kindOf } from "../language/asking/kinds/kinds.ts";
import { partsOf } from "../language/clauses.ts";
import { argumentsFrom, isOutOfNowhere } from "./arguments.ts";
import { arithmeticIn } from "./calculator/arithmetic.ts";
import { choose } from "./choose.ts";
import { webRequest } from "./network/web-request.ts";
import { checkedArguments } from "./schema.ts";

/** A tool that may be used, with what choosing it needs. */
export type SelectableTool = AvailableTool &
  Pick<Tool, "description" | "examples" | "parameters"> & {
    /** Whether the tool answers the question by a rule of its own; `isNear`: the question is like its examples. */
    readonly answers?: (isNear: boolean) => Promise<boolean>;
  };

export interface SelectDrivers {
  embed(texts: readonly string[], purpose: Purpose): Promise<readonly Float32Array[]>;
  /** Of the model that embeds. Default: `usualCosines`. */
  readonly cosineRange?: CosineRange;
  /** Asked for only when a choice needs it. */
  model(): Promise<LanguageModel | null>;
  /** Vectors of descriptions and examples, kept between questions beside the embedder. */
  readonly vectors?: Map<string, Float32Array>;
  /** The question as it was typed, where it was rewritten: a rewrite may hold words of earlier answers. */
  readonly asked?: string;
  /** What people said earlier, whose words arguments may hold too. */
  readonly history?: readonly string[];
  /**
   * Text that was retrieved before tools are chosen, earlier answers too: a value that stands only there
   * needs a grant.
   */
  readonly retrieved?: readonly string[];
}

/**
 * Cosines with bge-small. Above `sure` a tool is hardly ever a wrong one (BFCL); between the two the model is
 * asked, which costs seconds, so `candidate` lies above what questions about running text reach (0.50 to 0.65
 * with the descriptions of our own tools).
 */
const thresholds = { candidate: 0.65, sure: 0.74 };
const maxCandidates = 4;

export interface ScoredTool {
  readonly tool: SelectableTool;
  /** Cosine of the question with the nearest of its description and examples, as `usualCosine` has it. */
  readonly score: number;
}

/**
 * Tools by the similarity of the question with their descriptions and examples, best first; equal ones by
 * priority.
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
    usualCosine(
      Math.max(...texts(tool).map((text) => cosine(asked, vectors.get(text) ?? new Float32Array()))),
      drivers.cosineRange,
    );
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .toSorted((a, b) => b.score - a.score || b.tool.priority - a.tool.priority);
}

/**
 * Arguments that need no model: none, or the whole question where the tool asks for one text. Null where
 * there is no such way.
 */
function plainArguments(tool: SelectableTool, question: string): ToolCall["arguments"] | null {
  if (tool.type === "database_query") return {};
  if (tool.type === "web_search") return { query: question.slice(0, 400) };
  const required = tool.parameters["required"];
  return Array.isArray(required) && required.length > 0 ? null : {};
}

/**
 * The calls a question needs, those of the highest priority first. Plain arithmetic is the calculator's
 * alone. Every other question is searched (`rag`), and beside the search every tool runs that is asked for
 * (the database for a total), that is near enough and needs no arguments made up, or that the model picks
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

/** The parts of a question that are plain arithmetic, where it has several. */
function sumsAmong(question: string, calculator: SelectableTool | undefined): readonly ToolCall[] {
  if (calculator === undefined) return [];
  return partsOf(question).parts.flatMap((part) => {
    const expression = arithmeticIn(part);
    return expression === null ? [] : [callOf(calculator, { expression }, "arithmetic")];
  });
}

/**
 * A total or an average is computed over the tables, however far the question's words are from the tool's,
 * unless the tool knows that it has none.
 */
async function totalsAmong(question: string, tools: readonly SelectableTool[]): Promise<readonly ToolCall[]> {
  if (kindOf(question) !== "total") return [];
  for (const tool of tools.filter(({ type }) => type === "database_query"))
    if ((await tool.answers?.(false)) !== false) return [callOf(tool, {}, "it asks for a total")];
  return [];
}

/**
 * A search of the web where the question asks for one, also without a tool for it: the call then fails and
 * says so.
 */
function webSearch(
  question: string,
  tools: readonly SelectableTool[],
  { asked = question }: SelectDrivers,
): readonly ToolCall[] {
  if (webRequest(asked) === null) return [];
  const query = (webRequest(question) ?? question).slice(0, 400);
  const tool = tools.find(({ type }) => type === "web_search") ?? absentWebSearch;
  return [callOf(tool, { query }, "asked for")];
}

/** What a call names where no web search may be used. */
const absentWebSearch = { name: "Web search", type: "web_search" } as const;

/**
 * The calls by similarity, and those that the model makes of the candidates left, one after the other until
 * it picks none.
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

/** Kinds of questions that the rows of a table do not answer, however near the words are. */
const kindsOfProse: ReadonlySet<QuestionKind> = new Set(["yes_no", "definition", "procedure", "summary"]);

/** Whether a model's SQL, which takes seconds to write, would answer another question. */
const isOfProse = ({ type }: SelectableTool, question: string): boolean =>
  type === "database_query" && kindsOfProse.has(kindOf(question));

/** A database is asked what was asked, and no question that the model makes of it. */
const withoutQuestion = ({ tool, score }: ScoredTool): ScoredTool =>
  tool.type === "database_query" ? { tool: { ...tool, parameters: noParameters }, score } : { tool, score };

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false };

/** A call that needs no model; null where the tool is not near enough or needs arguments made up. */
function plainCall(
  { tool, score, isRule }: ScoredTool & { readonly isRule: boolean },
  question: string,
): ToolCall | null {
  const given = isRule || score >= thresholds.sure ? plainArguments(tool, question) : null;
  if (given === null) return null;
  return callOf(tool, given, isRule ? "a rule of its own" : `similarity ${score.toFixed(2)}`);
}

/** What the model picks, one tool after the other, until it picks none. */
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
    const chosen = await choose(question, offered, drivers.history ?? [], model, run.signal);
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
 * Whether a call's arguments fit the schema and come from the conversation; what does not is left out and
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
  if (tool.type === "calculator" && isOutOfNowhere(call.arguments, sources)) {
    run.log.event("tool-call-refused", { tool: tool.name, reason: "none of its numbers was said" });
    return false;
  }
  const foreign = argumentsFrom(call.arguments, sources);
  if (foreign.length === 0 || tool.permissions["arguments_from_documents"] === true) return true;
  run.log.event("tool-call-refused", {
    tool: tool.name,
    reason: `arguments from documents: ${foreign.map(({ path }) => path).join(", ")}`,
  });
  return false;
}
