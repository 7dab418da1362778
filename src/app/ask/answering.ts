import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { Settings } from "../../config/settings.ts";
import type { AgentState, Draft } from "../../core/answers/agent.ts";
import type { AnswerEvent, LanguageModel } from "../../core/answers/answer.ts";
import { findingChunk, type ToolResult } from "../../core/answers/tool.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { type EvidenceContext, evidenceDefaults } from "../../pipeline/answer/evidence.ts";
import { contentsDraft } from "../../pipeline/answer/kinds/contents.ts";
import { mentionsDraft } from "../../pipeline/answer/kinds/mentions.ts";
import { analyzeQuestion } from "../../pipeline/answer/question.ts";
import { type QuotingDrivers, quoteAnswer } from "../../pipeline/answer/quotes/quoting.ts";
import type { StepsOptions } from "../../pipeline/answer/steps/steps.ts";
import { contextTokensOf } from "../../pipeline/budget/plan.ts";
import { type QuestionBudget, typicalWriteMs } from "../budget/budget.ts";
import type { Reader } from "../budget/reader.ts";
import type { ServedModel } from "../engines/language-models.ts";
import { summaryPassages } from "./kinds/whole-document.ts";
import { originsOf } from "./origins.ts";
import { type AskHome, agentOf, type QuestionContext } from "./question.ts";
import { answerByReader } from "./reader/reader.ts";
import { listUnsearchedCollections } from "./routing.ts";

/** What every reader is told. */
type WritingOptions = Omit<StepsOptions, "calls" | "today" | "usualMs" | "withheld">;

type AnsweringHome = Pick<
  AskHome,
  | "settings"
  | "languageModels"
  | "classifiers"
  | "access"
  | "agents"
  | "rates"
  | "retrieval"
  | "documents"
  | "cache"
  | "tables"
>;

/** Opens the drivers that write the answer. */
export function openAnswerDrivers(
  question: QuestionContext,
  home: AnsweringHome,
): Pick<GraphDrivers, "synthesize"> {
  return {
    async *synthesize(state, run) {
      const listed = listing(state, question, home);
      if (listed !== null) {
        yield { type: "context-ready", context: listed.context };
        yield { type: "text-delta", text: listed.text };
        return listed;
      }
      const isTold = isToldBy(state);
      if (!isTold && !onlyArithmetic(state) && (await question.isAble(state))) {
        const served = home.languageModels.of("llm", agentOf(state), run);
        const opened = await (question.budget?.model(served) ?? served.model());
        const model = question.replayKeeper.watch(opened);
        if (model !== null) return yield* writtenByAble(state, model, served, question, home, run);
      }
      return yield* quoted(state, isTold, question, home, run);
    },
  };
}

/** The answer without a model that may be trusted: lines of the documents, and results of tools. */
async function* quoted(
  state: AgentState,
  isTold: boolean,
  question: QuestionContext,
  home: AnsweringHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const isComputed = onlyArithmetic(state) || isTold;
  const messages = isComputed ? [] : await question.recall(state);
  const served = home.languageModels.of("llm", agentOf(state), run);
  const reader = await question.reader(state);
  const withheld = besideEvidence(state, listUnsearchedCollections(state, question, home, run));
  const { forms } = state.gathered ?? {};
  const options = {
    ...optionsOf(state, messages, served, question, reader, home.settings),
    isWhole: state.gathered?.isWhole === true,
    ...(forms === undefined ? {} : { forms }),
    findings: findingsOf(state),
    ...(withheld === undefined ? {} : { withheld }),
  };
  const hits = isTold ? [] : (state.gathered?.hits ?? messages);
  const asked = state.gathered?.readAs ?? state.clarifiedQuery;
  const drivers = quotingDrivers(options, served, question, reader, home, run);
  const usual = reader.makes === "draft" ? await typicalWriteMs(served, home) : undefined;
  const quoting = quoteAnswer(asked, hits, options, drivers, run);
  let next = await quoting.next();
  for (; next.done !== true; next = await quoting.next())
    yield next.value.type === "context-ready" ? { ...next.value, usualMs: usual } : next.value;
  const draft = next.value;
  question.origins.made(originsOf(draft, [...hits, ...(forms ?? [])]));
  return draft;
}

