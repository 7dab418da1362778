import type { Utterances } from "../../agents/decide/utterances.ts";
import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { Settings } from "../../config/settings.ts";
import type { AgentProfile, AgentState, Turn } from "../../core/answers/agent.ts";
import type { LanguageModel, Origins } from "../../core/answers/answer.ts";
import { type AvailableTool, findingChunk } from "../../core/answers/tool.ts";
import type { AskRequest } from "../../core/app.ts";
import { generalDepartment } from "../../core/decide.ts";
import type { Purpose } from "../../core/documents/embedding.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { Agents } from "../../registry/company/agents.ts";
import type { Tools } from "../../registry/company/tools.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import { unknown } from "../../registry/rows.ts";
import type { Access } from "../access.ts";
import type { LanguageModels } from "../engines/language-models.ts";
import type { TextVectors } from "../engines/text-vectors.ts";
import { profileOf, toolsOf, toolsWithoutAgent } from "./agent-profiles.ts";
import { openOrigins, originsOf, originsOfReply } from "./origins.ts";
import type { Retrieval } from "./retrieval.ts";
import { spreadsheetsOf } from "./sheets.ts";
import type { Toolbox } from "./toolbox.ts";

/** Attempts at an answer: a third one found nothing that the second had not. */
const maxAttempts = 2;

/** What a conversation adds to a question. */
export interface AskContext {
  readonly history: readonly Turn[];
  /** Messages that the principal, through the agent, may read, nearest first; null outside a room. */
  readonly memory: ((question: string, agent: AgentProfile | null) => Promise<readonly Hit[]>) | null;
}

export interface GraphParts {
  readonly settings: Settings;
  readonly access: Access;
  readonly agents: Pick<Agents, "list">;
  readonly tools: Pick<Tools, "list">;
  readonly documents: Pick<Documents, "latest">;
  readonly retrieval: Retrieval;
  readonly vectors: TextVectors;
  readonly models: LanguageModels;
  readonly toolbox: Toolbox;
  readonly utterances: () => Utterances;
}

/** The drivers of one request; whatever reaches the response comes through them, so they know what it was made from. */
export interface RequestDrivers extends GraphDrivers {
  /** Undefined where it is not known. */
  origins(): Origins | undefined;
}

