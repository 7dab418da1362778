import type { load } from "cheerio";
import { decodeHTMLStrict } from "entities";
import type { Token, Tokens } from "marked";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { plural } from "../../../core/plural.ts";
import { type BlockWriter, blockWriter } from "../block-writer.ts";
import { contentOf, hiddenWarnings, squeeze, tableBlock, type Unsaid } from "../blocks.ts";
import { decode } from "../decode.ts";
import { definedProperties, frontProperties } from "../properties.ts";
import { raisedMark, resolveMarks } from "../raised.ts";
import { htmlBlocks } from "./html-blocks.ts";
import { type MarkdownNotes, notesOf, numberNoteReferences } from "./markdown-notes.ts";
import { withoutStruck } from "./markdown-struck.ts";

/** A text with the characters in their place that it names; a blank of any width is one. */
const unescaped = (text: string): string =>
  text.replace(/&#?\w{1,31};/g, (named) =>
    decodeHTMLStrict(named)
      .replace("\u00ad", "")
      .replace(/[\u00a0\u2002-\u200a]/, " "),
  );

const textOf = (token: Token) => ("text" in token ? String(token.text) : undefined);

/** The box of a task: whether it is done. */
const taskBox = (isDone: boolean): string => (isDone ? "[x] " : "[ ] ");

/** The text for a tag within text: a line's end, a box, or the begin or the end of raised or lowered text. */
function tagText(tag: string): string {
  const [, side, name] = /^<(\/?)(br|sup|sub|input)\b/i.exec(tag) ?? [];
  if (name === undefined) return "";
  if (name.toLowerCase() === "br") return "\n";
  if (name.toLowerCase() === "input")
    return /\btype\s*=\s*["']?(?:checkbox|radio)/i.test(tag)
      ? taskBox(/\schecked\b/i.test(tag)).trimEnd()
      : "";
  return raisedMark(name.toLowerCase() === "sup" ? "sup" : "sub", side === "" ? "begin" : "end");
}

function inlineText(token: Token): string {
  const text = textOf(token);
  const { type, raw } = token;
  if (type === "br") return "\n";
  if (type === "html") return tagText(raw);
  if (type === "checkbox") return "";
  if (type === "image") return text ?? "";
  if (type === "codespan") return text ?? raw;
  return unsettled("tokens" in token ? token.tokens : undefined, text ?? raw);
}

function unsettled(tokens: readonly Token[] | undefined, otherwise: string): string {
  return tokens === undefined ? unescaped(otherwise) : tokens.map(inlineText).join("");
}

/** The text of inline tokens as rendered: marks of emphasis and addresses of links left out. */
function plain(tokens: readonly Token[] | undefined, otherwise: string): string {
  return resolveMarks(unsettled(tokens, otherwise));
}

function isKind<T extends Token>(token: Token, type: T["type"]): token is T {
  return token.type === type;
}

/** List items below this level are not indented further. */
const deepestIndent = 20;

function listLines(list: Tokens.List, depth: number): string[] {
  const lines: string[] = [];
  let number = typeof list.start === "number" ? list.start : 1;
  for (const item of list.items) {
    const mark = list.ordered ? `${number++}.` : "-";
    const text = item.tokens
      .filter((token) => token.type !== "list")
      .map((token) => plain("tokens" in token ? token.tokens : undefined, textOf(token) ?? ""))
      .join("\n");
    const box = item.task ? taskBox(item.checked === true) : "";
    // Of an item that is struck out nothing is left.
    if (`${box}${text.trim()}` !== "" || item.text.trim() === "")
      lines.push(`${"  ".repeat(Math.min(depth, deepestIndent))}${mark} ${box}${text.trim()}`);
    for (const token of item.tokens)
      if (isKind<Tokens.List>(token, "list")) lines.push(...listLines(token, depth + 1));
  }
  return lines;
}

/**
 * Longest paragraph or cell whose inline marks are read, characters: marked's time for them grows with the
 * square of the length.
 */
const longestInline = 8000;

/** The inline tokens of a text, or the text alone where it is too long. */
function lexInline(Lexer: typeof import("marked").Lexer, text: string): readonly Token[] {
  return text.length <= longestInline ? Lexer.lexInline(text) : [{ type: "text", raw: text, text }];
}

/** The tokens of a text; a paragraph longer than `longestInline` keeps its inline marks. */
function lex(
  Lexer: typeof import("marked").Lexer,
  text: string,
): { tokens: readonly Token[]; unread: number } {
  const lexer = new Lexer();
  lexer.blockTokens(text.replace(/\r\n|\r/g, "\n"), lexer.tokens);
  let unread = 0;
  // Reading a token may add others to the queue.
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length <= longestInline) lexer.inlineTokens(src, tokens);
    else {
      unread++;
      tokens.push({ type: "text", raw: src, text: src });
    }
  }
  return { tokens: lexer.tokens, unread };
}

