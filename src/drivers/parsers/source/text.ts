import { extname } from "node:path";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { decodeBeginning } from "../beginning.ts";
import { contentOf, titleFromName } from "../blocks.ts";
import { readMarkup } from "./markup.ts";
import { headingOf } from "./rules.ts";

const item = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+/;

/** A line of one sign below a heading, or below and above it: the marks of reStructuredText. */
const rule = /^([=~^"'`*+#:.-])\1{2,}$/;

/** What can be a heading: no sentence, no row of a table drawn with spaces. */
const title = /^[\p{L}\p{N}"“‘«(](?:(?! {2}|\t).){0,119}$/u;
const sentenceEnd = /[.,;]$/;

/** Lines of a text without blank ones between them. */
interface Part {
  readonly lines: readonly string[];
  /** Of the first, from 1. */
  readonly number: number;
}

/** Longest part, lines: a longer one, such as a list of names, is read in several. */
const longestPart = 500;

/** The lines of a text between blank lines and page breaks. */
function* partsOf(text: string): Generator<Part> {
  let lines: string[] = [];
  let number = 1;
  for (const [index, line] of text.split("\n").entries())
    for (const piece of line.replaceAll("\f", "\n\n").split("\n")) {
      const isBlank = piece.trim() === "";
      if (lines.length > 0 && (isBlank || lines.length === longestPart)) {
        yield { lines, number };
        lines = [];
      }
      if (isBlank) continue;
      if (lines.length === 0) number = index + 1;
      lines.push(piece.trimEnd());
    }
  if (lines.length > 0) yield { lines, number };
}

function blockOf({ lines, number }: Part): Block {
  const items = lines.filter((line) => item.test(line)).length;
  const isList = items >= 2 && items >= lines.length * 0.5 && item.test(lines[0] ?? "");
  return {
    kind: isList ? "list" : "paragraph",
    text: lines.join("\n"),
    pages: [],
    place: { unit: "line", number },
  };
}

interface Heading {
  readonly text: string;
  /** The mark of a heading: headings with the same mark have the same level. */
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

/** A part without its first lines; `rest`: the text after a heading in its last line. */
function below({ lines, number }: Part, count: number, rest = ""): readonly Part[] {
  const own = [...(rest.trim() === "" ? [] : [rest.trim()]), ...lines.slice(count)];
  return own.length === 0 ? [] : [{ lines: own, number: number + count - (rest.trim() === "" ? 0 : 1) }];
}

/** Blocks of parts that are headings by the signs at the beginning of a line, wherever it is in its part. */
function* marked(part: Part, extension: string): Generator<Block> {
  const at = part.lines.findIndex((line) => headingOf(extension, line) !== undefined);
  const heading = headingOf(extension, part.lines[at] ?? "");
  if (heading === undefined) {
    yield blockOf(part);
    return;
  }
  if (at > 0) yield blockOf({ ...part, lines: part.lines.slice(0, at) });
  const place = { unit: "line", number: part.number + at } as const;
  yield { kind: "heading", text: heading.text, level: heading.level, pages: [], place };
  const rest = part.lines[at]?.slice(heading.length);
  for (const own of below(part, at + 1, rest)) yield* marked(own, extension);
}

/**
 * The blocks of a text: underlined lines are headings, with a level by the order in which their style first
 * occurred.
 */
function* blocksOf(text: string, extension: string): Generator<Block> {
  const styles: string[] = [];
  const levelOf = (style: string): number => {
    if (!styles.includes(style)) styles.push(style);
    return Math.min(styles.indexOf(style) + 1, 6);
  };
  for (const part of partsOf(text)) {
    const heading = underlined(part.lines);
    if (heading === undefined) yield* marked(part, extension);
    else {
      const place = { unit: "line", number: part.number } as const;
      yield { kind: "heading", text: heading.text, level: levelOf(heading.style), pages: [], place };
      for (const rest of below(part, heading.lines)) yield blockOf(rest);
    }
  }
}

const byLine = (one: Block, other: Block): number => (one.place?.number ?? 0) - (other.place?.number ?? 0);

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { text, warnings } = await decodeBeginning(bytes, file.name);
  const extension = extname(file.name).slice(1).toLowerCase();
  const { lines, blocks: tables } = readMarkup(text, extension);
  const blocks = [...blocksOf(lines.join("\n"), extension), ...tables].toSorted(byLine);
  const title = blocks[0]?.kind === "heading" ? blocks[0].text : titleFromName(file.name);
  return contentOf(file.name, blocks, { title, warnings });
}

/**
 * Plain text in any common charset; blank lines divide its blocks. Headings are those of reStructuredText,
 * which plain texts share (docutils, “Sections”), and in files of AsciiDoc, Org and LaTeX those of these, by
 * their names.
 */
export default (): Parser => ({ id: "text", parse });
