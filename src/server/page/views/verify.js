import { placeOf } from "../answer/place.js";
import { post } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { problemOf } from "../core/problem.js";
import { t, withStop } from "../core/text.js";
import { openCitation } from "../reader/reader.js";

/** @import { Checked, Citation } from "../shapes.d.ts" */

/** `#/verify`: checks a text against the documents, sentence by sentence. @param {HTMLElement} place */
export async function open(place) {
  const found = h("div", { "aria-live": "polite" });
  /** @type {HTMLTextAreaElement} */
  const box = h("textarea", {
    rows: 8,
    required: true,
    "aria-label": t("verify.text"),
    placeholder: t("verify.text"),
  });
  /** @type {HTMLButtonElement} */
  const button = h("button", { type: "submit", class: "primary" }, t("verify.start"));
  const start = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    button.disabled = true;
    fill(found, h("p", { class: "muted", role: "status" }, t("verify.running")));
    try {
      const { statements, counts } = await post("/v1/verify", { text: box.value });
      fill(found, h("p", {}, t("verify.counts", counts)), h("ul", { class: "checks" }, statements.map(line)));
    } catch (thrown) {
      const { message, hint = "" } = problemOf(thrown);
      fill(found, h("p", { class: "notice", role: "alert" }, withStop(message), hint !== "" && ` ${hint}`));
    } finally {
      button.disabled = false;
    }
  };
  fill(
    place,
    h("div", { class: "view-head" }, h("h1", {}, t("view.verify"))),
    h("p", { class: "muted" }, t("verify.help")),
    h("form", { class: "verify", onsubmit: start }, box, button),
    found,
  );
  box.focus();
}

const marks = /** @type {const} */ ({
  supported: "supported",
  contradicted: "unsupported",
  documents_disagree: "partial",
  not_found: "partial",
});

/** @param {Checked} statement */
const line = ({ text, verdict, reason, sources }) =>
  h(
    "li",
    {},
    h("span", { class: "mark", dataset: { support: marks[verdict] } }, icon(marks[verdict])),
    h("strong", {}, t(`verify.${verdict}`)),
    h(
      "div",
      {},
      h("p", {}, text),
      reason !== "" && h("p", { class: "muted small" }, reason),
      sources.map((source) => sourceButton(source, text)),
    ),
  );

/** @param {Citation} source @param {string} sentence */
function sourceButton(source, sentence) {
  const { chunk_id: chunkId, quote, marker } = source;
  /** @type {HTMLButtonElement} */
  const button = h(
    "button",
    {
      type: "button",
      class: "source",
      onclick: () => openCitation({ chunkId, quote, sentence, marker, back: button }),
    },
    h("span", { class: "source-number" }, String(marker)),
    h("span", { class: "source-place" }, h("strong", {}, placeOf(source))),
    h("span", { class: "source-quote" }, quote),
  );
  return button;
}
