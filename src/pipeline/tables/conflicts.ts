import type { Chunk } from "../../core/documents/chunk.ts";
import { plainWords } from "../../language/words.ts";
import { amountOf, type CellAmount } from "./amounts.ts";
import type { PeriodColumn } from "./periods.ts";
import { readTables, type TableRow, type TextTable } from "./read.ts";

/** A table's value for a row and a period. */
export interface PeriodValue {
  /** Row and period, as they are compared. */
  readonly key: string;
  readonly row: string;
  readonly period: string;
  readonly cell: string;
  readonly amount: CellAmount;
  readonly quote: string;
  readonly place: Pick<Chunk, "documentId" | "id" | "pages">;
}

/** Figures of one table by row and period; null if the table has two values for them. */
export type FigureTable = ReadonlyMap<string, PeriodValue | null>;

/** A figure for which two tables of different documents disagree. */
export interface ValueConflict {
  readonly one: PeriodValue;
  readonly other: PeriodValue;
  /** Number of figures on which the two tables agree. */
  readonly agreeing: number;
}

/** Equal figures from which two tables are the same, provided most shared figures are equal. */
const leastAgreeing = 3;
/** Digits from which two tables hardly share a figure by chance. */
const tellingDigits = 3;
/**
 * Most tables with the same figure; more than that, as with copies of a form, says nothing about any two of
 * them.
 */
const mostSharing = 20;

const keyOf = ({ label }: TableRow, { year, months, end }: PeriodColumn): string =>
  [plainWords(label).join(" "), year, months, end].join("\n");

const periodOf = ({ year, months, day }: PeriodColumn): string => {
  if (day === "" && (months === 0 || months === 12)) return String(year);
  return months === 0 ? day : `${months} months to ${day || year}`;
};

/** Figures of a document's tables with period columns. */
export const figureTables = (chunks: readonly Chunk[]): readonly FigureTable[] =>
  readTables(chunks)
    .map(figuresOf)
    .filter(({ size }) => size >= leastAgreeing);

function figuresOf({ rows, periods }: TextTable): FigureTable {
  const figures = new Map<string, PeriodValue | null>();
  for (const row of rows)
    for (const figure of row.label === "" ? [] : rowFigures(row, periods)) {
      const known = figures.get(figure.key);
      const isSecond = known === null || (known !== undefined && known.amount.value !== figure.amount.value);
      figures.set(figure.key, isSecond ? null : figure);
    }
  return figures;
}

function rowFigures(row: TableRow, periods: readonly PeriodColumn[]): readonly PeriodValue[] {
  const { documentId, id, pages } = row.chunk;
  const own = periods.flatMap((column) => {
    const cell = row.cells[column.at] ?? "";
    const amount = amountOf(cell);
    return amount === undefined ? [] : [{ key: keyOf(row, column), period: periodOf(column), cell, amount }];
  });
  if (own.length === 0) return [];
  const rest = {
    row: copied(withoutLeader(row.label)),
    quote: copied(row.text),
    place: { documentId, id, pages },
  };
  return own.map((figure) => ({ ...figure, ...rest, cell: copied(figure.cell) }));
}

/** A label without the dots that lead to its figures. */
const withoutLeader = (label: string): string => (label.split("...")[0] ?? "").trim();

/** A part of a string keeps the whole of it in memory, here the text of a chunk; a copy does not. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Whether two amounts are equal except for rounding or sign, which varies between tables. */
function areOne(one: CellAmount, other: CellAmount): boolean {
  const digits = Math.min(one.digits, other.digits);
  return Math.abs(Math.abs(one.value) - Math.abs(other.value)) <= 0.5 * 10 ** -digits;
}

/** Whether both are shares or both amounts. */
const areAlike = (one: PeriodValue, other: PeriodValue): boolean =>
  (one.amount.unit === "%") === (other.amount.unit === "%");

const isTelling = ({ value }: CellAmount): boolean =>
  (value.toExponential().split("e")[0] ?? "").replace(/\D/g, "").length >= tellingDigits;

/**
 * Figures on which tables of different documents disagree although the tables are otherwise the same: they
 * have more equal figures than different ones. `documents`: the tables of each.
 */
export function differences(documents: readonly (readonly FigureTable[])[]): readonly ValueConflict[] {
  const tables = documents.flatMap((own, document) => own.map((figures) => ({ document, figures })));
  return [...sharedFigures(tables)].flatMap(([pair, agreeing]) => {
    if (agreeing < leastAgreeing) return [];
    const [one, other] = [tables[Math.floor(pair / tables.length)], tables[pair % tables.length]];
    if (one === undefined || other === undefined) return [];
    const found = differing(one.figures, other.figures, agreeing);
    return found.length < agreeing ? found : [];
  });
}

interface OwnedTable {
  readonly document: number;
  readonly figures: FigureTable;
}

/**
 * Number of distinctive figures that two tables of different documents share, keyed by first × tables +
 * second.
 */
function sharedFigures(tables: readonly OwnedTable[]): ReadonlyMap<number, number> {
  const shared = new Map<number, number>();
  for (const all of tablesHaving(tables))
    for (const [first, second] of pairsOf(all)) {
      if (tables[first]?.document === tables[second]?.document) continue;
      const pair = first * tables.length + second;
      shared.set(pair, (shared.get(pair) ?? 0) + 1);
    }
  return shared;
}

/** For each distinctive figure that not too many tables have, those tables. */
function tablesHaving(tables: readonly OwnedTable[]): readonly (readonly number[])[] {
  const having = new Map<string, number[]>();
  for (const [at, { figures }] of tables.entries())
    for (const [key, figure] of figures) {
      if (figure === null || !isTelling(figure.amount)) continue;
      const value = `${key}\n${figure.amount.value}`;
      const known = having.get(value);
      if (known === undefined) having.set(value, [at]);
      else known.push(at);
    }
  return [...having.values()].filter(({ length }) => length <= mostSharing);
}

const pairsOf = (all: readonly number[]): readonly (readonly [number, number])[] =>
  all.flatMap((first, at) => all.slice(at + 1).map((second) => [first, second] as const));

const differing = (one: FigureTable, other: FigureTable, agreeing: number): readonly ValueConflict[] =>
  [...one].flatMap(([key, figure]) => {
    const found = other.get(key);
    if (!figure || !found || areOne(figure.amount, found.amount) || !areAlike(figure, found)) return [];
    return [{ one: figure, other: found, agreeing }];
  });
