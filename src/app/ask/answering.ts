import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { Settings } from "../../config/settings.ts";
import type { AgentState, Draft } from "../../core/answers/agent.ts";
import type { AnswerEvent, LanguageModel } from "../../core/answers/answer.ts";
import { findingChunk, type ToolResult } from "../../core/answers/tool.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { type EvidenceContext, evidenceDefaults, weigh } from "../../pipeline/answer/evidence.ts";
import { contentsDraft } from "../../pipeline/answer/kinds/contents.ts";
import { mentionsDraft } from "../../pipeline/answer/kinds/mentions.ts";
import { readQuestion } from "../../pipeline/answer/question.ts";
import { type SynthesizeOptions, synthesize } from "../../pipeline/answer/synthesize.ts";
import { contextTokensOf } from "../../pipeline/budget/plan.ts";
import { type QuestionBudget, usualMs } from "../budget/budget.ts";
import type { Reader } from "../budget/reader.ts";
import type { ServedModel } from "../engines/language-models.ts";
import { rankingOf } from "../engines/ranking.ts";
import { summaryPassages } from "./kinds/whole-document.ts";
import { originsOf } from "./origins.ts";
import { type AskHome, agentOf, type Question } from "./question.ts";
import { answerByReader } from "./reader/reader.ts";
import { withheldFrom } from "./routing.ts";

type AnsweringHome = Pick<
  AskHome,
  "settings" | "languageModels" | "classifiers" | "access" | "agents" | "rates" | "retrieval" | "documents"
>;

/** Opens the drivers that write the answer. */
export function answering(
  question: Question,
  home: Pick<
    AskHome,
    "settings" | "languageModels" | "classifiers" | "access" | "agents" | "rates" | "retrieval" | "documents"
  >,
): Pick<GraphDrivers, "synthesize" | "evidenceOf" | "maxAttempts"> {
  return {
    maxAttempts: async (state) => attemptsOf(question, await question.reader(state), home.settings),
    evidenceOf: (state) =>
      weigh(state.clarifiedQuery, state.gathered?.hits ?? [], weighing(state, home.settings)).score,
    async *synthesize(state, run) {
      const listed = listing(state, question, home);
      if (listed !== null) {
        yield { type: "context-ready", context: listed.context };
        yield { type: "text-delta", text: listed.text };
        return listed;
      }
      const isTold = isMeasured(state) || isQueried(state);
      if (!isTold && !onlyArithmetic(state) && (await question.isAble(state))) {
        const served = home.languageModels.of("llm", agentOf(state), run);
        const opened = await (question.budget?.model(served) ?? served.model());
        const model = question.replayKeeper.watch(opened);
        if (model !== null) return yield* writtenByAble(state, model, served, question, home, run);
      }
      return yield* writtenBySmall(state, isTold, question, home, run);
    },
  };
}

/** The answer without a model that may be trusted: quotes, results of tools, or the draft of a small one. */
async function* writtenBySmall(
  state: AgentState,
  isTold: boolean,
  question: Question,
  home: AnsweringHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const { budget, replayKeeper } = question;
  const arithmetic = onlyArithmetic(state) || isTold;
  const messages = arithmetic ? [] : await question.recall(state);
  const served = home.languageModels.of("llm", agentOf(state), run);
  const reader = await question.reader(state);
  const withheld = besideEvidence(state, withheldFrom(state, question, home, run));
  const options = {
    ...optionsOf(state, messages, served, question, reader, home.settings),
    usualMs: await usualMs(arithmetic ? null : served, home),
    ...(withheld === undefined ? {} : { withheld }),
  };
  const hits = isTold ? [] : (state.gathered?.hits ?? messages);
  const open = () => budget?.model(served) ?? served.model();
  const model = async () => (arithmetic ? null : replayKeeper.watch(await open()));
  const { entailment } = home.classifiers;
  const drivers = { model, entailment, fence: () => replayKeeper.fence };
  const asked = state.gathered?.readAs ?? state.clarifiedQuery;
  const draft = yield* synthesize(asked, hits, options, drivers, run);
  question.origins.made(
    originsOf(
      draft,
      hits.map(({ chunk }) => chunk),
    ),
  );
  return withReader(reader, draft);
}

