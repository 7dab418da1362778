import { randomUUID } from "node:crypto";
import type { Answer } from "../../core/answers/answer.ts";
import type {
  EvalEvent,
  EvalOutcome,
  EvalQuestion,
  EvalReport,
  EvalRequest,
  ExcludedQuestion,
} from "../../core/answers/evaluation.ts";
import type { AskRequest } from "../../core/app.ts";
import { asRagctlError, isPerQuestionError, RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { baseName, readQuestions } from "../../pipeline/evaluate/questions.ts";
import {
  answerScores,
  citedPlaces,
  costScores,
  placesOf,
  rankCutoffs,
  retrievalScores,
} from "../../pipeline/evaluate/score.ts";
import { checkGates, compare, summarize, summarizeGroups } from "../../pipeline/evaluate/summary.ts";
import type { Home } from "../home.ts";
import type { Surface } from "../surface.ts";
import { type AblatedSearch, createAblation } from "./ablate.ts";

/** The parts of an evaluation: the surface of a principal, and the home for ablations. */
export interface EvaluationParts {
  readonly surface: Pick<Surface, "search" | "ask" | "documents">;
  readonly home: Home;
}

/**
 * Evaluates the questions of a file as the run's principal: one search and, unless only retrieval is
 * evaluated, one answer for each, from as many passages as `ask` takes. A question that cannot be evaluated
 * is excluded and named, and the others continue.
 * @throws USAGE_INVALID when none is left
 */
export async function* evaluate(
  request: EvalRequest,
  { surface, home }: EvaluationParts,
  run: Run,
): AsyncGenerator<EvalEvent> {
  const startedMs = performance.now();
  const file = await readQuestions(request.source.bytes, request.source.name, request.groupBy);
  const documents = await surface.documents(request.collections, run);
  const names = new Set(documents.map(({ name }) => baseName(name)));
  const excluded: ExcludedQuestion[] = [...file.excluded];
  const questions = file.questions.filter((question) => {
    const missing = missingDocument(question, names);
    if (missing !== undefined) excluded.push(missing);
    return missing === undefined;
  });
  if (questions.length === 0) throw nothingToEvaluate(request, excluded);
  const ablation = request.ablate ? createAblation(request, home, run) : undefined;
  const outcomes: EvalOutcome[] = [];
  let model: string | null = null;
  for (const [done, question] of questions.entries()) {
    run.signal.throwIfAborted();
    yield { type: "eval-progress", done, total: questions.length, id: question.id };
    try {
      const { outcome, answer } = await evaluateOne(question, request, { surface, home }, run);
      await ablation?.take(question);
      model ??= answer?.model ?? null;
      outcomes.push(outcome);
    } catch (thrown) {
      excluded.push(failedQuestion(question, thrown, run));
    }
  }
  if (outcomes.length === 0) throw nothingToEvaluate(request, excluded);
  const report = reportOf(request, outcomes, excluded, ablation, {
    programVersion: home.programVersion,
    principal: (await home.access.principal(run)).name,
    model,
    durationMs: performance.now() - startedMs,
  });
  yield { type: "eval-end", report };
}

/** Why a question is excluded whose document is not readable; undefined where it is. */
function missingDocument(
  { line, id, document }: EvalQuestion,
  names: ReadonlySet<string>,
): ExcludedQuestion | undefined {
  if (document === null || names.has(document)) return undefined;
  const reason = `there is no document "${document}" that you can read`;
  return { line, id, kind: "document", reason };
}

/**
 * What failed with this question alone; a fault of the run, which the next question would have too, is
 * thrown.
 */
function failedQuestion({ line, id }: EvalQuestion, thrown: unknown, run: Run): ExcludedQuestion {
  run.signal.throwIfAborted();
  const error = asRagctlError(thrown);
  if (!isPerQuestionError(error.code)) throw thrown;
  return { line, id, kind: "failed", reason: `${error.code}: ${error.message}` };
}

function nothingToEvaluate({ source }: EvalRequest, excluded: readonly ExcludedQuestion[]): RagctlError {
  const [first] = excluded;
  const example = first === undefined ? "" : `; line ${first.line}: ${first.reason}`;
  return new RagctlError(
    "USAGE_INVALID",
    `none of the ${excluded.length} lines in ${source.name} can be evaluated${example}`,
    { hint: "`ragctl list` shows the documents you can ask about" },
  );
}

async function evaluateOne(
  question: EvalQuestion,
  request: EvalRequest,
  { surface, home }: EvaluationParts,
  run: Run,
): Promise<{ readonly outcome: EvalOutcome; readonly answer: Answer | null }> {
  const { topK, collections, agent } = request;
  const asked = { query: question.question, collections };
  const { hits, phases } = await surface.search({ ...asked, topK, mode: "hybrid" }, run);
  // A separate run for each question, so that each leaves its record.
  const answerRun = { ...run, id: randomUUID() };
  const answer = request.answers
    ? await answerTo(
        { ...asked, topK: home.settings.retrieve.topK, ...(agent === undefined ? {} : { agent }) },
        surface,
        answerRun,
      )
    : null;
  const places = placesOf(hits);
  const scores = {
    ...retrievalScores(question, places, rankCutoffs(topK)),
    ...(answer === null ? {} : answerScores(question, answer, request.tolerance)),
    ...costScores({ search: phases, answer: answer?.phases ?? [] }),
  };
  const outcome: EvalOutcome = {
    question,
    scores,
    hits: places,
    answer:
      answer === null
        ? null
        : {
            runId: answerRun.id,
            response: answer.response,
            status: answer.verdict.status,
            reason: answer.verdict.reason,
            citations: citedPlaces(answer),
          },
  };
  return { outcome, answer };
}

async function answerTo(request: AskRequest, surface: Pick<Surface, "ask">, run: Run): Promise<Answer> {
  for await (const event of surface.ask(request, run)) if (event.type === "answer-end") return event.answer;
  throw new TypeError("the answer stream ended without an answer");
}

function reportOf(
  { topK, answers, gates, earlier }: EvalRequest,
  outcomes: readonly EvalOutcome[],
  excluded: readonly ExcludedQuestion[],
  ablation: AblatedSearch | undefined,
  facts: Pick<EvalReport, "programVersion" | "principal" | "model" | "durationMs">,
): EvalReport {
  const metrics = summarize(outcomes.map(({ scores }) => scores));
  return {
    ...facts,
    topK,
    answers,
    outcomes,
    excluded: excluded.toSorted((left, right) => left.line - right.line),
    drafts: outcomes.filter(({ question }) => question.draft).length,
    metrics,
    groups: summarizeGroups(outcomes),
    ablations: ablation?.report() ?? [],
    comparison: earlier === undefined ? null : compare(earlier, outcomes),
    gates: checkGates(gates, metrics),
  };
}
