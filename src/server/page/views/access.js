import { adviceOf, get, post, remove, withQuery } from "../core/api.js";
import { actionButton, append, fill, h, iconButton, tableHead } from "../core/dom.js";
import { date, t } from "../core/text.js";

/** @import { Decision, Matrix } from "../shapes.d.ts" */
/** @typedef {{ readonly principal: string, readonly action: string, readonly collection: string }} Cell */

const actions = ["read", "write", "admin"];

/** Newest denials that are gathered into lines. */
const mostRefusals = 500;

/** `#/access`, for the owner: a matrix of principals and collections whose cells explain themselves. @param {HTMLElement} place */
export async function open(place) {
  /** @type {HTMLSelectElement} */
  const action = h(
    "select",
    { "aria-label": t("access.action"), onchange: () => void draw() },
    actions.map((name) => h("option", { value: name }, t(`access.${name}`))),
  );
  const [table, why, refusals] = [
    h("div", { class: "table-scroll", tabindex: "0" }),
    h("section", { class: "why", "aria-live": "polite" }),
    h("section", {}),
  ];
  const explain = (/** @type {string} */ principal, /** @type {string} */ collection) =>
    showWhy(why, { principal, action: action.value, collection }, draw);
  async function draw() {
    fill(table, matrix(await get(withQuery("/v1/permissions/matrix", { action: action.value })), explain));
    const { decisions } = await get(`/v1/permissions/decisions?effect=deny&limit=${mostRefusals}`);
    fill(refusals, h("h2", {}, t("access.decisions")), refusalList(decisions));
  }
  fill(
    place,
    h(
      "div",
      { class: "view-head" },
      h("div", {}, h("h1", {}, t("access.title")), h("p", { class: "muted lead" }, t("access.help"))),
      action,
    ),
    h("div", { class: "access" }, table, why),
    refusals,
  );
  await draw();
}

/** @param {Matrix} matrix @param {(principal: string, collection: string) => unknown} explain */
function matrix({ collections, principals }, explain) {
  /** @param {string} principal @param {string} effect @param {string} collection */
  const cell = (principal, effect, collection) => {
    const label = t("access.cell", { principal, collection, effect: t(`access.${effect}`) });
    /** @type {HTMLButtonElement} */
    const button = iconButton(effect === "allow" ? "supported" : "close", label, press, {
      ...{ class: "cell", dataset: { effect } },
    });
    function press() {
      for (const each of button.closest("table")?.querySelectorAll("[aria-pressed]") ?? [])
        each.removeAttribute("aria-pressed");
      button.setAttribute("aria-pressed", "true");
      void explain(principal, collection);
    }
    return h("td", {}, button);
  };
  return h(
    "table",
    { class: "matrix" },
    tableHead([t("access.person"), ...collections]),
    h(
      "tbody",
      {},
      principals.map(({ name, departments, effects }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name, h("div", { class: "muted small" }, departments.join(", "))),
          effects.map((effect, index) => cell(name, effect, collections[index] ?? "")),
        ),
      ),
    ),
  );
}

/** Shows the rule behind a cell, with buttons that change it. @param {HTMLElement} place @param {Cell} cell @param {() => Promise<void>} changed */
async function showWhy(place, { principal, action, collection }, changed) {
  const { effect, rule, reason, permission } = await get(
    withQuery("/v1/permissions/explain", { principal, action, resource: collection }),
  );
  const problem = h("p", { class: "notice", role: "alert", hidden: true });
  const after = async (/** @type {() => Promise<unknown>} */ work) => {
    try {
      await work();
      await changed();
      await showWhy(place, { principal, action, collection }, changed);
    } catch (thrown) {
      fill(problem, adviceOf(thrown));
      problem.hidden = false;
    }
  };
  const put = (/** @type {string} */ wanted) => () =>
    after(() =>
      post("/v1/permissions", {
        ...{ effect: wanted, level: action, subject_kind: "principal" },
        ...{ subject: principal, resource: collection },
      }),
    );
  fill(
    place,
    h("h2", {}, t("access.why", { principal, action: t(`access.${action}`), collection })),
    h("p", {}, h("span", { class: "tag", dataset: { effect } }, t(`access.${effect}`)), ` ${reason}`),
    h("p", { class: "muted small" }, `${t("access.rule")}: ${rule}`),
  );
  append(place, [
    h(
      "div",
      { class: "field-row wrap" },
      actionButton(
        "secondary",
        put(effect === "allow" ? "deny" : "allow"),
        t(effect === "allow" ? "access.deny-it" : "access.grant", { principal }),
      ),
      permission &&
        actionButton(
          "quiet",
          () => after(() => remove(`/v1/permissions/${permission.id}`)),
          t("access.revoke"),
        ),
    ),
    problem,
  ]);
}

/**
 * A line for each principal and kind of thing: a question alone is denied every agent and collection that it may not use.
 * @param {readonly Decision[]} decisions
 */
function refusalList(decisions) {
  if (decisions.length === 0) return h("p", { class: "muted" }, t("access.no-refusals"));
  const gathered = Object.groupBy(
    decisions,
    ({ principal, action, resource_kind: kind }) => `${principal} ${action} ${kind}`,
  );
  return h("ul", { class: "plain" }, Object.values(gathered).map(refusalLine));
}

/** @param {readonly Decision[] | undefined} denied Newest first. */
function refusalLine(denied = []) {
  const [last] = denied;
  if (last === undefined) return false;
  const names = new Set(denied.map(({ resource }) => resource));
  const count = t("access.times", { count: denied.length, last: date(last.decided_at) });
  return h(
    "li",
    {},
    h("strong", {}, last.principal),
    ` ${t(`access.${last.action}`)} · ${last.resource_kind} ${[...names].join(", ")}`,
    h("div", { class: "muted small" }, count),
  );
}
