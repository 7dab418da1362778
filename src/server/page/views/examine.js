import { shown } from "../answer/shown.js";
import { get, post, withQuery } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { notice, problemOf } from "../core/problem.js";
import { t, withStop } from "../core/text.js";

/** @import { AnswerTo, Member } from "../shapes.d.ts" */

/** What the server says of its routes, from the first form on. @type {{ paths?: AnswerTo<"/openapi.json">["paths"] }} */
const openApi = {};

/** Routes whose form and answer are drawn from what the server says of them. */
const routes = [
  ...["/v1/verify", "/v1/conflicts", "/v1/timeline", "/v1/documents/{document}/similar"],
  ...["/v1/duplicates", "/v1/answers/stale", "/v1/permissions/explain"],
];

/** @param {string} route */
const nameOf = (route) => route.split("/").at(-1) ?? "";

/** `#/examine/NAME`: the form of one route, and its answer. @param {HTMLElement} place @param {readonly string[]} path */
export async function open(place, [name = "verify"]) {
  openApi.paths ??= (await get("/openapi.json")).paths;
  const route = routes.find((each) => nameOf(each) === name) ?? "/v1/verify";
  const [method = "", described] = Object.entries(openApi.paths[route] ?? {})[0] ?? [];
  const { summary = "", parameters = [], requestBody } = described ?? {};
  const { properties = {}, required = [] } = requestBody?.content["application/json"]?.schema ?? {};
  const inBody = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
  const fields = [...parameters, ...inBody].map(fieldOf);
  const found = h("div", { class: "found", "aria-live": "polite" });
  const button = h("button", { type: "submit", class: "primary" }, t("examine.start"));
  const answer = async () => {
    const given = Object.fromEntries(fields.flatMap(({ given }) => given()));
    const address = route.replace(/\{(\w+)\}/, (_, name) => {
      const { [name]: named } = given;
      delete given[name];
      return encodeURIComponent(String(named));
    });
    return method === "post" ? post(address, given) : get(withQuery(address, given));
  };
  const start = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    button.disabled = true;
    fill(found, h("p", { class: "muted", role: "status" }, t("state.checking")));
    await answer().then(
      (answered) => fill(found, shown(answered)),
      (thrown) => fill(found, notice(problemOf(thrown))),
    );
    button.disabled = false;
  };
  const links = routes.map((each) =>
    h(
      "a",
      { href: `#/examine/${nameOf(each)}`, "aria-current": each === route && "page" },
      t(`examine.${nameOf(each)}`),
    ),
  );
  const labels = (/** @type {boolean} */ needed) =>
    fields.filter(({ required }) => required === needed).map(({ label }) => label);
  fill(
    place,
    h("div", { class: "view-head" }, h("h1", {}, t("view.examine"))),
    h("nav", { class: "field-row wrap", "aria-label": t("view.examine") }, links),
    h("p", { class: "muted" }, withStop(summary)),
    h(
      "form",
      { class: "examine", onsubmit: start },
      labels(true),
      h("details", {}, h("summary", {}, t("narrow")), labels(false)),
      button,
    ),
    found,
  );
}

/** The control of a member, by its schema. @param {Member["schema"]} schema @param {{ readonly name: string, readonly required: boolean, readonly value: unknown }} facts */
function controlOf({ type, enum: choices, maxLength = 500, minimum: min, maximum: max }, facts) {
  if (choices !== undefined)
    return h(
      "select",
      facts,
      ["", ...choices].map((value) => h("option", { value }, value)),
    );
  if (maxLength > 10_000) return h("textarea", { ...facts, rows: 8 });
  if (type === "integer" || type === "number")
    return h("input", { ...facts, type: "number", min, max, step: "any" });
  return h("input", { ...facts, maxlength: maxLength });
}

/** The labelled control of a member, and its value where one is given. @param {Member} member */
function fieldOf({ name, required, schema }) {
  const control = controlOf(schema, { name, required, value: schema.default });
  return {
    required,
    label: h(
      "label",
      {},
      name.replaceAll("_", " "),
      control,
      h("span", { class: "muted small" }, schema.description),
    ),
    /** @returns {readonly (readonly [string, string | number | readonly string[]])[]} */
    given() {
      const text = control.value.trim();
      if (text === "") return [];
      if (schema.type === "array") return [[name, text.split(",").map((each) => each.trim())]];
      return [
        [name, control.type === "number" || (schema.anyOf && /^\d+$/.test(text)) ? Number(text) : text],
      ];
    },
  };
}
