import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { Settings } from "../../config/settings.ts";
import type { AgentState, Draft } from "../../core/answers/agent.ts";
import type { LanguageModel, Message } from "../../core/answers/answer.ts";
import { findingChunk, type ToolResult } from "../../core/answers/tool.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { type EvidenceContext, evidenceDefaults, weigh } from "../../pipeline/answer/evidence.ts";
import { type Allowance, openAllowance, saysYes } from "../../pipeline/answer/judge/reader.ts";
import { contentsDraft } from "../../pipeline/answer/kinds/contents.ts";
import { mentionsDraft } from "../../pipeline/answer/kinds/mentions.ts";
import { readQuestion } from "../../pipeline/answer/question.ts";
import {
  type SynthesizeDrivers,
  type SynthesizeOptions,
  synthesize,
} from "../../pipeline/answer/synthesize.ts";
import { contextTokensOf } from "../../pipeline/budget/plan.ts";
import { type QuestionBudget, usualMs } from "../budget/budget.ts";
import type { Reader } from "../budget/reader.ts";
import type { ServedModel } from "../engines/language-models.ts";
import { rankingOf } from "../engines/ranking.ts";
import { summaryPassages } from "./kinds/whole-document.ts";
import { originsOf } from "./origins.ts";
import { type AskHome, agentOf, type Question } from "./question.ts";
import { withheldFrom } from "./routing.ts";

/** Opens the drivers that write the answer. */
export function answering(
  question: Question,
  home: Pick<AskHome, "settings" | "languageModels" | "classifiers" | "access" | "agents" | "rates">,
): Pick<GraphDrivers, "synthesize" | "evidenceOf" | "maxAttempts"> {
  const { budget } = question;
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
      const { replayKeeper } = question;
      const open = () => budget?.model(served) ?? served.model();
      const model = async () => (arithmetic ? null : replayKeeper.watch(await open()));
      const { entailment } = home.classifiers;
      const drivers = {
        ...{ model, entailment, fence: () => replayKeeper.fence },
        ...ownCheck(open, reader, question, run),
      };
      const asked = state.gathered?.readAs ?? state.clarifiedQuery;
      const draft = yield* synthesize(asked, hits, options, drivers, run);
      question.origins.made(
        originsOf(
          draft,
          hits.map(({ chunk }) => chunk),
        ),
      );
      return withReader(reader, draft);
    },
  };
}

/**
 * Asks an able reader about its own sentences, within its share of the time that its answer took; a replay
 * reuses the recorded replies. There is no time for it in a planned answer.
 */
function ownCheck(
  open: () => Promise<LanguageModel | null>,
  { checkShare }: Reader,
  { replayKeeper, budget }: Question,
  run: Run,
): Pick<SynthesizeDrivers, "ownCheck"> {
  if (checkShare === 0 || budget !== null) return {};
  const inTime = async (messages: readonly Message[], allowance: Allowance): Promise<boolean | null> => {
    try {
      const model = await open();
      return model === null ? null : await saysYes(model, messages, allowance, run.signal);
    } catch (error) {
      run.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      run.log.warn("the model could not check a sentence; its mark is kept", { reason });
      return null;
    }
  };
  return {
    ownCheck(took) {
      const allowance = openAllowance(took, checkShare);
      return (messages) => replayKeeper.checked(messages, () => inTime(messages, allowance));
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
const attemptsOf = ({ budget }: Question, { level }: Reader, { answer }: Settings): number =>
  budget?.plan.attempts ?? (answer.attempts || (level === "able" ? 2 : 1));

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
