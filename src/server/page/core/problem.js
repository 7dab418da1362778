import { ApiError, ConnectionError, messageOf } from "./api.js";
import { t } from "./text.js";

/**
 * What went wrong, in words for people. What neither the server refused nor the connection did is a fault of this page: it is called
 * one, and the browser's console has all of it.
 * @param {unknown} thrown
 */
export function problemOf(thrown) {
  if (thrown instanceof ApiError || thrown instanceof ConnectionError) return thrown;
  reportError(thrown);
  return { message: t("fault", { reason: messageOf(thrown) }), hint: t("fault.hint") };
}
