import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { type BlockWriter, blockWriter } from "../block-writer.ts";
import { contentOf, countWarning, damagedFile, hiddenWarnings, squeeze, type Unsaid } from "../blocks.ts";
import type { GridCell } from "../grid.ts";
import { markRaised, type Rise, resolveMarks } from "../raised.ts";
import { type RtfToken, rtfTokens } from "./rtf-tokens.ts";
import { charsets, codePage, ignoredDestinations, symbolControlWords } from "./rtf-words.ts";

/** Where text goes: the body, a note, a list label, the title, a style's or a font's name. */
type Target = "body" | "note" | "label" | "title" | "style" | "font";

/** State inside a pair of braces. */
interface Group {
  /** Whether its text is left out. */
  skip: boolean;
  into: Target;
  hidden: boolean;
  struck: boolean;
  /** Whether its text is raised, lowered or on the line. */
  rise: Rise;
  /** Number of fallback characters after a \\u, which are skipped. */
  fallback: number;
  charset: string;
}

/** Destinations whose text is read, also where they are marked as ones that may be skipped. */
const destinations: ReadonlyMap<string, Partial<Group>> = new Map<string, Partial<Group>>([
  ["shptxt", { skip: false }],
  ["footnote", { skip: false, into: "note" }],
  ["listtext", { skip: false, into: "label" }],
  ["pntext", { skip: false, into: "label" }],
  ["stylesheet", { skip: false, into: "style" }],
  ["fonttbl", { skip: false, into: "font" }],
]);

/** Most groups within one another; deeper ones only a hostile file has. */
const maxDepth = 2000;

/** The paragraph properties that are read; `\\pard` sets them back. */
interface ParagraphFormat {
  inTable: boolean;
  style: number;
  outline: number | undefined;
  /** Depth in a list. */
  level: number;
}

interface Reader {
  readonly decode: (bytes: readonly number[], charset: string) => string;
  readonly out: BlockWriter;
  readonly texts: Record<Target, string>;
  /** Charsets of fonts by their number. */
  readonly fonts: Map<number, string>;
  /** Heading levels of styles by their number. */
  readonly headings: Map<number, number>;
  readonly outer: Group[];
  group: Group;
  format: ParagraphFormat;
  font: number;
  /** Bytes written as `\\'hh` in a row: a character may take more than one. */
  bytes: number[];
  /** Characters still to be left out after a `\\u`. */
  leftOver: number;
  cells: GridCell[];
  rows: GridCell[][];
  notes: string[];
  noteCount: number;
  pictures: number;
  tally: Unsaid;
  /** Whether the text before was struck out. */
  wasStruck: boolean;
}

const plainFormat = (): ParagraphFormat => ({ inTable: false, style: 0, outline: undefined, level: 0 });

function openReader(decode: Reader["decode"]): Reader {
  return {
    decode,
    out: blockWriter(),
    texts: { body: "", note: "", label: "", title: "", style: "", font: "" },
    fonts: new Map(),
    headings: new Map(),
    outer: [],
    group: {
      skip: false,
      into: "body",
      hidden: false,
      struck: false,
      rise: undefined,
      fallback: 1,
      charset: "windows-1252",
    },
    format: plainFormat(),
    font: 0,
    bytes: [],
    leftOver: 0,
    cells: [],
    rows: [],
    notes: [],
    noteCount: 0,
    pictures: 0,
    tally: { struck: 0, hidden: 0 },
    wasStruck: false,
  };
}

function write(reader: Reader, text: string): void {
  const { group, texts, tally } = reader;
  if (group.skip || group.hidden) return;
  const isStruck = group.struck && (group.into === "body" || group.into === "note");
  if (!isStruck) texts[group.into] += markRaised(group.rise, text);
  if (text.trim() === "") return;
  tally.struck += Number(isStruck && !reader.wasStruck);
  reader.wasStruck = isStruck;
}

