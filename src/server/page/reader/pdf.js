import * as pdfjs from "/vendor/pdfjs/build/pdf.min.mjs";
import { fill, h, iconButton } from "../core/dom.js";
import { findQuote, rangesOf, readLetters } from "../core/find-text.js";
import { t } from "../core/text.js";

/** @import { Box, Cited, Shown } from "../shapes.d.ts" */
/** @typedef {InstanceType<typeof import("/vendor/pdfjs/web/pdf_viewer.mjs").PDFViewer>} Viewer */
/** @typedef {InstanceType<typeof import("/vendor/pdfjs/web/pdf_viewer.mjs").EventBus>} Bus */
/** @typedef {InstanceType<typeof import("/vendor/pdfjs/web/pdf_viewer.mjs").PDFPageView>} PageView */
/** @typedef {{ readonly pageNumber: number, readonly source: PageView }} Drawn */
/** @typedef {{ readonly name?: string, readonly left: number, readonly top: number, readonly width: number, readonly height: number }} Place A rectangle in fractions of a page. */

// pdf_viewer.mjs expects the library as a global.
Object.assign(globalThis, { pdfjsLib: pdfjs });
const { EventBus, PDFLinkService, PDFViewer } = await import("/vendor/pdfjs/web/pdf_viewer.mjs");

const vendor = "/vendor/pdfjs";
pdfjs.GlobalWorkerOptions.workerSrc = `${vendor}/build/pdf.worker.min.mjs`;

/** Shows a PDF at the cited page. Resolves to a function that closes it. @throws if the PDF cannot be read @param {Shown} shown */
export async function openPdf({ file, page, cited, body, tools }) {
  const loading = pdfjs.getDocument({
    url: `/v1/documents/${file.id}/original`,
    cMapUrl: `${vendor}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${vendor}/standard_fonts/`,
    wasmUrl: `${vendor}/wasm/`,
    iccUrl: `${vendor}/iccs/`,
    enableXfa: false,
  });
  const opened = await loading.promise;
  const container = h(
    "div",
    { class: "pdf", tabindex: "0", role: "document", "aria-label": file.name },
    h("div", { class: "pdfViewer" }),
  );
  fill(body, h("div", { class: "pdf-frame" }, container));
  const eventBus = new EventBus();
  const linkService = new PDFLinkService({ eventBus });
  // Documents are untrusted: their links stay closed.
  linkService.externalLinkEnabled = false;
  const viewer = new PDFViewer({ container, eventBus, linkService, removePageBorders: true });
  linkService.setViewer(viewer);
  const resized = new ResizeObserver(() => fit(viewer));
  const ready = new Promise((resolve) => eventBus.on("pagesinit", resolve));
  if (cited !== undefined) drawCitations(eventBus, cited);
  viewer.setDocument(opened);
  linkService.setDocument(opened);
  await ready;
  viewer.currentScaleValue = "page-width";
  viewer.scrollPageIntoView({ pageNumber: Math.min(page, opened.numPages) });
  resized.observe(container);
  fill(tools, pageTools(viewer, eventBus, opened.numPages));
  return () => {
    resized.disconnect();
    viewer.setDocument(null);
    void loading.destroy();
  };
}

/** Refits the page to the width of the pane, unless the reader has zoomed. @param {Viewer} viewer */
function fit(viewer) {
  if (viewer.currentScaleValue === "page-width") viewer.currentScaleValue = "page-width";
}

/** @param {Viewer} viewer @param {Bus} eventBus @param {number} pages */
function pageTools(viewer, eventBus, pages) {
  /** @type {HTMLInputElement} */
  const input = h("input", {
    type: "number",
    min: "1",
    max: String(pages),
    value: String(viewer.currentPageNumber),
    "aria-label": t("reader.page"),
    onchange: () => (viewer.currentPageNumber = Number(input.value)),
  });
  eventBus.on("pagechanging", (/** @type {Drawn} */ { pageNumber }) => {
    input.value = String(pageNumber);
  });
  const zoom = (/** @type {number} */ by) => {
    viewer.currentScale = Math.min(5, Math.max(0.25, viewer.currentScale * by));
  };
  return [
    h("span", { class: "pager" }, input, h("span", { class: "muted" }, `/ ${pages}`)),
    iconButton("minus", t("reader.smaller"), () => zoom(1 / 1.2)),
    iconButton("plus", t("reader.larger"), () => zoom(1.2)),
  ];
}

