import { ApiError, get, withQuery } from "../core/api.js";
import { fill, h, iconButton } from "../core/dom.js";
import { notice, problemOf } from "../core/problem.js";
import { t, withStop } from "../core/text.js";
import { showProse } from "./prose.js";

/** @import { DocumentFile, Head, Opened, Shown } from "../shapes.d.ts" */

/** Spreadsheet formats. */
const sheets = ["xlsx", "csv", "ods"];

const pane = h("aside", {
  class: "reader",
  hidden: true,
  tabindex: "-1",
  "aria-label": t("reader"),
  onkeydown: pressed,
});
/** @type {{ close?: (() => void) | undefined, back?: Element | null | undefined, turn: number, step?: Head["step"] }} */
const state = { turn: 0 };

/** The pane next to the conversation, hidden until a document is opened. */
export const readerPane = pane;

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.key === "Escape") closeReader();
  if (event.target instanceof Element && event.target.closest("input, select") !== null) return;
  if (event.key === "ArrowLeft" && event.altKey) state.step?.(-1);
  if (event.key === "ArrowRight" && event.altKey) state.step?.(1);
}

/** On a narrow screen the pane covers the page, which then must not take the focus. @param {boolean} isOpen */
function cover(isOpen) {
  document.body.classList.toggle("reading", isOpen);
  const isCovered = isOpen && matchMedia("(max-width: 54rem)").matches;
  for (const element of document.querySelectorAll("main, .rail")) element.toggleAttribute("inert", isCovered);
}

/** Closes the pane and returns the focus. */
export function closeReader() {
  if (pane.hidden) return;
  state.turn++;
  state.close?.();
  state.close = undefined;
  pane.hidden = true;
  // Else the next document would begin as this one.
  fill(pane);
  cover(false);
  for (const each of document.querySelectorAll(".chip[aria-pressed]")) each.removeAttribute("aria-pressed");
  if (state.back instanceof HTMLElement) state.back.focus();
}

/**
 * Opens the cited document with the passage and the quote marked.
 * @param {Opened} citation
 */
export async function openCitation({ chunkId, quote, sentence, marker, back, ...steps }) {
  await openPane(back, steps.step, async (alive) => {
    const passage = await get(withQuery(`/v1/passages/${chunkId}`, { quote: quote.slice(0, 8000) }));
    if (!alive()) return;
    const { document: file, chunk, boxes, quote_boxes: quoteBoxes } = passage;
    const cited = {
      quote,
      sentence,
      text: chunk.text,
      section: chunk.section,
      boxes: quoteBoxes.length > 0 ? quoteBoxes : boxes,
    };
    const note = [
      h("span", { class: "source-number" }, String(marker)),
      chunk.section !== "" && h("span", { class: "muted section" }, chunk.section),
    ];
    await show(
      { file, page: cited.boxes[0]?.page ?? chunk.page_number ?? 1, cited },
      { note, ...steps },
      alive,
    );
  });
}

/** Opens a document at a page, without a citation. @param {string} id */
export async function openDocument(id, page = 1) {
  await openPane(document.activeElement, undefined, async (alive) => {
    const { document: file } = await get(`/v1/documents/${encodeURIComponent(id)}`);
    if (alive()) await show({ file, page }, {}, alive);
  });
}

/** @param {Element | null} back @param {Head["step"]} step @param {(alive: () => boolean) => Promise<void>} work */
async function openPane(back, step, work) {
  const turn = ++state.turn;
  const alive = () => turn === state.turn;
  state.back = back;
  state.step = step;
  pane.hidden = false;
  cover(true);
  pane.setAttribute("aria-busy", "true");
  try {
    await work(alive);
  } catch (thrown) {
    if (alive()) fill(pane, header({}), notice(problemOf(thrown)));
  } finally {
    if (alive()) pane.removeAttribute("aria-busy");
  }
}

/** @param {Head} head */
function header({ file, tools, note = [], position, count = 0, step = () => {} }) {
  const steps =
    count > 1 &&
    h(
      "span",
      { class: "steps" },
      iconButton("back", t("reader.previous"), () => step(-1)),
      h("span", { class: "muted" }, `${position} / ${count}`),
      iconButton("next", t("reader.next"), () => step(1)),
    );
  return h(
    "header",
    { class: "reader-header" },
    h(
      "div",
      { class: "reader-title" },
      h("h2", {}, file === undefined ? t("reader") : file.name),
      file?.title && file.title !== file.name && h("p", { class: "muted" }, file.title),
    ),
    h(
      "div",
      { class: "reader-tools" },
      steps,
      tools,
      file !== undefined && original(file),
      iconButton("close", t("reader.close"), closeReader),
    ),
    note.length > 0 && h("p", { class: "reader-note" }, note),
  );
}

/** @param {DocumentFile} file */
const original = ({ id, name }) =>
  h(
    "a",
    {
      class: "quiet",
      href: `/v1/documents/${id}/original`,
      target: "_blank",
      rel: "noopener",
      title: t("reader.original"),
      "aria-label": `${t("reader.original")}: ${name}`,
    },
    t("reader.file"),
  );

/** @param {Pick<Shown, "file" | "page" | "cited">} wanted @param {Head} head @param {() => boolean} alive */
async function show(wanted, head, alive) {
  const { file } = wanted;
  state.close?.();
  state.close = undefined;
  const body = h("div", { class: "reader-body" });
  const tools = h("span", { class: "reader-tools" });
  fill(pane, header({ file, tools, ...head }), body);
  pane.focus({ preventScroll: true });
  const request = { ...wanted, body, tools, alive };
  if (file.format === "pdf" && (await showPdf(request))) return;
  if (sheets.includes(file.format)) {
    const { showSheet } = await import("./sheet.js");
    return showSheet(request);
  }
  await showProse(request);
}

/** Returns whether the PDF could be shown; the caller falls back to text if the file is gone or changed. @param {Shown} request */
async function showPdf(request) {
  try {
    const { openPdf } = await import("./pdf.js");
    const close = await openPdf(request);
    if (request.alive()) state.close = close;
    else close();
    return true;
  } catch {
    fill(request.body, h("p", { class: "notice" }, await whyNot(request.file)));
    fill(request.tools);
    return false;
  }
}

/** Why the server does not return the original file. @param {DocumentFile} file */
const whyNot = ({ id }) =>
  get(`/v1/documents/${id}/original`, { headers: { range: "bytes=0-0" } }).then(
    () => t("reader.unreadable"),
    (thrown) =>
      thrown instanceof ApiError
        ? `${withStop(thrown.message)} ${t("reader.text-instead")}`
        : t("reader.unreadable"),
  );
