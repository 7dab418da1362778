import { isYear, yearsIn } from "../../language/terms.ts";
import { type Amount, amountOf } from "./amounts.ts";
import { type CellRequest, orderWords } from "./asked.ts";
import { type CellAnswer, cellText, isEmpty, labelOf, linesOf, restBeside, scaleOf } from "./cells.ts";
import { comparedText } from "./compared.ts";
import { type Column, minus, type Named, type NamedRow, rowsNamed } from "./find.ts";
import { yearWords } from "./words.ts";

type Tokens = ReadonlySet<string>;
type YearRequest = CellRequest & { readonly form: "extreme" };

/** A cell of a row that is of one year. */
interface YearCell {
  readonly year: string;
  readonly text: string;
  readonly amount: Amount;
}

/** The columns of a table that are each headed by a year; none where two are of one, or differ beside it. */
function yearColumns({ columns }: Named): readonly { readonly year: string; readonly column: Column }[] {
  const headed = columns.flatMap((column) => {
    const [year, ...others] = yearsIn(column.head);
    return year === undefined || others.length > 0 ? [] : [{ year, column }];
  });
  return new Set(headed.map(({ year }) => year)).size === headed.length ? headed : [];
}

/** The amounts of a row by year; null where they cannot be held against each other. */
function yearCells(of: Named, row: NamedRow, tokens: Tokens): readonly YearCell[] | null {
  const asked = [...tokens].filter(isYear);
  const columns = yearColumns(of).filter(({ year }) => asked.length === 0 || asked.includes(year));
  const cells = columns.flatMap(({ year, column }) => {
    const amount = amountOf(cellText(row, column));
    return amount === undefined
      ? []
      : [{ year, text: `${cellText(row, column)}${scaleOf({ of, row, column })}`, amount }];
  });
  const isWhole = cells.length === columns.length && cells.length > 1 && cells.length >= asked.length;
  const units = new Set(cells.map(({ amount }) => amount.unit.replace(/\p{Sc}/u, "")));
  // The largest loss is the least number.
  return isWhole && units.size === 1 && cells.every(({ amount }) => amount.value >= 0) ? cells : null;
}

/** The years in which a row that a question names has the most or the least. */
export function yearAnswer(asked: YearRequest, all: readonly Named[], called: Tokens): CellAnswer | null {
  if (!asked.isYear) return null;
  const told = minus(asked.tokens, orderWords(asked.question), yearWords);
  const answers = all.flatMap((of) =>
    rowsNamed(of, told, asked.question).flatMap((row): CellAnswer[] => {
      const cells = yearCells(of, row, told);
      if (cells === null || (asked.isPair && cells.length > 2)) return [];
      const years = new Set(cells.map(({ year }) => year));
      const rest = restBeside(of, minus(told, years), [row], [], called);
      if (rest === null || cells.some(({ text }) => isEmpty(text))) return [];
      const values = cells.map(({ amount }) => amount.value);
      const edge = asked.order === "most" ? Math.max(...values) : Math.min(...values);
      const chosen = cells.filter(({ amount }) => amount.value === edge).map(({ year }) => year);
      const label = labelOf({ of, row });
      const text = comparedText(
        chosen,
        label,
        cells.map(({ year, text: own }) => `${year} ${own}`),
      );
      return [{ text, lines: linesOf([{ of, row }]), label, isNamed: rest.byName.length > 0 }];
    }),
  );
  return new Set(answers.map(({ text }) => text)).size === 1 ? (answers[0] ?? null) : null;
}
