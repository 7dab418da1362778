import { columnLetters } from "../../../../core/documents/cells.ts";
import { listed } from "../../../../core/plural.ts";

/** Rows and columns of a sheet that a spreadsheet does not show, 1-based; rows without text are left out. */
interface Hidden {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Most rows or columns that one repetition names. */
const mostRepeated = 1000;

const attribute = (tag: string, name: string): string => tag.split(`${name}="`, 2)[1]?.split('"', 1)[0] ?? "";

const from = (first: number, count: number): number[] =>
  Array.from({ length: Math.min(count, mostRepeated) }, (_, at) => first + at);

/** What a sheet of an XLSX file hides, by its XML. */
export function hiddenInXlsx(xml: string): Hidden {
  const isHidden = (tag: string): boolean => /\shidden="(?:1|true)"/.test(tag);
  const rows = [...xml.matchAll(/<row\b[^<>]*>/g)].flatMap(({ 0: tag, index }) => {
    if (!isHidden(tag)) return [];
    const next = xml.indexOf("<row", index + tag.length);
    const content = xml.slice(index, next === -1 ? undefined : next);
    return /<(?:v|is|t)[\s>]/.test(content) ? [Number(attribute(tag, " r"))] : [];
  });
  const columns = [...xml.slice(0, xml.indexOf("<sheetData")).matchAll(/<col\b[^<>]*>/g)].flatMap(
    ({ 0: tag }) => {
      const [first, last] = [Number(attribute(tag, " min")), Number(attribute(tag, " max"))];
      return isHidden(tag) ? from(first, last - first + 1) : [];
    },
  );
  return { rows, columns };
}

const hiddenMark = /table:visibility="(?:filter|collapse)"/;

/** What a sheet of an ODS file hides or filters, by its tags for rows and columns with what follows each. */
function hiddenIn(parts: readonly string[]): Hidden {
  const [rows, columns]: [number[], number[]] = [[], []];
  let [row, column] = [1, 1];
  for (const part of parts) {
    const tag = part.slice(0, part.indexOf(">"));
    const isRow = tag.startsWith("<table:table-row");
    const count = Number(attribute(tag, `table:number-${isRow ? "rows" : "columns"}-repeated`) || 1);
    const isHidden = hiddenMark.test(tag);
    if (isRow && isHidden && part.includes("<text:p")) rows.push(...from(row, count));
    if (!isRow && isHidden) columns.push(...from(column, count));
    if (isRow) row += count;
    else column += count;
  }
  return { rows, columns };
}

/** What each sheet of an ODS file hides or filters, by the XML of its content. */
export function hiddenInOds(xml: string): ReadonlyMap<string, Hidden> {
  if (!hiddenMark.test(xml)) return new Map();
  const sheets = xml.split(/(?=<table:table[\s>])/).slice(1);
  return new Map(
    sheets.map((sheet) => {
      const [head = "", ...parts] = sheet.split(/(?=<table:table-(?:row|column)[\s/>])/);
      return [attribute(head, "table:name"), hiddenIn(parts)];
    }),
  );
}

/** Ascending numbers as stretches: `3, 5–7`. */
function stretches(numbers: readonly number[], name: (number: number) => string): string {
  const starts = numbers.filter((number, at) => numbers[at - 1] !== number - 1);
  const ends = numbers.filter((number, at) => numbers[at + 1] !== number + 1);
  const written = starts.map((first, at) => {
    const last = ends[at] ?? first;
    return last === first ? name(first) : `${name(first)}–${name(last)}`;
  });
  return listed(written, 10);
}

/** The warnings for what a sheet hides; it is read all the same. */
export function hiddenWarnings(name: string, { rows, columns }: Hidden): readonly string[] {
  const warning = (what: string, places: readonly number[], called: (number: number) => string) =>
    places.length === 0
      ? []
      : [`sheet '${name}': hidden ${what} were also read: ${stretches(places, called)}`];
  return [
    ...warning("rows", rows, String),
    ...warning("columns", columns, (column) => columnLetters(column - 1)),
  ];
}
