import type {
  ChangedQuestion,
  Comparison,
  EarlierOutcome,
  EvalOutcome,
  Gate,
  GateResult,
  MetricSummary,
  PairedDifference,
  Scores,
} from "../../core/answers/evaluation.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { interval, mean, type Pair, pairedTest } from "./resample.ts";
import { metricNames } from "./score.ts";

/** Names of all metrics that any question has, in order of appearance. */
const metricsOf = (all: readonly Scores[]): readonly string[] => [...new Set(all.flatMap(Object.keys))];

/** The mean of every metric over the questions that have it, with its interval. */
export function summarize(all: readonly Scores[]): readonly MetricSummary[] {
  return metricsOf(all).map((metric) => {
    const values = all.flatMap((scores) => scores[metric] ?? []);
    return { metric, ...interval(values), questions: values.length };
  });
}

/** Summaries of each group, by name; none if there is only one. */
export function summarizeGroups(
  outcomes: readonly EvalOutcome[],
): readonly { readonly group: string; readonly metrics: readonly MetricSummary[] }[] {
  const groups = Map.groupBy(outcomes, ({ question }) => question.group);
  if (groups.size < 2) return [];
  return [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([group, members]) => ({ group, metrics: summarize(members.map(({ scores }) => scores)) }));
}

/**
 * Compares every metric of two runs on the same questions in the same order, over the questions for which
 * both have it. A metric without such a question is left out.
 */
export function differencesOf(
  before: readonly Scores[],
  after: readonly Scores[],
): readonly PairedDifference[] {
  return metricsOf(after).flatMap((metric) => {
    const pairs = after.flatMap((scores, at): readonly Pair[] => {
      const [one, two] = [before[at]?.[metric], scores[metric]];
      return one === undefined || two === undefined ? [] : [{ before: one, after: two }];
    });
    return pairs.length === 0 ? [] : [{ metric, ...pairedTest(pairs) }];
  });
}

/** Times and tokens, which are never identical. */
const isCostMetric = (metric: string): boolean => metric.startsWith("ms.") || metric.startsWith("tokens.");

/** Compares this run with an earlier one, on the questions with the same id and wording. */
export function compare(earlier: readonly EarlierOutcome[], outcomes: readonly EvalOutcome[]): Comparison {
  const known = new Map(earlier.map((each) => [each.id, each]));
  const both = outcomes.flatMap((outcome) => {
    const before = known.get(outcome.question.id);
    return before?.question === outcome.question.question ? [{ before, outcome }] : [];
  });
  const matched = new Set(both.map(({ before }) => before.id));
  const ids = [...known.keys(), ...outcomes.map(({ question }) => question.id)];
  return {
    differences: differencesOf(
      both.map(({ before }) => before.scores),
      both.map(({ outcome }) => outcome.scores),
    ),
    changed: both.flatMap(({ before, outcome }) => changesOf(before, outcome.scores)),
    unmatched: [...new Set(ids)].filter((id) => !matched.has(id)),
  };
}

function changesOf({ id, scores: earlier }: EarlierOutcome, scores: Scores): readonly ChangedQuestion[] {
  return Object.entries(scores).flatMap(([metric, after]) => {
    const before = earlier[metric];
    const isSame = before === undefined || isCostMetric(metric) || Math.abs(before - after) < 1e-9;
    return isSame ? [] : [{ id, metric, before, after }];
  });
}

/**
 * Parses a gate: `page_hit@5>=0.7`. @throws USAGE_INVALID for another form, and for a metric that `topK`
 * passages lack
 */
export function parseGate(text: string, topK: number): Gate {
  const match = /^([a-z][\w.@]*)\s?(>=|<=|>|<)\s?(-?[\d.]+)$/.exec(text.trim().slice(0, 200));
  const [, metric = "", operator = "", bound = ""] = match ?? [];
  if (match === null || !Number.isFinite(Number(bound)))
    throw new RagctlError("USAGE_INVALID", `"${text.slice(0, 80)}" is not a gate`, {
      hint: "a gate is metric>=value, e.g. --gate 'page_hit@5>=0.7'",
    });
  const names = metricNames(topK);
  if (!isCostMetric(metric) && !names.includes(metric))
    throw new RagctlError(
      "USAGE_INVALID",
      `with ${topK} passages there is no metric ${metric}${didYouMean(metric, names)}`,
      { hint: `metrics: ${names.join(", ")}, ms.PHASE and tokens.PHASE` },
    );
  // The pattern admits no other operator.
  return { metric, operator: operator as Gate["operator"], bound: Number(bound) };
}

/** Checks gates against the metrics; one whose metric was not computed fails. */
export function checkGates(gates: readonly Gate[], metrics: readonly MetricSummary[]): readonly GateResult[] {
  const names = metrics.map(({ metric }) => metric);
  return gates.map((gate) => {
    const summary = metrics.find(({ metric }) => metric === gate.metric);
    if (summary === undefined) {
      const reason = `${gate.metric} could not be computed: no evaluated question has it${didYouMean(gate.metric, names)}`;
      return { ...gate, value: null, passed: false, reason };
    }
    const passed = holds(gate, summary.mean);
    const seen = `${gate.metric} is ${rounded(summary.mean)} (95 % interval ${rounded(summary.low)} to ${rounded(summary.high)}, ${summary.questions} questions)`;
    const reason = passed ? seen : `${seen}; the gate requires ${gate.operator} ${gate.bound}`;
    return { ...gate, value: summary.mean, passed, reason };
  });
}

const rounded = (value: number): string => String(Number(value.toFixed(3)));

function holds({ operator, bound }: Gate, value: number): boolean {
  if (operator === ">=") return value >= bound;
  if (operator === "<=") return value <= bound;
  return operator === ">" ? value > bound : value < bound;
}

/**
 * Quality of a question's outcome, in [0, 1]: the mean of its decisive metrics, so that the worst can be
 * shown first.
 */
function qualityOf({ scores }: Pick<EvalOutcome, "scores">): number {
  const cut = Math.max(
    0,
    ...Object.keys(scores).flatMap((name) =>
      name.startsWith("document_hit@") ? Number(name.slice(13)) : [],
    ),
  );
  const deciding = [
    `page_ndcg@${cut}`,
    `document_hit@${cut}`,
    "containment",
    "citation_recall",
    "refusal_recall",
  ];
  const values = deciding.flatMap((name) => scores[name] ?? []);
  return values.length === 0 ? 1 : mean(values);
}

/** Outcomes with the worst first; ties in file order. */
export const sortWorstFirst = (outcomes: readonly EvalOutcome[]): readonly EvalOutcome[] =>
  outcomes.toSorted((left, right) => qualityOf(left) - qualityOf(right));
