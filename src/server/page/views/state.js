import { shown } from "../answer/shown.js";
import { get, getText, post, session } from "../core/api.js";
import { actionButton, fill, h } from "../core/dom.js";
import { duration, number, size, t } from "../core/text.js";

/** @import { Child, Job } from "../shapes.d.ts" */

/** Most jobs listed. */
const mostJobs = 20;

/** `#/state`: the server and its jobs; the owner also sees the checks of `ragctl doctor`. @param {HTMLElement} place @returns {Promise<void>} */
export async function open(place) {
  const [{ version }, ready, metrics, { jobs }, { tools }, { agents }] = await Promise.all([
    get("/health"),
    get("/ready").then(
      () => true,
      () => false,
    ),
    session.current.kind === "person" ? samples("") : getText("/metrics").then(samples),
    get(`/v1/jobs?limit=${mostJobs}`),
    get("/v1/tools"),
    get("/v1/agents"),
  ]);
  const checks = h("section", {});
  const memory = metrics.get("process_resident_memory_bytes");
  const since = metrics.get("process_start_time_seconds");
  fill(
    place,
    h("div", { class: "view-head" }, h("h1", {}, t("view.state"))),
    facts([
      [t("state.version"), version],
      [t("state.takes-work"), t(ready ? "state.yes" : "state.no")],
      [t("state.memory"), memory !== undefined && size(memory)],
      [t("state.uptime"), since !== undefined && duration(Date.now() - since * 1000)],
      [t("state.agents"), number(agents.filter(({ enabled }) => enabled).length)],
      [t("state.tools"), number(tools.filter(({ enabled }) => enabled).length)],
    ]),
    checks,
    h("h2", {}, t("state.jobs")),
    jobs.length === 0
      ? h("p", { class: "muted" }, t("state.no-jobs"))
      : h(
          "ul",
          { class: "plain" },
          jobs.map((job) => jobLine(job, () => open(place))),
        ),
  );
  if (session.current.kind !== "owner")
    return void fill(checks, h("p", { class: "muted" }, t("state.restricted")));
  fill(
    checks,
    h("h2", {}, t("state.checks")),
    h("p", { class: "muted", role: "status" }, t("state.checking")),
  );
  fill(checks, h("h2", {}, t("state.checks")), shown(await get("/v1/doctor")));
}

/** Unlabelled samples of a Prometheus exposition, by name. @param {string} text */
const samples = (text) =>
  new Map(
    text
      .split("\n")
      .filter((line) => /^[a-z_]+ /.test(line))
      .map((line) => line.split(" "))
      .map(([name = "", value]) => [name, Number(value)]),
  );

/** @param {readonly (readonly [string, Child])[]} pairs */
const facts = (pairs) =>
  h(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, value]) => value !== false)
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );

/** @param {Job} job @param {() => Promise<void>} again */
function jobLine({ id, document_path: path, target_collection: collection, state, error, progress }, again) {
  const retry = async () => {
    await post(`/v1/jobs/${id}/retry`, {});
    await again();
  };
  return h(
    "li",
    {},
    h("strong", {}, path.split("/").at(-1) ?? path),
    h("span", { class: "tag", dataset: { state } }, t(`state.${state}`)),
    h("span", { class: "muted small" }, `${collection} · ${t("state.counts", progress)}`),
    error && h("div", { class: "small" }, `${error.code}: ${error.message}`),
    (state === "dead" || state === "cancelled") && actionButton("quiet", retry, t("state.retry")),
  );
}
