import type { Block, Table } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { withoutEnd } from "../../core/text.ts";

/**
 * A table's rows as lines with ` | ` between cells; empty cells at a row's end are left out, empty rows too.
 */
export function tableText(rows: readonly (readonly string[])[]): string {
  return rows
    .map(rowText)
    .filter((line) => line.trim() !== "")
    .join("\n");
}

function rowText(row: readonly string[]): string {
  const line = row.join(" | ");
  const filled = withoutEnd(line, /[\s|]/);
  return line.includes("|", filled.length) ? filled : line;
}

/** A table block from its rows. */
export function tableBlock(table: Table, pages: readonly number[]): Block {
  return { kind: "table", text: tableText(table.rows), pages, table };
}

/** Text with runs of white space made one space, and without the characters that carry no meaning. */
export function squeeze(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f\u00a0\u200b\ufeff]+/g, " ")
    .replace(/\u00ad/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const raisedDigits = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** What the mark of a note stands behind: a word, a closing sign, or any number but those of powers, 2 and 10. */
const noted = /(?:\p{L}{3}|[.,;:!?)%”"’']|\d{2}|[013-9]|(?![x×])\p{L}\d)$/u;
/** Behind these a raised number is an exponent: powers of two and ten, units and functions of three letters. */
const powered =
  /(?:(?<![\p{L}\d.,])(?:10|2)|[x×·*]\s?(?:10|2)|(?<!\p{L})(?:feet|foot|inch|inches|mile|miles|yards?|met(?:er|re)s?|kilomet(?:er|re)s?|sin|cos|tan|log))$/iu;

/**
 * A raised number as text, so that it does not become part of what stands before it: the mark of a note, `[1]`,
 * behind what notes are about, else an exponent, `m²` and `10¹¹`. Other raised text is unchanged.
 */
export function raised(before: string, text: string): string {
  const [, sign = "", digits = "", others = ""] =
    /^\s*([+−-]?)(\d{1,3})((?:,\s?\d{1,3}){0,9})\s*$/.exec(text) ?? [];
  if (digits === "" || before === "" || /\s$/.test(before)) return text;
  if (sign === "" && noted.test(before) && !powered.test(before)) return `[${digits}${others}]`;
  if (others !== "") return text;
  const exponent = digits.replace(/\d/g, (digit) => raisedDigits[Number(digit)] ?? digit);
  return `${sign === "" ? "" : sign === "+" ? "⁺" : "⁻"}${exponent}`;
}

/** The title a file gives when the content has none: its name without folder and extension. */
export function titleFromName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? name;
  return base.replace(/\.[A-Za-z0-9]{1,8}$/, "").trim() || base;
}

/** The blocks, unless none of them has text. @throws SOURCE_EMPTY */
export function requireText(blocks: readonly Block[], name: string): readonly Block[] {
  const kept = blocks.filter((block) => block.text.trim() !== "");
  if (kept.length === 0) throw emptySource(name);
  return kept;
}

/** The error for a file that holds no text at all. */
export function emptySource(name: string): RagctlError {
  return new RagctlError("SOURCE_EMPTY", `${name} holds no text`, {
    hint: "check that the file is the one you meant; there is nothing in it to index",
  });
}

/** The error for a file whose content its parser cannot read, however often it tries. */
export function damaged(name: string, what: string, cause: unknown): RagctlError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // What to do about it follows in the same line.
  const reason = message.trimEnd().replace(/(?<!\.)\.$/, "");
  return new RagctlError("SOURCE_DAMAGED", `${name} could not be read as ${what}: ${reason}`, {
    hint: "the file is damaged or cut short; open it in its own program, save it again and ingest the new copy",
    cause,
  });
}
