import type { ChunkDraft, InnerHeading, SheetPart } from "../../core/documents/chunk.ts";
import type { BlockKind, TextPlace } from "../../core/documents/document.ts";
import { placedLines } from "../../core/text.ts";
import type { RowPlace, Unit } from "./units.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Whether the text of a chunk does not have it. */
  readonly isName?: true;
}

/** The headings above the place that is being read, outermost first. */
export function createHeadingPath(above: readonly Heading[] = []) {
  let path = above;
  return {
    /** Goes past a unit; a heading is above what follows. */
    enter({ kind, level = 1, text }: Pick<Unit, "kind" | "level" | "text">): void {
      if (kind !== "heading") return;
      const kept = path.findIndex((heading) => heading.level >= level);
      path = [...(kept === -1 ? path : path.slice(0, kept)), { level, text }];
    },
    headings: (): readonly Heading[] => path,
  };
}

/** The heading path of units: the headings above them, and those they begin with, outermost first. */
export function pathOf(
  over: readonly Heading[],
  units: readonly Unit[],
): { readonly above: readonly Heading[]; readonly own: readonly Heading[] } {
  const above = [...over];
  const own: Heading[] = [];
  for (const { kind, level = 1, text, isName } of units) {
    if (kind !== "heading") break;
    while ((own.at(-1)?.level ?? 0) >= level) own.pop();
    if (own.length === 0) while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    own.push({ level, text, ...(isName === undefined ? {} : { isName }) });
  }
  return { above, own };
}

/**
 * The content type of a chunk from its blocks other than headings: their kind if they share one, else a
 * paragraph of several kinds.
 */
export function contentTypeOf(
  blocks: readonly { readonly kind: BlockKind }[],
): Pick<ChunkDraft, "contentType" | "kinds"> {
  const kinds = [...new Set(blocks.map(({ kind }) => kind))].filter((kind) => kind !== "heading");
  const [only = "heading"] = kinds;
  return kinds.length <= 1 ? { contentType: only } : { contentType: "paragraph", kinds };
}

/**
 * The header to repeat before a unit: undefined where the previous unit has the same one, in the same table
 * of a sheet.
 */
export const headerToRepeat = ({ header, place }: Unit, last: Unit | undefined): string | undefined =>
  header !== last?.header || place?.table !== last?.place?.table ? header : undefined;

/**
 * Joins units into one text and records where each starts. A header is written once, before the first unit
 * that has it. Also returns where the rows of spreadsheets and the lines of files begin.
 */
export function join(
  units: readonly Unit[],
): { readonly text: string; readonly starts: readonly number[] } & Pick<ChunkDraft, "sheetParts"> {
  const starts: number[] = [];
  const rows: PlacedRow[] = [];
  const lines: PlacedLine[] = [];
  let text = "";
  let last: Unit | undefined;
  for (const unit of units) {
    const header = headerToRepeat(unit, last);
    if (unit.isName !== true) text += between(unit, last, header);
    starts.push(text.length);
    if (unit.isName === true) continue;
    text += header === undefined ? "" : `${header}\n`;
    if (unit.place !== undefined) rows.push({ ...unit.place, start: text.length });
    if (unit.at !== undefined) lines.push(...linesOf(unit.at, unit.text, text.length));
    text += unit.text;
    last = unit;
  }
  const parts = [...sheetParts(rows), ...lineParts(lines)];
  return { text, starts, ...(parts.length === 0 ? {} : { sheetParts: parts }) };
}

/** The separator between a unit and the one before it. */
function between(unit: Unit, last: Unit | undefined, header: string | undefined): string {
  if (last === undefined) return "";
  if (header !== undefined) return "\n\n";
  return goesOn(unit, last) ? "\n" : unit.joiner;
}

/** Whether a unit begins in the line after the one in which the previous unit ends. */
function goesOn({ at, joiner }: Unit, { at: before, text }: Unit): boolean {
  if (at?.unit !== "line" || before?.member !== at.member || joiner === " ") return false;
  return (before?.number ?? 0) + text.split("\n").length === at.number;
}

/** A line of a file and where it begins in a text. */
type PlacedLine = TextPlace & { readonly start: number };

/** The lines of a unit that have text; `from`: where it begins. */
function linesOf(at: TextPlace, text: string, from: number): readonly PlacedLine[] {
  return placedLines(text).flatMap(({ text: line, start }, index) => {
    const number = at.unit === "line" ? at.number + index : at.number;
    return line.trim() === "" ? [] : [{ ...at, number, start: from + start }];
  });
}

/** Lines by their files. */
const lineParts = (placed: readonly PlacedLine[]): readonly SheetPart[] =>
  [...Map.groupBy(placed, ({ unit, member = "" }) => `${unit} ${member}`).values()].flatMap((lines) =>
    lines.slice(0, 1).map(({ unit, member = "" }) => ({
      sheet: member,
      of: unit,
      columns: [],
      rows: lines.map(({ start, number }) => [start, number] as const),
    })),
  );

/** A row of a spreadsheet and where it begins in a text. */
type PlacedRow = RowPlace & { readonly start: number };

/** Rows by their tables; the columns of each are those of all its rows. */
const sheetParts = (placed: readonly PlacedRow[]): readonly SheetPart[] =>
  [...Map.groupBy(placed, ({ table }) => table)].map(([{ sheet = "" }, rows]) => {
    const columns = new Map(
      rows.flatMap(({ columns: own }) => own.map((column) => [column[1], column] as const)),
    );
    return { sheet, columns: [...columns.values()], rows: rows.map(({ start, row }) => [start, row]) };
  });

/** The headings above a place of a text. */
interface Placed {
  readonly start: number;
  readonly path: readonly string[];
}

/**
 * The headings inside the text of a chunk. `path`: those that the chunk is stored with; `places`: the whole
 * path at the beginning of the text, and at each further heading.
 */
export function innerHeadings(
  path: readonly string[],
  places: readonly Placed[],
): Pick<ChunkDraft, "innerHeadings"> {
  let before = path;
  const inner = places.flatMap(({ start, path: now }): readonly InnerHeading[] => {
    const differs = now.findIndex((text, at) => text !== before[at]);
    if (differs === -1) return [];
    before = now;
    return now.slice(differs).map((text, at) => ({ start, depth: differs + at, text }));
  });
  return inner.length === 0 ? {} : { innerHeadings: inner };
}

/** Where the text of units comes under another heading; `over`: the headings above the first of them. */
export function placesOf(
  over: readonly Heading[],
  units: readonly Unit[],
  starts: readonly number[],
): readonly Placed[] {
  const path = createHeadingPath(over);
  const first = units.findIndex(({ kind }) => kind !== "heading");
  return units.flatMap((unit, at): Placed[] => {
    path.enter(unit);
    if (first === -1 || at < first || (at > first && unit.kind !== "heading")) return [];
    const start = at === first ? 0 : (starts[at] ?? 0);
    return [{ start, path: path.headings().map(({ text }) => text) }];
  });
}
