import { type DeepReadonly, z } from "../schema.ts";
import { blockKinds, placeUnits } from "./document.ts";
import { formats } from "./formats.ts";

/** A heading inside a chunk's text: the text after it belongs to it, not to the chunk's own path. */
const innerHeading = z.object({
  /** Place in the text, in UTF-16 code units. */
  start: z.number(),
  /** How many headings of the path before it stay above it. */
  depth: z.number(),
  text: z.string(),
});

/** Rows of one table of a spreadsheet in a chunk's text, or lines of one file. */
const sheetPart = z.object({
  /** "" for a CSV; of lines the member of an archive, or ""; of a page its label. */
  sheet: z.string(),
  /** The unit of the row numbers outside a sheet; such a part has no columns, and a row is a line of the text. */
  of: z.enum(placeUnits).exactOptional(),
  /** The name of each column in the text, in its order, and the letters of the column in the sheet. */
  columns: z.array(z.tuple([z.string(), z.string()])),
  /** Where each row begins in the text, in UTF-16 code units, and its number in the sheet or file, from 1. */
  rows: z.array(z.tuple([z.number(), z.number()])),
});

/** What a chunk has as soon as its document is cut. */
const draftMembers = {
  /** Original text, which is cited. */
  text: z.string(),
  /** Path of headings above the text, outermost first; embedded with the title and the text. */
  headings: z.array(z.string()),
  /** How many of the last headings the text itself begins with, so that they are not embedded twice; absent for none. */
  ownHeadings: z.number().exactOptional(),
  /** Headings inside the text, in its order; absent for none. */
  innerHeadings: z.array(innerHeading).exactOptional(),
  /** The position of its rows in a spreadsheet or its lines in a file, in the order of the text; absent for none. */
  sheetParts: z.array(sheetPart).exactOptional(),
  /** 1-based pages or slides, ascending; empty where the format has none. */
  pages: z.array(z.number()),
  contentType: z.enum(blockKinds),
  /** Kinds of its blocks other than headings, if there are several; absent where `contentType` is the only one. */
  kinds: z.array(z.enum(blockKinds)).exactOptional(),
  /** Length of `embedText(chunk)` in the embedder's own tokens, special tokens included. */
  tokenCount: z.number(),
};

/**
 * Every member of a chunk that is kept: stores, caches and the public shapes take theirs from here. A new one
 * must be optional, because chunks stored before lack it.
 */
export const chunkMembers = {
  ...draftMembers,
  /**
   * `<versionId>-<ordinal>`: the same content in the same place always has the same id. Matches [a-z0-9-]+, ≤
   * 64 characters.
   */
  id: z.string(),
  /** Logical document: stays the same when the file is edited. */
  documentId: z.string(),
  /** This content of the document, under this chunking and embedding. */
  versionId: z.string(),
  /** 0-based position within its document. */
  ordinal: z.number(),
  title: z.string(),
  sourcePath: z.string(),
  sourceName: z.string(),
  format: z.enum(formats),
  collection: z.string(),
  /** "" where the document belongs to no department. */
  department: z.string(),
  /** Parser that read the document. */
  method: z.string(),
  /** sha256 (hex) of `embedText(chunk)`. */
  contentHash: z.string(),
};

const draft = z.object(draftMembers);
/** A chunk as it is kept. */
export const keptChunk = z.object(chunkMembers);

export type InnerHeading = DeepReadonly<z.infer<typeof innerHeading>>;
export type SheetPart = DeepReadonly<z.infer<typeof sheetPart>>;
export type DraftMembers = DeepReadonly<z.infer<typeof draft>>;
export type KeptChunk = DeepReadonly<z.infer<typeof keptChunk>>;
