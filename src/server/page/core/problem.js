import { ApiError, ConnectionError, messageOf } from "./api.js";
import { h } from "./dom.js";
import { t, withStop } from "./text.js";

/** @import { Child, Problem } from "../shapes.d.ts" */

/** An error as it is shown, and what stands behind it. @param {Problem} problem @param {readonly Child[]} more */
export const notice = ({ message, hint = "" }, ...more) =>
  h("p", { class: "notice", role: "alert" }, withStop(message), hint !== "" && ` ${hint}`, more);

/**
 * An error as it is shown. Anything that is neither the server's nor the connection's is a bug of this page: it is called one, and
 * reported to the browser's console in full.
 * @param {unknown} thrown
 */
export function problemOf(thrown) {
  if (thrown instanceof ApiError || thrown instanceof ConnectionError) return thrown;
  reportError(thrown);
  return { message: t("fault", { reason: messageOf(thrown) }), hint: t("fault.hint") };
}
