import { append, fill, h } from "../core/dom.js";
import { duration, t } from "../core/text.js";

/** The agents at work: one line now, every step when it is opened. */
export function createTrace() {
  const title = h("span", { class: "trace-now" }, t("trace.start"));
  const clock = h("span", { class: "muted trace-clock" });
  const steps = h("ol", { class: "trace-steps" });
  const element = h(
    "details",
    { class: "trace", dataset: { running: "" } },
    h("summary", {}, h("span", { class: "pulse", "aria-hidden": "true" }), title, clock),
    steps,
  );
  const since = performance.now();
  const tick = setInterval(() => fill(clock, duration(performance.now() - since)), 200);
  return {
    element,
    add({ node, decided, duration_ms, details }) {
      fill(title, `${nodeName(node)}: ${decided}`);
      append(steps, [step(node, decided, duration_ms, details)]);
    },
    end(text) {
      clearInterval(tick);
      delete element.dataset.running;
      fill(title, text);
      fill(clock, duration(performance.now() - since));
    },
  };
}

const nodeName = (node) => {
  const key = `node.${node}`;
  const name = t(key);
  return name === key ? node : name;
};

function step(node, decided, ms, details) {
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
