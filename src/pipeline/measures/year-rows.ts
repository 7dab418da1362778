import type { Chunk } from "../../core/documents/chunk.ts";
import { type NumberCell, numberOf, scaleIn } from "../tables/amounts.ts";
import { isWholeYear } from "../tables/periods.ts";
import { readTables } from "../tables/read.ts";

/** A row of a table with a column for each year. */
export interface YearRow {
  readonly label: string;
  /** What it is grouped under, the header of its table, the headings and the short lines above that. */
  readonly around: string;
  /** The row as it stands in the document. */
  readonly text: string;
  /** By year; a cell that is not exactly one number is not there. */
  readonly cells: ReadonlyMap<number, NumberCell>;
  /** What amounts are in by the header of the table or a line above it: thousand, million, billion or "". */
  readonly scale: string;
  /** Whether a sentence tells it, whose amounts have a scale of their own. */
  readonly isSaid: boolean;
  readonly chunk: Chunk;
}

/** The rows of a document's tables that have values of years, in its order. */
export function yearRows(chunks: readonly Chunk[]): readonly YearRow[] {
  return readTables(chunks).flatMap(({ periods, rows, headings, header, around }) => {
    const columns = periods.filter(isWholeYear);
    const above = [headings, around, ...header].join("\n");
    if (new Set(columns.map(({ year }) => year)).size < columns.length) return [];
    return rows.flatMap(({ label, group, cells, text, chunk }): YearRow[] => {
      const read = columns.flatMap(({ at, year }) => {
        const cell = numberOf(cells[at] ?? "");
        return cell === undefined ? [] : [[year, cell] as const];
      });
      const scale = scaleIn(group) || scaleIn(`${around}\n${header.join("\n")}`);
      const row = { label, around: `${above}\n${group}`, text, cells: new Map(read), scale };
      return read.length === 0 ? [] : [{ ...row, isSaid: false, chunk }];
    });
  });
}
