import { counted } from "../../../core/counted.ts";
import { unitsNamed } from "../../../language/units.ts";
import { type Cell, type Column, numeric, type Rows } from "../source.ts";
import type { Condition } from "./conditions.ts";
import type { Template } from "./templates.ts";

/** Rows shown in a finding's text; all of them are in its data. */
const shownRows = 30;

/** Rows that a figure rests on are shown where there are no more than these. */
export const fewRows = 10;

/** A cell as it is told: of a fraction 12 digits, as a calculator shows it, so that 0.1 + 0.2 is 0.3. */
const cellText = (cell: Cell): string =>
  cell === null
    ? ""
    : String(typeof cell === "number" && !Number.isInteger(cell) ? Number(cell.toPrecision(12)) : cell);

/** What a result leaves out, each in its words. */
const notesOf = ({ rows, omitted, omittedIsExact, cellsCut }: Rows): readonly string[] => [
  ...(rows.length > shownRows ? [`${rows.length - shownRows} more rows are in the result`] : []),
  ...(omitted > 0
    ? [`${omittedIsExact ? "" : "at least "}${omitted} further rows were left out by the row limit`]
    : []),
  ...(cellsCut > 0 ? [`${cellsCut} long cells were cut`] : []),
];

const noted = (text: string, rows: Rows): string =>
  notesOf(rows).length === 0 ? text : `${text}\n(${notesOf(rows).join("; ")})`;

const figures: Readonly<Record<string, string>> = {
  count: "number",
  sum: "sum",
  total: "sum",
  avg: "average",
  min: "lowest",
  max: "highest",
};

/** A column of a result as people call it: `number of rows` for `COUNT(*)`. */
function calledOf(column: string): string {
  const [, name = "", of = ""] = /^(\w+)\((.*)\)$/.exec(column) ?? [];
  const figure = figures[name.toLowerCase()];
  return figure === undefined ? column : `${figure} of ${of === "*" ? "rows" : of.replaceAll('"', "")}`;
}

/** The result of a statement that a model wrote, behind that statement: whoever reads it can check what was asked. */
export function resultText(rows: Rows, sql: string): string {
  const columns = rows.columns.map(calledOf);
  const [first, ...others] = rows.rows;
  const body =
    first === undefined
      ? "No row matches."
      : others.length === 0
        ? columns.map((column, index) => `${column}: ${cellText(first[index] ?? null)}`).join("\n")
        : lines([columns, ...rows.rows.slice(0, shownRows).map((row) => row.map(cellText))]);
  return noted(`Result of ${sql}:\n${body}`, rows);
}

const lines = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.join(" | ")).join("\n");

/** The name of a column and the unit of its numbers, which its heading may say: `Price EUR`, `Pressure (PSI)`. */
function readTitle({ title, unit, type }: Column): { readonly name: string; readonly unit: string } {
  const words = title.split(/\s+/).filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  const said = last.replace(/^[([](.*)[)\]]$/, "$1");
  const isUnit = words.length > 1 && numeric({ type }) && (said === unit || unitsNamed(said).size > 0);
  return isUnit && (unit === "" || said === unit)
    ? { name: words.slice(0, -1).join(" "), unit: said }
    : { name: words.join(" "), unit };
}

const headingOf = (column: Column): string => {
  const { name, unit } = readTitle(column);
  return unit === "" ? name : `${name} (${unit})`;
};

/** A number with its unit: `$900`, `12%`, `300 PSI`. */
function withUnit(number: string, unit: string): string {
  if (unit === "" || number === "") return number;
  if (/^\p{Sc}$/u.test(unit)) return number.replace(/^-?/, (sign) => `${sign}${unit}`);
  return unit === "%" ? `${number}%` : `${number} ${unit}`;
}

/** A value of a column as it stands there, with its unit. */
const valueText = (cell: Cell, column: Column): string => withUnit(cellText(cell), readTitle(column).unit);

/** A number that was computed, in groups of three digits; an average of decimals that mean something. */
function computedText(cell: Cell, { wanted, columns }: Template): string {
  const [column] = columns;
  const unit = column === undefined ? "" : readTitle(column).unit;
  if (typeof cell !== "number") return withUnit(cellText(cell), unit);
  const value = Number(cell.toPrecision(12));
  const isMoney = /^\p{Sc}$/u.test(unit) && !Number.isInteger(value) && Math.abs(value) >= 1;
  const digits =
    wanted === "avg" && Math.abs(value) < 1
      ? { maximumSignificantDigits: 3 }
      : { maximumFractionDigits: wanted === "avg" ? 2 : 12, minimumFractionDigits: isMoney ? 2 : 0 };
  return withUnit(value.toLocaleString("en-US", digits), unit);
}

