import { createAnswer } from "../answer/answer.js";
import { ConnectionError, events, get, isStopped } from "../core/api.js";
import { append, fill, h, icon } from "../core/dom.js";
import { problemOf } from "../core/problem.js";
import { t } from "../core/text.js";
import { createNarrow } from "./narrow.js";
import { fillWelcome } from "./welcome.js";

/** @import { Child, Turn } from "../shapes.d.ts" */

/** Most turns sent with a follow-up question; the server accepts 50. */
const mostTurns = 12;

/** The conversation. It is created once, so that it survives a change of views. */
export function createAskView() {
  /** @type {Turn[]} */
  const history = [];
  const turns = h("div", { class: "turns" });
  const welcome = h("section", { class: "welcome" });
  /** @type {{ controller?: AbortController }} */
  const running = {};
  const filters = createFilters();
  const composer = createComposer({
    send: (query) => void ask(query),
    stop: () => running.controller?.abort(),
    below: filters.elements,
  });
  const ask = async (/** @type {string} */ query) => {
    welcome.remove();
    const controller = new AbortController();
    running.controller = controller;
    composer.busy(true);
    const answer = createAnswer();
    const kept = filters.text();
    const turn = h(
      "article",
      { class: "turn" },
      h("h2", { class: "question" }, query),
      kept !== "" && h("p", { class: "narrowed muted small" }, t("narrow.to", { what: kept })),
      answer.element,
    );
    append(turns, [turn]);
    turn.scrollIntoView({ block: "start", behavior: "smooth" });
    const said = history.length === 0 ? {} : { history: history.slice(-mostTurns) };
    await follow(answer, { query, ...filters.values(), ...said }, controller.signal, (response) =>
      history.push({ role: "user", text: query }, { role: "assistant", text: response }),
    );
    composer.busy(false);
  };
  void fillWelcome(welcome, (query) => void ask(query));
  const element = h(
    "div",
    { class: "ask" },
    h("h1", { class: "visually-hidden" }, t("ask.title")),
    h("div", { class: "ask-scroll" }, welcome, turns),
    composer.element,
  );
  return { element, shown: () => composer.focus() };
}

/**
 * Reads the stream of an answer to its end, even if it fails.
 * @param {ReturnType<typeof createAnswer>} answer
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @param {(response: string) => void} answered
 */
async function follow(answer, body, signal, answered) {
  let ended = false;
  try {
    // Read to the end: leaving early would cancel the run before it is recorded.
    for await (const event of events("/v1/ask", { method: "POST", body, signal })) {
      if (event.name === "answer-end") {
        ended = true;
        answered(event.data.response);
      }
      answer.take(event);
    }
    if (!ended) answer.fail({ message: t("answer.lost") });
  } catch (thrown) {
    if (ended) return;
    if (isStopped(thrown)) answer.fail({ message: t("answer.stopped") });
    else if (thrown instanceof ConnectionError) answer.fail({ message: t("answer.lost") });
    else answer.fail(problemOf(thrown));
  }
}

/**
 * The input box: Enter sends, Shift+Enter starts a line. The text stays if `send` returns false.
 * @param {{ readonly send: (text: string) => boolean | void, readonly stop?: () => void, readonly below: Child, readonly placeholder?: string }} options
 */
export function createComposer({ send, stop, below, placeholder = t("ask.placeholder") }) {
  /** @type {HTMLTextAreaElement} */
  const input = h("textarea", {
    rows: "1",
    id: "question",
    "aria-label": placeholder,
    placeholder,
    maxlength: "8000",
    onkeydown: pressed,
    oninput: fit,
  });
  const button = h(
    "button",
    { type: "submit", class: "send", "aria-label": t("ask.send"), title: t("ask.send") },
    icon("send"),
  );
  const form = h(
    "form",
    { class: "composer", onsubmit: submit },
    h("div", { class: "composer-box" }, input, button),
    below,
  );
  let isBusy = false;
  function fit() {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 220)}px`;
  }
  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  }
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (isBusy) return stop?.();
    const text = input.value.trim();
    if (text === "") return;
    if (send(text) === false) return;
    input.value = "";
    fit();
  }
  return {
    element: form,
    focus: () => input.focus({ preventScroll: true }),
    /** @param {boolean} value */
    busy(value) {
      isBusy = value;
      const label = value ? t("ask.stop") : t("ask.send");
      button.setAttribute("aria-label", label);
      button.title = label;
      fill(button, icon(value ? "stop" : "send"));
    },
  };
}

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
function createFilters() {
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
