import { get } from "../core/api.js";
import { append, h } from "../core/dom.js";
import { t } from "../core/text.js";
import { createNarrow } from "./narrow.js";

/** @param {string} label @param {readonly (readonly [string, string])[]} options */
const choice = (label, options) => {
  const select = h(
    "select",
    { "aria-label": label, title: label },
    options.map(([value, text]) => h("option", { value }, text)),
  );
  return select;
};

/** Collection, agent, handling of unproven sentences, and the other filters of a question. */
export function createFilters() {
  const collection = choice(t("filter.collection"), [["", t("filter.every-collection")]]);
  const agent = choice(t("filter.agent"), [["", t("filter.router")]]);
  const grounded = choice(
    t("filter.grounded"),
    ["", "strict", "prefer", "off"].map((mode) => /** @type {const} */ ([mode, t(`grounded.${mode}`)])),
  );
  /** @param {HTMLSelectElement} select @param {readonly string[]} names */
  const add = (select, names) =>
    append(
      select,
      names.map((name) => h("option", { value: name }, name)),
    );
  get("/v1/collections").then(
    ({ collections }) =>
      add(
        collection,
        collections.map(({ name }) => name),
      ),
    () => undefined,
  );
  get("/v1/agents").then(
    ({ agents }) =>
      add(
        agent,
        agents.filter(({ enabled }) => enabled).map(({ name }) => name),
      ),
    () => undefined,
  );
  const narrow = createNarrow();
  return {
    elements: [h("div", { class: "filters" }, collection, agent, grounded, narrow.button), narrow.panel],
    text: narrow.text,
    values: () => ({
      ...narrow.values(),
      ...(collection.value === "" ? {} : { collections: [collection.value] }),
      ...(agent.value === "" ? {} : { agent: agent.value }),
      ...(grounded.value === "" ? {} : { grounded: grounded.value }),
    }),
  };
}
