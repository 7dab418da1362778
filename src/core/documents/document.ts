import type { Metadata } from "../metadata/metadata.ts";
import type { Format } from "./formats.ts";

export type { Format } from "./formats.ts";

/** Shows without reading a file that it is unchanged. */
export interface FileStamp {
  readonly sizeBytes: number;
  /** Milliseconds since 1970, with the fraction the file system has. */
  readonly mtimeMs: number;
  readonly inode: string;
}

/** A file as found on disk, hashed but not held in memory. */
export interface SourceFile {
  /** Absolute real path. */
  readonly path: string;
  /** Path as shown to people: relative to the folder that was ingested, or the base name. */
  readonly name: string;
  readonly format: Format;
  readonly sizeBytes: number;
  /** Lowercase hex of the whole content. */
  readonly sha256: string;
  /** The actual format, where the name claims another one; a warning of the document. */
  readonly misnamed?: string;
  /** Taken before the content was hashed; absent unless requested. */
  readonly stamp?: FileStamp;
}

/** A cell that covers more than one place. Its text is repeated in every place it covers. */
export interface Span {
  /** 0-based place of the top left cell. */
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** A table as read: `rows` are cell texts, the first `headerRows` of them are headers. Rows may be ragged. */
export interface Table {
  readonly rows: readonly (readonly string[])[];
  readonly headerRows: number;
  /** Spreadsheet sheet the table came from. */
  readonly sheet?: string;
  /** Cells of the sheet the table fills, e.g. `A1:D9`. */
  readonly range?: string;
  /**
   * Numbers of the rows below the header in their sheet or file, 1-based; absent where they follow each other
   * to the end of the range.
   */
  readonly rowNumbers?: readonly number[];
  /** The columns in their sheet or file, 0-based; absent where they follow each other over the range. */
  readonly columnNumbers?: readonly number[];
  /** Merged cells. */
  readonly spans?: readonly Span[];
}

/** A table of a document, whole: with the rows of all blocks and pages that it goes on over. */
export interface DocumentTable extends Table {
  /** Its caption, or the heading above it; absent where it has neither. */
  readonly caption?: string;
  /** 1-based pages that it is on; absent where the format has none. */
  readonly pages?: readonly number[];
}

/** A part of a table as it is kept, so that no row of a database is large. */
export interface TableSlice {
  /** 0-based place of the table among those of its document, and of the part in the table. */
  readonly ordinal: number;
  readonly part: number;
  /** Compressed JSON: some of its rows and, in the first part, all else of it. */
  readonly content: Uint8Array;
}

/** Rows of one table block; a longer sheet becomes several blocks that repeat its header. */
export const rowsPerBlock = 500;

/**
 * `picture` holds the alternative text or the caption; `notes` are a speaker's; `footnote` is the text of a
 * note.
 */
export const blockKinds = [
  "heading",
  "paragraph",
  "list",
  "table",
  "code",
  "caption",
  "picture",
  "footnote",
  "notes",
] as const;
export type BlockKind = (typeof blockKinds)[number];

/**
 * The unit that cites a text without pages: lines of its file, seconds of a recording, cells of a notebook;
 * and the label of a page.
 */
export const placeUnits = ["line", "second", "cell", "label"] as const;
export type PlaceUnit = (typeof placeUnits)[number];

/** Where a block begins in its file. */
export interface TextPlace {
  /** Each line of a block that is placed by `line` is the next line of the file. */
  readonly unit: PlaceUnit;
  /** Lines and cells from 1, seconds from 0. */
  readonly number: number;
  /** Path of the file in its archive; absent where the file is the document. */
  readonly member?: string;
}

/** The place of a block on its page, in points from the top left corner. */
export interface Box {
  readonly page: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** One piece of a document in reading order. */
export interface Block {
  readonly kind: BlockKind;
  /** Plain text; of a table, its rows as lines with ` | ` between cells. */
  readonly text: string;
  /** 1 to 6, headings only. */
  readonly level?: number;
  /** A heading that names the block after it, whose text repeats the name, as a definition does. */
  readonly isName?: true;
  /** 1-based pages or slides of the block, ascending; empty where the format has none. */
  readonly pages: readonly number[];
  /** Tables only. */
  readonly table?: Table;
  /** Of formats that are cited by lines, times or cells. */
  readonly place?: TextPlace;
  /** One a page, where the format knows places. */
  readonly boxes?: readonly Box[];
  /** Text read by OCR: mean confidence in [0, 1]. */
  readonly confidence?: number;
}

/**
 * A page's raw text: every line in reading order, including running headers, footers and page numbers, which
 * no block holds.
 */
export interface PageText {
  /** 1-based. */
  readonly page: number;
  readonly text: string;
  /** What its file calls the page, where that is not its number: `ii`. */
  readonly label?: string;
}

/** A page to draw, with the boxes on it. */
export interface PageToDraw {
  /** 1-based. */
  readonly page: number;
  readonly boxes: readonly Box[];
}

/** A page as a picture. */
export interface PagePicture {
  readonly page: number;
  /** WebP. */
  readonly bytes: Uint8Array;
}

/** The content of a file: an ordered list of blocks, independent of the original format. */
export interface ParsedContent {
  readonly title: string;
  /** Empty only where `pagesWithoutText` says why. */
  readonly blocks: readonly Block[];
  /** Pages or slides in the file; 0 where the format has none. */
  readonly pageCount: number;
  /** 1-based pages that could not be read: no usable text layer, and OCR was off or found nothing. */
  readonly pagesWithoutText: readonly number[];
  /** Tables that no block has, such as the records of a JSON file. */
  readonly tables?: readonly DocumentTable[];
  /** For formats with printed pages: the texts by which their chunks are found. */
  readonly pageTexts?: readonly PageText[];
  /** 1-based pages read by OCR. */
  readonly pagesByOcr?: readonly number[];
  /** Things lost or guessed while reading, in words a user understands. */
  readonly warnings: readonly string[];
  /**
   * Parts left out by limits of time or memory, e.g. `pages 3, 7`; absent for none. Another attempt may read
   * them.
   */
  readonly omitted?: string;
  /** The requested pages as pictures, where they could be drawn; absent where none were requested. */
  readonly pictures?: readonly PagePicture[];
  /** The file's own properties other than its title: author, keywords, dates; absent where there are none. */
  readonly properties?: Metadata;
}

/** A source file with its content. */
export interface ParsedDocument {
  readonly file: SourceFile;
  readonly content: ParsedContent;
  /** Name of the parser that made the content, e.g. `pdfjs`. */
  readonly method: string;
}

/**
 * Reads one format. Runs in a separate process with a time and a memory limit, so it may be slow but must not
 * touch the network.
 */
export interface Parser {
  readonly id: string;
  /** @throws RagctlError of scope "document" */
  parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent>;
}
