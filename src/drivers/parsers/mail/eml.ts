import type { Parser } from "../../../core/documents/document.ts";
import { mailContent } from "./blocks.ts";
import { readEml } from "./read-eml.ts";

/** E-mail messages by postal-mime. */
export default (): Parser => ({
  id: "postal-mime",
  parse: async (bytes, file) => mailContent(await readEml(bytes, file.name), file.name),
});
