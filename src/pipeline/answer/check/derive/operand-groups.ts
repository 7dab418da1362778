import { contentTerms, isNumber, words } from "../../../../language/terms.ts";
import { comparePeriods, type Period } from "../../../../language/time/periods.ts";
import { termsOfUnit } from "../../../../language/units.ts";
import type { Question } from "../../question.ts";
import type { CheckedPassage } from "../evidence.ts";
import { type FigurePlace, figuresIn, type StatedFigure } from "../figures.ts";

/** Words and periods of question and statement, which select rows, columns and clauses. */
interface Topic {
  readonly terms: ReadonlySet<string>;
  readonly periods: readonly Period[];
}

type Placed = StatedFigure & { readonly cell: FigurePlace };
type Group = readonly StatedFigure[];

/** How many terms of a label are in the topic, and whether all are. */
function naming(label: string, { terms }: Topic): { readonly count: number; readonly isWhole: boolean } {
  const own = contentTerms(label);
  const count = own.filter((term) => terms.has(term)).length;
  return { count, isWhole: own.length > 0 && count === own.length };
}

/** Groups whose label is entirely in the topic, and those that share most terms with it. */
function named(
  groups: readonly Group[],
  label: (cell: FigurePlace) => string,
  topic: Topic,
): readonly Group[] {
  const read = groups.map((group) => {
    const cell = group[0]?.cell;
    return { group, ...naming(cell === null || cell === undefined ? "" : label(cell), topic) };
  });
  const most = Math.max(1, ...read.map(({ count }) => count));
  return read.filter(({ count, isWhole }) => isWhole || count === most).map(({ group }) => group);
}

const isOfPeriod = (figure: StatedFigure, { periods }: Topic): boolean =>
  figure.periods.some((own) => periods.some((other) => comparePeriods(own, other) !== "different"));

/**
 * Cells of a matching row, and cells of a column in matching or aggregate rows. Columns are those of the periods, otherwise
 * those whose header matches. If only one column matches, its neighbours are included for rows, because a change in a year is
 * relative to the year before.
 */
function groupsOfTable(cells: readonly Placed[], topic: Topic): readonly Group[] {
  const by = (place: "row" | "column"): readonly (readonly Placed[])[] => [
    ...Map.groupBy(cells, ({ cell }) => cell[place]).values(),
  ];
  const [rows, columns] = [by("row"), by("column")];
  const ownRows = named(rows, ({ label }) => label, topic);
  if (ownRows.length === 0) return [];
  const inTime = columns.filter((column) => column.some((figure) => isOfPeriod(figure, topic)));
  const headed = named(columns, ({ head }) => head, topic);
  const telling = inTime.length > 0 && inTime.length < columns.length ? inTime : headed;
  const at = new Set(telling.flatMap((column) => column[0]?.cell?.column ?? []));
  const isBeside = (column: Group): boolean =>
    at.size === 1 && [-1, 1].some((step) => at.has((column[0]?.cell?.column ?? Number.NaN) + step));
  const ownColumns = telling.length === 0 ? columns : telling;
  const inColumns = new Set([...ownColumns, ...columns.filter(isBeside)].flat());
  const inRows = new Set(ownRows.flat());
  return [
    ...ownRows.map((row) => row.filter((figure) => inColumns.has(figure))),
    ...ownColumns.map((column) => column.filter((one) => inRows.has(one) || one.isAggregate)),
  ];
}

/** Numbers in running text with the same unit in clauses on the topic. */
function groupsOfText(figures: readonly StatedFigure[], { terms }: Topic): readonly Group[] {
  const isSpoken = ({ words: own, quantity }: StatedFigure): boolean => {
    const ofUnit = termsOfUnit(quantity.unit);
    return [...own].some((term) => terms.has(term) && !isNumber(term) && !ofUnit.has(term));
  };
  return [...Map.groupBy(figures.filter(isSpoken), ({ quantity }) => quantity.unit).values()];
}

/** Groups of numbers in the cited passages from which a number of a statement may be worked out. */
export function groupsFor(
  statement: string,
  cited: readonly CheckedPassage[],
  asked: Question,
): readonly Group[] {
  const topic: Topic = {
    terms: new Set([...words(statement), ...asked.alternatives.flat(), ...asked.words]),
    periods: [...figuresIn(statement).flatMap(({ periods }) => periods), ...asked.periods],
  };
  const tables = cited.flatMap(({ figures }) => [
    ...Map.groupBy(
      figures().filter((figure): figure is Placed => figure.cell !== null),
      ({ table }) => table,
    ).values(),
  ]);
  const spoken = cited.flatMap(({ figures }) => figures().filter(({ cell }) => cell === null));
  return [...tables.flatMap((cells) => groupsOfTable(cells, topic)), ...groupsOfText(spoken, topic)];
}
