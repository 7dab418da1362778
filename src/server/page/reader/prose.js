import { get } from "../core/api.js";
import { append, fill, h, iconButton } from "../core/dom.js";
import { findQuote, lettersOf, rangesOf, readLetters, wrapRanges } from "../core/find-text.js";
import { t } from "../core/text.js";
import { tableOf } from "./sheet.js";

/** @import { Block, Cited, DocumentFile, Shown } from "../shapes.d.ts" */

/** The parsed blocks of a page; page 0 is the whole text of a format without pages. @param {string} id @param {number} page */
export const readPage = (id, page) => get(`/v1/documents/${id}/pages/${page}`);

/** Shows a document as text with the passage and quote marked, and a pager if the format has pages. @param {Shown} shown */
export async function showProse({ file, page, cited, body, tools, alive }) {
  const article = h("article", { class: "prose reader-prose", tabindex: "0", "aria-label": file.name });
  append(body, [file.format === "image" && picture(file), article]);
  const turnTo = async (/** @type {number} */ wanted) => {
    const { blocks } = await readPage(file.id, wanted);
    if (!alive()) return;
    fill(article, blocks.map(blockElement));
    if (cited !== undefined) markPassage(article, cited);
    fill(tools, file.pages > 1 && pager(wanted, file.pages, turnTo));
  };
  await turnTo(file.pages === 0 ? 0 : Math.min(page, file.pages));
}

/** @param {DocumentFile} file */
const picture = ({ id, name }) => {
  /** @type {HTMLImageElement} */
  const image = h("img", { class: "original-picture", alt: name, onerror: () => image.remove() });
  image.src = `/v1/documents/${id}/original`;
  return image;
};

/** @param {number} page @param {number} pages @param {(page: number) => Promise<void>} turnTo */
const pager = (page, pages, turnTo) =>
  h(
    "span",
    { class: "pager" },
    iconButton("back", t("reader.previous-page"), () => turnTo(page - 1), { disabled: page <= 1 }),
    h("span", { class: "muted" }, `${page} / ${pages}`),
    iconButton("next", t("reader.next-page"), () => turnTo(page + 1), { disabled: page >= pages }),
  );

const bullet = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/;

/** Heading levels of a document start below those of the page. */
const headings = /** @type {const} */ (["h3", "h4", "h5", "h6"]);

/** @param {Block} block */
function blockElement({ kind, text, level, confidence }) {
  const title = confidence === null ? undefined : t("reader.ocr", { percent: Math.round(confidence * 100) });
  const properties = { class: `block block-${kind}`, title };
  if (kind === "heading") return h(headings[(level ?? 2) - 1] ?? "h6", properties, text);
  if (kind === "table")
    return h(
      "div",
      { ...properties, class: `${properties.class} table-scroll`, tabindex: "0" },
      tableOf(text).element,
    );
  if (kind === "code") return h("pre", { ...properties, tabindex: "0" }, text);
  if (kind !== "list") return h("p", properties, text);
  const isNumbered = /^\s*\d/.test(text);
  return h(
    isNumbered ? "ol" : "ul",
    properties,
    text.split("\n").map((line) => h("li", {}, line.replace(bullet, ""))),
  );
}

/** Fewest letters of a block that may contain the whole passage. */
const fewestLetters = 8;

/** Marks the blocks of the passage and the quote in them, and scrolls to the quote. @param {Element} root @param {Cited} cited */
export function markPassage(root, { text, quote }) {
  const passage = lettersOf(text);
  const blocks = [...root.querySelectorAll(".block")].filter((block) => {
    const letters = lettersOf(block.textContent ?? "");
    return (
      letters !== "" &&
      (passage.includes(letters) || (letters.length >= fewestLetters && letters.includes(passage)))
    );
  });
  for (const block of blocks) block.classList.add("in-passage");
  const marks = markQuote(blocks.length > 0 ? blocks : [root], quote);
  (marks[0] ?? blocks[0])?.scrollIntoView({ block: "center" });
}

/** @param {readonly Element[]} roots @param {string} quote */
function markQuote(roots, quote) {
  for (const root of roots) {
    const read = readLetters(root);
    const [place] = findQuote(read, quote);
    if (place !== undefined) return wrapRanges(rangesOf(read, place), () => h("mark", { class: "cited" }));
  }
  return [];
}
