import { createHash } from "node:crypto";
import { type Chunk, type Chunker, embedText, type Tokenizer } from "../core/chunk.ts";
import type { ParsedDocument } from "../core/document.ts";

/** Where a document's chunks will live. */
export interface Placement {
  readonly documentId: string;
  readonly versionId: string;
  readonly collection: string;
  readonly department: string;
}

/** parsed document → chunks with ids */
export function chunk(document: ParsedDocument, placement: Placement, chunker: Chunker, tokenizer: Tokenizer): readonly Chunk[] {
  const title = documentTitle(document);
  return chunker.chunk(document, tokenizer).map((draft, ordinal) => ({
    ...draft,
    ...placement,
    id: `${placement.versionId}-${ordinal}`,
    ordinal,
    title,
    sourcePath: document.file.path,
    sourceName: document.file.name,
    format: document.file.format,
    method: document.method,
    contentHash: createHash("sha256")
      .update(embedText({ title, headings: draft.headings, text: draft.text }))
      .digest("hex"),
  }));
}

/** Longest title that is embedded with every chunk, in characters. */
const maxTitle = 120;

/**
 * The title that is embedded and shown: the file's name in words, then the document's own title where it says more.
 * People ask by file and company names (`AMCOR_2023_10K.pdf`), which stand nowhere in the text.
 */
export function documentTitle(document: {
  readonly file: { readonly name: string };
  readonly content: { readonly title: string };
}): string {
  const words = nameInWords(document.file.name);
  const title = /\p{L}{2}/u.test(document.content.title) ? document.content.title.replace(/\s+/g, " ").trim() : "";
  const known = new Set(words.toLowerCase().split(" "));
  const isNew = nameInWords(title)
    .toLowerCase()
    .split(" ")
    .some((word) => !known.has(word));
  const both = words === "" || !isNew ? words || title : title === "" ? words : `${words}: ${title}`;
  return both.length <= maxTitle ? both : `${both.slice(0, maxTitle - 1).replace(/\s+\S*$/, "")}…`;
}

/** `dir/AMCOR_2023_10K.pdf` → `AMCOR 2023 10K`; names that are only numbers or hexadecimal identifiers say nothing and become "". */
function nameInWords(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1).replace(/\.[A-Za-z0-9]{1,8}$/, "");
  if (/^[0-9a-f-]{16,}$/i.test(base) || !/\p{L}{2}/u.test(base)) return "";
  return base
    .replace(/[_\-.+\s]+/g, " ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .trim();
}
