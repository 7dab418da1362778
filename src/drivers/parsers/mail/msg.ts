import type { Parser } from "../../../core/documents/document.ts";
import { mailContent } from "./blocks.ts";
import { readMsg } from "./read-msg.ts";

/** Outlook messages by msgreader. */
export default (): Parser => ({
  id: "msgreader",
  parse: async (bytes, file) => mailContent(await readMsg(bytes, file.name), file.name),
});
