import type { Chunk } from "../../core/documents/chunk.ts";
import { type Amount, amountOf } from "./amounts.ts";
import type { PeriodColumn } from "./periods.ts";
import { readTables, type Table, type TableRow } from "./read.ts";

/** What a table says of a row and a period. */
export interface Figure {
  readonly row: string;
  readonly period: string;
  readonly cell: string;
  readonly amount: Amount;
  readonly quote: string;
  readonly chunk: Chunk;
}

/** The figures of one table by row and period; null where the table has two values for them. */
export type FigureTable = ReadonlyMap<string, Figure | null>;

/** A figure that two tables of different documents give differently. */
export interface Difference {
  readonly key: string;
  readonly one: Figure;
  readonly other: Figure;
  /** Figures that the two tables share. */
  readonly agreeing: number;
}

/** Equal figures that make two tables the same one, if most figures that both have are equal. */
const leastAgreeing = 3;
/** Digits of a figure that two tables hardly share by chance. */
const tellingDigits = 3;
/** Tables with the same figure; what more of them have, as copies of a form do, says nothing of any two. */
const mostSharing = 20;

const keyOf = ({ label }: TableRow, { year, months, end }: PeriodColumn): string =>
  [
    label
      .toLowerCase()
      .replace(/[^\p{L}\p{N}%]+/gu, " ")
      .trim(),
    year,
    months,
    end,
  ].join("\n");

const periodOf = ({ year, months, day }: PeriodColumn): string => {
  if (day === "" && (months === 0 || months === 12)) return String(year);
  return months === 0 ? day : `${months} months to ${day || year}`;
};

/** The figures of a document's tables whose columns are periods. */
export const figureTables = (chunks: readonly Chunk[]): readonly FigureTable[] =>
  readTables(chunks)
    .map(figuresOf)
    .filter(({ size }) => size >= leastAgreeing);

function figuresOf({ rows, periods }: Table): FigureTable {
  const figures = new Map<string, Figure | null>();
  for (const row of rows)
    for (const column of row.label === "" ? [] : periods) {
      const cell = row.cells[column.at] ?? "";
      const amount = amountOf(cell);
      if (amount === undefined) continue;
      const key = keyOf(row, column);
      const known = figures.get(key);
      const isSecond = known === null || (known !== undefined && known.amount.value !== amount.value);
      const figure = {
        row: row.label.replace(/[\s.]+$/, ""),
        period: periodOf(column),
        cell,
        amount,
        quote: row.text,
        chunk: row.chunk,
      };
      figures.set(key, isSecond ? null : figure);
    }
  return figures;
}

/** Whether two amounts are one: but for their sign, which tables choose, or for rounding. */
function areOne(one: Amount, other: Amount): boolean {
  const digits = Math.min(one.digits, other.digits);
  return Math.abs(Math.abs(one.value) - Math.abs(other.value)) <= 0.5 * 10 ** -digits;
}

const isTelling = ({ value }: Amount): boolean =>
  String(Math.abs(value))
    .replace(".", "")
    .replace(/^0+|0+$/g, "").length >= tellingDigits;

/**
 * Figures that differ between tables of different documents which are the same table otherwise: they share figures,
 * and more of them than they differ in. `documents`: the tables of each.
 */
export function differences(documents: readonly (readonly FigureTable[])[]): readonly Difference[] {
  const tables = documents.flatMap((own, document) => own.map((figures) => ({ document, figures })));
  return [...sharedFigures(tables)].flatMap(([pair, agreeing]) => {
    if (agreeing < leastAgreeing) return [];
    const [one, other] = [tables[Math.floor(pair / tables.length)], tables[pair % tables.length]];
    if (one === undefined || other === undefined) return [];
    const found = differing(one.figures, other.figures, agreeing);
    return found.length < agreeing ? found : [];
  });
}

/** A table, and which document it is of. */
interface OwnedTable {
  readonly document: number;
  readonly figures: FigureTable;
}

/** Two tables of different documents, as first × tables + second → telling figures that both have. */
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

/** The tables of each telling figure that more than one has, and not many. */
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

const differing = (one: FigureTable, other: FigureTable, agreeing: number): readonly Difference[] =>
  [...one].flatMap(([key, figure]) => {
    const found = other.get(key);
    if (!figure || !found || areOne(figure.amount, found.amount)) return [];
    return [{ key, one: figure, other: found, agreeing }];
  });