/** The title and the other fields of a front matter in YAML, and the text after it. */
function splitFrontMatter(text: string) {
  const [whole = "", front = ""] = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text) ?? [];
  const [, title = ""] = /^title:[ \t]*(.+)$/im.exec(front) ?? [];
  const fields = front
    .split("\n")
    .filter((line) => /^[A-Za-z][\w -]*:[ \t]*[^\s|>&*].*$/.test(line) && !/^title:/i.test(line));
  const body = text.slice(whole.length);
  return { title: title.trim().replace(/^(["'])(.*)\1$/, "$2"), front, fields, body };
}

/** A document being read. */
interface Walk {
  readonly out: BlockWriter;
  readonly lexInline: (text: string) => readonly Token[];
  readonly load: typeof load;
  readonly notes: MarkdownNotes;
  readonly walkTokens: typeof import("marked")["walkTokens"];
  readonly tally: Unsaid;
}

function addTable({ out }: Walk, { header, rows }: Tokens.Table): void {
  const texts = [header, ...rows].map((row) => row.map((cell) => squeeze(plain(cell.tokens, cell.text))));
  out.blocks.push(tableBlock({ rows: texts, headerRows: 1 }, []));
}

function addHtml({ out, load: loadHtml, tally }: Walk, { text }: Tokens.HTML | Tokens.Tag): void {
  const $ = loadHtml(text);
  const body = $("body").get(0);
  if (body !== undefined) out.blocks.push(...htmlBlocks($, body, tally));
}

/** Adds the notes with these names; those referred to get their numbers. */
function addNotes(walk: Walk, names: readonly string[]): void {
  const { texts, numbers } = walk.notes;
  for (const name of names) {
    const key = name.toLowerCase();
    const text = squeeze(plain(walk.lexInline(texts.get(key) ?? ""), ""));
    walk.out.add("footnote", `[${numbers.get(key) ?? name}] ${text}`);
  }
}

/** Adds the blocks of a token, followed by the notes that it refers to. */
function visit(walk: Walk, token: Token): void {
  if (walk.notes.definitions.has(token)) return;
  if (isKind<Tokens.Blockquote>(token, "blockquote")) {
    visitAll(walk, token.tokens);
    return;
  }
  const called = numberNoteReferences(walk.notes, token, walk.walkTokens);
  if (isKind<Tokens.Heading>(token, "heading"))
    walk.out.add("heading", squeeze(plain(token.tokens, token.text)), token.depth);
  else if (isKind<Tokens.Code>(token, "code")) walk.out.add("code", token.text);
  else if (isKind<Tokens.List>(token, "list")) walk.out.add("list", listLines(token, 0).join("\n"));
  else if (isKind<Tokens.Table>(token, "table")) addTable(walk, token);
  else if (isKind<Tokens.HTML>(token, "html")) addHtml(walk, token);
  else if (isKind<Tokens.Paragraph>(token, "paragraph") || isKind<Tokens.Text>(token, "text"))
    walk.out.add("paragraph", plain(token.tokens, token.text).trim());
  addNotes(walk, called);
}

function visitAll(walk: Walk, tokens: readonly Token[]): void {
  for (const token of tokens) visit(walk, token);
}

/** Adds the notes that nothing calls, at the end. */
function addUncalled(walk: Walk): void {
  const { definitions, numbers } = walk.notes;
  addNotes(
    walk,
    [...definitions.values()].flat().filter((name) => !numbers.has(name.toLowerCase())),
  );
}

const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes("call stack");

function plainBlocks(text: string): Block[] {
  return text.split(/\n{2,}/).map((part): Block => ({ kind: "paragraph", text: part.trim(), pages: [] }));
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const [{ Lexer, walkTokens }, { load }] = await Promise.all([import("marked"), import("cheerio")]);
  const { text, warnings } = await decode(bytes, file.name);
  const { title, front: yaml, fields, body } = splitFrontMatter(text);
  const out = blockWriter();
  const limits: string[] = [];
  const tally: Unsaid = { struck: 0, hidden: 0 };
  try {
    const { tokens: all, unread } = lex(Lexer, body);
    const tokens = withoutStruck(all, tally);
    const walk: Walk = {
      out,
      lexInline: (inline) => withoutStruck(lexInline(Lexer, inline), tally),
      load,
      notes: notesOf(tokens),
      walkTokens,
      tally,
    };
    visitAll(walk, tokens);
    addUncalled(walk);
    if (unread > 0)
      limits.push(
        `${plural(unread, "paragraph")} of more than ${longestInline} characters: inline markup was kept as text`,
      );
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    limits.push("quotes or lists are nested too deeply; read as plain text");
    out.blocks.splice(0, out.blocks.length, ...plainBlocks(body));
  }
  const front: Block[] = fields.length > 0 ? [{ kind: "paragraph", text: fields.join("\n"), pages: [] }] : [];
  return contentOf(file.name, [...front, ...out.blocks], {
    title,
    warnings: [...warnings, ...limits, ...hiddenWarnings(tally)],
    ...definedProperties(await frontProperties(yaml)),
  });
}

/** Markdown by marked's lexer; emphasis marks go, structure stays. */
export default (): Parser => ({ id: "marked", parse });
