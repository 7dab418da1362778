import { extname } from "node:path";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { formatOfExtension } from "../../../core/documents/formats.ts";
import { asRagctlError } from "../../../core/errors.ts";
import { blockWithin } from "../blocks.ts";
import type { Attachment, MailMessage } from "./message.ts";

/** What was opened so far of the outermost message, and the current position in it. */
export interface Opening {
  /** How many messages this one is attached to, each in the next. */
  readonly depth: number;
  /** Number of attachments opened in all of them. */
  readonly count: { opened: number };
}

/** Parses a message attached to the message. */
type ContentOf = (message: MailMessage, name: string, opening: Opening) => Promise<ParsedContent>;

/** Reads the bytes of an attachment. */
type Read = (
  bytes: Uint8Array,
  name: string,
  contentOf: ContentOf,
  within: Opening,
) => Promise<ParsedContent>;

type ParserFile = () => Promise<{ readonly default: () => Parser }>;

const document =
  (load: ParserFile): Read =>
  async (bytes, name) =>
    (await load()).default().parse(bytes, { name });

/** A message as mail programs save it. */
const eml: Read = async (bytes, name, contentOf, within) => {
  const { readEml } = await import("./read-eml.ts");
  return contentOf(await readEml(bytes, name), name, within);
};

/** A message as Outlook saves it. */
const msg: Read = async (bytes, name, contentOf, within) => {
  const { readMsg } = await import("./read-msg.ts");
  return contentOf(await readMsg(bytes, name), name, within);
};

/** Names, media types for other names, and their readers. */
const readers: readonly (readonly [RegExp, RegExp, Read])[] = [
  [
    /\.(txt|text|log)$/i,
    /^text\/plain$|^message\/(?:delivery-status|feedback-report|disposition-notification)$/i,
    document(() => import("../source/text.ts")),
  ],
  [/\.(csv|tsv)$/i, /^text\/csv$/i, document(() => import("../office/sheets/csv.ts"))],
  [/\.(md|markdown)$/i, /^text\/markdown$/i, document(() => import("../markup/markdown.ts"))],
  [/\.(html?|xhtml)$/i, /^text\/html$/i, document(() => import("../markup/html.ts"))],
  [/\.(docx|docm)$/i, /\.wordprocessingml\.document$/i, document(() => import("../office/word/docx.ts"))],
  [/\.(pptx|pptm)$/i, /\.presentationml\.presentation$/i, document(() => import("../office/slides/pptx.ts"))],
  [/\.(xlsx|xlsm|xls|ods)$/i, /\.spreadsheetml\.sheet$/i, document(() => import("../office/sheets/xlsx.ts"))],
  [/\.pdf$/i, /^application\/pdf$/i, document(() => import("../pdf/pdf.ts"))],
  // A bounce has the message that came back, or its header alone.
  [/\.eml$/i, /^message\/rfc822$|^text\/rfc822-headers$/i, eml],
  [/\.msg$/i, /^application\/vnd\.ms-outlook$/i, msg],
];

/**
 * Most attachments of a message and of those within it that are read, the most bytes of one, the deepest one.
 */
const limits = { count: 50, bytes: 25 * 1024 ** 2, depth: 5 } as const;

const readerOf = ({ name, type = "" }: Attachment): Read | undefined =>
  (readers.find(([names]) => names.test(name)) ?? readers.find(([, types]) => types.test(type)))?.[2];

/** Why an attachment has no reader here: what is a document by itself is read beside the message. */
const whyNoReader = (name: string): string =>
  formatOfExtension(extname(name).toLowerCase()) === undefined
    ? "its format is not read"
    : "to read it, save it next to the message";

/** Why an attachment that could be read stays closed; undefined where it is opened. */
function whyClosed({ bytes }: Attachment, { count, depth }: Opening): string | undefined {
  if (depth >= limits.depth) return `attached messages are opened ${limits.depth} levels deep`;
  if (count.opened < limits.count && bytes.length <= limits.bytes) return undefined;
  return `at most ${limits.count} attachments of up to ${limits.bytes / 1024 ** 2} MiB are read per message`;
}

/**
 * Attachments of a message as blocks: each named by a heading, those of a readable format with their content,
 * which for a message are its own attachments, too.
 */
export async function attachmentBlocks(
  attachments: readonly Attachment[],
  contentOf: ContentOf,
  opening: Opening = { depth: 0, count: { opened: 0 } },
): Promise<{ readonly blocks: readonly Block[]; readonly warnings: readonly string[] }> {
  const blocks: Block[] = [];
  const warnings: string[] = [];
  const named = attachments.map(({ name }) => name).join(", ");
  if (named !== "") blocks.push({ kind: "paragraph", text: `Attachments: ${named}`, pages: [] });
  for (const attachment of attachments) {
    const { name, bytes } = attachment;
    const read = readerOf(attachment);
    const closed = read === undefined ? whyNoReader(name) : whyClosed(attachment, opening);
    if (read === undefined || closed !== undefined) {
      warnings.push(`attachment ${name} was not opened: ${closed}`);
      continue;
    }
    opening.count.opened += 1;
    try {
      const content = await read(bytes, name, contentOf, { ...opening, depth: opening.depth + 1 });
      blocks.push({ kind: "heading", text: `Attachment: ${name}`, level: 2, pages: [] });
      for (const block of content.blocks) blocks.push(blockWithin(block, name, 2));
      warnings.push(...content.warnings.map((warning) => `${name}: ${warning}`));
    } catch (error) {
      warnings.push(`cannot read attachment ${name}: ${asRagctlError(error).message}`);
    }
  }
  return { blocks, warnings };
}
