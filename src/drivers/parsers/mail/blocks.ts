import type { Block, ParsedContent } from "../../../core/documents/document.ts";
import { asRagctlError } from "../../../core/errors.ts";
import { contentOf, hiddenWarnings, squeeze, titleFromName, type Unsaid } from "../blocks.ts";
import { htmlBlocks } from "../markup/html-blocks.ts";
import { attachmentBlocks, type Opening } from "./attachments.ts";
import type { MailMessage } from "./message.ts";

function textBlocks(text: string): Block[] {
  return text
    .replace(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n+/)
    .map((part) =>
      part
        .replace(/(?<![ \t])[ \t]+$/gm, "")
        .replace(/^\n+/, "")
        .trimEnd(),
    )
    .filter((part) => part !== "")
    .map((part): Block => ({ kind: "paragraph", text: part, pages: [] }));
}

/** The body in RTF; an unreadable one becomes a warning. */
async function rtfBlocks(message: MailMessage, name: string, warnings: string[]): Promise<readonly Block[]> {
  try {
    const bytes = await message.rtf?.();
    if (bytes === undefined) return [];
    const { default: rtf } = await import("../markup/rtf.ts");
    const content = await rtf().parse(bytes, { name });
    warnings.push(...content.warnings);
    return content.blocks;
  } catch (error) {
    const { code, message: reason } = asRagctlError(error);
    if (code !== "SOURCE_EMPTY") warnings.push(`cannot read the RTF body of the message: ${reason}`);
    return [];
  }
}

/**
 * A message as a document: subject as heading, headers as the first block, then the body and the attachments.
 */
export async function mailContent(
  message: MailMessage,
  name: string,
  opening?: Opening,
): Promise<ParsedContent> {
  const subject = squeeze(message.subject);
  const headers = message.headers
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}: ${squeeze(value)}`);
  const blocks: Block[] = [];
  if (subject !== "") blocks.push({ kind: "heading", text: subject, level: 1, pages: [] });
  if (headers.length > 0) blocks.push({ kind: "paragraph", text: headers.join("\n"), pages: [] });
  const warnings = [...message.warnings];
  let body: readonly Block[] = [];
  if (message.html !== undefined && message.html.trim() !== "") {
    const { load } = await import("cheerio");
    const $ = load(message.html);
    const root = $("body").get(0);
    const tally: Unsaid = { struck: 0, hidden: 0 };
    body = root === undefined ? [] : htmlBlocks($, root, tally);
    warnings.push(...hiddenWarnings(tally));
  }
  if (body.length === 0) body = textBlocks(message.text ?? "");
  if (body.length === 0) body = await rtfBlocks(message, name, warnings);
  const attached = await attachmentBlocks(message.attachments, mailContent, opening);
  blocks.push(...body, ...attached.blocks);
  const title = subject || titleFromName(name);
  return contentOf(name, blocks, { title, warnings: [...warnings, ...attached.warnings] });
}
