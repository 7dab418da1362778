import type {
  Ablation,
  Comparison,
  EvalReport,
  MetricSummary,
  PairedDifference,
} from "../../core/answers/evaluation.ts";
import { duration, oneLine, plural } from "../../operations/text.ts";
import { table } from "../shell/output.ts";

/** Three decimals, always, so that columns are read down. */
export const formatFixed = (value: number): string => value.toFixed(3);
const signed = (value: number): string => `${value < 0 ? "" : "+"}${formatFixed(value)}`;
export const isTimeMetric = (metric: string): boolean => metric.startsWith("ms.");
const isTokens = (metric: string): boolean => metric.startsWith("tokens.");

/** Metrics for a glance: hits at every rank, the rest of a ranking at the last, no times or tokens. */
export function summaryMetrics(metrics: readonly MetricSummary[], topK: number): readonly MetricSummary[] {
  return metrics.filter(
    ({ metric }) =>
      !isTimeMetric(metric) &&
      !isTokens(metric) &&
      (!metric.includes("@") || /_hit@/.test(metric) || metric.endsWith(`@${topK}`)),
  );
}

/** A report in text: metrics, groups, changes, the worth of parts, and excluded questions. */
export function reportText(report: EvalReport, name: string): string {
  const { outcomes, excluded, principal, topK, metrics, model, answers, durationMs, drafts } = report;
  const what = answers ? `answers by ${model ?? "quotation, no model"}` : "retrieval only";
  const head = [
    `${plural(outcomes.length, "question")} of ${name} as ${principal}: ${what}, ${duration(durationMs)}`,
    ...(drafts === 0 ? [] : [`including ${plural(drafts, "unchecked draft")}`]),
    ...(excluded.length === 0 ? [] : [`${plural(excluded.length, "line")} skipped, listed at the end`]),
  ].join("\n");
  const sections = [
    head,
    table(["metric", "mean", "95 % interval", "questions"], metricRows(summaryMetrics(metrics, topK))),
    costTable(metrics),
    groupTable(report),
    ablationText(report.ablations, topK),
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
    formatFixed(mean),
    `${formatFixed(low)} to ${formatFixed(high)}`,
    String(questions),
  ]);

function costTable(metrics: readonly MetricSummary[]): string {
  const rows = metrics.flatMap(({ metric, mean, low, high }) => {
    if (isTimeMetric(metric))
      return [[metric.slice(3), duration(mean), `${duration(low)} to ${duration(high)}`]];
    const shown = (value: number): string => String(Math.round(value));
    return isTokens(metric)
      ? [[metric.slice(7), `${shown(mean)} tokens`, `${shown(low)} to ${shown(high)}`]]
      : [];
  });
  return table(["phase", "mean", "95 % interval"], rows);
}

function groupTable({ groups, topK }: EvalReport): string {
  if (groups.length === 0) return "";
  const names = [
    ...new Set(groups.flatMap(({ metrics }) => summaryMetrics(metrics, topK).map(({ metric }) => metric))),
  ]
    .filter((metric) => !metric.includes("@") || metric.endsWith(`@${topK}`))
    .slice(0, 12);
  const rows = names.map((name) => [
    name,
    ...groups.map(({ metrics }) => {
      const summary = metrics.find(({ metric }) => metric === name);
      return summary === undefined ? "–" : `${formatFixed(summary.mean)} (${summary.questions})`;
    }),
  ]);
  return table(
    ["by group", ...groups.map(({ group }) => (group === "" ? "(none)" : oneLine(group, 30)))],
    rows,
  );
}

/** Rows of both means, their difference and the number of pairs. */
export const differenceRows = (differences: readonly PairedDifference[]) =>
  differences.map((each) => [
    each.metric,
    formatFixed(each.before),
    formatFixed(each.after),
    ...differenceCells(each),
    String(each.questions),
  ]);

/** Names of the columns of `differenceRows`. */
export const differenceHeader = (before: string, after: string): readonly string[] => [
  "metric",
  before,
  after,
  "difference",
  "95 % interval",
  "p",
  "pairs",
];

/** Difference, interval and p of a paired test. */
const differenceCells = ({ difference, low, high, p }: PairedDifference): readonly string[] => [
  signed(difference),
  `${signed(low)} to ${signed(high)}`,
  p < 0.001 ? "<0.001" : formatFixed(p),
];

const isHeadline =
  (topK: number) =>
  ({ metric }: PairedDifference): boolean =>
    !isTimeMetric(metric) && !isTokens(metric) && (!metric.includes("@") || metric.endsWith(`@${topK}`));

/** What of the search is shown for each variant: by page where questions state pages, else by document. */
const shownUnit = (ablations: readonly Ablation[]): "page" | "document" =>
  ablations.some(({ metrics }) => metrics.some(({ metric }) => metric.startsWith("page_")))
    ? "page"
    : "document";

/**
 * One row for each way to search: hits at 5 and at the last rank, nDCG, and the difference of the nDCG to the
 * complete search. JSON has every metric.
 */
export function ablationRows(
  ablations: readonly Ablation[],
  topK: number,
): { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const unit = shownUnit(ablations);
  const ndcg = `${unit}_ndcg@${topK}`;
  const columns = [...new Set([`${unit}_hit@5`, `${unit}_hit@${topK}`, ndcg])];
  const rows = ablations.map(({ variant, metrics, differences }) => {
    const means = columns.map((column) => metrics.find(({ metric }) => metric === column)?.mean);
    const change = differences.find(({ metric }) => metric === ndcg);
    return [
      variant,
      ...means.map((mean) => (mean === undefined ? "–" : formatFixed(mean))),
      ...(change === undefined ? ["", "", ""] : differenceCells(change)),
    ];
  });
  return { header: ["search", ...columns, "difference", "95 % interval", "p"], rows };
}

function ablationText(ablations: readonly Ablation[], topK: number): string {
  if (ablations.length === 0) return "";
  const { header, rows } = ablationRows(ablations, topK);
  const described = rows.map((row, at) => [...row, ablations[at]?.description ?? ""]);
  return table([...header, ""], described);
}

/** Changed questions that are listed for people; JSON has all. */
const listedChanges = 40;

function comparisonText({ differences, changed, unmatched }: Comparison, topK: number): string {
  const rows = differenceRows(differences.filter(isHeadline(topK)));
  const changes = changed
    .filter(({ metric }) => !metric.includes("@") || metric.endsWith(`@${topK}`))
    .slice(0, listedChanges)
    .map(({ id, metric, before, after }) => [
      oneLine(id, 40),
      metric,
      formatFixed(before),
      formatFixed(after),
    ]);
  return [
    table(differenceHeader("before", "now"), rows),
    changes.length === 0 ? "no questions changed" : table(["question", "metric", "before", "now"], changes),
    ...(unmatched.length === 0
      ? []
      : [
          `not compared, present in only one run: ${unmatched
            .slice(0, 20)
            .map((id) => oneLine(id, 40))
            .join(", ")}${unmatched.length > 20 ? " …" : ""}`,
        ]),
  ].join("\n\n");
}
