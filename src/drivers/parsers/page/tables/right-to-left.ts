import type { Table } from "../../../../core/documents/document.ts";

/** Reverses the columns of a table of right-to-left text, whose first column is on the right. */
export function inReadingOrder(table: Table): Table {
  const text = table.rows.flat().join("");
  const rtl = text.match(/[\u0590-\u08ff]/g)?.length ?? 0;
  if (rtl * 2 <= (text.match(/\p{L}/gu)?.length ?? 0)) return table;
  const width = table.rows.reduce((most, row) => Math.max(most, row.length), 0);
  const rows = table.rows.map((row) => [...row, ...Array<string>(width - row.length).fill("")].reverse());
  const spans = table.spans?.map((span) => ({ ...span, column: width - span.column - span.columns }));
  return { ...table, rows, ...(spans === undefined ? {} : { spans }) };
}
