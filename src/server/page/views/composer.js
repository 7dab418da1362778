import { h, iconButton } from "../core/dom.js";
import { t } from "../core/text.js";

/** @import { Child } from "../shapes.d.ts" */

/**
 * The input box: Enter sends, Shift+Enter starts a line. The text stays if `send` returns false.
 * @param {{ readonly send: (text: string) => boolean | void, readonly stop?: () => void, readonly below: Child, readonly placeholder?: string }} options
 */
export function createComposer({ send, stop = () => {}, below, placeholder = t("ask.placeholder") }) {
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
  const stopping = iconButton("stop", t("ask.stop"), stop, { class: "icon-button stop", hidden: true });
  const form = h(
    "form",
    { class: "composer", onsubmit: submit },
    h(
      "div",
      { class: "composer-box" },
      input,
      stopping,
      iconButton("send", t("ask.send"), () => {}, { type: "submit", class: "icon-button send" }),
    ),
    below,
  );
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
    const text = input.value.trim();
    if (text === "") return;
    if (send(text) === false) return;
    input.value = "";
    fit();
  }
  return {
    element: form,
    focus: () => input.focus({ preventScroll: true }),
    /** Sends a text that stayed, unless it was changed since. @param {string} text */
    sendKept(text) {
      if (input.value.trim() === text) form.requestSubmit();
    },
    /** Puts a text back, before what is there. @param {string} text */
    give(text) {
      input.value = [text, input.value].filter((part) => part !== "").join("\n");
      fit();
      input.focus();
    },
    /** Whether there is something to stop. @param {boolean} value */
    busy(value) {
      stopping.hidden = !value;
    },
  };
}
