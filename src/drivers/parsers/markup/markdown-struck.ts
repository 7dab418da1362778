import type { Token, Tokens } from "marked";
import type { Unsaid } from "../blocks.ts";
import { noteDefinitionStart } from "./markdown-notes.ts";

/** The name of an element that a tag strikes out text with; undefined for any other tag. */
function strikes(tag: string): string | undefined {
  const [, name = "", rest = ""] = /^<([a-z]{1,10})\b([^<>]{0,400})>$/i.exec(tag.trim()) ?? [];
  if (/^(?:s|del|strike)$/i.test(name)) return name.toLowerCase();
  return /^(?:span|font|p|div)$/i.test(name) &&
    /text-decoration(?:-line)?\s{0,5}:[^;"']{0,60}line-through/i.test(rest)
    ? name.toLowerCase()
    : undefined;
}

/** Where the element that begins at a token ends; undefined where nothing ends it. */
function endOf(tokens: readonly Token[], start: number, name: string): number | undefined {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    const [, side, own = ""] =
      token?.type === "html" ? (/^<(\/?)([a-z]{1,10})\b/i.exec(token.raw.trim()) ?? []) : [];
    if (own.toLowerCase() !== name) continue;
    depth += side === "" ? 1 : -1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** The index behind what is struck out from a token on; undefined where it is not. A single `~` lowers text. */
function struckEnd(tokens: readonly Token[], at: number): number | undefined {
  const token = tokens[at];
  if (token?.type === "del") return token.raw.startsWith("~~") ? at + 1 : undefined;
  const name = token?.type === "html" ? strikes(token.raw) : undefined;
  const end = name === undefined ? undefined : endOf(tokens, at, name);
  return end === undefined ? undefined : end + 1;
}

/** A task that is done is struck out in many lists, and is valid. */
const isDone = (token: Token): boolean =>
  token.type === "list_item" && (token as Tokens.ListItem).checked === true;

/** The token with the text in it that is not struck out. */
function said(token: Token, tally: Unsaid): Token {
  // Notes are read by their text, with those who call them.
  if (isDone(token) || (token.type === "paragraph" && noteDefinitionStart.test(token.raw))) return token;
  const own: Record<string, unknown> = { ...token };
  if ("tokens" in token && token.tokens !== undefined) own["tokens"] = withoutStruck(token.tokens, tally);
  if (token.type === "list") own["items"] = (token as Tokens.List).items.map((item) => said(item, tally));
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    const cell = (each: Tokens.TableCell) => ({ ...each, tokens: withoutStruck(each.tokens, tally) });
    Object.assign(own, { header: header.map(cell), rows: rows.map((row) => row.map(cell)) });
  }
  // The same token with fewer tokens inside.
  return own as unknown as Token;
}

/** The tokens of Markdown without text that is struck out, by its own marks or by HTML; passages are counted. */
export function withoutStruck(tokens: readonly Token[], tally: Unsaid): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const end = struckEnd(tokens, at);
    const token = tokens[at];
    if (end !== undefined) tally.struck++;
    else if (token !== undefined) kept.push(said(token, tally));
    at = end ?? at + 1;
  }
  return kept;
}
