import { append, fill, h } from "../core/dom.js";
import { duration, t } from "../core/text.js";

/** @import { Step, Verdict } from "../shapes.d.ts" */

/** What a reader does before it answers: shown as it happens. */
const readerTools = new Set(["search", "read", "query", "calculate"]);

/** One line that counts the steps, and opens on them. @param {string} text */
function openLine(text) {
  const title = h("span", { class: "trace-now" }, text);
  const count = h("span", { class: "trace-count" });
  const clock = h("span", { class: "muted trace-clock" });
  const steps = h("ol", { class: "trace-steps" });
  const summary = h("summary", {}, h("span", { class: "pulse", "aria-hidden": "true" }), title, count, clock);
  const element = h("details", { class: "trace" }, summary, steps);
  const add = (/** @type {Step} */ step) => {
    append(steps, [stepElement(step)]);
    fill(count, t("trace.steps", { count: steps.childElementCount }));
  };
  return { element, summary, title, clock, add };
}

/** The steps of an answer that is complete. @param {readonly Step[]} trace @param {string} text @param {number} ms */
export function pastTrace(trace, text, ms) {
  const { element, clock, add } = openLine(text);
  fill(clock, duration(ms));
  for (const step of trace) add(step);
  return element;
}

/** Progress of an answer: its steps are in view until it ends, or as the user wants it. */
export function createTrace() {
  const { element, summary, title, clock, add } = openLine(t("trace.start"));
  element.dataset.running = "";
  element.open = true;
  const wish = { isSaid: false };
  summary.addEventListener("click", () => {
    wish.isSaid = true;
  });
  const since = performance.now();
  const writing = { since, usually: "" };
  const tick = setInterval(
    () => fill(clock, `${seconds(performance.now() - writing.since)}${writing.usually}`),
    200,
  );
  return {
    element,
    /** The model starts to write. `usualMs`: how long that usually takes here, if known. @param {number | undefined} usualMs */
    write(usualMs) {
      fill(title, t("trace.writing"));
      writing.since = performance.now();
      writing.usually = usualMs === undefined ? "" : t("trace.usually", { time: seconds(usualMs) });
    },
    /** @param {Step} step */
    add(step) {
      const { node, decided } = step;
      const stage = named(`stage.${node}`, readerTools.has(node) ? decided : "");
      if (stage !== "") fill(title, stage);
      writing.usually = "";
      add(step);
    },
    /** @param {string} text */
    end(text, ms = performance.now() - since) {
      clearInterval(tick);
      delete element.dataset.running;
      if (!wish.isSaid) element.open = false;
      fill(title, text);
      fill(clock, duration(ms));
    },
  };
}

/** @param {Pick<Verdict, "evidence" | "threshold">} verdict */
export const scoreText = ({ evidence, threshold }) =>
  t("trace.threshold", { evidence: evidence.toFixed(2), threshold: threshold.toFixed(2) });

/** Whole seconds: tenths would flicker while the clock runs. @param {number} ms */
const seconds = (ms) => duration(Math.max(1, Math.round(ms / 1000)) * 1000);

/** The text of a key, or a fallback if there is none. @param {string} key @param {string} otherwise */
const named = (key, otherwise) => {
  const name = t(key);
  return name === key ? otherwise : name;
};

/** @param {string} node */
const nodeName = (node) => named(`node.${node}`, node);

/** @param {Step} step */
function stepElement({ node, decided, duration_ms: ms, details }) {
  return h(
    "li",
    {},
    h("span", { class: "step-name" }, nodeName(node)),
    h("span", { class: "step-decided" }, decided),
    h("span", { class: "muted step-time" }, duration(ms)),
    Object.keys(details).length > 0 &&
      h(
        "details",
        { class: "step-details" },
        h("summary", {}, t("trace.details")),
        h("pre", { tabindex: "0" }, JSON.stringify(details, undefined, 2)),
      ),
  );
}
