import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { date, t } from "../core/text.js";
import { createComposer } from "./composer.js";
import { createFilters } from "./filters.js";
import { createTalk, pathOf } from "./talk.js";
import { fillWelcome } from "./welcome.js";

/** @import { Talk } from "./talk.js" */

/** Conversations that are listed. */
const mostListed = 50;

/** An id that nobody else has; `randomUUID` is missing where the page came without TLS. */
const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A choice among one's conversations; `list` refreshes it and returns the last one. */
function createEarlier() {
  const element = h("select", {
    "aria-label": t("ask.earlier"),
    title: t("ask.earlier"),
    hidden: true,
    onchange: () => {
      location.hash = `#/ask/${element.value}`;
    },
  });
  const list = async (current = "") => {
    const { conversations } = await get(`/v1/conversations?limit=${mostListed}`).catch(() => ({
      conversations: [],
    }));
    fill(
      element,
      h("option", { value: "", disabled: true }, t("ask.earlier")),
      conversations.map(({ id, title, asked_at: at }) =>
        h("option", { value: id }, `${title} · ${date(at)}`),
      ),
    );
    element.hidden = conversations.length === 0;
    element.value = conversations.some(({ id }) => id === current) ? current : "";
    return conversations[0]?.id;
  };
  return { element, list };
}

/** The conversations. The view is created once, so that it survives a change of views; the server keeps what was said. */
export function createAskView() {
  /** @type {{ talk?: Talk, calls: number }} */
  const held = { calls: 0 };
  /** @type {Map<string, Talk>} */
  const talks = new Map();
  const welcome = h("section", { class: "welcome" });
  const scroll = h("div", { class: "ask-scroll" });
  const earlier = createEarlier();
  const filters = createFilters();
  const composer = createComposer({
    send,
    stop: () => held.talk?.stop(),
    below: filters.elements,
  });
  const around = { filters: filters.values, giveBack: composer.give, changed };

  /** @param {Talk} talk */
  function changed(talk) {
    if (talk === held.talk) composer.busy(talk.isBusy());
    if (!talk.isBusy()) void earlier.list(held.talk?.id);
  }
  /** Shows a conversation; in the one before, answers are written on. @param {Talk} talk */
  function turnTo(talk) {
    talks.set(talk.id, talk);
    held.talk = talk;
    fill(scroll, talk.turns);
    talk.turns.lastElementChild?.scrollIntoView({ block: "start" });
    composer.busy(talk.isBusy());
  }
  function begin() {
    turnTo(createTalk(newId(), around));
    scroll.prepend(welcome);
    void fillWelcome(welcome, send);
  }
  /** @param {string} query */
  function send(query) {
    if (held.talk === undefined) return false;
    welcome.remove();
    history.replaceState(null, "", `#/ask/${held.talk.id}`);
    held.talk.ask(query, filters.text());
    return true;
  }
  /** @param {string} id @param {() => boolean} isWanted */
  async function load(id, isWanted) {
    const { runs } = await get(pathOf(id));
    if (!isWanted()) return;
    const talk = createTalk(id, around);
    turnTo(talk);
    talk.load(runs);
    talk.turns.lastElementChild?.scrollIntoView({ block: "start" });
  }
  /** @param {string | undefined} wanted `new`, or the id of a conversation; default: the one that is shown, or the last. */
  async function shown(wanted) {
    composer.focus();
    const call = ++held.calls;
    const isWanted = () => call === held.calls;
    const id = wanted ?? held.talk?.id ?? (await earlier.list()) ?? "new";
    if (!isWanted()) return;
    const known = talks.get(id);
    if (id === "new") begin();
    else if (known === undefined) await load(id, isWanted);
    else if (known !== held.talk) turnTo(known);
    await earlier.list(held.talk?.id);
  }
  const element = h(
    "div",
    { class: "ask" },
    h("h1", { class: "visually-hidden" }, t("ask.title")),
    h(
      "div",
      { class: "ask-bar" },
      earlier.element,
      h("a", { class: "quiet", href: "#/ask/new" }, t("ask.new")),
    ),
    scroll,
    composer.element,
  );
  return { element, shown, focus: composer.focus };
}
