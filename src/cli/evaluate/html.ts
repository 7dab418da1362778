import type {
  EvalOutcome,
  EvalPlace,
  EvalReport,
  MetricSummary,
  PairedDifference,
} from "../../core/answers/evaluation.ts";
import { htmlText } from "../../core/text.ts";
import { duration, plural } from "../../operations/text.ts";
import {
  ablationRows,
  differenceHeader,
  differenceRows,
  formatFixed,
  isTimeMetric,
  metricRows,
  summaryMetrics,
} from "./text.ts";

/** Cells with figures are aligned right, so that columns are read down. */
const cellHtml = (tag: "td" | "th", cell: string): string =>
  /^[+−-]?\d[\d.]*$/.test(cell) ? `<${tag} class="n">${cell}</${tag}>` : `<${tag}>${htmlText(cell)}</${tag}>`;

const rowHtml = (tag: "td" | "th", cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => cellHtml(tag, cell)).join("")}</tr>`;

const htmlTable = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide"><table><thead>${rowHtml("th", header)}</thead><tbody>${rows
    .map((row) => rowHtml("td", row))
    .join("\n")}</tbody></table></div>`;

/** Names and values; a value is text even where it is a figure. */
const factTable = (facts: readonly (readonly string[])[]): string =>
  `<table><tbody>${facts
    .map(([name = "", text = ""]) => `<tr><th>${htmlText(name)}</th><td>${htmlText(text)}</td></tr>`)
    .join("\n")}</tbody></table>`;

const section = (title: string, body: string): string =>
  body === "" ? "" : `<section><h2>${htmlText(title)}</h2>${body}</section>`;

const folded = (title: string, body: string): string =>
  `<details><summary>${htmlText(title)}</summary>${body}</details>`;

const placeText = ({ document, pages }: EvalPlace): string =>
  pages.length === 0 ? document : `${document}, page ${pages.join(", ")}`;

const style = `:root{color-scheme:light dark;--line:#ddd;--soft:#f4f4f2;--dim:#666;--bad:#a3261b;--good:#1c6b35}
@media(prefers-color-scheme:dark){:root{--line:#3a3a3a;--soft:#222;--dim:#a0a0a0;--bad:#ff9a8f;--good:#86d99b}body{color:#ddd;background:#161616}}
body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
h1{margin:0;font-size:1.7rem}h2{font-size:1.2rem;margin:2.2rem 0 .5rem}.dim{color:var(--dim)}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.4rem 0}
th,td{text-align:left;padding:.25rem 1.2rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600;color:var(--dim);white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tbody>tr>td:first-child{white-space:nowrap}tr>th+td{white-space:normal}meter{width:9rem}
details{border-bottom:1px solid var(--line);padding:.35rem 0}summary{cursor:pointer;overflow-wrap:anywhere}
details[open]>summary{font-weight:600}details details{border:0}
.tag{display:inline-block;min-width:8.5rem;margin-right:.6rem;font-size:.85em;font-weight:400}.bad{color:var(--bad)}.good{color:var(--good)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;background:var(--soft);padding:.6rem .8rem;margin:.5rem 0}`;

/**
 * A report as one page that needs nothing else: no script, no font, no address. The policy in its head keeps
 * it so whatever the texts in it say. `outcomes` come worst first.
 */
