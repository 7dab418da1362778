import { h, icon } from "../core/dom.js";
import { findText, lettersOf, rangesOf, readLetters, wrapRanges } from "../core/find-text.js";
import { t } from "../core/text.js";

/** @import { Letters, Sentence, Span, Verdict } from "../shapes.d.ts" */

/** The judged sentences that the answer shows: none in a refusal, and no removed ones in strict mode. @param {Verdict} verdict */
export const sentencesShown = ({ status, grounded, sentences }) =>
  status === "refused"
    ? []
    : status === "answered" && grounded === "strict"
      ? sentences.filter(({ support }) => support !== "unsupported")
      : sentences;

/** Marks each shown sentence, and its chips, with its verdict. @param {Element} root @param {readonly Sentence[]} sentences */
export function judgeSentences(root, sentences) {
  const read = readLetters(root, ".chip");
  let from = 0;
  const shown = sentences.flatMap((sentence) => {
    const place = findText(read, sentence.text, from);
    if (place === undefined) return [];
    from = place.end;
    return [{ ...sentence, place }];
  });
  for (const { element, at } of read.stopped) {
    const owner = shown.findLast(({ place }) => place.start < at);
    if (owner !== undefined) tieChip(element, owner);
  }
  for (const sentence of shown.toReversed()) markSentence(read, sentence);
}

/** @param {HTMLElement} chip @param {Sentence} sentence */
function tieChip(chip, { text, support }) {
  chip.dataset.support = support;
  chip.dataset.sentence = text;
  chip.setAttribute("aria-label", `${chip.getAttribute("aria-label")}, ${t(`support.${support}`)}`);
}

/** @param {Letters} read @param {Sentence & { readonly place: Span }} sentence */
function markSentence(read, { place, support, reason }) {
  const title = reason === "" ? t(`support.${support}`) : `${t(`support.${support}`)}: ${reason}`;
  const parts = wrapRanges(rangesOf(read, place), () =>
    h("span", { class: "sentence", dataset: { support } }),
  );
  const last = parts.at(-1);
  if (last === undefined) return;
  endOf(last).after(
    h(
      "span",
      { class: "mark", dataset: { support }, title },
      icon(support),
      h("span", { class: "visually-hidden" }, ` (${title})`),
    ),
  );
}

const emphasis = "strong, em, del, code";

/** The node that ends a sentence: outside emphasis, and after the punctuation, which the search for letters skips. @param {HTMLElement} part */
function endOf(part) {
  // Wrapping leaves empty text nodes behind.
  part.parentElement?.normalize();
  let last = part;
  while (last.nextSibling === null && last.parentElement?.matches(emphasis)) last = last.parentElement;
  const { nextSibling: next } = last;
  if (!(next instanceof Text)) return last;
  const [ending = ""] = /^[\p{P}\p{S}]+/u.exec(next.data) ?? [];
  if (ending === "") return last;
  next.splitText(ending.length);
  return next;
}

const order = /** @type {const} */ (["supported", "partial", "unsupported"]);

/** The verdict on the answer and on every sentence the model wrote, including removed ones. @param {Verdict} verdict @param {string} response */
export function verdictSummary(verdict, response) {
  const { status, reason, sentences, removed } = verdict;
  const shown = new Set(sentencesShown(verdict));
  const [supported = 0, partial = 0, unsupported = 0] = order.map(
    (support) => sentences.filter((each) => each.support === support).length,
  );
  const title =
    sentences.length === 0 || status === "refused"
      ? t(`status.${status}`)
      : t("verdict.count", { supported, all: sentences.length });
  const tone =
    status === "refused" || status === "unverified"
      ? "unsupported"
      : partial + unsupported > 0
        ? "partial"
        : "supported";
  return h(
    "details",
    { class: "verdict" },
    h(
      "summary",
      {},
      h("span", { class: "mark", dataset: { support: tone } }, icon(tone)),
      h("span", {}, title),
      removed > 0 && h("span", { class: "muted" }, ` · ${t("verdict.removed", { removed })}`),
    ),
    h(
      "div",
      { class: "verdict-body" },
      h("p", { class: "muted" }, `${t(`status.${status}`)}.${reason === "" ? "" : ` ${sentenceOf(reason)}`}`),
      sentences.length > 0 &&
        h(
          "ul",
          { class: "judged" },
          sentences.map((sentence) => judged(sentence, shown.has(sentence) ? response : "")),
        ),
    ),
  );
}

/** Reasons have no capital and no full stop. @param {string} reason */
const sentenceOf = (reason) => `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;

/** @param {Sentence} sentence @param {string} response */
function judged({ text, support, reason, rule, derivation, markers }, response) {
  const isShown = lettersOf(response).includes(lettersOf(text));
  return h(
    "li",
    { dataset: { support } },
    h(
      "span",
      { class: "mark", dataset: { support }, title: rule && t("verdict.rule", { rule }) },
      icon(support),
    ),
    h(
      "span",
      {},
      isShown ? text : h("del", {}, text),
      " ",
      h(
        "span",
        { class: "muted" },
        [
          t(`support.${support}`),
          markers.map((marker) => `[${marker}]`).join(" "),
          reason,
          derivation ?? "",
          isShown ? "" : t("verdict.taken-out"),
        ]
          .filter((part) => part !== "")
          .join(" · "),
      ),
    ),
  );
}