/** Marks the passage and the lines of its quote on each page once it is rendered. @param {Bus} eventBus @param {Pick<Cited, "boxes" | "quote">} cited */
function drawCitations(eventBus, { boxes, quote }) {
  const pages = new Set(boxes.map(({ page }) => page));
  const arrived = { first: boxes[0]?.page, isShown: false };
  // pdf.js also fires for detail views of a page, so the layer is reused.
  const layerOf = (/** @type {PageView} */ view) => {
    const layer = view.div.querySelector(".cited-layer") ?? h("div", { class: "cited-layer" });
    view.div.append(layer);
    return layer;
  };
  eventBus.on("pagerendered", (/** @type {Drawn} */ { pageNumber, source }) => {
    if (!pages.has(pageNumber)) return;
    const layer = layerOf(source);
    if (layer.querySelector(".cited-box") === null)
      layer.append(
        ...boxes.filter(({ page }) => page === pageNumber).map((box) => boxElement(box, source.viewport)),
      );
    if (pageNumber === arrived.first && !arrived.isShown) {
      arrived.isShown = true;
      layer.querySelector(".cited-box")?.scrollIntoView({ block: "center" });
    }
  });
  eventBus.on("textlayerrendered", (/** @type {Drawn} */ { pageNumber, source }) => {
    if (!pages.has(pageNumber)) return;
    const layer = layerOf(source);
    for (const line of layer.querySelectorAll(".cited-line")) line.remove();
    const lines = linesOf(source, quote).filter((line) => isInside(line, layer));
    layer.append(...lines.map(placed));
    if (pageNumber === arrived.first) layer.querySelector(".cited-line")?.scrollIntoView({ block: "center" });
  });
}

/** Converts a box from points, measured from the top left of the unrotated page, to fractions of the shown page. @param {Box} box @param {PageView["viewport"]} viewport */
function boxElement({ left, top, right, bottom }, viewport) {
  const [x = 0, , , yMost = 0] = viewport.viewBox;
  const [oneX = 0, oneY = 0] = viewport.convertToViewportPoint(x + left, yMost - top);
  const [otherX = 0, otherY = 0] = viewport.convertToViewportPoint(x + right, yMost - bottom);
  return placed({
    name: "cited-box",
    left: Math.min(oneX, otherX) / viewport.width,
    top: Math.min(oneY, otherY) / viewport.height,
    width: Math.abs(oneX - otherX) / viewport.width,
    height: Math.abs(oneY - otherY) / viewport.height,
  });
}

/** An element positioned by fractions of the page, so that zooming does not move it. @param {Place} place */
function placed({ name = "cited-line", left, top, width, height }) {
  const element = h("div", { class: name });
  for (const [property, share] of Object.entries({ left, top, width, height }))
    element.style.setProperty(property, `${share * 100}%`);
  return element;
}

/** The lines of a quote as fractions of the page; none for a scan without a text layer. @param {PageView} view @param {string} quote */
function linesOf({ div }, quote) {
  const text = div.querySelector(".textLayer");
  if (text === null || quote === "") return [];
  const read = readLetters(text);
  const page = div.getBoundingClientRect();
  return findQuote(read, quote).flatMap((place) =>
    rangesOf(read, place).map((range) => {
      const { left, top, width, height } = range.getBoundingClientRect();
      return {
        left: (left - page.left) / page.width,
        top: (top - page.top) / page.height,
        width: width / page.width,
        height: height / page.height,
      };
    }),
  );
}

/** Whether the middle of a line is inside one of the boxes: the same words may occur elsewhere on the page. @param {Place} place @param {Element} layer */
function isInside({ left, top, width, height }, layer) {
  const [x, y] = [left + width / 2, top + height / 2];
  return [...layer.querySelectorAll(".cited-box")].some((box) => {
    if (!(box instanceof HTMLElement)) return false;
    const { style } = box;
    const [boxLeft, boxTop] = [shareOf(style.left), shareOf(style.top)];
    return (
      x >= boxLeft &&
      x <= boxLeft + shareOf(style.width) &&
      y >= boxTop &&
      y <= boxTop + shareOf(style.height)
    );
  });
}

/** @param {string} length */
const shareOf = (length) => Number.parseFloat(length) / 100;
