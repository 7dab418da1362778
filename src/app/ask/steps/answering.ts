import { findingsOf, isOnlyArithmetic, isToldByTools } from "../../../agents/decide/told.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Draft, Found } from "../../../core/answers/agent.ts";
import type { AnswerEvent, LanguageModel } from "../../../core/answers/answer.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { type EvidenceContext, evidenceDefaults } from "../../../pipeline/answer/evidence.ts";
import { contentsDraft } from "../../../pipeline/answer/kinds/contents.ts";
import { mentionsDraft } from "../../../pipeline/answer/kinds/mentions.ts";
import { analyzeQuestion } from "../../../pipeline/answer/question.ts";
import { type QuotingDrivers, quoteAnswer } from "../../../pipeline/answer/quotes/quoting.ts";
import type { StepsOptions } from "../../../pipeline/answer/tools/tools.ts";
import { contextTokensOf } from "../../../pipeline/budget/plan.ts";
import { type QuestionBudget, typicalWriteMs } from "../../budget/budget.ts";
import type { Reader } from "../../budget/reader.ts";
import type { ServedModel } from "../../engines/language-models.ts";
import { summaryPassages } from "../kinds/whole-document.ts";
import { originsOf } from "../origins.ts";
import type { AskHome, RoutedQuestion } from "../question.ts";
import { answerByReader } from "../reader/reader.ts";
import { listUnsearchedCollections } from "./routing.ts";

type WritingOptions = Omit<StepsOptions, "calls" | "today" | "usualMs">;

/** Writes the answer from the hits and findings, with a citation for every statement, and judges it. */
export async function* writeAnswer(
  found: Found,
  question: RoutedQuestion,
  home: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const listed = await listing(found, question, home);
  if (listed !== null) {
    yield { type: "context-ready", context: listed.context };
    yield { type: "text-delta", text: listed.text };
    return listed;
  }
  const isTold = isToldByTools(found);
  if (!isTold && !isOnlyArithmetic(found) && (await question.isAble())) {
    const model = await openModel(question);
    if (model !== null) return yield* writtenByAble(found, model, question, home, run);
  }
  return yield* quoted(found, isTold, question, home, run);
}

/** The model that may answer, as far as the time limit allows; a replay watches it. */
async function openModel({ served, budget, replayKeeper }: RoutedQuestion): Promise<LanguageModel | null> {
  const model = await served();
  return replayKeeper.watch(await (budget?.model(model) ?? model.model()));
}

/** The answer without a model that may be trusted: lines of the documents, and results of tools. */
async function* quoted(
  found: Found,
  isTold: boolean,
  question: RoutedQuestion,
  home: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const isComputed = isOnlyArithmetic(found) || isTold;
  const messages = isComputed ? [] : await question.recall();
  const reader = await question.reader();
  const { forms, isWhole = false, hits: gathered = messages, readAs = question.text } = found.gathered ?? {};
  const options = {
    ...(await optionsOf(found, messages, question, reader, home, run)),
    isWhole,
    ...(forms === undefined ? {} : { forms }),
  };
  const hits = isTold ? [] : gathered;
  const drivers = quotingDrivers(options, question, reader, home, run);
  const usual = reader.makes === "draft" ? await typicalWriteMs(await question.served(), home) : undefined;
  const quoting = quoteAnswer(readAs, hits, options, drivers, run);
  let next = await quoting.next();
  for (; next.done !== true; next = await quoting.next())
    yield next.value.type === "context-ready" ? { ...next.value, usualMs: usual } : next.value;
  const draft = next.value;
  question.origins.made(originsOf(draft, [...hits, ...(forms ?? [])]));
  return draft;
}

