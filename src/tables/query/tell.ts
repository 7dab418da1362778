import { rowsAsText } from "../../core/documents/table-text.ts";
import { notesFor, notesIn } from "../../language/notes/notes.ts";
import type { Notes } from "../../language/schema/notes.ts";
import { unitsInLabel } from "../../language/units.ts";
import { type Cell, type Column, fewRows, isNumeric, type Rows } from "../schema.ts";
import { alternativesOf, type Condition, type TableQuery } from "./query.ts";

/** Rows shown in a finding's text; its data has all of them. */
const shownRows = 30;

/** Message texts for a result. */
type Told = Notes["sheets"];

/** A cell as shown: fractions have 12 digits, so that 0.1 + 0.2 is 0.3. */
function cellText(cell: Cell, { locale }: Told): string {
  if (typeof cell !== "number") return String(cell ?? "");
  const value = Number.isInteger(cell) ? cell : Number(cell.toPrecision(12));
  return locale.startsWith("en")
    ? String(value)
    : value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 20 });
}

/** Notes on what a result omits. */
const notesOf = (
  { rows, omitted, omittedIsExact, cellsCut }: Rows,
  { moreRows, leftOut, cut }: Told,
): readonly string[] => [
  ...(rows.length > shownRows ? [moreRows(rows.length - shownRows)] : []),
  ...(omitted > 0 ? [leftOut(omitted, omittedIsExact)] : []),
  ...(cellsCut > 0 ? [cut(cellsCut)] : []),
];

function noted(text: string, rows: Rows, told: Told): string {
  const notes = notesOf(rows, told);
  return notes.length === 0 ? text : `${text}\n(${notes.join("; ")})`;
}

/** SQL functions and the message names of their results. */
const figures: Readonly<Record<string, keyof Told["called"]>> = {
  count: "count",
  sum: "sum",
  total: "sum",
  avg: "average",
  min: "lowest",
  max: "highest",
};

/** Display name of a result column: `number of rows` for `COUNT(*)`. */
function calledOf(column: string, { called, allRows }: Told): string {
  const [, name = "", of = ""] = /^(\w+)\((.*)\)$/.exec(column) ?? [];
  const figure = figures[name.toLowerCase()];
  return figure === undefined ? column : called[figure](of === "*" ? allRows : of.replaceAll('"', ""));
}

/** The result of a model's statement, after the statement itself, so that the user can check it. */
export function resultText(question: string, rows: Rows, sql: string): string {
  const told = notesFor(question).sheets;
  const columns = rows.columns.map((column) => calledOf(column, told));
  const [first, ...others] = rows.rows;
  const body =
    first === undefined
      ? told.empty
      : others.length === 0
        ? columns
            .map((column, index) => `${column}${told.colon} ${cellText(first[index] ?? null, told)}`)
            .join("\n")
        : rowsAsText([
            columns,
            ...rows.rows.slice(0, shownRows).map((row) => row.map((cell) => cellText(cell, told))),
          ]);
  return noted(`${told.resultOf(sql)}${told.colon}\n${body}`, rows, told);
}

/**
 * The name of a column and the unit of its numbers, which may be in the heading: `Price EUR`, `Pressure
 * (PSI)`.
 */
function readTitle({ title, unit, type }: Column): { readonly name: string; readonly unit: string } {
  const words = title.split(/\s+/).filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  const said = last.replace(/^[([](.*)[)\]]$/, "$1");
  const isUnit = words.length > 1 && isNumeric({ type }) && (said === unit || unitsInLabel(said).size > 0);
  return isUnit && (unit === "" || said === unit)
    ? { name: words.slice(0, -1).join(" "), unit: said }
    : { name: words.join(" "), unit };
}

const headingOf = (column: Column): string => {
  const { name, unit } = readTitle(column);
  return unit === "" ? name : `${name} (${unit})`;
};

/** A number with its unit: `$900`, `12%`, `300 PSI`. */
function withUnit(number: string, unit: string, { amount }: Told): string {
  if (unit === "" || number === "") return number;
  const kind = /^\p{Sc}$/u.test(unit) ? "currency" : unit === "%" ? "percent" : "other";
  const sign = number.startsWith("-") ? "-" : "";
  return amount(sign, number.slice(sign.length), unit, kind);
}

/** A column's value with its unit. */
const valueText = (cell: Cell, column: Column, told: Told): string =>
  withUnit(cellText(cell, told), readTitle(column).unit, told);

/** A computed number, with grouped thousands; averages are rounded to meaningful decimals. */
function computedText(cell: Cell, { wanted, columns }: TableQuery, told: Told): string {
  const [column] = columns;
  const unit = column === undefined ? "" : readTitle(column).unit;
  if (typeof cell !== "number") return withUnit(cellText(cell, told), unit, told);
  const value = Number(cell.toPrecision(12));
  const isMoney = /^\p{Sc}$/u.test(unit) && !Number.isInteger(value) && Math.abs(value) >= 1;
  const digits =
    wanted === "avg" && Math.abs(value) < 1
      ? { maximumSignificantDigits: 3 }
      : { maximumFractionDigits: wanted === "avg" ? 2 : 12, minimumFractionDigits: isMoney ? 2 : 0 };
  return withUnit(value.toLocaleString(told.locale, digits), unit, told);
}