export function reportHtml(report: EvalReport, outcomes: readonly EvalOutcome[], name: string): string {
  const { metrics, gates, topK } = report;
  const costs = metrics.filter(({ metric }) => isTimeMetric(metric));
  const body = [
    section("Gates", gates.map(gateHtml).join("")),
    section("At a glance", glanceHtml(summaryMetrics(metrics, topK))),
    section("Compared with the earlier run", comparisonHtml(report)),
    section("Contribution of each part of the search", ablationHtml(report)),
    section("Questions, worst first", outcomes.map((outcome) => outcomeHtml(outcome, topK)).join("\n")),
    section("Skipped", excludedHtml(report)),
    section("By group", report.groups.map(groupHtml).join("\n")),
    section("Time", costs.length === 0 ? "" : htmlTable(["phase", "mean", "95 % interval"], timeRows(costs))),
    section("All metrics", folded("every metric at every rank", metricsHtml(metrics))),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${htmlText(`Evaluation of ${name}`)}</title><style>${style}</style></head><body>
<h1>Evaluation of ${htmlText(name)}</h1><p class="dim">${htmlText(factsOf(report).join(" · "))}</p>
${body.filter((each) => each !== "").join("\n")}
</body></html>
`;
}

const factsOf = ({ outcomes, principal, answers, model, drafts, excluded, programVersion }: EvalReport) => [
  plural(outcomes.length, "question"),
  `as ${principal}`,
  answers ? `answers by ${model ?? "quotation"}` : "retrieval only",
  ...(drafts === 0 ? [] : [`${plural(drafts, "unchecked draft")}`]),
  ...(excluded.length === 0 ? [] : [`${plural(excluded.length, "line")} skipped`]),
  `ragctl ${programVersion}`,
];

const gateHtml = ({ passed, reason }: EvalReport["gates"][number]): string =>
  `<p class="${passed ? "good" : "bad"}">${passed ? "passed" : "failed"}: ${htmlText(reason)}</p>`;

const metricHeader = ["metric", "mean", "95 % interval", "questions"];

const metricsHtml = (metrics: readonly MetricSummary[]): string =>
  htmlTable(metricHeader, metricRows(metrics));

/** Those by page, those by document, then those of answers. */
const glanceOrder = ({ metric }: MetricSummary): number =>
  metric.startsWith("page_") ? 0 : metric.startsWith("document_") ? 1 : 2;

/** The headline metrics, each with a bar; all are in [0, 1]. */
function glanceHtml(unsorted: readonly MetricSummary[]): string {
  const metrics = unsorted.toSorted((left, right) => glanceOrder(left) - glanceOrder(right));
  const rows = metricRows(metrics).map((cells, at) => {
    const bar = `<td><meter max="1" value="${formatFixed(metrics[at]?.mean ?? 0)}"></meter></td>`;
    return rowHtml("td", cells).replace("</tr>", `${bar}</tr>`);
  });
  const header = rowHtml("th", [...metricHeader, ""]);
  return rows.length === 0
    ? ""
    : `<div class="wide"><table><thead>${header}</thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

const timeRows = (costs: readonly MetricSummary[]): readonly (readonly string[])[] =>
  costs.map(({ metric, mean, low, high }) => [
    metric.slice(3),
    duration(mean),
    `${duration(low)} to ${duration(high)}`,
  ]);

const groupHtml = ({ group, metrics }: EvalReport["groups"][number]): string =>
  folded(group === "" ? "(none)" : group, metricsHtml(metrics.filter(({ metric }) => !isTimeMetric(metric))));

function comparisonHtml({ comparison }: EvalReport): string {
  if (comparison === null) return "";
  const changed = comparison.changed.map(({ id, metric, before, after }) => [
    id,
    metric,
    formatFixed(before),
    formatFixed(after),
  ]);
  const list = htmlTable(["question", "metric", "before", "now"], changed);
  return (
    differencesHtml(comparison.differences, ["before", "now"]) +
    (changed.length === 0 ? "<p>No question changed.</p>" : folded("changed questions", list))
  );
}

function ablationHtml({ ablations, topK }: EvalReport): string {
  if (ablations.length === 0) return "";
  const { header, rows } = ablationRows(ablations, topK);
  return (
    htmlTable(header, rows) +
    ablations
      .filter(({ differences }) => differences.length > 0)
      .map(({ variant, description, differences }) =>
        folded(`${variant}: ${description}`, differencesHtml(differences, ["complete", "without"])),
      )
      .join("\n")
  );
}

const differencesHtml = (
  differences: readonly PairedDifference[],
  sides: readonly [string, string],
): string => htmlTable(differenceHeader(...sides), differenceRows(differences));

const excludedHtml = ({ excluded }: EvalReport): string =>
  excluded.length === 0
    ? ""
    : htmlTable(
        ["line", "id", "reason"],
        excluded.map(({ line, id, reason }) => [String(line), id, reason]),
      );

/** In a word how the question went, and whether that is good. */
function resultOf({ question, scores, answer }: EvalOutcome, topK: number): readonly [string, boolean] {
  if (!question.answerable) {
    if (answer === null) return ["not scored", true];
    return scores["refusal_recall"] === 1 ? ["refused", true] : ["not refused", false];
  }
  if (scores["false_refusal"] === 1) return ["refused", false];
  if (scores["containment"] !== undefined)
    return scores["containment"] === 1 ? ["answer given", true] : ["answer missing", false];
  const unit = scores[`page_mrr@${topK}`] === undefined ? "document" : "page";
  const reciprocal = scores[`${unit}_mrr@${topK}`] ?? 0;
  return reciprocal > 0
    ? [`${unit} at rank ${Math.round(1 / reciprocal)}`, true]
    : [`${unit} not found`, false];
}

function outcomeHtml(outcome: EvalOutcome, topK: number): string {
  const { question, scores, hits, answer } = outcome;
  const rows = [
    ["id", question.id],
    ["accepted", question.answerable ? question.answers.join(" / ") : "(not in the documents)"],
    [
      "expected in",
      question.document === null ? "" : placeText({ document: question.document, pages: question.pages }),
    ],
    ["found", hits.slice(0, 5).map(placeText).join("; ")],
    ...(answer === null
      ? []
      : [
          ["verdict", `${answer.status}: ${answer.reason}`],
          ["cited", answer.citations.map(placeText).join("; ")],
          ["run", answer.runId],
        ]),
    [
      "scores",
      Object.entries(scores)
        .filter(([metric]) => !/^(?:ms|tokens)\./.test(metric))
        .map(([metric, value]) => `${metric} ${Number(value.toFixed(3))}`)
        .join(", "),
    ],
  ];
  const [result, isGood] = resultOf(outcome, topK);
  const response = answer === null ? "" : `<pre>${htmlText(answer.response)}</pre>`;
  const tag = `<span class="tag ${isGood ? "good" : "bad"}">${htmlText(result)}</span>`;
  return `<details><summary>${tag}${htmlText(question.question)}</summary>${response}${factTable(rows)}</details>`;
}