/** Joins the graph to everything it asks for, for one request. */
export async function openGraphDrivers(
  request: AskRequest,
  context: AskContext,
  parts: GraphParts,
): Promise<RequestDrivers> {
  const { settings, access, retrieval, vectors, models, toolbox } = parts;
  const [{ openIntentRouter }, replies, { reflect }, { routeAgent }, planning] = await Promise.all([
    import("../../agents/decide/intent.ts"),
    import("../../agents/decide/reply.ts"),
    import("../../agents/decide/reflect.ts"),
    import("../../agents/decide/route.ts"),
    import("../../agents/decide/plan.ts"),
  ]);
  const { withDocumentNames } = await import("../../language/forms.ts");
  const [{ gather, gatherDefaults }, { synthesize }, { answerSettings }, { arithmeticIn }] =
    await Promise.all([
      import("../../pipeline/retrieve/gather.ts"),
      import("../../pipeline/answer/synthesize.ts"),
      import("./answer-settings.ts"),
      import("../../tools/calculator/arithmetic.ts"),
    ]);
  const deciding = (run: Run) => ({
    embed: (texts: readonly string[], purpose: Purpose) => vectors.embed(texts, purpose, run),
    model: (): Promise<LanguageModel | null> => models.of("reflection", null, run).model(),
  });
  // A room has what was said in it, and arithmetic needs nothing, even where there is no document to read.
  const withoutDocuments = context.memory !== null || arithmeticIn(request.query) !== null;
  const readable = (run: Run): readonly string[] =>
    withoutDocuments && request.collections.length === 0
      ? access.allowed(run, null, "read").collections
      : access.chosen(run, null, request.collections).map(({ name }) => name);
  /** What is asked about and may be read, be it nothing. */
  const asked = (run: Run): readonly string[] =>
    access
      .allowed(run, null, "read")
      .collections.filter((name) => request.collections.length === 0 || request.collections.includes(name));
  const through = (agent: AgentProfile | null, run: Run): readonly string[] => {
    const own = readable(run);
    const allowed = new Set(access.allowed(run, agent, "read").collections);
    return own.filter((name) => allowed.has(name));
  };
  const origins = openOrigins();
  /** Documents come first: what was said stands after them and takes the place of none. */
  const documentsShown = Math.max(1, Math.min(answerSettings(settings).maxPassages, request.topK));
  let recalled: Promise<readonly Hit[]> | undefined;
  const recall = (state: AgentState): Promise<readonly Hit[]> => {
    recalled ??= context.memory?.(state.clarifiedQuery, agentOf(state)) ?? Promise.resolve([]);
    return recalled;
  };
  return {
    origins: origins.origins,
    maxAttempts,
    async reflect(question, history, run) {
      const reflection = await reflect(question, history, deciding(run), run);
      const wanted = new Set(request.documents ?? []);
      if (reflection.rewritten !== null || wanted.size === 0) return reflection;
      const documents = parts.documents.latest(readable(run)).filter(({ id }) => wanted.has(id));
      const named = withDocumentNames(
        question,
        documents.map(({ name }) => name),
      );
      return named === null
        ? reflection
        : { rewritten: named, via: "rule", reason: "it asks about the documents that are named" };
    },
    arithmetic: (question) => arithmeticIn(question) !== null,
    async classify(question, history, run) {
      const decision = await openIntentRouter(parts.utterances(), deciding(run)).classify(
        question,
        history,
        run,
      );
      // What is asked of documents by name is never too vague: they are what it is about.
      const vague = decision.intent === "clarify" && (request.documents?.length ?? 0) > 0;
      return vague
        ? { ...decision, intent: "retrieval", reason: `${decision.reason}, but the documents are named` }
        : decision;
    },
    async directReply(question, run) {
      const collections = asked(run);
      const documents = collections.length === 0 ? 0 : parts.documents.latest(collections).length;
      const agents = access.agents(run, parts.agents.list()).map(({ name }) => name);
      const reply = replies.directReply(question, { agents, collections, documents });
      const bare = replies.directReply(question, { agents: [], collections: [], documents: 0 });
      origins.made(originsOfReply(reply, bare, { collections, agents }));
      return reply;
    },
    async clarifyingQuestion(question, run) {
      const collections = asked(run);
      const titles =
        collections.length === 0
          ? []
          : parts.documents.latest(collections).map(({ title, name }) => title || name);
      const reply = replies.clarifyingQuestion(question, titles);
      const bare = replies.clarifyingQuestion(question, []);
      origins.made(originsOfReply(reply, bare, { collections, agents: [] }));
      return reply;
    },
    async usableAgents(run) {
      const usable = access.agents(run, parts.agents.list()).map(profileOf);
      const named =
        request.agent === undefined
          ? usable
          : usable.filter(({ name, id }) => same(name, request.agent) || id === request.agent);
      if (request.agent !== undefined && named.length === 0)
        throw unknown(
          "agent",
          request.agent,
          usable.map(({ name }) => name),
        );
      // An agent that may read nothing of what is asked about can answer nothing.
      return request.agent === undefined ? named.filter((agent) => through(agent, run).length > 0) : named;
    },
    async route(question, agents, run) {
      const [only] = agents;
      if (request.agent !== undefined && only !== undefined)
        return { agent: only, scores: [], reason: "named in the request" };
      const choice = await routeAgent(question, agents, deciding(run), run);
      if (choice.agent !== null && choice.agent.department !== generalDepartment) return choice;
      // No specialist suits, so whoever reads the most of what the principal may read answers best.
      const readers = agents
        .map((agent) => ({ agent, count: through(agent, run).length }))
        .toSorted((a, b) => b.count - a.count);
      const [most] = readers;
      if (most === undefined || most.count <= (choice.agent === null ? 0 : through(choice.agent, run).length))
        return choice;
      return {
        ...choice,
        agent: most.agent,
        reason: `${choice.reason}; ${most.agent.name} reads more of what may be read`,
      };
    },
    async allowed(agent, run) {
      const collections = through(agent, run);
      return { collections, withheld: readable(run).length - collections.length };
    },
    async tools(agent, run) {
      const row = parts.agents.list().find(({ id }) => id === agent?.id);
      const given = row === undefined ? toolsWithoutAgent : toolsOf(row, parts.tools.list());
      const sheets = spreadsheetsOf(through(agent, run), parts).length > 0;
      return given.filter(
        (tool) => access.tool(run, agent, tool).effect === "allow" && (sheets || !asksSheets(tool)),
      );
    },
    selectTools: (question, tools, run) =>
      toolbox.select(question, tools, { asked: request.query, history: context.history }, run),
    plan: (question, { rewritten }, { intent }) => planning.plan(question, { rewritten }, { intent }),
    async gather(plan, state, run) {
      const row = ragRow(state);
      const allowed = state.permissions?.collections ?? [];
      const collections =
        row.collections === undefined ? allowed : allowed.filter((name) => row.collections?.includes(name));
      if (collections.length === 0) return { hits: [], phases: [], unavailable: [] };
      const drivers = {
        retrieve: retrieval.drivers(run, agentOf(state)),
        settings: { ...gatherDefaults, lambda: row.lambda ?? settings.mmr.lambda },
      };
      const topK = Math.max(request.topK, row.topK ?? settings.mmr.topK);
      const search = { ...request, mode: "hybrid" as const, collections, topK };
      const [found, said] = await Promise.all([gather(plan, search, drivers, run), recall(state)]);
      const hits = await retrieval.widen(found.hits, settings.answer.neighbours, run, agentOf(state));
      return { ...found, hits: [...hits.slice(0, documentsShown), ...said, ...hits.slice(documentsShown)] };
    },
    runTools(calls, state, run) {
      // A query may look at any spreadsheet that may be read, whatever rows it gives back.
      if (calls.some(({ type }) => type === "database_query"))
        origins.read(state.permissions?.collections ?? []);
      return toolbox.run(calls, state, run);
    },
    async *synthesize(state, run) {
      const agent = agentOf(state);
      const served = models.of("llm", agent, run);
      const base = answerSettings(settings);
      const cosine = state.gathered?.cosine;
      const said = onlyArithmetic(state) ? [] : await recall(state);
      const options = {
        ...base,
        grounded: request.grounded ?? settings.answer.grounded,
        temperature: served.temperature ?? base.temperature,
        maxTokens: Math.min(served.maxTokens ?? base.maxTokens, base.maxTokens),
        maxPassages: documentsShown + said.length,
        findings: findings(state),
        history: state.chatHistory,
        parts: state.plan?.queries.filter(({ purpose }) => purpose === "part").map(({ text }) => text) ?? [],
        last: state.attempts + 1 >= maxAttempts,
        ...(cosine === undefined ? {} : { cosine }),
        ...(agent === null ? {} : { persona: { name: agent.name, description: agent.description } }),
      };
      const hits = state.gathered?.hits ?? said;
      const model = onlyArithmetic(state) ? async () => null : served.model;
      const draft = yield* synthesize(state.clarifiedQuery, hits, options, { model }, run);
      origins.made(
        originsOf(
          draft,
          hits.map(({ chunk }) => chunk),
        ),
      );
      return draft;
    },
    rewriteForRetry: planning.rewriteForRetry,
  };
}