function flushBytes(reader: Reader): void {
  if (reader.bytes.length === 0) return;
  write(reader, reader.decode(reader.bytes, reader.group.charset));
  reader.bytes = [];
}

function endTable(reader: Reader): void {
  if (reader.rows.length > 0) reader.out.table(reader.rows);
  reader.rows = [];
}

function addText(reader: Reader, text: string, label: string): void {
  const { out, format, headings } = reader;
  const heading = format.outline ?? headings.get(format.style);
  endTable(reader);
  if (heading !== undefined) out.add("heading", squeeze(`${label} ${text}`), heading);
  else if (label === "") out.add("paragraph", text);
  else out.item(format.level, /^[\p{L}\p{N}(]/u.test(label) ? label : "-", text);
}

/** Moves the pending text to the body and to the label before it. */
function takeTexts(reader: Reader): { readonly body: string; readonly label: string } {
  const { texts } = reader;
  const { body, label } = texts;
  reader.wasStruck = false;
  texts.body = "";
  texts.label = "";
  return { body, label };
}

function endParagraph(reader: Reader): void {
  const { body, label } = takeTexts(reader);
  const text = resolveMarks(body)
    .replace(/[^\S\n]+/g, " ")
    .trim();
  if (text !== "") addText(reader, text, squeeze(label));
  for (const note of reader.notes) reader.out.add("footnote", note);
  reader.notes = [];
}

function endNote(reader: Reader): void {
  const text = squeeze(reader.texts.note);
  reader.texts.note = "";
  if (text === "") return;
  reader.noteCount++;
  write(reader, `[${reader.noteCount}]`);
  reader.notes.push(`[${reader.noteCount}] ${text}`);
}

/** Remembers the style whose name has been read, where it is a heading's. */
function endStyle({ texts, headings, format }: Reader): void {
  const level = /(?:^|\s)heading (\d)/i.exec(texts.style)?.[1];
  if (level !== undefined) headings.set(format.style, Math.min(6, Number(level)));
  else if (/^\s*title;?$/i.test(texts.style)) headings.set(format.style, 1);
  texts.style = "";
}

function openGroup(reader: Reader, name: string): void {
  if (reader.outer.length >= maxDepth)
    throw damagedFile(name, "an RTF document", new Error(`groups are nested more than ${maxDepth} deep`));
  reader.outer.push(reader.group);
  reader.group = { ...reader.group };
  reader.leftOver = 0;
}

function closeGroup(reader: Reader): void {
  const { into } = reader.group;
  reader.group = reader.outer.pop() ?? reader.group;
  if (into === "note" && reader.group.into !== "note") endNote(reader);
  else if (into === "style") endStyle(reader);
}

function breakParagraph(reader: Reader): void {
  const { into } = reader.group;
  if (into === "note") write(reader, " ");
  else if (into === "body" && !reader.format.inTable) endParagraph(reader);
  else write(reader, "\n");
}

function enterTable(reader: Reader): void {
  if (!reader.format.inTable) reader.out.end();
  reader.format.inTable = true;
}

function endCell(reader: Reader): void {
  const { body, label } = takeTexts(reader);
  reader.cells.push({ text: squeeze(`${label} ${body}`), rows: 1, columns: 1 });
}

function endRow(reader: Reader): void {
  if (reader.cells.length > 0) reader.rows.push(reader.cells);
  reader.cells = [];
}

type Command = (reader: Reader, value: number | undefined) => void;

const hide: Command = ({ group }, value) => {
  group.hidden = value !== 0;
};

const strike: Command = ({ group }, value) => {
  group.struck = value !== 0;
};

const rise =
  (way: Rise): Command =>
  ({ group }, value) => {
    group.rise = value === 0 ? undefined : way;
  };

/** What control words do; a value they do not need may be missing. */
const commands = new Map(
  Object.entries<Command>({
    par: breakParagraph,
    sect: breakParagraph,
    page: breakParagraph,
    intbl: enterTable,
    cell: endCell,
    nestcell: endCell,
    row: endRow,
    nestrow: endRow,
    v: hide,
    deleted: hide,
    strike,
    striked: strike,
    plain(reader) {
      hide(reader, 0);
      strike(reader, 0);
      reader.group.rise = undefined;
    },
    super: rise("sup"),
    sub: rise("sub"),
    nosupersub: rise(undefined),
    up: rise("sup"),
    dn: rise("sub"),
    pard(reader) {
      reader.format = plainFormat();
    },
    mac({ group }) {
      group.charset = "macroman";
    },
    pc({ group }) {
      group.charset = "cp437";
    },
    pca({ group }) {
      group.charset = "cp850";
    },
    "*"({ group }) {
      group.skip = true;
    },
    pict(reader) {
      reader.pictures++;
      reader.group.skip = true;
    },
    title({ group }) {
      // Read as a field of the file's information, which is left out otherwise.
      if (group.skip) Object.assign(group, { skip: false, into: "title" } satisfies Partial<Group>);
    },
  }),
);

/** What control words do that mean nothing without a value. */
const settings = new Map(
  Object.entries<(reader: Reader, value: number) => void>({
    s({ format }, value) {
      format.style = value;
    },
    outlinelevel({ format }, value) {
      format.outline = value < 6 ? value + 1 : undefined;
    },
    ilvl({ format }, value) {
      format.level = Math.min(8, Math.max(0, value));
    },
    uc({ group }, value) {
      group.fallback = Math.max(0, value);
    },
    ansicpg({ group }, value) {
      group.charset = codePage(value);
    },
    f(reader, value) {
      reader.font = value;
      reader.group.charset = reader.fonts.get(value) ?? reader.group.charset;
    },
    fcharset({ fonts, font, group }, value) {
      const charset = charsets[value];
      if (group.into === "font" && charset !== undefined) fonts.set(font, charset);
    },
    u(reader, value) {
      write(reader, String.fromCharCode(value < 0 ? value + 65_536 : value));
      reader.leftOver = reader.group.fallback;
    },
  }),
);

function takeWord(reader: Reader, word: string, value: number | undefined): void {
  const sign = symbolControlWords.get(word);
  if (sign !== undefined) write(reader, sign);
  commands.get(word)?.(reader, value);
  if (value !== undefined) settings.get(word)?.(reader, value);
  Object.assign(reader.group, ignoredDestinations.has(word) ? { skip: true } : destinations.get(word));
}

function takeText(reader: Reader, text: string): void {
  write(reader, text.slice(reader.leftOver));
  reader.leftOver = Math.max(0, reader.leftOver - text.length);
}

function takeToken(reader: Reader, token: RtfToken, name: string): void {
  if (token.kind === "byte") {
    if (reader.leftOver > 0) reader.leftOver--;
    else reader.bytes.push(token.byte);
    return;
  }
  flushBytes(reader);
  if (token.kind === "open") openGroup(reader, name);
  else if (token.kind === "close") closeGroup(reader);
  else if (token.kind === "word") takeWord(reader, token.word, token.value);
  else takeText(reader, token.text);
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (!/^\s*\{\\rtf/.test(source))
    throw damagedFile(file.name, "an RTF document", new Error("it has no RTF header"));
  const { default: iconv } = await import("iconv-lite");
  const reader = openReader((raw, charset) =>
    iconv.decode(Buffer.from(raw), iconv.encodingExists(charset) ? charset : "windows-1252"),
  );
  for (const token of rtfTokens(source)) takeToken(reader, token, file.name);
  flushBytes(reader);
  endParagraph(reader);
  reader.out.end();
  endTable(reader);
  const { out, pictures, tally, texts } = reader;
  const warnings = [...countWarning(pictures, "image", "skipped"), ...hiddenWarnings(tally)];
  return contentOf(file.name, out.blocks, { title: squeeze(texts.title), warnings });
}

/**
 * Rich Text Format: paragraphs, headings by style, lists, tables and notes; pictures and program data are
 * left out.
 */
export default (): Parser => ({ id: "rtf", parse });
