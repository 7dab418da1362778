import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import type { DocumentTable, TableSlice } from "../core/documents/document.ts";

/** Cells of one slice; a row is never divided. */
const cellsPerSlice = 20_000;

const pack = promisify(deflateRaw);

/** What a slice says: rows and the numbers of those below the header, and of the first slice all else. */
type Part = Pick<DocumentTable, "rows" | "rowNumbers"> & Partial<DocumentTable>;

/** A table in parts, which `tableOf` joins. */
function* partsOf({ rows, rowNumbers, ...facts }: DocumentTable): Generator<Part> {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const step = Math.max(facts.headerRows + 1, Math.floor(cellsPerSlice / width));
  for (let start = 0; start < Math.max(1, rows.length); start += step) {
    const numbers = rowNumbers?.slice(Math.max(0, start - facts.headerRows), start + step - facts.headerRows);
    yield {
      ...(start === 0 ? facts : {}),
      rows: rows.slice(start, start + step),
      ...(numbers === undefined ? {} : { rowNumbers: numbers }),
    };
  }
}

/** Tables as the registry keeps them, one after the other. */
export async function slicesOf(tables: readonly DocumentTable[]): Promise<readonly TableSlice[]> {
  const slices: TableSlice[] = [];
  for (const [ordinal, table] of tables.entries()) {
    let part = 0;
    for (const each of partsOf(table)) {
      const content = await pack(JSON.stringify(each), { level: 1 });
      slices.push({ ordinal, part: part++, content });
    }
  }
  return slices;
}

/** The tables of slices in their order. @throws for bytes that `slicesOf` did not write */
export function tablesOfSlices(slices: readonly TableSlice[]): readonly DocumentTable[] {
  const tables = Map.groupBy(slices, ({ ordinal }) => ordinal);
  return [...tables.values()].map((own) => {
    // As `partsOf` made them: the first one has what every table has.
    const parts = own.map(({ content }) => JSON.parse(inflateRawSync(content).toString()) as Part);
    const [first] = parts as [DocumentTable];
    if (parts.length === 1) return first;
    const rowNumbers = first.rowNumbers && parts.flatMap((each) => each.rowNumbers ?? []);
    return { ...first, rows: parts.flatMap(({ rows }) => rows), ...(rowNumbers && { rowNumbers }) };
  });
}