/** Whether a database tool has no database of its own and asks the ingested spreadsheets. */
const asksSheets = ({ type, config }: AvailableTool): boolean =>
  type === "database_query" && ["path", "url", "url_secret"].every((key) => config[key] === undefined);

/** What the agent's search tool says in its row; what it leaves out is up to the settings. */
function ragRow({ availableTools }: AgentState) {
  const {
    mmr_lambda: lambda,
    top_k: topK,
    collections,
  } = availableTools.find(({ type }) => type === "rag")?.config ?? {};
  return {
    ...(typeof lambda === "number" ? { lambda } : {}),
    ...(typeof topK === "number" ? { topK } : {}),
    ...(Array.isArray(collections) ? { collections } : {}),
  };
}

/** The result of a calculation needs no words around it. */
const onlyArithmetic = ({ toolCalls, toolResults }: AgentState): boolean =>
  toolCalls.length > 0 &&
  toolCalls.every(({ type }) => type === "calculator") &&
  toolResults.every(({ status }) => status === "ok");

const agentOf = (state: AgentState): AgentProfile | null => state.selectedAgent?.agent ?? null;

const same = (left: string, right: string | undefined): boolean =>
  left.toLowerCase() === right?.toLowerCase();

function findings({ toolResults }: AgentState) {
  return toolResults
    .flatMap(({ call, findings: found }) => found.map((finding) => ({ finding, type: call.type })))
    .map(({ finding, type }, at) => findingChunk(finding, type, at));
}
