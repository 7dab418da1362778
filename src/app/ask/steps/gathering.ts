import { planQueries } from "../../../agents/decide/plan.ts";
import type { Found, Gathered, IntentDecision, Plan, ToolChoice } from "../../../core/answers/agent.ts";
import type { AvailableTool, ToolResult } from "../../../core/answers/tool.ts";
import type { AskRequest } from "../../../core/app.ts";
import { RagctlError } from "../../../core/errors.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { gatherDefaults, gatherPassages } from "../../../pipeline/retrieve/gather.ts";
import { catchUnavailable, toUnavailableCollection } from "../../../pipeline/retrieve/unavailable.ts";
import { toCompute } from "../kinds/computed.ts";
import { contentsOf } from "../kinds/contents.ts";
import { computeMeasure } from "../kinds/measures.ts";
import { findMentions } from "../kinds/mentions.ts";
import { answerFromTables, coversAllTables, withResultRows } from "../kinds/table-answers.ts";
import { findSummaryPassages } from "../kinds/whole-document.ts";
import type { AskHome, RoutedQuestion } from "../question.ts";
import { isSpreadsheet, isSpreadsheetQuery } from "../sheets.ts";

/** Selects the tools that a question needs, and plans its searches; document text has no influence. */
export async function selectTools(
  question: RoutedQuestion,
  intent: IntentDecision,
  { toolbox }: AskHome,
  run: Run,
): Promise<ToolChoice> {
  const { request, history, text, tools, budget } = question;
  const isAble = await question.isAble();
  const isUsable = (tool: AvailableTool): boolean =>
    tool.type !== "database_query" || (looksAtSheets(request) && !(isAble && isSpreadsheetQuery(tool)));
  const usable = { ...question, tools: tools.filter(isUsable) };
  const calls = await toolbox.select(usable, { asked: request.query, history }, run);
  if (!calls.some(({ type }) => type === "rag")) return { calls, plan: null };
  const original = request.query.trim();
  const whole = planQueries(original, { rewritten: text === original ? null : text }, intent);
  const most = budget?.plan.formulations ?? whole.queries.length;
  return { calls, plan: { ...whole, queries: whole.queries.slice(0, most) } };
}

/**
 * Runs the searches and the other tools concurrently, and computes from what was found. A failing tool is
 * reported; the others continue.
 */
export async function execute(
  choice: ToolChoice,
  question: RoutedQuestion,
  given: AskHome,
  run: Run,
): Promise<Found> {
  const home = { ...given, retrieval: question.search.retrieval };
  const { plan } = choice;
  const since = performance.now();
  const [gathered, called] = await Promise.all([
    plan === null || question.collections.length === 0 ? null : gather(plan, question, home, run),
    runTools(choice, question, home, run),
  ]);
  const { hits = [], phases = [], failure } = gathered ?? {};
  const succeeded = called.filter(({ status }) => status === "ok");
  if (failure !== undefined && succeeded.length === 0) throw failure;
  const isComputed = succeeded.some(({ call }) => call.type === "database_query");
  const computed = gathered === null || isComputed ? [] : await computeFrom(hits, question, home, run);
  const results = [...called, ...computed];
  const searching = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  // Tools run during the search: only the time beyond it counts as theirs.
  const toolPhase: PhaseMetrics = {
    phase: "tools",
    durationMs: Math.max(0, performance.now() - since - searching),
    counts: { calls: results.length },
  };
  return { ...choice, gathered, results, phases: results.length > 0 ? [...phases, toolPhase] : phases };
}

/** The hits of a plan; where no collection could be searched, the reason. */
async function gather(plan: Plan, question: RoutedQuestion, home: AskHome, run: Run): Promise<Gathered> {
  const found = await catchUnavailable(() => gatherHits(plan, question, home, run), run);
  if (!(found instanceof RagctlError)) return found;
  const unavailable = question.collections.map((name) => toUnavailableCollection(name, found));
  return { hits: [], phases: [], unavailable, failure: found };
}

