import type { Block } from "../../../core/documents/document.ts";

/** Where a part of a text begins: a definition, a key, a section. */
export interface Mark {
  /** 1-based. */
  readonly line: number;
  /** 1 to 6; a mark is inside the last one before it of a lower level. */
  readonly level: number;
  readonly text: string;
}

/**
 * Longest block, lines: longer ones are cut, so that the tokens of a whole file are never counted at once.
 */
const mostLines = 200;
/** Longest name of a part, characters. */
const longestName = 120;

/** The lines from `first` to before `end`, both from 1, as blocks; blank ones around them are left out. */
function lineBlocks(lines: readonly string[], first: number, end: number): readonly Block[] {
  const blocks: Block[] = [];
  for (let from = first; from < end; from += mostLines) {
    const own = lines.slice(from - 1, Math.min(end, from + mostLines) - 1);
    const start = own.findIndex((line) => line.trim() !== "");
    if (start < 0) continue;
    const text = own.slice(start).join("\n").trimEnd();
    blocks.push({ kind: "code", text, pages: [], place: { unit: "line", number: from + start } });
  }
  return blocks;
}

/** Every line of a text as blocks of code, each part of it below its name. `marks` by line. */
export function codeBlocks(text: string, marks: readonly Mark[]): readonly Block[] {
  const lines = text.split("\n");
  const ends = [...marks.map(({ line }) => line), lines.length + 1];
  const named = marks.flatMap(({ line, level, text: name }, index): Block[] => [
    { kind: "heading", isName: true, level, text: name.slice(0, longestName).toWellFormed(), pages: [] },
    ...lineBlocks(lines, line, ends[index + 1] ?? line),
  ]);
  return [...lineBlocks(lines, 1, ends[0] ?? 1), ...named];
}
