import type { Block, Parser } from "../../../core/documents/document.ts";
import { asRagctlError } from "../../../core/errors.ts";

export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const loaders: readonly (readonly [RegExp, () => Promise<{ readonly default: () => Parser }>])[] = [
  [/\.(txt|text|log)$/i, () => import("../markup/text.ts")],
  [/\.(csv|tsv)$/i, () => import("../office/sheets/csv.ts")],
  [/\.(md|markdown)$/i, () => import("../markup/markdown.ts")],
  [/\.(html?|xhtml)$/i, () => import("../markup/html.ts")],
  [/\.(docx|docm)$/i, () => import("../office/word/docx.ts")],
  [/\.(pptx|pptm)$/i, () => import("../office/slides/pptx.ts")],
  [/\.(xlsx|xlsm|xls|ods)$/i, () => import("../office/sheets/xlsx.ts")],
  [/\.pdf$/i, () => import("../pdf/pdf.ts")],
];

/** Most attachments of one message that are read, and the most bytes of one. */
const limits = { count: 50, bytes: 25 * 1024 ** 2 } as const;

/**
 * Attachments of a message as blocks: each named by a heading, those of a readable format with their content;
 * nothing inside them is opened further.
 */
export async function attachmentBlocks(
  attachments: readonly Attachment[],
): Promise<{ readonly blocks: readonly Block[]; readonly warnings: readonly string[] }> {
  const blocks: Block[] = [];
  const warnings: string[] = [];
  if (attachments.length > 0)
    blocks.push({
      kind: "paragraph",
      text: `Attachments: ${attachments.map(({ name }) => name).join(", ")}`,
      pages: [],
    });
  for (const [index, { name, bytes }] of attachments.entries()) {
    const load = loaders.find(([pattern]) => pattern.test(name))?.[1];
    if (load === undefined) {
      warnings.push(`the attachment ${name} was not opened; save it beside the message to have it read`);
      continue;
    }
    if (index >= limits.count || bytes.length > limits.bytes) {
      warnings.push(
        `the attachment ${name} was not opened: a message is read with ${limits.count} attachments of ${limits.bytes / 1024 ** 2} MiB at most`,
      );
      continue;
    }
    try {
      const parser = (await load()).default();
      const content = await parser.parse(bytes, { name });
      blocks.push({ kind: "heading", text: `Attachment: ${name}`, level: 2, pages: [] });
      // Page numbers would be the attachment's, not the message's.
      for (const block of content.blocks)
        blocks.push({
          ...block,
          pages: [],
          ...(block.level === undefined ? {} : { level: Math.min(6, block.level + 2) }),
        });
      warnings.push(...content.warnings.map((warning) => `${name}: ${warning}`));
    } catch (error) {
      warnings.push(`the attachment ${name} could not be read: ${asRagctlError(error).message}`);
    }
  }
  return { blocks, warnings };
}
