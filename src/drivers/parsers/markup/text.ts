import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { requireText, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";

const item = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+/;

/** A line of one sign below a heading, or below and above it: the marks of reStructuredText. */
const rule = /^([=~^"'`*+#:.-])\1{2,}$/;

/** What can be a heading: no sentence, no row of a table drawn with spaces. */
const title = /^[\p{L}\p{N}"“‘«(](?:(?! {2}|\t).){0,119}$/u;
const sentenceEnd = /[.,;]$/;

/** A heading of AsciiDoc. */
const marked = /^(={1,6})[ \t]+(\S.*)$/;

function blockOf(text: string): Block {
  const lines = text.split("\n");
  const items = lines.filter((line) => item.test(line)).length;
  const isList = items >= 2 && items >= lines.length * 0.5 && item.test(lines[0] ?? "");
  return { kind: isList ? "list" : "paragraph", text, pages: [] };
}

interface Heading {
  readonly text: string;
  /** What it is marked with: headings that are marked alike are of one level. */
  readonly style: string;
  /** Lines of it, its marks included. */
  readonly lines: number;
}

/** The underlined heading that a part of a text begins with. */
function underlined(lines: readonly string[]): Heading | undefined {
  const over = rule.test(lines[0] ?? "") ? 1 : 0;
  const [text = "", under = ""] = [lines[over]?.trim(), lines[over + 1]];
  const sign = under[0] ?? "";
  if (!rule.test(under) || under.length < text.length || (over === 1 && lines[0] !== under)) return undefined;
  if (!title.test(text) || sentenceEnd.test(text) || item.test(text)) return undefined;
  return { text, style: sign.repeat(1 + over), lines: over + 2 };
}

/** The blocks of a text: what is underlined is a heading, as deep as its kind of line was met late. */
function blocksOf(parts: readonly string[], isAsciiDoc: boolean): Block[] {
  const styles: string[] = [];
  const levelOf = (style: string): number => {
    if (!styles.includes(style)) styles.push(style);
    return Math.min(styles.indexOf(style) + 1, 6);
  };
  return parts.flatMap((part) => {
    const lines = part.split("\n");
    const [, signs = "", text = ""] = (isAsciiDoc && marked.exec(lines[0] ?? "")) || [];
    const heading = signs === "" ? underlined(lines) : { text, style: "", lines: 1 };
    if (heading === undefined) return [blockOf(part)];
    const level = signs.length || levelOf(heading.style);
    const rest = lines.slice(heading.lines).join("\n");
    const found: Block = { kind: "heading", text: heading.text, level, pages: [] };
    return rest.trim() === "" ? [found] : [found, blockOf(rest)];
  });
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { text, warnings } = await decode(bytes, file.name);
  const parts = text
    .replace(/\f/g, "\n\n")
    .split(/\n[ \t]*\n+/)
    .map((part) =>
      part
        .replace(/(?<![ \t])[ \t]+$/gm, "")
        .replace(/^\n+/, "")
        .trimEnd(),
    )
    .filter((part) => part.trim() !== "");
  const blocks = requireText(blocksOf(parts, /\.adoc$/i.test(file.name)), file.name);
  const [first] = blocks;
  return {
    title: first?.kind === "heading" ? first.text : titleFromName(file.name),
    blocks,
    pageCount: 0,
    pagesWithoutText: [],
    warnings,
  };
}

/**
 * Plain text in any common charset; blank lines divide its blocks. Headings are those of reStructuredText, which
 * plain texts share (docutils, “Sections”), and in files named `.adoc` those of AsciiDoc.
 */
export default (): Parser => ({ id: "text", parse });