const signs: Readonly<Record<string, string>> = {
  "=": "is",
  ">": "is over",
  ">=": "is at least",
  "<": "is under",
  "<=": "is at most",
};

function conditionText({ column, sign, value }: Condition): string {
  const { name, unit } = readTitle(column);
  const other =
    typeof value === "string" ? (sign === "=" ? value : withUnit(value, unit)) : readTitle(value).name;
  return `${name} ${signs[sign] ?? sign} ${other}`;
}

/** What the rows are picked from and by: `Pumps where Status is running`. */
function rowsOf({ table, conditions }: Template): string {
  const name = table.title.split(" › ").at(-1) ?? table.title;
  return conditions.length === 0 ? name : `${name} where ${conditions.map(conditionText).join(" and ")}`;
}

/** The rows that a figure rests on; "" where they are many. */
function basisText(basis: Rows | null, columns: readonly Column[]): string {
  if (basis === null || basis.rows.length === 0 || basis.rows.length + basis.omitted > fewRows) return "";
  const cells = basis.rows.map((row) => row.map(cellText));
  const headings = basis.columns.map((called) => {
    const column = columns.find(({ name }) => name === called);
    return column === undefined ? called : headingOf(column);
  });
  return headings.length === 1
    ? `\n${headings[0]}: ${cells.flat().join("; ")}`
    : `\n${lines([headings, ...cells])}`;
}

/** Rows that are the result themselves: one in a line, several values in a line, else a table. */
function foundText(template: Template, rows: Rows): string {
  const { wanted, columns } = template;
  const last = columns.at(-1);
  const isExtreme = (wanted === "max" || wanted === "min") && last !== undefined;
  const [first = [], ...others] = rows.rows;
  const each = (row: readonly Cell[], named: boolean): string =>
    columns
      .map((column, at) => {
        const value = valueText(row[at] ?? null, column);
        return named ? `${readTitle(column).name} ${value}` : value;
      })
      .join(", ");
  const isOne = others.length === 0;
  const names = columns.map((column) => readTitle(column).name).join(", ");
  const isNamed = isExtreme || (isOne && columns.length > 1);
  const what = isExtreme
    ? `${isOne ? "Row" : "Rows"} with the ${figures[wanted]} ${readTitle(last).name} in ${rowsOf(template)}`
    : `${isNamed ? "Row" : names} of ${rowsOf(template)}`;
  if (isOne) return `${what}: ${each(first, isNamed)}`;
  const shown = rows.rows.slice(0, shownRows);
  const title = `${what} (${rows.rows.length + rows.omitted} found):`;
  if (columns.length === 1) return `${title} ${shown.map((row) => each(row, false)).join("; ")}`;
  return `${title}\n${lines([columns.map(headingOf), ...shown.map((row) => row.map(cellText))])}`;
}

/** One figure, by name, with the number of rows that are added up: `Sum of Price in Pumps (3 rows): $30`. */
function figureText(template: Template, cell: Cell, basis: Rows | null): string {
  const { wanted, columns } = template;
  const [column] = columns;
  if (column === undefined) return `Number of rows of ${rowsOf(template)}: ${computedText(cell, template)}`;
  const what = `${readTitle(column).name} in ${rowsOf(template)}`;
  if (wanted === "max" || wanted === "min")
    return `${wanted === "max" ? "Highest" : "Lowest"} ${what}: ${valueText(cell, column)}`;
  const over = basis?.omittedIsExact ? ` (${counted(basis.rows.length + basis.omitted, "row")})` : "";
  return `${wanted === "sum" ? "Sum of" : "Average"} ${what}${over}: ${computedText(cell, template)}`;
}

/** The result of a template in words, with the rows it rests on where they are few. */
export function tellResult(template: Template, rows: Rows, basis: Rows | null): string {
  const [first] = rows.rows;
  if (first === undefined) return `No row matches: ${rowsOf(template)}`;
  if (template.wanted === "rows" || template.columns.length > 1)
    return noted(foundText(template, rows), rows);
  return `${figureText(template, first[0] ?? null, basis)}${basisText(basis, template.table.columns)}`;
}
