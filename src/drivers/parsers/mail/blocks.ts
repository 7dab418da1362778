import type { Block, ParsedContent } from "../../../core/documents/document.ts";
import { requireText, squeeze, titleFromName } from "../blocks.ts";
import { htmlBlocks } from "../markup/html-blocks.ts";
import { type Attachment, attachmentBlocks } from "./attachments.ts";

/** A message as either of the mail formats gives it. */
export interface Message {
  readonly subject: string;
  /**
   * Header lines in the order they are shown, e.g. `["From", "Ann <ann@example.org>"]`; empty values are left
   * out.
   */
  readonly headers: readonly (readonly [string, string])[];
  /** Undefined where the message has no such body. */
  readonly html: string | undefined;
  readonly text: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly warnings: readonly string[];
}

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

/**
 * A message as a document: subject as heading, headers as the first block, then the body and the attachments.
 */
export async function mailContent(message: Message, name: string): Promise<ParsedContent> {
  const subject = squeeze(message.subject);
  const headers = message.headers
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}: ${squeeze(value)}`);
  const blocks: Block[] = [];
  if (subject !== "") blocks.push({ kind: "heading", text: subject, level: 1, pages: [] });
  if (headers.length > 0) blocks.push({ kind: "paragraph", text: headers.join("\n"), pages: [] });
  let body: Block[] = [];
  if (message.html !== undefined && message.html.trim() !== "") {
    const { load } = await import("cheerio");
    const $ = load(message.html);
    const root = $("body").get(0);
    body = root === undefined ? [] : htmlBlocks($, root);
  }
  if (body.length === 0) body = textBlocks(message.text ?? "");
  const attached = await attachmentBlocks(message.attachments);
  blocks.push(...body, ...attached.blocks);
  const title = subject || titleFromName(name);
  return {
    title,
    blocks: requireText(blocks, name),
    pageCount: 0,
    pagesWithoutText: [],
    warnings: [...message.warnings, ...attached.warnings],
  };
}
