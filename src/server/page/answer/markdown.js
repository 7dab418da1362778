import DOMPurify from "/vendor/dompurify/purify.es.mjs";
import { marked } from "/vendor/marked/marked.esm.js";
import { append, h } from "../core/dom.js";

/** @import { Child } from "../shapes.d.ts" */

/** Structure only, without links, images or attributes: an answer may repeat untrusted document text. */
const allowed = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li"],
    ...["table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6"],
  ],
  ALLOWED_ATTR: [],
};

/** Private-use characters that replace the brackets of a marker, so that Markdown does not read it as a link. */
const [opening, closing] = ["\uE000", "\uE001"];
const hidden = /[\uE000\uE001]/g;

/** Renders Markdown to inert nodes; `chip` creates the element for a marker [n]. @param {string} text @param {(marker: number) => Child} chip */
export function markdown(text, chip) {
  const prepared = text.replace(hidden, "").replace(/\[(\d{1,3})\]/g, `${opening}$1${closing}`);
  const html = marked.parse(prepared, { async: false, gfm: true, breaks: true });
  const fragment = DOMPurify.sanitize(html, { ...allowed, RETURN_DOM_FRAGMENT: true });
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  for (const node of texts)
    if (node.data.includes(opening))
      node.replaceWith(append(new DocumentFragment(), withChips(node.data, chip)));
  return h("div", { class: "prose" }, fragment);
}

/** @param {string} text @param {(marker: number) => Child} chip */
function withChips(text, chip) {
  return text.split(opening).flatMap((part, index) => {
    const end = part.indexOf(closing);
    if (index === 0 || end < 0) return [part];
    const marker = Number(part.slice(0, end));
    return [chip(marker), part.slice(end + 1)];
  });
}
