import type { Token, Tokens } from "marked";
import { counted } from "../../../core/counted.ts";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { requireText, squeeze, tableBlock, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";
import { htmlBlocks } from "./html-blocks.ts";

/** Named characters that people write in Markdown; numbered ones are computed. */
const entities: Readonly<Record<string, string>> = {
  ...{
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    vert: "|",
    mdash: "—",
    ndash: "–",
    hellip: "…",
    copy: "©",
    reg: "®",
  },
  ...{
    euro: "€",
    deg: "°",
    times: "×",
    laquo: "«",
    raquo: "»",
    lsquo: "‘",
    rsquo: "’",
    ldquo: "“",
    rdquo: "”",
    bull: "•",
    middot: "·",
  },
  ...{
    rarr: "→",
    larr: "←",
    le: "≤",
    ge: "≥",
    ne: "≠",
    plusmn: "±",
    micro: "µ",
    sect: "§",
    trade: "™",
    shy: "",
    ensp: " ",
    emsp: " ",
  },
};

function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** The text of inline tokens as rendered: marks of emphasis and addresses of links left out. */
function plain(tokens: readonly Token[] | undefined, otherwise: string): string {
  if (tokens === undefined) return unescaped(otherwise);
  return tokens
    .map((token) => {
      if (token.type === "br") return "\n";
      if (token.type === "html") return /^<br\s*\/?>/i.test(token.raw) ? "\n" : "";
      if (token.type === "image") return "text" in token ? String(token.text) : "";
      const inner = "tokens" in token && Array.isArray(token.tokens) ? token.tokens : undefined;
      if (token.type === "codespan" && "text" in token) return String(token.text);
      return plain(inner, "text" in token ? String(token.text) : token.raw);
    })
    .join("");
}

const footnote = /^\[\^([^\]\s]+)\]:\s*/;

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
    const own = item.tokens.filter((token) => token.type !== "list");
    const text = own
      .map((token) =>
        plain("tokens" in token ? token.tokens : undefined, "text" in token ? String(token.text) : ""),
      )
      .join("\n");
    lines.push(`${"  ".repeat(Math.min(depth, deepestIndent))}${mark} ${text.trim()}`);
    for (const token of item.tokens)
      if (isKind<Tokens.List>(token, "list")) lines.push(...listLines(token, depth + 1));
  }
  return lines;
}

/** Longest paragraph or cell whose inline marks are read, characters: marked's time for them grows with the square of the length. */
const longestInline = 8000;

/** The tokens of a text; what is longer than `longestInline` keeps its inline marks. */
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

const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes("call stack");

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const [{ Lexer }, { load }] = await Promise.all([import("marked"), import("cheerio")]);
  const decoded = await decode(bytes, file.name);
  const front = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(decoded.text);
  const text = front === null ? decoded.text : decoded.text.slice(front[0].length);
  const named =
    /^title:[ \t]*(.+)$/im
      .exec(front?.[1] ?? "")?.[1]
      ?.trim()
      .replace(/^(["'])(.*)\1$/, "$2") ?? "";
  const blocks: Block[] = [];
  const fields = (front?.[1] ?? "")
    .split("\n")
    .filter((line) => /^[A-Za-z][\w -]*:[ \t]*[^\s|>&*].*$/.test(line) && !/^title:/i.test(line));
  if (fields.length > 0) blocks.push({ kind: "paragraph", text: fields.join("\n"), pages: [] });
  const add = (kind: Block["kind"], content: string, level?: number) => {
    blocks.push({ kind, text: content, pages: [], ...(level === undefined ? {} : { level }) });
  };
  const visit = (token: Token): void => {
    if (isKind<Tokens.Heading>(token, "heading"))
      add("heading", squeeze(plain(token.tokens, token.text)), token.depth);
    else if (isKind<Tokens.Code>(token, "code")) add("code", token.text);
    else if (isKind<Tokens.List>(token, "list")) add("list", listLines(token, 0).join("\n"));
    else if (isKind<Tokens.Blockquote>(token, "blockquote")) token.tokens.forEach(visit);
    else if (isKind<Tokens.Table>(token, "table")) {
      const rows = [token.header, ...token.rows].map((row) =>
        row.map((cell) => squeeze(plain(cell.tokens, cell.text))),
      );
      blocks.push(tableBlock({ rows, headerRows: 1 }, []));
    } else if (isKind<Tokens.HTML>(token, "html")) {
      const $ = load(token.text);
      const body = $("body").get(0);
      if (body !== undefined) blocks.push(...htmlBlocks($, body));
    } else if (isKind<Tokens.Def>(token, "def")) {
      // The lexer takes a footnote of one word for the address of a link.
      if (token.tag.startsWith("^")) add("footnote", `[${token.tag.slice(1)}] ${unescaped(token.href)}`);
    } else if (token.type === "paragraph" && footnote.test(token.raw)) {
      for (const part of token.raw.split(/\n(?=\[\^)/)) {
        const [whole = "", mark = ""] = footnote.exec(part) ?? [];
        add(
          "footnote",
          `${mark === "" ? "" : `[${mark}] `}${squeeze(plain(Lexer.lexInline(part.slice(whole.length)), ""))}`,
        );
      }
    } else if (isKind<Tokens.Paragraph>(token, "paragraph") || isKind<Tokens.Text>(token, "text"))
      add("paragraph", plain(token.tokens, token.text).trim());
  };
  const warnings = [...decoded.warnings];
  const before = blocks.length;
  try {
    const { tokens, unread } = lex(Lexer, text);
    tokens.forEach(visit);
    if (unread > 0)
      warnings.push(
        `${counted(unread, "paragraph")} of more than ${longestInline} characters: inline marks were left in`,
      );
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    warnings.push("quotes or lists are nested too deeply: it was read as plain text");
    blocks.splice(
      before,
      blocks.length,
      ...text.split(/\n{2,}/).map((part): Block => ({ kind: "paragraph", text: part.trim(), pages: [] })),
    );
  }
  const kept = requireText(blocks, file.name);
  const first = kept.find((block) => block.kind === "heading" && block.level === 1);
  return {
    title: named || first?.text || titleFromName(file.name),
    blocks: kept,
    pageCount: 0,
    pagesWithoutText: [],
    warnings,
  };
}

/** Markdown by marked's lexer; emphasis marks go, structure stays. */
export default (): Parser => ({ id: "marked", parse });