/** The answer of an able reader, which may search, read, query and calculate before it writes. */
async function* writtenByAble(
  state: AgentState,
  model: LanguageModel,
  served: ServedModel,
  question: QuestionContext,
  home: AnsweringHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const reader = await question.reader(state);
  const messages = await question.recall(state);
  const withheld = besideEvidence(state, listUnsearchedCollections(state, question, home, run));
  const {
    findings = [],
    history = [],
    ...options
  } = optionsOf(state, messages, served, question, reader, home.settings);
  const draft = yield* answerByReader(
    state,
    {
      ...{ ...options, findings, history, calls: callsOf(question) },
      today: question.askedOn,
      usualMs: await typicalWriteMs(served, home),
      ...(withheld === undefined ? {} : { withheld }),
    },
    model,
    question,
    home,
    run,
  );
  return withReader(reader, draft);
}

/** Replies of an able reader, at most: its plan for a time limit leaves room for one look. */
const callsOf = ({ budget }: QuestionContext): number => (budget === null ? 7 : 3);

/** The encoder that chooses lines and, where a small model is to write below them, that model. */
function quotingDrivers(
  options: WritingOptions,
  served: ServedModel,
  { budget, replayKeeper }: QuestionContext,
  { makes }: Reader,
  { retrieval }: Pick<AskHome, "retrieval">,
  run: Run,
): QuotingDrivers {
  const nearness: QuotingDrivers["nearness"] = (asked, texts) => retrieval.nearness(asked, texts, run);
  if (makes !== "draft" || budget?.plan.kind === "quote") return { nearness };
  return {
    nearness,
    async draft(passages, clock) {
      const model = replayKeeper.watch(await (budget?.model(served) ?? served.model()));
      if (model === null) return null;
      const { writeDraft } = await import("../../pipeline/answer/quotes/draft.ts");
      return writeDraft(passages, model, { ...options, fence: replayKeeper.fence }, run, clock);
    },
  };
}

/** A draft with the level of the model that wrote it. */
const withReader = ({ level, why }: Reader, draft: Draft): Draft =>
  draft.model === null ? draft : { ...draft, reader: { level, why } };

/** What a refusal says in addition to its evidence; undefined for nothing. */
function besideEvidence(
  { gathered, clarifiedQuery }: AgentState,
  withheld: string | undefined,
): string | undefined {
  const { unnamed, forms = [] } = gathered ?? {};
  const names = [...new Set(forms.map(({ chunk }) => chunk.sourceName))].join(", ");
  const { noDocument, onlyForms } = notesFor(clarifiedQuery).reasons;
  const lacks = [unnamed && noDocument(unnamed), names && onlyForms(names), withheld];
  return lacks.filter((lack) => lack).join("; ") || undefined;
}

/**
 * An answer read from documents without a model: the documents that mention something, or the parts of one
 * document; null for another kind of question. That no document mentions it draws on every collection
 * searched.
 */
function listing(
  { gathered, clarifiedQuery }: AgentState,
  { request, origins, sight }: QuestionContext,
  { settings }: Pick<AskHome, "settings">,
): Draft | null {
  if (gathered === null) return null;
  const { hits, mentions, contents } = gathered;
  const base = {
    threshold: settings.answer.threshold,
    grounded: request.grounded ?? settings.answer.grounded,
  };
  const draft =
    mentions !== undefined
      ? mentionsDraft(analyzeQuestion(mentions.subject), mentions, hits, clarifiedQuery, base)
      : contents !== undefined
        ? contentsDraft(contents, hits, clarifiedQuery, base)
        : null;
  if (draft === null) return null;
  const from = originsOf(draft, hits);
  origins.made(mentions === undefined ? from : { ...from, collections: sight.searched() });
  return draft;
}

