import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { requireText, squeeze, tableBlock, titleFromName, unreadable } from "../blocks.ts";
import { type Cell, layOut } from "../grid.ts";
import { rtfTokens } from "./rtf-tokens.ts";

/** Destinations whose text is not the document's. */
const silent = new Set(
  (
    "fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object objdata themedata colorschememapping latentstyles datastore " +
    "xmlnstbl fldinst header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc filetbl revtbl bkmkstart bkmkend " +
    "template operator userprops docvar atnid atntime atnref atnicn pgptbl mmathPr wgrffmtfilter nonshppict sp sn sv"
  ).split(" "),
);
const charsets: Readonly<Record<number, string>> = {
  0: "windows-1252",
  128: "cp932",
  129: "cp949",
  134: "gb2312",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
const signs: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
};

interface State {
  skip: boolean;
  /** Where text goes: the body, a note, a list label, the title, a style's or a font's name. */
  into: "body" | "note" | "label" | "title" | "style" | "font";
  hidden: boolean;
  /** Characters to leave out after a \\u. */
  fallback: number;
  charset: string;
}

/** Most groups within one another; deeper ones only a hostile file has. */
const maxDepth = 2000;

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (!/^\s*\{\\rtf/.test(source))
    throw unreadable(file.name, "an RTF document", new Error("it does not begin as one"));
  const { default: iconv } = await import("iconv-lite");
  const blocks: Block[] = [];
  const fonts = new Map<number, string>();
  const headings = new Map<number, number>();
  let state: State = { skip: false, into: "body", hidden: false, fallback: 1, charset: "windows-1252" };
  const stack: State[] = [];
  const texts = { body: "", note: "", label: "", title: "", style: "", font: "" };
  let raw: number[] = [];
  let skipNext = 0;
  let style = 0;
  let font = 0;
  let outline: number | undefined;
  let inTable = false;
  let items: string[] = [];
  let level = 0;
  let cells: Cell[] = [];
  let rows: Cell[][] = [];
  let notes: string[] = [];
  let noteCount = 0;
  let pictures = 0;

  const write = (text: string) => {
    if (!state.skip && !state.hidden) texts[state.into] += text;
  };
  const flushBytes = () => {
    if (raw.length === 0) return;
    const charset = iconv.encodingExists(state.charset) ? state.charset : "windows-1252";
    write(iconv.decode(Buffer.from(raw), charset));
    raw = [];
  };
  const endList = () => {
    if (items.length > 0) blocks.push({ kind: "list", text: items.join("\n"), pages: [] });
    items = [];
  };
  const endTable = () => {
    const laid = layOut(rows);
    if (laid.rows.length > 0) blocks.push(tableBlock(laid, []));
    rows = [];
  };
  const paragraph = () => {
    const text = texts.body.replace(/[^\S\n]+/g, " ").trim();
    const label = squeeze(texts.label);
    texts.body = "";
    texts.label = "";
    const heading = outline ?? headings.get(style);
    if (text !== "") {
      endTable();
      if (label !== "" && heading === undefined)
        items.push(
          `${"  ".repeat(level)}${/^[\p{L}\p{N}(]/u.test(label) ? label : "-"} ${text.replace(/\n/g, " ")}`,
        );
      else {
        endList();
        if (heading === undefined) blocks.push({ kind: "paragraph", text, pages: [] });
        else blocks.push({ kind: "heading", text: squeeze(`${label} ${text}`), level: heading, pages: [] });
      }
    }
    if (notes.length > 0) endList();
    for (const note of notes) blocks.push({ kind: "footnote", text: note, pages: [] });
    notes = [];
  };
  const close = () => {
    const inside = state;
    state = stack.pop() ?? state;
    if (inside.into === "note" && state.into !== "note") {
      const text = squeeze(texts.note);
      texts.note = "";
      if (text !== "") {
        noteCount++;
        write(`[${noteCount}]`);
        notes.push(`[${noteCount}] ${text}`);
      }
    } else if (inside.into === "style") {
      const found = /(?:^|\s)heading (\d)/i.exec(texts.style)?.[1];
      if (found !== undefined) headings.set(style, Math.min(6, Number(found)));
      else if (/^\s*title;?$/i.test(texts.style)) headings.set(style, 1);
      texts.style = "";
    }
  };
  const destination = (word: string) => {
    if (word === "footnote") state = { ...state, into: "note" };
    else if (word === "listtext" || word === "pntext") state = { ...state, into: "label" };
    else if (word === "title" && state.skip) state = { ...state, skip: false, into: "title" };
    else if (word === "pict") {
      pictures++;
      state.skip = true;
    } else if (word === "stylesheet") state = { ...state, into: "style", skip: false };
    else if (word === "fonttbl") state = { ...state, into: "font", skip: false };
    else if (word === "info" || silent.has(word)) state.skip = true;
  };
  const control = (word: string, value: number | undefined) => {
    if (signs[word] !== undefined) write(signs[word]);
    else if (word === "par" || word === "sect" || word === "page") {
      if (state.into === "note") write(" ");
      else if (state.into === "body" && !inTable) paragraph();
      else write("\n");
    } else if (word === "pard") {
      inTable = false;
      style = 0;
      outline = undefined;
      level = 0;
    } else if (word === "intbl") {
      if (!inTable) endList();
      inTable = true;
    } else if (word === "cell" || word === "nestcell") {
      cells.push({ text: squeeze(`${texts.label} ${texts.body}`), rows: 1, columns: 1 });
      texts.body = "";
      texts.label = "";
    } else if (word === "row" || word === "nestrow") {
      if (cells.length > 0) rows.push(cells);
      cells = [];
    } else if (word === "s" && value !== undefined) style = value;
    else if (word === "outlinelevel" && value !== undefined) outline = value < 6 ? value + 1 : undefined;
    else if (word === "ilvl" && value !== undefined) level = Math.min(8, Math.max(0, value));
    else if (word === "plain") state.hidden = false;
    else if (word === "v" || word === "deleted") state.hidden = value !== 0;
    else if (word === "uc" && value !== undefined) state.fallback = Math.max(0, value);
    else if (word === "ansicpg" && value !== undefined)
      state.charset = value === 65001 ? "utf-8" : `windows-${value}`;
    else if (word === "mac") state.charset = "macroman";
    else if (word === "f" && value !== undefined) {
      font = value;
      state.charset = fonts.get(value) ?? state.charset;
    } else if (word === "fcharset" && state.into === "font" && value !== undefined) {
      const charset = charsets[value];
      if (charset !== undefined && value !== 0) fonts.set(font, charset);
    } else if (word === "u" && value !== undefined) {
      write(String.fromCharCode(value < 0 ? value + 65_536 : value));
      skipNext = state.fallback;
    } else destination(word);
  };
  for (const token of rtfTokens(source)) {
    if (token.kind === "byte") {
      if (skipNext > 0) skipNext--;
      else raw.push(token.byte);
      continue;
    }
    flushBytes();
    if (token.kind === "open") {
      if (stack.length >= maxDepth)
        throw unreadable(
          file.name,
          "an RTF document",
          new Error(`groups are nested more than ${maxDepth} deep`),
        );
      stack.push(state);
      state = { ...state };
      skipNext = 0;
    } else if (token.kind === "close") close();
    else if (token.kind === "word") {
      if (token.word === "*") state.skip = true;
      else if (
        token.word === "shptxt" ||
        token.word === "listtext" ||
        token.word === "footnote" ||
        token.word === "pntext"
      ) {
        state.skip = false;
        destination(token.word);
      } else control(token.word, token.value);
    } else {
      const text = skipNext > 0 ? token.text.slice(skipNext) : token.text;
      skipNext = Math.max(0, skipNext - token.text.length);
      write(text);
    }
  }
  flushBytes();
  paragraph();
  endList();
  endTable();
  const kept = requireText(blocks, file.name);
  const first = kept.find((block) => block.kind === "heading" && block.level === 1);
  const warnings =
    pictures > 0 ? [`${pictures} ${pictures === 1 ? "image was" : "images were"} left out`] : [];
  return {
    title: squeeze(texts.title) || first?.text || titleFromName(file.name),
    blocks: kept,
    pageCount: 0,
    pagesWithoutText: [],
    warnings,
  };
}

/** Rich Text Format: paragraphs, headings by style, lists, tables and notes; pictures and program data are left out. */
export default (): Parser => ({ id: "rtf", parse });