/** The answer of an able reader, which may search, read, query and calculate before it writes. */
async function* writtenByAble(
  found: Found,
  model: LanguageModel,
  question: RoutedQuestion,
  home: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent, Draft> {
  const reader = await question.reader();
  const messages = await question.recall();
  const options = {
    ...(await optionsOf(found, messages, question, reader, home, run)),
    // A plan for a time limit leaves room for one look.
    calls: question.budget === null ? 7 : 3,
    today: question.askedOn,
    usualMs: await typicalWriteMs(await question.served(), home),
  };
  const draft = yield* answerByReader(found.gathered, options, model, question, home, run);
  const { level, why } = reader;
  return draft.model === null ? draft : { ...draft, reader: { level, why } };
}

/** The encoder that chooses lines and, where a small model is to write below them, that model. */
function quotingDrivers(
  options: WritingOptions,
  question: RoutedQuestion,
  { makes }: Reader,
  { retrieval }: Pick<AskHome, "retrieval">,
  run: Run,
): QuotingDrivers {
  const nearness: QuotingDrivers["nearness"] = (asked, texts) => retrieval.nearness(asked, texts, run);
  if (makes !== "draft" || question.budget?.plan.kind === "quote") return { nearness };
  return {
    nearness,
    async draft(passages, clock) {
      const model = await openModel(question);
      if (model === null) return null;
      const { writeDraft } = await import("../../../pipeline/answer/quotes/draft.ts");
      const { fence } = question.replayKeeper;
      return writeDraft(passages, model, { ...options, fence }, run, clock);
    },
  };
}

/** What a refusal says in addition to its evidence; undefined for nothing. */
async function besideEvidence(
  { gathered }: Found,
  question: RoutedQuestion,
  home: Pick<AskHome, "access" | "agents">,
  run: Run,
): Promise<string | undefined> {
  const { unnamed, forms = [] } = gathered ?? {};
  const names = [...new Set(forms.map(({ chunk }) => chunk.sourceName))].join(", ");
  const { noDocument, onlyForms } = notesFor(question.text).reasons;
  const unsearched = await listUnsearchedCollections(question, home, run);
  const lacks = [unnamed && noDocument(unnamed), names && onlyForms(names), unsearched];
  return lacks.filter((lack) => lack).join("; ") || undefined;
}

/**
 * An answer read from documents without a model: the documents that mention something, or the parts of one
 * document; null for another kind of question. That no document mentions it draws on every collection
 * searched.
 */
async function listing(
  { gathered }: Found,
  { text, request, origins, sight }: RoutedQuestion,
  { settings }: Pick<AskHome, "settings">,
): Promise<Draft | null> {
  if (gathered === null) return null;
  const { hits, mentions, contents } = gathered;
  const base = {
    threshold: settings.answer.threshold,
    grounded: request.grounded ?? settings.answer.grounded,
  };
  const draft =
    mentions !== undefined
      ? mentionsDraft(analyzeQuestion(mentions.subject), mentions, hits, text, base)
      : contents !== undefined
        ? contentsDraft(contents, hits, text, base)
        : null;
  if (draft === null) return null;
  const from = originsOf(draft, hits);
  origins.made(mentions === undefined ? from : { ...from, collections: await sight.searched() });
  return draft;
}

/** What every reader is told. */
async function optionsOf(
  found: Found,
  messages: readonly Hit[],
  question: RoutedQuestion,
  reader: Reader,
  home: AskHome,
  run: Run,
): Promise<WritingOptions> {
  const { request, budget, answeredBy, history } = question;
  const { answer } = home.settings;
  // A plan within a time limit assumes the passages of a small reader.
  const isAble = reader.makes === "answer" && budget === null;
  const served = await question.served();
  const { isWhole = false } = found.gathered ?? {};
  const withheld = await besideEvidence(found, question, home, run);
  return {
    ...weighing(found, isAble ? evidenceDefaults : answer),
    grounded: request.grounded ?? answer.grounded,
    temperature: served.temperature ?? answer.temperature,
    maxTokens: Math.min(served.maxTokens ?? answer.maxTokens, answer.maxTokens),
    contextTokens: reader.contextTokens,
    maxPassages: (isWhole ? summaryPassages : reader.passages) + messages.length,
    findings: findingsOf(found),
    history,
    ...(budget === null ? {} : withinPlan(budget, served, messages.length)),
    ...(answeredBy === null ? {} : { persona: { ...answeredBy, manner: answeredBy.persona ?? "" } }),
    ...(withheld === undefined ? {} : { withheld }),
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
function weighing({ gathered, plan }: Found, given: Pick<Settings["answer"], "threshold">): EvidenceContext {
  const cosine = gathered?.cosine;
  // A document was named as a whole: that it is about itself needs no evidence.
  const threshold = gathered?.isWhole === true ? 0 : given.threshold;
  return {
    evidence: { ...evidenceDefaults, threshold },
    parts: plan?.queries.filter(({ purpose }) => purpose === "part").map(({ text }) => text) ?? [],
    ...(cosine === undefined ? {} : { cosine }),
  };
}
