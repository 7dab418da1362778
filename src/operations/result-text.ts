/** Rows under a header; every surface draws its own. */
export interface PrintedTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** The column that is cut in its middle where a row does not fit a terminal. */
  readonly cut?: number;
}

/** A result for people: paragraphs without an empty line between them. */
export type Text = string | PrintedTable | readonly (string | PrintedTable)[];

const isList = (text: Text): text is readonly (string | PrintedTable)[] => Array.isArray(text);

/** A result in one text; `draw` makes that of a table. */
export const plainText = (text: Text, draw: (table: PrintedTable) => string): string =>
  (isList(text) ? text : [text]).map((part) => (typeof part === "string" ? part : draw(part))).join("\n");

/** A table of items, with the cell of each under the name of its column. */
export const tableOf = <Item>(
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string | number>>,
): PrintedTable => ({
  header: Object.keys(columns),
  rows: items.map((item) => Object.values(columns).map((cell) => cell(item))),
});

/** The same; `none` where there are no items. */
export const listed = <Item>(
  items: readonly Item[],
  none: string,
  columns: Readonly<Record<string, (item: Item) => string | number>>,
): Text => (items.length === 0 ? none : tableOf(items, columns));

/** The members of a row as a table; objects as JSON, lists one entry a line. */
export const fieldTable = (fields: object): PrintedTable =>
  tableOf(Object.entries(fields), { field: ([name]) => name, value: ([, value]) => fieldText(value) });

function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
