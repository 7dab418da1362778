import { ApiError, ConnectionError, messageOf } from "./api.js";
import { t } from "./text.js";

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
