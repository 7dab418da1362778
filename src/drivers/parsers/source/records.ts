import { extname } from "node:path";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { listed } from "../../../core/plural.ts";
import { decodeBeginning } from "../beginning.ts";
import { contentOf, countWarning, titleFromName } from "../blocks.ts";
import { openBibtex, readRis } from "./bibliography.ts";
import { openCards } from "./cards.ts";
import type { ReadEntry } from "./entry.ts";
import text from "./text.ts";

/** By extension: where a record begins, and what opens the reader of a file's records. */
const formats: Readonly<Record<string, readonly [begin: RegExp, open: () => Promise<ReadEntry>]>> = {
  bib: [/^(?=[ \t]{0,20}@[a-z]{1,40}[ \t]{0,20}[{(])/im, openBibtex],
  ris: [/^(?=TY {2}-)/m, async () => readRis],
  vcf: [/^(?=BEGIN:VCARD\b)/im, openCards],
  ics: [/^(?=BEGIN:V(?:EVENT|TODO|JOURNAL|FREEBUSY)\b)/im, openCards],
};

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const decoded = await decodeBeginning(bytes, name);
  const [begin = /^/, open = openCards] = formats[extname(name).slice(1).toLowerCase()] ?? [];
  const read = await open();
  const blocks: Block[] = [];
  const damaged: string[] = [];
  let line = 1;
  for (const part of decoded.text.split(begin)) {
    try {
      const entry = begin.test(part) ? read(part) : undefined;
      const fields = entry?.fields.map((field) => field.join(": ")).join("\n") ?? "";
      if (entry !== undefined && fields !== "")
        blocks.push(
          { kind: "heading", level: 1, text: entry.name, pages: [] },
          { kind: "paragraph", text: fields, pages: [] },
        );
    } catch (error) {
      damaged.push(`line ${line} (${error instanceof Error ? error.message : error})`);
    }
    line += part.split("\n").length - 1;
  }
  const warnings = [
    ...decoded.warnings,
    ...countWarning(damaged.length, "record", `damaged and skipped: ${listed(damaged, 5)}`),
  ];
  // Of another kind under the same extension, or nothing but damaged records.
  const content = blocks.length > 0 ? { blocks } : await text().parse(bytes, { name });
  return contentOf(name, content.blocks, { title: titleFromName(name), warnings });
}

/** Bibliographies (BibTeX, RIS), address books (vCard) and calendars (iCalendar): a section for each record. */
export default (): Parser => ({ id: "records", parse });
