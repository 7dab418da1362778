import type { Utterances } from "../../agents/decide/utterances.ts";
import type { AgentChoice, AgentProfile, PermittedResources, Turn } from "../../core/answers/agent.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import type { ReplayRecord } from "../../core/answers/replay.ts";
import type { AskRequest } from "../../core/app.ts";
import type { Purpose } from "../../core/documents/embedding.ts";
import { lazy } from "../../core/lazy.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { toolConfigs } from "../../core/tool-config.ts";
import { arithmeticIn } from "../../tools/calculator/arithmetic.ts";
import type { TableMemory } from "../../tools/database/table-query.ts";
import type { QuestionBudget } from "../budget/budget.ts";
import { openAuxiliaryModel, type Reader, resolveReader } from "../budget/reader.ts";
import type { ServedModel } from "../engines/language-models.ts";
import type { TextVectors } from "../engines/text-vectors.ts";
import type { Home } from "../home.ts";
import { createReplayKeeper, type Replayed, type ReplayKeeper } from "../replay/keeper.ts";
import { agentsNamed } from "./agent-profiles.ts";
import { createOriginTracker, type OriginKeeper } from "./origins.ts";
import type { Retrieval } from "./retrieval.ts";
import type { Toolbox } from "./toolbox.ts";
import { openVisibilityScope, type QuestionSight } from "./visibility.ts";

/** The context that a conversation adds to a question. */
export interface AskContext {
  readonly history: readonly Turn[];
  /** Messages that the principal, through the agent, may read, nearest first; null outside a room. */
  readonly memory: ((question: string, agent: AgentProfile | null) => Promise<readonly Hit[]>) | null;
  /** Id of the conversation, which the record of the question gets; absent for none. */
  readonly conversation?: string;
  /**
   * Replays an answer: with the random values of the original, and the record of decisions is handed to
   * `keep` instead of being stored with a run.
   */
  readonly replay?: { readonly earlier: Replayed; keep(record: ReplayRecord): void };
}

/** The home with what only questions need, opened with the first of them. */
export interface AskHome extends Home {
  readonly retrieval: Retrieval;
  readonly toolbox: Toolbox;
  /** Tables of documents that readers query; those of last stay open. */
  readonly tables: TableMemory;
  /** Vectors that agents are chosen by. */
  readonly routingVectors: TextVectors;
  readonly utterances: () => Utterances;
}

/** One question on its way. Everything that reaches the response is recorded in `origins`. */
export interface QuestionContext extends AskContext {
  readonly request: AskRequest;
  readonly sight: QuestionSight;
  readonly origins: OriginKeeper;
  /** Collects the record from which the answer can be replayed. */
  readonly replayKeeper: ReplayKeeper;
  /** The day it was asked on (ISO 8601); a replay keeps it. */
  readonly askedOn: string;
  /** Its time limit and plan; null without a limit. */
  readonly budget: QuestionBudget | null;
  /** The agent whose rights limit what is read: null where it was only chosen for the owner. */
  through<Agent>(agent: Agent): Agent | null;
}

/** A question as it was understood. */
export interface UnderstoodQuestion extends Pick<QuestionContext, "request" | "sight" | "origins"> {
  readonly text: string;
  /** The agent whose rights limit what is read; null for none. */
  readonly agent: AgentProfile | null;
}

/** The question with its hits. */
export interface SearchedQuestion extends UnderstoodQuestion {
  readonly hits: readonly Hit[];
}

/** A question with the agent that answers, and what both it and the principal may read and use. */
export interface RoutedQuestion extends QuestionContext, UnderstoodQuestion, PermittedResources {
  /** The agent that answers, whether or not its rights limit what is read; null for none. */
  readonly answeredBy: AgentProfile | null;
  /** The search as the row of the agent's tool has it; absent members come from the settings. */
  readonly search: ReturnType<typeof searchOf>;
  /** The model that may answer. */
  served(): Promise<ServedModel>;
  /** Messages near the question, looked for once. */
  recall(): Promise<readonly Hit[]>;
  /** The reader of the passages, determined once so that every attempt gets the same number of them. */
  reader(): Promise<Reader>;
  /** Whether that reader is trusted with tools; one that must answer within a plan is not. */
  isAble(): Promise<boolean>;
}

/**
 * Creates a question of the run's principal.
 * @throws NOT_FOUND where it names an agent or a collection that the principal may not use
 */
export async function createQuestionContext(
  request: AskRequest,
  context: AskContext,
  home: Pick<Home, "access" | "agents">,
  run: Run,
): Promise<Omit<QuestionContext, "budget">> {
  if (request.agent !== undefined) await agentsNamed(request.agent, home, run);
  // A room has its messages, and arithmetic needs nothing, even where no document is readable.
  const needsDocuments = context.memory === null && arithmeticIn(request.query) === null;
  const sight = await openVisibilityScope(request, needsDocuments, home.access, run);
  // A greeting is answered without a search, which would find out.
  if (request.collections.length > 0) await sight.searched();
  const isOfOwner = request.agent === undefined && (await home.access.principal(run)).kind === "owner";
  return {
    ...context,
    request,
    sight,
    through: (agent) => (isOfOwner ? null : agent),
    origins: createOriginTracker(),
    askedOn: (context.replay?.earlier.at ?? new Date().toISOString()).slice(0, 10),
    replayKeeper: createReplayKeeper(context.replay?.earlier),
  };
}

/** The question as it was understood, with the agent that answers; nothing is opened before it is used. */
export function withAgent(
  question: QuestionContext,
  text: string,
  { agent: answeredBy }: AgentChoice,
  permitted: PermittedResources,
  home: AskHome,
  run: Run,
): RoutedQuestion {
  const { request, memory, budget } = question;
  const agent = question.through(answeredBy);
  const served = lazy(() => home.languageModels.of("llm", answeredBy, run));
  const reader = lazy(async () => {
    // Quotes in place of a model that was named and is not installed would look as if it had chosen them.
    const model = await served();
    if ((await model.outlook()) === null) await model.model();
    return resolveReader(model, request, home);
  });
  return {
    ...question,
    ...permitted,
    text,
    agent,
    answeredBy,
    search: searchOf(permitted, home),
    served,
    recall: lazy(async () => (await memory?.(text, agent)) ?? []),
    reader,
    isAble: async () => budget?.plan.kind !== "quote" && (await reader()).makes === "answer",
  };
}

function searchOf({ tools }: PermittedResources, { retrieval }: Pick<AskHome, "retrieval">) {
  const row = tools.find(({ type }) => type === "rag")?.config ?? {};
  const { mmr_lambda: lambda, top_k: topK, ...uris } = toolConfigs.rag.safeParse(row).data ?? {};
  const { milvus_public_uri: shared, milvus_private_uri: own } = uris;
  const isElsewhere = (shared ?? own) !== undefined;
  return {
    lambda,
    topK,
    retrieval: isElsewhere ? retrieval.at({ public: shared, private: own }) : retrieval,
  };
}

/** Drivers of decisions: vectors of texts and, under no time limit, the model of reflection. */
export const decisionDrivers = (
  home: Pick<AskHome, "routingVectors" | "languageModels" | "rates" | "settings">,
  { budget }: Pick<QuestionContext, "budget">,
  run: Run,
) => ({
  embed: (texts: readonly string[], purpose: Purpose) => home.routingVectors.embed(texts, purpose, run),
  async model(): Promise<LanguageModel | null> {
    if (budget !== null) return null;
    const { of } = home.languageModels;
    return openAuxiliaryModel(await of("reflection", null, run), home, await of("llm", null, run));
  },
});
