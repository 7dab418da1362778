import type { RowForm, RowQuery } from "../../tables/query/rows-asked.ts";
import { formatLike, isCountLabel, type NumberCell, numberOf, scaleIn } from "./amounts.ts";
import { type Asked, cellOf, type FoundCell, remainingTerms, type TableAnswer } from "./cells.ts";
import { findRows, type Named, subtract } from "./find.ts";
import { isWholeYear } from "./periods.ts";

/** Share of the question's words that a row's own label must have, in (0, 1]; the rest may be around it. */
const leastLabel = 0.5;

/** A row's value in a year. */
interface YearCell extends NumberCell {
  readonly year: number;
  readonly cell: FoundCell;
}

/** The values of a row that matches the whole question, in the years asked for. */
interface Found {
  readonly cells: readonly YearCell[];
  /** Share of the question's words that the row's own label has. */
  readonly share: number;
  readonly isNamed: boolean;
}

/** The years over which a change, growth or mean is computed. */
const yearsWanted = ({ form, years }: RowQuery): readonly number[] =>
  (form === "change" || form === "growth") && years.length === 1 ? [(years[0] ?? 0) - 1, ...years] : years;

/** The rows of a table that match the name and have a number in each year. */
function rowsIn(of: Named, { tokens, operation, called }: Asked<RowQuery>) {
  const columns = of.table.periods.filter(isWholeYear);
  const years = yearsWanted(operation);
  const around = [of.table.headings, of.table.around, ...of.table.header].join("\n").toLowerCase();
  const isDated = operation.months.every((name) => around.includes(name));
  if (!isDated || new Set(columns.map(({ year }) => year)).size < columns.length) return [];
  return findRows(of, tokens, "").flatMap((row): readonly Found[] => {
    const cells = years.flatMap((year): readonly YearCell[] => {
      const column = of.columns[(columns.find((one) => one.year === year)?.at ?? 0) - 1];
      const cell = column && cellOf(of, row, column);
      const number = cell && numberOf(cell.text);
      return number && cell ? [{ ...number, year, cell }] : [];
    });
    const said = subtract(tokens, ...cells.map(({ cell }) => subtract(cell.column.more, row.own)));
    const rest = remainingTerms(of, { tokens: said, called }, [row], []);
    const share = row.own.size / said.union(row.own).size;
    // `current to total liabilities` does not match the row total current liabilities.
    const isOtherRow = tokens.has("~to") && !row.more.has("~to");
    if (cells.length < years.length || rest === null || rest.isLoose || share < leastLabel || isOtherRow)
      return [];
    return [{ cells, share, isNamed: rest.byName.length > 0 }];
  });
}

/** A number in the notation of the row's values: `$1,234`, `-4.25%`. */
function told(value: number, digits: number, { cells: [first] }: Found): string {
  if (first === undefined) return "";
  const { table } = first.cell.of;
  const { label, group, cells } = first.cell.row.row;
  const isPercent = first.isPercent || /%|\bpercent/i.test(label);
  const scale = scaleIn(group) || scaleIn([table.around, ...table.header].join("\n"));
  const currency = /\p{Sc}/u.exec(cells.slice(1).join(" "))?.[0] ?? "";
  const unit = isPercent ? "%" : `${currency}${isCountLabel(label) ? "" : scale}`;
  return formatLike(value, { value, digits, unit }, digits);
}

/** What follows from a row's values; "" for the values alone, null if undefined. */
function resultOf(form: RowForm, found: Found): string | null {
  const { cells } = found;
  const values = cells.map(({ value }) => value);
  const [first = 0, last = first] = [values[0], values.at(-1)];
  const digits = Math.max(...cells.map((cell) => cell.digits));
  if (form === "value") return "";
  if (values.length < 2) return null;
  if (form === "change" || (form === "growth" && cells.some(({ isPercent }) => isPercent)))
    return `, change: ${told(last - first, digits, found)}`;
  if (form === "mean") {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `, mean: ${told(mean, Number.isInteger(mean) ? digits : Math.max(2, digits), found)}`;
  }
  return first <= 0 ? null : `, growth: ${(((last - first) / first) * 100).toFixed(1)}%`;
}

/**
 * Answers a question from a row over years; null if none matches, the best matches disagree, or a year has no
 * value.
 */
export function rowAnswer(query: Asked<RowQuery>, all: readonly Named[]): TableAnswer | null {
  const found = all.flatMap((of) => rowsIn(of, query));
  const most = Math.max(0, ...found.map(({ share }) => share));
  const [best, ...others] = found.filter(({ share }) => share === most);
  const values = ({ cells }: Found): string => cells.map(({ value }) => value).join();
  const row = best?.cells[0]?.cell.row.row;
  if (!best || !row || others.some((other) => values(other) !== values(best))) return null;
  const result = resultOf(query.operation.form, best);
  if (result === null || new Set(best.cells.map(({ isPercent }) => isPercent)).size > 1) return null;
  const each = best.cells.map(({ year, value, digits }) => `${year}: ${told(value, digits, best)}`);
  const lines = [{ row: row.text, chunk: row.chunk }];
  return {
    text: `${row.label}, ${each.join(", ")}${result}`,
    lines,
    label: row.label,
    isNamed: best.isNamed,
  };
}
