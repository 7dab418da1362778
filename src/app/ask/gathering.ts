import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { AgentState, Gathered, Plan } from "../../core/answers/agent.ts";
import type { AvailableTool, ToolResult } from "../../core/answers/tool.ts";
import type { AskRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { toolConfigs } from "../../core/tool-config.ts";
import { gatherDefaults, gatherPassages } from "../../pipeline/retrieve/gather.ts";
import { catchUnavailable, toUnavailableCollection } from "../../pipeline/retrieve/unavailable.ts";
import { toCompute } from "./kinds/computed.ts";
import { contentsOf } from "./kinds/contents.ts";
import { computeMeasure } from "./kinds/measures.ts";
import { findMentions } from "./kinds/mentions.ts";
import { answerFromTables, coversAllTables, type TablesHome, withResultRows } from "./kinds/table-answers.ts";
import { findSummaryPassages } from "./kinds/whole-document.ts";
import { type AskHome, agentOf, type QuestionContext, type UnderstoodQuestion } from "./question.ts";
import { isSpreadsheet, isSpreadsheetQuery } from "./sheets.ts";

/** Opens the drivers that gather passages and results of tools. */
export function openRetrievalDrivers(
  question: QuestionContext,
  home: TablesHome & Pick<AskHome, "retrieval" | "toolbox">,
): Pick<GraphDrivers, "selectTools" | "gather" | "runTools" | "computeFrom"> {
  const { request, origins } = question;
  const { toolbox } = home;
  return {
    async selectTools(state, run) {
      const said = { asked: request.query, history: question.history };
      const isAble = await question.isAble(state);
      const isUsable = (tool: AvailableTool): boolean =>
        tool.type !== "database_query" || (looksAtSheets(request) && !(isAble && isSpreadsheetQuery(tool)));
      return toolbox.select({ ...state, availableTools: state.availableTools.filter(isUsable) }, said, run);
    },
    async gather(plan, state, run) {
      const found = await catchUnavailable(() => gatherHits(plan, state, question, home, run), run);
      if (!(found instanceof RagctlError)) return found;
      const lost = (state.permissions?.collections ?? []).map((name) => toUnavailableCollection(name, found));
      return { hits: [], phases: [], unavailable: lost, failure: found };
    },
    async computeFrom(hits, state, run) {
      // An able reader is given the tables themselves.
      if (await question.isAble(state)) return [];
      const searched = toCompute({ ...understood(question, state), hits }, home, run);
      const measures = await computeMeasure(searched, home, run);
      return measures.length > 0 ? measures : answerFromTables(searched, home, run);
    },
    async runTools(calls, state, run) {
      // A query may look at any spreadsheet that may be read, whatever rows it gives back.
      if (calls.some(({ type }) => type === "database_query"))
        origins.read(state.permissions?.collections ?? []);
      const results = await toolbox.run(calls, state, run);
      const searched = toCompute({ ...understood(question, state), hits: [] }, home, run);
      return Promise.all(
        results
          .filter((result) => isOfDocuments(result, request))
          .map((result) => withResultRows(result, searched)),
      );
    },
  };
}

const understood = (question: QuestionContext, state: AgentState): UnderstoodQuestion => ({
  ...question,
  text: state.clarifiedQuery,
  agent: question.through(agentOf(state)),
});

/**
 * The hits of a plan: all passages where something is looked for in every document, the key passages of a
 * document for a summary, else the nearest with their surroundings and the room's messages.
 */
async function gatherHits(
  plan: Plan,
  state: AgentState,
  question: QuestionContext,
  given: Pick<AskHome, "settings" | "retrieval" | "documents">,
  run: Run,
): Promise<Gathered> {
  const { request, replayKeeper } = question;
  const { answer, mmr } = given.settings;
  const { retrieval, ...row } = searchOf(state, given);
  const home = { ...given, retrieval };
  const collections = state.permissions?.collections ?? [];
  if (collections.length === 0) return { hits: [], phases: [], unavailable: [] };
  const asked = understood(question, state);
  const drivers = {
    retrieve: retrieval.drivers(run, asked.agent),
    settings: { ...gatherDefaults, lambda: row.lambda ?? mmr.lambda },
  };
  const reader = await question.reader(state);
  const topK = Math.max(request.topK, row.topK ?? mmr.topK, reader.passages);
  const search = { ...request, mode: "hybrid" as const, collections, topK };
  const [gathered, messages] = await Promise.all([
    gatherPassages(reader.makes === "answer" ? deepened(plan, topK) : plan, search, drivers, run),
    question.recall(state),
  ]);
  const isAble = await question.isAble(state);
  const listed = (await findMentions(asked, collections, home, run)) ?? (await contentsOf(asked, home, run));
  // Which document is meant, an able reader asks better.
  if (listed !== null && !(isAble && "contents" in listed && listed.contents.document === null)) {
    replayKeeper.gathered(listed.hits, collections);
    return { ...gathered, ...listed };
  }
  const summary = isAble
    ? null
    : await findSummaryPassages({ ...asked, hits: gathered.hits }, reader.contextTokens, home, run);
  const hits =
    summary?.hits ??
    (await retrieval.widen(gathered.hits, reader.passages, answer.neighbours, request, run, asked.agent));
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

/** The search as the row of the agent's tool has it; absent members come from the settings. */
export function searchOf({ availableTools }: AgentState, { retrieval }: Pick<AskHome, "retrieval">) {
  const row = availableTools.find(({ type }) => type === "rag")?.config ?? {};
  const { mmr_lambda: lambda, top_k: topK, ...uris } = toolConfigs.rag.safeParse(row).data ?? {};
  const { milvus_public_uri: shared, milvus_private_uri: own } = uris;
  const isElsewhere = (shared ?? own) !== undefined;
  return {
    lambda,
    topK,
    retrieval: isElsewhere ? retrieval.at({ public: shared, private: own }) : retrieval,
  };
}
