import { ApiError, messageOf, post, session } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { t, withStop } from "../core/text.js";

/** Asks for a key; `signedIn` is called once the server accepted one. `refused`: what was wrong with a link, or "". @param {() => void} signedIn @param {string} refused */
export function signInView(signedIn, refused) {
  const problem = h("p", { class: "notice", role: "alert", hidden: refused === "" }, refused);
  const key = h("input", {
    id: "key",
    type: "password",
    name: "key",
    autocomplete: "current-password",
    required: true,
    maxlength: "200",
    "aria-describedby": "key-help",
  });
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    try {
      session.opened = await post("/v1/session", { key: key.value.trim() });
      signedIn();
    } catch (thrown) {
      const seconds = thrown instanceof ApiError ? thrown.retryAfter : 0;
      fill(
        problem,
        `${withStop(messageOf(thrown))}${seconds > 0 ? ` ${t("sign-in.wait", { seconds })}` : ""}`,
      );
      problem.hidden = false;
      key.select();
    }
  };
  return h(
    "main",
    { class: "sign-in" },
    h(
      "form",
      { onsubmit: submit },
      h("h1", {}, h("span", { class: "brand" }, "ragctl")),
      h("label", { for: "key" }, t("sign-in.key")),
      h("div", { class: "field-row" }, key, h("button", { type: "submit", class: "primary" }, t("sign-in"))),
      h("p", { id: "key-help", class: "muted" }, t("sign-in.help")),
      problem,
    ),
  );
}