/** The answer of an able reader, which may search, read, query and calculate before it writes. */
async function* writtenByAble(
  state: AgentState,
  model: LanguageModel,
  served: ServedModel,
  question: Question,
  home: AnsweringHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const reader = await question.reader(state);
  const messages = await question.recall(state);
  const withheld = besideEvidence(state, withheldFrom(state, question, home, run));
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
      usualMs: await usualMs(served, home),
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
const callsOf = ({ budget }: Question): number => (budget === null ? 7 : 3);

/** A draft with the level of the model that wrote it. */
const withReader = ({ level, why }: Reader, draft: Draft): Draft =>
  draft.model === null ? draft : { ...draft, reader: { level, why } };

/** What a refusal says in addition to its evidence; undefined for nothing. */
function besideEvidence(
  { gathered, clarifiedQuery }: AgentState,
  withheld: string | undefined,
): string | undefined {
  const unnamed = gathered?.unnamed;
  const { noDocument } = notesFor(clarifiedQuery).reasons;
  const lacks = [unnamed === undefined ? [] : noDocument(unnamed), withheld ?? []];
  return lacks.flat().length === 0 ? undefined : lacks.flat().join("; ");
}

/**
 * An answer read from documents without a model: the documents that mention something, or the parts of one
 * document; null for another kind of question. That no document mentions it draws on every collection
 * searched.
 */
function listing(
  { gathered, clarifiedQuery }: AgentState,
  { request, origins, sight }: Question,
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
      ? mentionsDraft(readQuestion(mentions.subject), mentions, hits, clarifiedQuery, base)
      : contents !== undefined
        ? contentsDraft(contents, hits, clarifiedQuery, base)
        : null;
  if (draft === null) return null;
  const from = originsOf(
    draft,
    hits.map(({ chunk }) => chunk),
  );
  origins.made(mentions === undefined ? from : { ...from, collections: sight.searched() });
  return draft;
}

function optionsOf(
  state: AgentState,
  messages: readonly Hit[],
  served: ServedModel,
  question: Question,
  reader: Reader,
  settings: Settings,
): SynthesizeOptions {
  const { request, budget } = question;
  const { answer } = settings;
  // A plan within a time limit assumes the passages of a small reader.
  const isAble = reader.level === "able" && budget === null;
  const { maxTokens, temperature } = answer;
  const agent = agentOf(state);
  const { isWhole = false, readBefore } = state.gathered ?? {};
  return {
    ...weighing(state, settings),
    grounded: request.grounded ?? answer.grounded,
    rulesOff: answer.rulesOff.split(","),
    temperature: served.temperature ?? temperature,
    maxTokens: Math.min(served.maxTokens ?? maxTokens, maxTokens),
    contextTokens: reader.contextTokens,
    maxPassages: (isWhole ? summaryPassages : reader.passages) + messages.length,
    mayDecline: isAble,
    ...(isWhole || isAble ? { focusTokens: 0 } : {}),
    findings: findingsOf(state),
    ...wordingOf(state.clarifiedQuery, settings),
    ...(readBefore === undefined ? {} : { readBefore }),
    history: state.chatHistory,
    last: readBefore === undefined && state.attempts + 1 >= attemptsOf(question, reader, settings),
    ...(budget === null ? {} : withinPlan(budget, served, messages.length)),
    ...(agent === null ? {} : { persona: { ...agent, manner: agent.persona ?? "" } }),
  };
}

/** The glossary's wording for the terms of a question. */
function wordingOf(question: string, settings: Settings): Pick<SynthesizeOptions, "wording"> {
  const companion = rankingOf(settings)?.glossary.companionOf(question);
  return companion === undefined ? {} : { wording: companion.words };
}

/**
 * Drafts at most; a small reader writes no better one from other passages
 * (docs/decisions/0016-one-draft-by-a-small-reader.md).
 */
const attemptsOf = ({ budget }: Question, _: Reader, { answer }: Settings): number =>
  budget?.plan.attempts ?? (answer.attempts || 1);

/** The limits of a plan; what quoting reads costs no time, and has none. */
function withinPlan(
  { plan, until }: QuestionBudget,
  { maxTokens }: ServedModel,
  messages: number,
): Partial<SynthesizeOptions> {
  const late = until === undefined ? {} : { until };
  if (plan.kind === "quote") return late;
  return {
    ...late,
    contextTokens: contextTokensOf(plan),
    focusTokens: plan.passageTokens,
    maxPassages: plan.passages + messages,
    maxTokens: Math.min(maxTokens ?? plan.answerTokens, plan.answerTokens),
  };
}

/** The weights for the evidence of hits. */
function weighing({ gathered, plan }: AgentState, { answer }: Settings): EvidenceContext {
  const cosine = gathered?.cosine;
  // A document was named as a whole: that it is about itself needs no evidence.
  const threshold = gathered?.isWhole === true ? 0 : answer.threshold;
  return {
    evidence: { ...evidenceDefaults, threshold },
    parts: plan?.queries.filter(({ purpose }) => purpose === "part").map(({ text }) => text) ?? [],
    ...(cosine === undefined ? {} : { cosine }),
  };
}

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
