import type {
  Ablation,
  Comparison,
  EvalReport,
  MetricSummary,
  PairedDifference,
} from "../../core/answers/evaluation.ts";
import { table } from "../shell/output.ts";
import { counted, duration, oneLine } from "../shell/text.ts";

/** Three decimals, always, so that columns are read down. */
export const fixed = (value: number): string => value.toFixed(3);
const signed = (value: number): string => `${value < 0 ? "" : "+"}${fixed(value)}`;
export const isTime = (metric: string): boolean => metric.startsWith("ms.");
const isTokens = (metric: string): boolean => metric.startsWith("tokens.");

/** Metrics for a glance: hits at every rank, the rest of a ranking at the last, no times or tokens. */
export function headline(metrics: readonly MetricSummary[], topK: number): readonly MetricSummary[] {
  return metrics.filter(
    ({ metric }) =>
      !isTime(metric) &&
      !isTokens(metric) &&
      (!metric.includes("@") || /_hit@/.test(metric) || metric.endsWith(`@${topK}`)),
  );
}

/** A report for people: metrics, groups, what changed, what parts are worth, and what was left out. */
export function reportText(report: EvalReport, name: string): string {
  const { outcomes, excluded, principal, topK, metrics, model, answers, durationMs, drafts } = report;
  const what = answers ? `answers by ${model ?? "quotation, without a model"}` : "retrieval alone";
  const head = [
    `${counted(outcomes.length, "question")} of ${name} as ${principal}: ${what}, ${duration(durationMs)}`,
    ...(drafts === 0 ? [] : [`${counted(drafts, "draft")} among them that nobody has checked`]),
    ...(excluded.length === 0
      ? []
      : [`${counted(excluded.length, "line")} left out; the last lines name each`]),
  ].join("\n");
  const sections = [
    head,
    table(["metric", "mean", "95 % interval", "questions"], metricRows(headline(metrics, topK))),
    costTable(metrics),
    groupTable(report),
    ...report.ablations.map((each) => ablationText(each, topK)),
    report.comparison === null ? "" : comparisonText(report.comparison, topK),
    report.gates.map(({ passed, reason }) => `${passed ? "passed" : "failed"}: ${reason}`).join("\n"),
    excluded
      .map(
        ({ line, id, reason }) =>
          `line ${line}${id === "" ? "" : ` (${oneLine(id, 40)})`}: ${oneLine(reason, 200)}`,
      )
      .join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** Rows of metric, mean, interval and number of questions. */
export const metricRows = (metrics: readonly MetricSummary[]) =>
  metrics.map(({ metric, mean, low, high, questions }) => [
    metric,
    fixed(mean),
    `${fixed(low)} – ${fixed(high)}`,
    String(questions),
  ]);

function costTable(metrics: readonly MetricSummary[]): string {
  const rows = metrics.flatMap(({ metric, mean, low, high }) => {
    if (isTime(metric)) return [[metric.slice(3), duration(mean), `${duration(low)} – ${duration(high)}`]];
    const shown = (value: number): string => String(Math.round(value));
    return isTokens(metric)
      ? [[metric.slice(7), `${shown(mean)} tokens`, `${shown(low)} – ${shown(high)}`]]
      : [];
  });
  return table(["phase", "mean", "95 % interval"], rows);
}

function groupTable({ groups, topK }: EvalReport): string {
  if (groups.length === 0) return "";
  const names = [
    ...new Set(groups.flatMap(({ metrics }) => headline(metrics, topK).map(({ metric }) => metric))),
  ]
    .filter((metric) => !metric.includes("@") || metric.endsWith(`@${topK}`))
    .slice(0, 12);
  const rows = names.map((name) => [
    name,
    ...groups.map(({ metrics }) => {
      const summary = metrics.find(({ metric }) => metric === name);
      return summary === undefined ? "–" : `${fixed(summary.mean)} (${summary.questions})`;
    }),
  ]);
  return table(
    ["by group", ...groups.map(({ group }) => (group === "" ? "(none)" : oneLine(group, 30)))],
    rows,
  );
}

const differenceRows = (differences: readonly PairedDifference[]) =>
  differences.map(({ metric, before, after, difference, low, high, p }) => [
    metric,
    fixed(before),
    fixed(after),
    signed(difference),
    `${signed(low)} – ${signed(high)}`,
    fixed(p),
  ]);

const isHeadline =
  (topK: number) =>
  ({ metric }: PairedDifference): boolean =>
    !isTime(metric) && !isTokens(metric) && (!metric.includes("@") || metric.endsWith(`@${topK}`));

function ablationText({ variant, description, differences }: Ablation, topK: number): string {
  if (differences.length === 0) return "";
  const rows = differenceRows(differences.filter(isHeadline(topK)));
  return table(
    [`${variant}: ${description}`, "complete", "without", "difference", "95 % interval", "p"],
    rows,
  );
}

/** Changed questions that are listed for people; JSON has all. */
const listedChanges = 40;

function comparisonText({ differences, changed, unmatched }: Comparison, topK: number): string {
  const rows = differenceRows(differences.filter(isHeadline(topK)));
  const changes = changed
    .filter(({ metric }) => !metric.includes("@") || metric.endsWith(`@${topK}`))
    .slice(0, listedChanges)
    .map(({ id, metric, before, after }) => [oneLine(id, 40), metric, fixed(before), fixed(after)]);
  return [
    table(["metric", "before", "now", "difference", "95 % interval", "p"], rows),
    changes.length === 0
      ? "no question changed"
      : table(["changed question", "metric", "before", "now"], changes),
    ...(unmatched.length === 0
      ? []
      : [
          `not compared, because only one run has them: ${unmatched
            .slice(0, 20)
            .map((id) => oneLine(id, 40))
            .join(", ")}${unmatched.length > 20 ? " …" : ""}`,
        ]),
  ].join("\n\n");
}
