import type { EvalOutcome, EvalPlace, EvalReport } from "../../core/answers/evaluation.ts";
import { fixed, metricRows } from "./text.ts";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text of documents, questions and models as HTML shows it: never as markup, and with nothing that hides or
 * turns it.
 */
const shown = (text: string): string =>
  text
    .replace(/(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (character) => escapes[character] ?? "");

const htmlTable = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${header.map((cell) => `<th>${shown(cell)}</th>`).join("")}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${shown(cell)}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

const section = (title: string, body: string): string =>
  body === "" ? "" : `<section><h2>${shown(title)}</h2>${body}</section>`;

const placeText = ({ document, pages }: EvalPlace): string =>
  pages.length === 0 ? document : `${document}, page ${pages.join(", ")}`;

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:.5rem 0}th,td{text-align:left;padding:.15rem .8rem .15rem 0;border-bottom:1px solid #ddd;vertical-align:top}
details{border:1px solid #ddd;border-radius:4px;margin:.4rem 0;padding:.4rem .8rem}summary{cursor:pointer}
pre{white-space:pre-wrap;font:inherit;background:#f6f6f6;padding:.5rem}.bad{color:#a00}.good{color:#060}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre{background:#222}th,td,details{border-color:#444}.bad{color:#f88}.good{color:#8d8}}`;

/**
 * A report as one page that needs nothing else: no script, no font, no address. The policy in its head keeps
 * it so whatever the texts in it say. `outcomes` come worst first.
 */
export function reportHtml(report: EvalReport, outcomes: readonly EvalOutcome[], name: string): string {
  const {
    principal,
    model,
    metrics,
    groups,
    gates,
    excluded,
    comparison,
    ablations,
    drafts,
    programVersion,
  } = report;
  const facts = [
    `ragctl ${programVersion}`,
    `${report.outcomes.length} questions of ${name}`,
    `as ${principal}`,
    report.answers ? `answers by ${model ?? "quotation"}` : "retrieval alone",
    ...(drafts === 0 ? [] : [`${drafts} drafts that nobody has checked`]),
  ];
  const header = ["metric", "mean", "95 % interval", "questions"];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${shown(`Evaluation of ${name}`)}</title><style>${style}</style></head><body>
<h1>Evaluation</h1><p>${shown(facts.join(" · "))}</p>
${section("Gates", gates.map(({ passed, reason }) => `<p class="${passed ? "good" : "bad"}">${passed ? "passed" : "failed"}: ${shown(reason)}</p>`).join(""))}
${section("Questions, worst first", outcomes.map(outcomeHtml).join("\n"))}
${section("Metrics", htmlTable(header, metricRows(metrics)))}
${groups.map(({ group, metrics: own }) => section(`Group ${group === "" ? "(none)" : group}`, htmlTable(header, metricRows(own)))).join("\n")}
${section(
  "Compared with the earlier run",
  comparison === null
    ? ""
    : differencesHtml(comparison.differences) +
        htmlTable(
          ["changed question", "metric", "before", "now"],
          comparison.changed.map(({ id, metric, before, after }) => [
            id,
            metric,
            fixed(before),
            fixed(after),
          ]),
        ),
)}
${ablations.map(({ variant, description, differences }) => section(`Ablation: ${variant}`, differences.length === 0 ? "" : `<p>${shown(description)}</p>${differencesHtml(differences)}`)).join("\n")}
${section(
  "Left out",
  excluded.length === 0
    ? ""
    : htmlTable(
        ["line", "id", "why"],
        excluded.map(({ line, id, reason }) => [String(line), id, reason]),
      ),
)}
</body></html>
`;
}

const differencesHtml = (differences: EvalReport["ablations"][number]["differences"]): string =>
  htmlTable(
    ["metric", "before", "after", "difference", "95 % interval", "p"],
    differences.map(({ metric, before, after, difference, low, high, p }) => [
      metric,
      ...[before, after, difference].map(fixed),
      `${fixed(low)} – ${fixed(high)}`,
      fixed(p),
    ]),
  );

function outcomeHtml({ question, scores, hits, answer }: EvalOutcome): string {
  const rows = [
    ["accepted", question.answerable ? question.answers.join(" / ") : "(no answer in the documents)"],
    [
      "stands in",
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
  const response = answer === null ? "" : `<pre>${shown(answer.response)}</pre>`;
  return `<details><summary>${shown(`${question.id}: ${question.question}`)}</summary>${response}${htmlTable([], rows)}</details>`;
}
