import type { Tokenizer } from "../../core/documents/chunk.ts";
import type { Block, BlockKind, Table } from "../../core/documents/document.ts";
import { halved, segmentsOf } from "../../core/text.ts";

/**
 * A piece of a block that fits a chunk; `header` is repeated when a chunk starts with it, but is not the
 * unit's own text.
 */
export interface Unit {
  readonly kind: BlockKind;
  readonly text: string;
  readonly pages: readonly number[];
  readonly tokens: number;
  /** 1 to 6, headings only. */
  readonly level?: number;
  readonly header?: string;
  /** How this unit follows the one before it in the same chunk. */
  readonly joiner: "\n\n" | "\n" | " ";
}

/**
 * One block → units of at most `maxTokens`: tables by rows, prose by sentences, a sentence too long by words.
 * Every character of the block's text stands in exactly one unit, white space between units aside.
 */
export function unitsOf(
  block: Block,
  maxTokens: number,
  source: string,
  tokenizer: Tokenizer,
): readonly Unit[] {
  if (block.table !== undefined) return tableUnits(block, block.table, maxTokens, source, tokenizer);
  const whole = tokenizer.count(block.text);
  if (whole <= maxTokens)
    return [{ kind: block.kind, text: block.text, pages: block.pages, tokens: whole, joiner: "\n\n" }];
  const lines = block.kind === "paragraph" ? sentences(block.text) : block.text.split("\n");
  const joiner = block.kind === "paragraph" ? " " : "\n";
  return lines
    .flatMap((line) => fitting(line, maxTokens, tokenizer))
    .map((text, i) => ({
      kind: block.kind,
      text,
      pages: block.pages,
      tokens: tokenizer.count(text),
      joiner: i === 0 ? "\n\n" : joiner,
    }));
}

/** Sentences of a text, trimmed, none empty. */
export function sentences(text: string): string[] {
  return [...segmentsOf(text)].map(({ segment }) => segment.trim()).filter((segment) => segment !== "");
}

const fitting = (text: string, maxTokens: number, tokenizer: Tokenizer): readonly string[] =>
  halved(text, (part) => tokenizer.count(part) <= maxTokens);

function tableUnits(
  block: Block,
  table: Table,
  maxTokens: number,
  source: string,
  tokenizer: Tokenizer,
): readonly Unit[] {
  const headerRows = table.rows.slice(0, table.headerRows);
  const body = table.rows.slice(table.headerRows);
  const inSentences = table.sheet !== undefined;
  const fullHeader = inSentences
    ? `From ${source}, sheet '${table.sheet}':`
    : headerRows.map(rowText).join("\n");
  const header = tokenizer.count(fullHeader) <= maxTokens / 2 ? fullHeader : "";
  const room = maxTokens - (header === "" ? 0 : tokenizer.count(header));
  const columns = inSentences ? columnNames(headerRows) : [];
  const rows =
    body.length === 0
      ? headerRows.map(rowText)
      : body.map((row) => (inSentences ? rowSentences(row, columns) : rowText(row)));
  const own = header === fullHeader || body.length === 0 ? [] : headerRows.map(rowText);
  return [...own, ...rows]
    .flatMap((row) => fitting(row, room, tokenizer))
    .map((text) => ({
      kind: "table" as const,
      text,
      pages: block.pages,
      tokens: tokenizer.count(text),
      // A row that leaves out its first cells would else go on with the one before it.
      joiner: inSentences ? ("\n\n" as const) : ("\n" as const),
      ...(header === "" || body.length === 0 ? {} : { header }),
    }));
}

function rowText(row: readonly string[]): string {
  return row.join(" | ");
}

/** What heads each column, over all header rows: `2023 Plan`. */
function columnNames(headerRows: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = headerRows;
  return first.map((_, at) => {
    const names = headerRows.map((row) => row[at] ?? "").filter((name) => name !== "");
    return [...new Set(names)].join(" ");
  });
}

/** `- Pressure: 150 PSI` for each filled cell. */
function rowSentences(row: readonly string[], columns: readonly string[]): string {
  const cells = row.map((cell, i) => ({ cell, column: columns[i] ?? "" })).filter(({ cell }) => cell !== "");
  return cells.map(({ cell, column }) => (column === "" ? `- ${cell}` : `- ${column}: ${cell}`)).join("\n");
}