function conditionText(all: readonly [Condition, ...Condition[]], told: Told): string {
  const [{ column, sign }] = all;
  const { name, unit } = readTitle(column);
  const isNumber = sign !== "=" && isNumeric(column);
  const amounts = all.map(({ value }) => {
    if (typeof value !== "string") return readTitle(value).name;
    return isNumber ? withUnit(cellText(Number(value), told), unit, told) : value;
  });
  return told.conditions[sign](name, amounts.join(", "));
}

/** The table and its conditions in words: `Pumps where Status is running`. */
function rowsOf({ table, conditions, language }: TableQuery, told: Told): string {
  const name = table.title.split(" › ").at(-1) ?? table.title;
  const { and } = notesIn(language);
  return conditions.length === 0
    ? name
    : told.where(
        name,
        alternativesOf(conditions)
          .map((each) => conditionText(each, told))
          .join(` ${and} `),
      );
}

/** The rows behind a figure; "" if there are many. */
function basisText(basis: Rows | null, columns: readonly Column[], told: Told): string {
  if (basis === null || basis.rows.length === 0 || basis.rows.length + basis.omitted > fewRows) return "";
  const cells = basis.rows.map((row) => row.map((cell) => cellText(cell, told)));
  const headings = basis.columns.map((called) => {
    const column = columns.find(({ name }) => name === called);
    return column === undefined ? called : headingOf(column);
  });
  return headings.length === 1
    ? `\n${headings[0]}${told.colon} ${cells.flat().join("; ")}`
    : `\n${rowsAsText([headings, ...cells])}`;
}

/** Two values and their difference, also in percent if both are positive. */
function changeText(query: TableQuery, rows: Rows, told: Told): string {
  const [column] = query.columns.slice(-1);
  const [one, other] = rows.rows.map((row) => row.at(-1));
  const text = foundText(query, rows, told);
  if (column === undefined || rows.rows.length !== 2 || typeof one !== "number" || typeof other !== "number")
    return text;
  const apart = computedText(other - one, { ...query, wanted: "sum", columns: [column] }, told);
  const percent =
    one > 0 && other > 0
      ? ` (${computedText(Number((((other - one) / one) * 100).toFixed(1)), { ...query, wanted: "sum", columns: [] }, told)}%)`
      : "";
  return `${text}\n${told.difference}${told.colon} ${apart}${percent}`;
}

/**
 * Rows that are the result themselves: a single row, or the values of a single column, on one line, otherwise
 * a table.
 */
function foundText(query: TableQuery, rows: Rows, told: Told): string {
  const { wanted, columns } = query;
  const last = columns.at(-1);
  const isExtreme = (wanted === "max" || wanted === "min") && last !== undefined;
  const [first = [], ...others] = rows.rows;
  const each = (row: readonly Cell[], named: boolean): string =>
    columns
      .map((column, at) => {
        const value = valueText(row[at] ?? null, column, told);
        return named ? `${readTitle(column).name} ${value}` : value;
      })
      .join(", ");
  const isOne = others.length === 0;
  const names = columns.map((column) => readTitle(column).name).join(", ");
  const isNamed = isExtreme || (isOne && columns.length > 1);
  const of = rowsOf(query, told);
  const extreme = wanted === "max" ? told.rowHighest : told.rowLowest;
  const what = isExtreme
    ? extreme(readTitle(last).name, of, isOne)
    : isNamed
      ? told.row(of)
      : told.columns(names, of);
  if (isOne) return `${what}${told.colon} ${each(first, isNamed)}`;
  const shown = rows.rows.slice(0, shownRows);
  const title = `${what} (${told.found(rows.rows.length + rows.omitted)})${told.colon}`;
  if (columns.length === 1) return `${title} ${shown.map((row) => each(row, false)).join("; ")}`;
  return `${title}\n${rowsAsText([columns.map(headingOf), ...shown.map((row) => row.map((cell) => cellText(cell, told)))])}`;
}

/** A figure with its name and the number of rows it covers: `Sum of Price in Pumps (3 rows): $30`. */
function figureText(query: TableQuery, cell: Cell, basis: Rows | null, told: Told): string {
  const { wanted, columns } = query;
  const [column] = columns;
  const of = rowsOf(query, told);
  if (column === undefined) return `${told.count(of)}${told.colon} ${computedText(cell, query, told)}`;
  const { name } = readTitle(column);
  if (wanted === "max" || wanted === "min") {
    const what = wanted === "max" ? told.highest(name, of) : told.lowest(name, of);
    return `${what}${told.colon} ${valueText(cell, column, told)}`;
  }
  const what = wanted === "sum" ? told.sum(name, of) : told.average(name, of);
  const over = basis?.omittedIsExact ? told.ofRows(basis.rows.length + basis.omitted) : "";
  return `${what}${over}${told.colon} ${computedText(cell, query, told)}`;
}

/** The result of a query in words, with the rows behind it if they are few. */
export function describeResult(query: TableQuery, rows: Rows, basis: Rows | null): string {
  const told = notesIn(query.language).sheets;
  const [first] = rows.rows;
  if (first === undefined) return told.none(rowsOf(query, told));
  if (query.wanted === "change") return noted(changeText(query, rows, told), rows, told);
  if (query.wanted === "rows" || query.columns.length > 1)
    return noted(foundText(query, rows, told), rows, told);
  return `${figureText(query, first[0] ?? null, basis, told)}${basisText(basis, query.table.columns, told)}`;
}