function optionsOf(
  state: AgentState,
  messages: readonly Hit[],
  served: ServedModel,
  question: QuestionContext,
  reader: Reader,
  settings: Settings,
): WritingOptions {
  const { request, budget } = question;
  const { answer } = settings;
  // A plan within a time limit assumes the passages of a small reader.
  const isAble = reader.makes === "answer" && budget === null;
  const { maxTokens, temperature } = answer;
  const agent = agentOf(state);
  const { isWhole = false } = state.gathered ?? {};
  return {
    ...weighing(state, isAble ? evidenceDefaults : settings.answer),
    grounded: request.grounded ?? answer.grounded,
    temperature: served.temperature ?? temperature,
    maxTokens: Math.min(served.maxTokens ?? maxTokens, maxTokens),
    contextTokens: reader.contextTokens,
    maxPassages: (isWhole ? summaryPassages : reader.passages) + messages.length,
    findings: findingsOf(state),
    history: state.chatHistory,
    ...(budget === null ? {} : withinPlan(budget, served, messages.length)),
    ...(agent === null ? {} : { persona: { ...agent, manner: agent.persona ?? "" } }),
  };
}

/** The limits of a plan; what quoting reads costs no time, and has none. */
function withinPlan(
  { plan, until }: QuestionBudget,
  { maxTokens }: ServedModel,
  messages: number,
): Partial<WritingOptions> {
  const late = until === undefined ? {} : { until };
  if (plan.kind === "quote") return late;
  return {
    ...late,
    contextTokens: contextTokensOf(plan),
    maxPassages: plan.passages + messages,
    maxTokens: Math.min(maxTokens ?? plan.answerTokens, plan.answerTokens),
  };
}

/** The weights for the evidence of hits. */
function weighing(
  { gathered, plan }: AgentState,
  given: Pick<Settings["answer"], "threshold">,
): EvidenceContext {
  const cosine = gathered?.cosine;
  // A document was named as a whole: that it is about itself needs no evidence.
  const threshold = gathered?.isWhole === true ? 0 : given.threshold;
  return {
    evidence: { ...evidenceDefaults, threshold },
    parts: plan?.queries.filter(({ purpose }) => purpose === "part").map(({ text }) => text) ?? [],
    ...(cosine === undefined ? {} : { cosine }),
  };
}

/** Whether a measure or a query from a template is the answer. */
const isToldBy = (state: AgentState): boolean => isMeasured(state) || isQueried(state);

/** The result of a calculation needs no words around it. */
const onlyArithmetic = ({ toolCalls, toolResults }: AgentState): boolean =>
  toolCalls.length > 0 &&
  toolCalls.every(({ type }) => type === "calculator") &&
  toolResults.every(({ status }) => status === "ok");

/** A measure was computed: it is the answer, and the passages say nothing besides. */
const isMeasured = ({ toolResults }: AgentState): boolean =>
  toolResults.some(
    // The result of another tool may have a member of that name too.
    ({ call, status, data }) => call.type === "calculator" && status === "ok" && "measure" in data,
  );

/**
 * Whether a query made from a template, which accounts for every word of the question, gave the answer; all
 * other results must be calculations.
 */
const isQueried = ({ toolResults }: AgentState): boolean => {
  const found = toolResults.filter(({ status }) => status === "ok");
  const byTemplate = ({ call, data }: ToolResult): boolean =>
    call.type === "database_query" && data["produced_by"] === "template";
  return found.some(byTemplate) && found.every((each) => byTemplate(each) || each.call.type === "calculator");
};

function findingsOf({ toolResults }: AgentState) {
  return toolResults
    .flatMap(({ call, findings }) => findings.map((finding) => ({ finding, type: call.type })))
    .map(({ finding, type }, at) => findingChunk(finding, type, at));
}
