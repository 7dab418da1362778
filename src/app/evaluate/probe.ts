import type { LanguageModel } from "../../core/answers/answer.ts";
import { isLocal, providerNames } from "../../core/answers/provider.ts";
import type { ProbedQuestion, Reading, ReadingFigure, Share } from "../../core/answers/reading.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { generateAnswer } from "../../pipeline/answer/ground.ts";
import { prompt } from "../../pipeline/answer/prompt.ts";
import { stripThinking } from "../../pipeline/answer/statements.ts";
import { maxSamples, modelSamples } from "../../pipeline/budget/rates.ts";
import {
  contextOf,
  gradeProbeAnswer,
  hasWellFormedCitations,
  type ReadingProbe,
  type ReadingQuestion,
  readingScore,
  readProbe,
  tallyProbe,
  wilsonInterval,
} from "../../pipeline/evaluate/reading.ts";
import type { ProbeReport } from "../../shapes/machine.ts";
import { machineName } from "../budget/machine.ts";
import type { ServedModel } from "../engines/language-models.ts";
import type { ModelOutlook } from "../engines/local-models.ts";
import { readInstalledYaml } from "../engines/ranking.ts";
import { readerLevel } from "../engines/reader.ts";
import { readingRevision } from "../engines/readings.ts";
import type { Home } from "../home.ts";

/** How far a probe is, and its results. */
export type ProbeEvent =
  | { readonly type: "probe-question"; readonly done: number; readonly total: number }
  | { readonly type: "probe-end"; readonly report: ProbeReport };

/** Longest answer, in tokens: every right one is shorter. */
const maxTokens = 96;
/** A model that writes longer than this is cut there, ms. */
const answerMs = 60_000;
/**
 * The same for every question, so that the passages of a set are read once; they are known, and hold no
 * fence.
 */
const fence = "reading";

type ProbeHome = Pick<
  Home,
  "settings" | "languageModels" | "localModels" | "providers" | "readings" | "rates"
>;

const loadProbe = lazy((): ReadingProbe => readProbe(readInstalledYaml("config/reading.yaml").content));

/**
 * The model that answers questions, or the one named: of this machine, or of a provider by the name of its
 * row.
 */
async function servedBy(
  named: string | undefined,
  home: ProbeHome,
  run: Run,
): Promise<Pick<ServedModel, "model" | "outlook">> {
  // `providers list` shows the component too.
  const reference = named?.replace(/^llm\//, "");
  if (reference === undefined) return home.languageModels.of("llm", null, run);
  const row = (await home.providers.list({ component: "llm" })).find(
    ({ provider }) => provider === reference && !isLocal(provider),
  );
  if (row !== undefined) {
    const providerConfig = { ...row.config, provider: row.provider };
    return home.languageModels.of("llm", { providerConfig }, run);
  }
  if (providerNames.some((name) => name === reference && !isLocal(name)))
    throw new RagctlError("NOT_FOUND", `there is no provider llm/${reference}`, {
      hint: "add one with `ragctl providers add`; `ragctl providers list` shows the existing ones",
    });
  const id = reference === "local" ? null : reference;
  return { model: () => home.localModels.open(id), outlook: () => home.localModels.outlook(id) };
}

/** @throws MODEL_MISSING */
async function opened(reference: string | undefined, home: ProbeHome, run: Run) {
  const served = await servedBy(reference, home, run);
  const outlook = await served.outlook();
  const model = outlook === null ? null : await served.model();
  if (outlook !== null && model !== null) return { outlook, model };
  const wanted = reference ?? home.settings.answer.model;
  const isAny = wanted === "auto";
  throw new RagctlError(
    "MODEL_MISSING",
    isAny ? "no answering model is installed" : `${wanted} is not installed`,
    {
      hint: isAny ? "run: ragctl setup" : `run: ragctl models pull ${wanted}`,
    },
  );
}

/** Asks one question in the same way as for an answer; its cost is added to `totals`. */
async function answerOf(
  set: ReadingProbe["sets"][number],
  question: ReadingQuestion,
  model: LanguageModel,
  totals: Record<string, number>,
  run: Run,
): Promise<ProbedQuestion> {
  const context = contextOf(set, question);
  const markers = context.passages.map(({ marker }) => marker);
  const messages = prompt(context, { fence, mayDecline: true });
  const options = { temperature: 0, maxTokens, until: performance.now() + answerMs, mayDecline: true };
  let answer = "";
  for await (const event of generateAnswer(messages, markers, model, options, run.signal)) {
    if (event.type === "text-delta") answer = stripThinking(answer + event.text);
    else {
      const { type: _, reason: __, toolCalls: ___, ...counts } = event;
      for (const [name, value] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + value;
    }
  }
  const outcome = gradeProbeAnswer(question, answer);
  const isWritten = outcome === "right" || outcome === "invented";
  return {
    language: set.language,
    kind: question.kind,
    question: question.ask,
    answer: answer.trim(),
    outcome,
    cited: isWritten && hasWellFormedCitations(answer, markers.length),
  };
}

const figuresOf = (reading: Reading): ProbeReport["figures"] => {
  const { answerable, right, absent, refused, invented, written, cited } = reading;
  const figure = (name: ReadingFigure, share: Share) => ({ figure: name, ...share });
  return [
    figure("score", readingScore(reading)),
    figure("right", wilsonInterval(right, answerable)),
    figure("rightly_refused", wilsonInterval(refused, absent)),
    figure("invented", wilsonInterval(invented, answerable + absent)),
    figure("cited_in_form", wilsonInterval(cited, written)),
  ];
};

/** Keeps the speeds too: of all answers together, as those of one short answer say little. */
async function keep(
  outlook: ModelOutlook,
  reading: Reading,
  totals: Readonly<Record<string, number>>,
  { readings, rates }: ProbeHome,
): Promise<void> {
  await readings.keep(outlook, reading);
  const generated: PhaseMetrics = { phase: "generate", durationMs: 0, counts: totals };
  const { prefill_ms_per_token: prefill, decode_ms_per_token: decode } = modelSamples([generated]);
  if (prefill === undefined || decode === undefined) return;
  const speeds = { prefill_ms_per_token: prefill, decode_ms_per_token: decode, measured_at_ms: Date.now() };
  await rates.add(machineName(), outlook.id, speeds, maxSamples);
}

/**
 * Asks a model questions about passages and keeps how well it read them, for the level that it counts as.
 * Nothing is kept of a probe that ends early.
 * @throws NOT_FOUND, MODEL_MISSING, CONFIG_INVALID for an id of no model that answers, PROVIDER_*
 */
export async function* probeModel(
  reference: string | undefined,
  home: ProbeHome,
  run: Run,
): AsyncGenerator<ProbeEvent> {
  const startedAt = performance.now();
  const { outlook, model } = await opened(reference, home, run);
  const asked = loadProbe().sets.flatMap((set) => set.questions.map((question) => ({ set, question })));
  const totals: Record<string, number> = {};
  const questions: ProbedQuestion[] = [];
  for (const { set, question } of asked) {
    yield { type: "probe-question", done: questions.length, total: asked.length };
    questions.push(await answerOf(set, question, model, totals, run));
    run.signal.throwIfAborted();
  }
  const reading = tallyProbe(questions);
  await keep(outlook, reading, totals, home);
  const report: ProbeReport = {
    model: model.id,
    provider: model.provider,
    revision: readingRevision,
    ...readerLevel(home.settings.answer, { ...outlook, reading }),
    durationMs: performance.now() - startedAt,
    figures: figuresOf(reading),
    questions,
  };
  yield { type: "probe-end", report };
}