/** Runs every call except rag; permission is checked again before each. */
async function runTools(
  { calls }: ToolChoice,
  question: RoutedQuestion,
  home: AskHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  // A query may look at any spreadsheet that may be read, whatever rows it gives back.
  if (calls.some(({ type }) => type === "database_query")) question.origins.read(question.collections);
  const others = calls.filter(({ type }) => type !== "rag");
  const results = await home.toolbox.run(others, question, run);
  const searched = await toCompute({ ...question, hits: [] }, home, run);
  return Promise.all(
    results
      .filter((result) => isOfDocuments(result, question.request))
      .map((result) => withResultRows(result, searched)),
  );
}

/**
 * Computes what a question asks of the retrieved documents: a measure of their statements, or a row or total
 * of their tables. Empty for other questions, and if the documents lack the data.
 */
async function computeFrom(
  hits: readonly Hit[],
  question: RoutedQuestion,
  home: AskHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  // An able reader is given the tables themselves.
  if (await question.isAble()) return [];
  const searched = await toCompute({ ...question, hits }, home, run);
  const measures = await computeMeasure(searched, home, run);
  return measures.length > 0 ? measures : answerFromTables(searched, home, run);
}

/**
 * The hits of a plan: all passages where something is looked for in every document, the key passages of a
 * document for a summary, else the nearest with their surroundings and the room's messages.
 */
async function gatherHits(plan: Plan, question: RoutedQuestion, home: AskHome, run: Run): Promise<Gathered> {
  const { request, replayKeeper, collections, agent, search: row } = question;
  const { retrieval, settings } = home;
  const { answer, mmr } = settings;
  const drivers = {
    retrieve: retrieval.drivers(run, agent),
    settings: { ...gatherDefaults, lambda: row.lambda ?? mmr.lambda },
  };
  const reader = await question.reader();
  const topK = Math.max(request.topK, row.topK ?? mmr.topK, reader.passages);
  const search = { ...request, mode: "hybrid" as const, collections, topK };
  const [gathered, messages] = await Promise.all([
    gatherPassages(reader.makes === "answer" ? deepened(plan, topK) : plan, search, drivers, run),
    question.recall(),
  ]);
  const isAble = await question.isAble();
  const listed =
    (await findMentions(question, collections, home, run)) ?? (await contentsOf(question, home, run));
  // Which document is meant, an able reader asks better.
  if (listed !== null && !(isAble && "contents" in listed && listed.contents.document === null)) {
    replayKeeper.gathered(listed.hits, collections);
    return { ...gathered, ...listed };
  }
  const summary = isAble
    ? null
    : await findSummaryPassages({ ...question, hits: gathered.hits }, reader.contextTokens, home, run);
  const hits =
    summary?.hits ??
    (await retrieval.widen(gathered.hits, reader.passages, answer.neighbours, request, run, agent));
  replayKeeper.gathered(hits, collections);
  if (summary !== null) return { ...gathered, ...summary };
  // Documents come first: messages follow the hits that are shown and displace none.
  return { ...gathered, hits: hits.toSpliced(reader.passages, 0, ...messages) };
}

/** A plan of whose formulations as many hits are taken as are shown. */
const deepened = (plan: Plan, shown: number): Plan => ({
  ...plan,
  queries: plan.queries.map((query) => ({ ...query, limit: Math.max(query.limit, shown) })),
});

/**
 * Whether a request admits whole spreadsheets: conditions that exclude some of their rows cannot be passed to
 * SQL.
 */
const looksAtSheets = ({ texts = [], formats, department, ...request }: AskRequest): boolean =>
  coversAllTables(request) &&
  texts.length === 0 &&
  department === undefined &&
  (formats === undefined || formats.some((format) => isSpreadsheet({ format })));

/**
 * Whether the documents that a tool used are all among those the request is narrowed to; true for a tool that
 * used none.
 */
function isOfDocuments({ data }: ToolResult, { documents }: AskRequest): boolean {
  if (documents === undefined) return true;
  const sources = z.array(z.object({ document: z.string() })).safeParse(data["sources"]).data ?? [];
  return sources.every(({ document }) => documents.includes(document));
}
