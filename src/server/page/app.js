import { ApiError, get, messageOf, remove, session } from "./core/api.js";
import { actionButton, fill, h, icon } from "./core/dom.js";
import { notice, problemOf } from "./core/problem.js";
import { language, languages, setLanguage, t } from "./core/text.js";
import { closeReader, readerPane } from "./reader/reader.js";
import { createAskView } from "./views/ask.js";
import { signInView } from "./views/sign-in.js";

/** @import { Problem } from "./shapes.d.ts" */
/** @typedef {"documents" | "examine" | "chats" | "access" | "runs" | "state"} ViewName */
/** @typedef {{ readonly open: (place: HTMLElement, path: readonly string[]) => Promise<(() => void) | void> }} View */

const root = document.getElementById("app") ?? document.body;

/**
 * Views other than the conversation, loaded when they are opened.
 * @type {Readonly<Record<ViewName, { readonly load: () => Promise<View>, readonly ownerOnly?: boolean }>>}
 */
const views = {
  documents: { load: () => import("./views/documents.js") },
  examine: { load: () => import("./views/examine.js") },
  chats: { load: () => import("./views/rooms.js") },
  access: { load: () => import("./views/access.js"), ownerOnly: true },
  runs: { load: () => import("./views/runs.js") },
  state: { load: () => import("./views/state.js") },
};

const viewNames = /** @type {const} */ (["documents", "examine", "chats", "access", "runs", "state"]);

const themes = ["auto", "light", "dark"];
const theme = () => localStorage.getItem("theme") ?? "auto";

function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

/** @param {ViewName} name */
const mayEnter = (name) => views[name].ownerOnly !== true || session.current.kind === "owner";

/** The frame: navigation, view and reader. */
function openFrame() {
  const ask = createAskView();
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = /** @type {const} */ (["ask", ...viewNames.filter(mayEnter)]).map((name) =>
    h(
      "a",
      { href: `#/${name}`, "aria-label": t(`view.${name}`), dataset: { view: name } },
      icon(name),
      h("span", {}, t(`view.${name}`)),
    ),
  );
  fill(
    root,
    h(
      "a",
      { class: "skip", href: "#main", onclick: (/** @type {MouseEvent} */ event) => skip(event, main) },
      t("skip"),
    ),
    h("div", { class: "frame" }, rail(links), main, readerPane),
  );
  /** @type {{ work?: (() => void) | void }} */
  const leaving = {};
  const enter = async () => {
    const [name = "ask", ...rest] = location.hash
      .replace(/^#\/verify\b/, "#/examine/verify")
      .replace(/^#\/(?:rooms\b)?/, (start) => (start === "#/" ? "" : "chats"))
      .split("/")
      .map(decodeURIComponent);
    const view = viewNames.find((each) => each === name && mayEnter(each)) ?? "ask";
    for (const link of links)
      link.dataset.view === view
        ? link.setAttribute("aria-current", "page")
        : link.removeAttribute("aria-current");
    document.title = `${t(`view.${view}`)} · ragctl`;
    leaving.work?.();
    leaving.work = undefined;
    closeReader();
    if (view === "ask") {
      if (!main.contains(ask.element)) fill(main, ask.element);
      return ask.shown(rest[0]).catch((thrown) => showProblem(ask.element, problemOf(thrown)));
    }
    // Focusable, so that the keyboard can scroll it.
    const place = h("div", { class: "view", tabindex: "0" });
    fill(main, place);
    try {
      const { open } = await views[view].load();
      const left = await open(place, rest);
      if (place.isConnected) leaving.work = left;
      else left?.();
    } catch (thrown) {
      showProblem(place, problemOf(thrown));
    }
  };
  // Errors of actions that report none themselves, such as buttons.
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof ApiError) showProblem(main.querySelector(".view, .ask-scroll") ?? main, reason);
  });
  // Without this, a file dropped outside the drop zone would replace the page.
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
  addEventListener("hashchange", () => void enter());
  addEventListener("keydown", (event) => {
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (main.contains(ask.element)) ask.focus();
    else location.hash = "#/ask";
  });
  void enter();
}

/** Shows an error at the top of a view. @param {Element} place @param {Problem} problem */
function showProblem(place, problem) {
  place.prepend(notice(problem));
  place.scrollTop = 0;
}

/** @param {MouseEvent} event @param {HTMLElement} main */
function skip(event, main) {
  event.preventDefault();
  main.focus();
}

/** @param {readonly HTMLElement[]} links */
function rail(links) {
  /**
   * @param {string} label
   * @param {readonly (readonly [string, string])[]} options
   * @param {string} value
   * @param {(value: string) => void} chosen
   */
  const choice = (label, options, value, chosen) => {
    /** @type {HTMLSelectElement} */
    const select = h(
      "select",
      { "aria-label": label, title: label, onchange: () => chosen(select.value) },
      options.map(([key, text]) => h("option", { value: key }, text)),
    );
    select.value = value;
    return select;
  };
  const { principal, signed_in_by: by } = session.current;
  return h(
    "div",
    { class: "rail" },
    h("div", { class: "brand" }, "ragctl"),
    h("nav", { "aria-label": t("views") }, links),
    h(
      "div",
      { class: "rail-foot" },
      h("div", { class: "who", title: t("sign-in.as", { name: principal }) }, principal),
      choice(t("language"), Object.entries(languages), language, setLanguage),
      choice(
        t("theme"),
        themes.map((name) => /** @type {const} */ ([name, t(`theme.${name}`)])),
        theme(),
        (name) => {
          localStorage.setItem("theme", name);
          applyTheme();
        },
      ),
      by !== "none" && actionButton("quiet", signOut, t("sign-out")),
    ),
  );
}

async function signOut() {
  await remove("/v1/session");
  location.reload();
}

async function start() {
  applyTheme();
  // Of a link that signed nobody in; one that does leads here without its key.
  const refused = new URLSearchParams(location.search).has("key") ? t("sign-in.refused") : "";
  if (refused !== "") history.replaceState(null, "", "/");
  try {
    session.opened = await get("/v1/session");
    openFrame();
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401) fill(root, signInView(openFrame, refused));
    else
      fill(
        root,
        h("main", { class: "sign-in" }, h("p", { class: "notice", role: "alert" }, messageOf(thrown))),
      );
  }
}

void start();
