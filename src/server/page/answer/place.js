import { actionButton, h } from "../core/dom.js";
import { lettersOf } from "../core/find-text.js";
import { t } from "../core/text.js";

/** @import { Place, Source } from "../shapes.d.ts" */

/** The place of a source, and within its document. @param {Place} place */
const partsOf = ({ page_number, section, cells }) => {
  // The label of a page says nothing of the section; cells begin with their sheet, which is all of it.
  const isLabelled = cells.every((cell) => cell.startsWith("labelled "));
  const within = (isLabelled ? [...cells, section] : cells).filter((part) => part !== "").join(", ");
  return [page_number === null ? "" : t("page", { page: page_number }), within].filter((part) => part !== "");
};

/** A source with its document, on one line. @param {Place} source */
export const placeOf = (source, between = ", ") => [source.source_file, ...partsOf(source)].join(between);

/** A source with its quote, to press: `open` is given the button. @param {Place & Pick<Source, "marker">} source @param {string} quote @param {(button: HTMLElement) => unknown} open */
export function sourceButton(source, quote, open) {
  /** @type {HTMLButtonElement} */
  const button = actionButton(
    "source",
    () => open(button),
    h("span", { class: "source-number" }, String(source.marker)),
    h(
      "span",
      { class: "source-place" },
      h("strong", {}, source.source_file),
      h("span", { class: "muted" }, partsOf(source).join(" · ")),
    ),
    lettersOf(quote) !== "" && h("span", { class: "source-quote" }, quote),
  );
  return button;
}
