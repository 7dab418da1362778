import type { ChunkDraft, InnerHeading, SheetPart } from "../../core/documents/chunk.ts";
import type { BlockKind } from "../../core/documents/document.ts";
import type { RowPlace, Unit } from "./units.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
}

/** The headings above the place that is being read, outermost first. */
export function openPath(above: readonly Heading[] = []) {
  let path = above;
  return {
    /** Goes past a unit; a heading is above what follows. */
    enter({ kind, level = 1, text }: Unit): void {
      if (kind !== "heading") return;
      const kept = path.findIndex((heading) => heading.level >= level);
      path = [...(kept === -1 ? path : path.slice(0, kept)), { level, text }];
    },
    headings: (): readonly Heading[] => path,
  };
}

/**
 * The headings above units, and those of the headings they begin with that the text after them stands under.
 */
export function pathOf(
  over: readonly Heading[],
  units: readonly Unit[],
): { readonly above: readonly Heading[]; readonly own: readonly Heading[] } {
  const above = [...over];
  const own: Heading[] = [];
  for (const { kind, level = 1, text } of units) {
    if (kind !== "heading") break;
    while ((own.at(-1)?.level ?? 0) >= level) own.pop();
    if (own.length === 0) while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    own.push({ level, text });
  }
  return { above, own };
}

/** What a chunk of such blocks is, headings aside: their kind where they have one, else a paragraph of several kinds. */
export function contentOf(
  blocks: readonly { readonly kind: BlockKind }[],
): Pick<ChunkDraft, "contentType" | "kinds"> {
  const kinds = [...new Set(blocks.map(({ kind }) => kind))].filter((kind) => kind !== "heading");
  const [only = "heading"] = kinds;
  return kinds.length <= 1 ? { contentType: only } : { contentType: "paragraph", kinds };
}

/** The header that stands before a unit behind another: one that this does not have, or of another table of a sheet. */
export const headerBefore = ({ header, place }: Unit, last: Unit | undefined): string | undefined =>
  header !== last?.header || place?.table !== last?.place?.table ? header : undefined;

/**
 * Units as one text with the place where each starts; a header stands before the first unit that has it. With the rows of
 * spreadsheets among them.
 */
export function join(
  units: readonly Unit[],
): { readonly text: string; readonly starts: readonly number[] } & Pick<ChunkDraft, "sheetParts"> {
  const starts: number[] = [];
  const rows: PlacedRow[] = [];
  let text = "";
  for (const [at, unit] of units.entries()) {
    const header = headerBefore(unit, units[at - 1]);
    const opened = header === undefined ? "" : `${header}\n`;
    text += text === "" ? "" : opened === "" ? unit.joiner : "\n\n";
    starts.push(text.length);
    text += opened;
    if (unit.place !== undefined) rows.push({ ...unit.place, start: text.length });
    text += unit.text;
  }
  return { text, starts, ...(rows.length === 0 ? {} : { sheetParts: sheetParts(rows) }) };
}

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
 * The headings that the text of a chunk goes on under. `path`: those that the chunk is stored with; `places`:
 * the whole path where the text begins, and at each further heading.
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
  const path = openPath(over);
  const first = units.findIndex(({ kind }) => kind !== "heading");
  return units.flatMap((unit, at): Placed[] => {
    path.enter(unit);
    if (first === -1 || at < first || (at > first && unit.kind !== "heading")) return [];
    const start = at === first ? 0 : (starts[at] ?? 0);
    return [{ start, path: path.headings().map(({ text }) => text) }];
  });
}
