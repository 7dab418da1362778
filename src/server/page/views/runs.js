import { showAnswer, stepsOf } from "../answer/answer.js";
import { scoreText } from "../answer/trace.js";
import { get } from "../core/api.js";
import { fill, h, tableHead } from "../core/dom.js";
import { date, duration, number, t } from "../core/text.js";

/** @import { Run, RunLine } from "../shapes.d.ts" */

/** Most runs listed. */
const most = 100;

/** `#/runs` lists runs, `#/runs/ID` shows the phases and answer of one. @param {HTMLElement} place @param {readonly string[]} path */
export const open = (place, [id]) => (id === undefined ? openList(place) : openOne(place, id));

/** @param {HTMLElement} place */
async function openList(place) {
  const { runs } = await get(`/v1/runs?limit=${most}`);
  const longest = Math.max(1, ...runs.map(({ duration_ms: ms }) => ms));
  /** @param {RunLine} run */
  const row = ({ id, kind, started_at: at, duration_ms: ms, summary, state, principal }) =>
    h(
      "tr",
      {},
      h(
        "td",
        {},
        h("a", { href: `#/runs/${id}` }, summary === "" ? kind : summary),
        h(
          "div",
          { class: "muted small" },
          `${kind} · ${principal} · `,
          h("span", { class: "nowrap" }, date(at)),
        ),
      ),
      h("td", {}, h("span", { class: "tag", dataset: { state } }, t(`runs.${state}`))),
      h("td", { class: "time-cell" }, h("span", { class: "number" }, duration(ms)), bar(0, ms / longest)),
    );
  fill(
    place,
    h("div", { class: "view-head" }, h("h1", {}, t("view.runs"))),
    runs.length === 0
      ? h("p", { class: "muted" }, t("runs.none"))
      : h(
          "table",
          { class: "runs" },
          tableHead(["what", "state", "time"].map((key) => t(`runs.${key}`))),
          h("tbody", {}, runs.map(row)),
        ),
  );
}

/** A bar from `start` over `share` of the whole. @param {number} start @param {number} share */
function bar(start, share) {
  const fillElement = h("span", { class: "bar-fill" });
  fillElement.style.marginLeft = `${start * 100}%`;
  fillElement.style.width = `${Math.max(0.004, share) * 100}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, fillElement);
}

/** @param {HTMLElement} place @param {string} id */
async function openOne(place, id) {
  const run = await get(`/v1/runs/${encodeURIComponent(id)}`);
  const { kind, started_at: at, duration_ms: ms, principal, summary, state, phases, error } = run;
  const { question, response = "", verdict, citations = [] } = run;
  const [body, footer] = [h("div", { class: "answer-body" }), h("div", { class: "answer-footer" })];
  if (verdict) showAnswer({ ...run, response, citations, verdict }, body, footer);
  fill(
    place,
    h("p", {}, h("a", { href: "#/runs" }, `← ${t("runs.back")}`)),
    h(
      "div",
      { class: "view-head" },
      h(
        "div",
        {},
        h("h1", {}, question ?? summary),
        h(
          "p",
          { class: "muted small" },
          [kind, principal, date(at), duration(ms), t(`runs.${state}`)].join(" · "),
        ),
      ),
    ),
    error && h("p", { class: "notice" }, `${error.code}: ${error.message}`),
    h("h2", {}, t("runs.phases")),
    phaseChart(phases),
    verdict &&
      verdict.threshold > 0 &&
      h("p", { class: "muted small" }, `${t("trace.evidence")}: ${scoreText(verdict)}`),
    (verdict || run.trace) && h("div", { class: "answer past" }, stepsOf(run), body, footer),
    verdict &&
      h(
        "p",
        {},
        h(
          "a",
          { href: `/v1/runs/${encodeURIComponent(id)}/export`, download: "answer.html" },
          t("runs.export"),
        ),
      ),
  );
}

/** Phases as bars; the longest fills the width. Nested phases do not add up to the total. @param {Run["phases"]} phases */
function phaseChart(phases) {
  const longest = Math.max(1, ...phases.map(({ duration_ms: ms }) => ms));
  /** @param {Run["phases"][number]} phase */
  const counts = ({ phase: _phase, duration_ms: _ms, ...rest }) =>
    Object.entries(rest)
      .map(([name, value]) => `${name.replaceAll("_", " ")} ${number(Math.round(value * 1000) / 1000)}`)
      .join(" · ");
  return h(
    "table",
    { class: "phases" },
    tableHead([t("runs.phases"), t("runs.time"), t("runs.counts")], { class: "visually-hidden" }),
    h(
      "tbody",
      {},
      phases.map((phase) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, phase.phase.replaceAll("_", " ")),
          h(
            "td",
            { class: "time-cell" },
            h("span", { class: "number" }, duration(phase.duration_ms)),
            bar(0, phase.duration_ms / longest),
          ),
          h("td", { class: "muted small" }, counts(phase)),
        ),
      ),
    ),
  );
}
