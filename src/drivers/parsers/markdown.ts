import type { Token, Tokens } from "marked";
import type { Block, ParsedContent, Parser } from "../../core/document.ts";
import { requireText, squeeze, tableBlock, titleFromName } from "./blocks.ts";
import { decode } from "./decode.ts";
import { htmlBlocks } from "./html-blocks.ts";

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole);
}

/** The text of inline tokens as rendered: marks of emphasis and addresses of links left out. */
function plain(tokens: readonly Token[] | undefined, otherwise: string): string {
  if (tokens === undefined) return unescaped(otherwise);
  return tokens
    .map((token) => {
      if (token.type === "br") return "\n";
      if (token.type === "html") return "";
      if (token.type === "image") return "text" in token ? String(token.text) : "";
      const inner = "tokens" in token && Array.isArray(token.tokens) ? token.tokens : undefined;
      if (token.type === "codespan" && "text" in token) return String(token.text);
      return plain(inner, "text" in token ? String(token.text) : token.raw);
    })
    .join("");
}

function isKind<T extends Token>(token: Token, type: T["type"]): token is T {
  return token.type === type;
}

function listLines(list: Tokens.List, depth: number): string[] {
  const lines: string[] = [];
  let number = typeof list.start === "number" ? list.start : 1;
  for (const item of list.items) {
    const mark = list.ordered ? `${number++}.` : "-";
    const own = item.tokens.filter((token) => token.type !== "list");
    const text = own
      .map((token) => plain("tokens" in token ? token.tokens : undefined, "text" in token ? String(token.text) : ""))
      .join("\n");
    lines.push(`${"  ".repeat(depth)}${mark} ${text.trim()}`);
    for (const token of item.tokens) if (isKind<Tokens.List>(token, "list")) lines.push(...listLines(token, depth + 1));
  }
  return lines;
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const [{ lexer }, { load }] = await Promise.all([import("marked"), import("cheerio")]);
  const decoded = await decode(bytes, file.name);
  const front = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(decoded.text);
  const text = front === null ? decoded.text : decoded.text.slice(front[0].length);
  const named =
    /^title:[ \t]*(.+)$/im
      .exec(front?.[1] ?? "")?.[1]
      ?.trim()
      .replace(/^(["'])(.*)\1$/, "$2") ?? "";
  const blocks: Block[] = [];
  const add = (kind: Block["kind"], content: string, level?: number) => {
    blocks.push({ kind, text: content, pages: [], ...(level === undefined ? {} : { level }) });
  };
  const visit = (token: Token): void => {
    if (isKind<Tokens.Heading>(token, "heading")) add("heading", squeeze(plain(token.tokens, token.text)), token.depth);
    else if (isKind<Tokens.Code>(token, "code")) add("code", token.text);
    else if (isKind<Tokens.List>(token, "list")) add("list", listLines(token, 0).join("\n"));
    else if (isKind<Tokens.Blockquote>(token, "blockquote")) token.tokens.forEach(visit);
    else if (isKind<Tokens.Table>(token, "table")) {
      const rows = [token.header, ...token.rows].map((row) => row.map((cell) => squeeze(plain(cell.tokens, cell.text))));
      blocks.push(tableBlock({ rows, headerRows: 1 }, []));
    } else if (isKind<Tokens.HTML>(token, "html")) {
      const $ = load(token.text);
      const body = $("body").get(0);
      if (body !== undefined) blocks.push(...htmlBlocks($, body));
    } else if (isKind<Tokens.Paragraph>(token, "paragraph") || isKind<Tokens.Text>(token, "text"))
      add("paragraph", plain(token.tokens, token.text).trim());
  };
  lexer(text).forEach(visit);
  const kept = requireText(blocks, file.name);
  const first = kept.find((block) => block.kind === "heading" && block.level === 1);
  return {
    title: named || first?.text || titleFromName(file.name),
    blocks: kept,
    pageCount: 0,
    pagesWithoutText: [],
    warnings: decoded.warnings,
  };
}

/** Markdown by marked's lexer; emphasis marks go, structure stays. */
export default (): Parser => ({ id: "marked", parse });
