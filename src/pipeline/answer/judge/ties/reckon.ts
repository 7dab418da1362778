import { lazy } from "../../../../core/lazy.ts";
import { type Extremes, extremesIn, saysApart } from "../../../../language/asking/changes.ts";
import { saysAggregate } from "../../../../language/asking/values.ts";
import { contentTerms, isNumber, words } from "../../../../language/terms.ts";
import { comparePeriods, type Period } from "../../../../language/time/periods.ts";
import { termsOfUnit } from "../../../../language/units.ts";
import { type Cell, type Figure, figuresIn } from "../../check/figures.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";
import { type Operation, ofPair, ofSeries, operandOf, pairsOf, type Result, wayTo } from "./operations.ts";
import { shownWork } from "./shown-work.ts";

/** What selects rows, columns and clauses: words and periods of question and statement. */
interface Topic {
  readonly terms: ReadonlySet<string>;
  readonly periods: readonly Period[];
}

type Placed = Figure & { readonly cell: Cell };
type Group = readonly Figure[];

/** How many terms of a label are in the topic, and whether all are. */
function naming(label: string, { terms }: Topic): { readonly count: number; readonly isWhole: boolean } {
  const own = contentTerms(label);
  const count = own.filter((term) => terms.has(term)).length;
  return { count, isWhole: own.length > 0 && count === own.length };
}

/**
 * Groups whose label is entirely in the topic, and those that share most terms with it; empty if none shares
 * any.
 */
function named(groups: readonly Group[], label: (cell: Cell) => string, topic: Topic): readonly Group[] {
  const read = groups.map((group) => {
    const cell = group[0]?.cell;
    return { group, ...naming(cell === null || cell === undefined ? "" : label(cell), topic) };
  });
  const most = Math.max(1, ...read.map(({ count }) => count));
  return read.filter(({ count, isWhole }) => isWhole || count === most).map(({ group }) => group);
}

const isOfPeriod = (figure: Figure, { periods }: Topic): boolean =>
  figure.periods.some((own) => periods.some((other) => comparePeriods(own, other) !== "different"));

/**
 * Groups of a table's cells that a number may be derived from: cells of a matching row, and cells of a column
 * in matching or aggregate rows. Columns are those of the periods, otherwise those whose header matches. If
 * only one column matches, its neighbours are included for rows, because a change in a year is relative to
 * the year before.
 */
function groupsOfTable(cells: readonly Placed[], topic: Topic): readonly Group[] {
  const by = (place: "row" | "column"): readonly (readonly Placed[])[] => [
    ...Map.groupBy(cells, ({ cell }) => cell[place]).values(),
  ];
  const [rows, columns] = [by("row"), by("column")];
  const ownRows = named(rows, ({ label }) => label, topic);
  const inTime = columns.filter((column) => column.some((figure) => isOfPeriod(figure, topic)));
  const headed = named(columns, ({ head }) => head, topic);
  const telling = inTime.length > 0 && inTime.length < columns.length ? inTime : headed;
  const at = new Set(telling.flatMap((column) => column[0]?.cell?.column ?? []));
  const isBeside = (column: Group): boolean =>
    at.size === 1 && [-1, 1].some((step) => at.has((column[0]?.cell?.column ?? Number.NaN) + step));
  const ownColumns = telling.length === 0 ? columns : telling;
  const inColumns = new Set([...ownColumns, ...columns.filter(isBeside)].flat());
  const inRows = new Set(ownRows.flat());
  return ownRows.length === 0
    ? []
    : [
        ...ownRows.map((row) => row.filter((figure) => inColumns.has(figure))),
        ...ownColumns.map((column) => column.filter((one) => inRows.has(one) || one.isAggregate)),
      ];
}

/** Groups of numbers in running text: those with the same unit in clauses on the topic. */
function groupsOfText(figures: readonly Figure[], { terms }: Topic): readonly Group[] {
  const isSpoken = ({ words: own, quantity }: Figure): boolean => {
    const ofUnit = termsOfUnit(quantity.unit);
    return [...own].some((term) => terms.has(term) && !isNumber(term) && !ofUnit.has(term));
  };
  return [...Map.groupBy(figures.filter(isSpoken), ({ quantity }) => quantity.unit).values()];
}

/** Larger groups are not combined in pairs, because some pair would match any number. */
const mostOperands = 8;

function resultsOf(group: Group, operations: readonly Operation[]): readonly Result[] {
  return [0, 1].flatMap((reading) => {
    const operands = group.map((figure) => operandOf(figure, reading));
    const pairs = operands.length > mostOperands ? [] : pairsOf(operands);
    return operations.flatMap((operation) => [
      ...pairs.flatMap(([one, other]) => ofPair(operation, one, other)),
      ...ofSeries(
        operation,
        operands.filter(({ figure }) => !figure.isAggregate),
      ),
    ]);
  });
}

/** Operations that a statement may have used, given its words, the question's and the unit. */
function operationsFor({ quantity: { unit } }: Figure, asked: Question, said: string): readonly Operation[] {
  const isApart = asked.isApart || asked.asksDifference || saysApart(said);
  const isTogether = asked.isTogether || saysAggregate(said);
  const isUntold = !isApart && !isTogether;
  return [
    ...(isApart || isUntold ? (["difference"] as const) : []),
    ...(unit === "%" && isApart ? (["growth"] as const) : []),
    ...(isTogether || isUntold ? (["sum", "mean"] as const) : []),
    unit === "%" ? "share" : "ratio",
  ];
}

/** Operations that compare two numbers. */
const ofChange: ReadonlySet<Operation> = new Set(["difference", "growth"]);

/** Derives nothing. */
export const noReckoner: Reckoner = { derive: () => null, mayBe: () => null, used: () => [] };

/** Extremes that either text mentions. */
const ofEither = (one: Extremes, other: Extremes): Extremes => ({
  most: one.most || other.most,
  least: one.least || other.least,
});

/** Fewest rows in which a value can be an extreme. */
const leastRows = 3;

/** How a number is the extreme of a column, if question or statement asks for one. */
function asExtreme(
  { quantity }: Figure,
  cells: readonly Placed[],
  { most: isMost, least }: Extremes,
): string | null {
  if (isMost === least) return null;
  const columns = Map.groupBy(
    cells.filter(({ isAggregate }) => !isAggregate),
    ({ cell }) => cell.column,
  );
  for (const column of columns.values()) {
    const values = column.map((figure) => operandOf(figure, 0).value);
    const extreme = isMost ? Math.max(...values) : Math.min(...values);
    const isIt = quantity.readings.some((reading) => reading * quantity.scale === extreme);
    if (values.length >= leastRows && isIt) return `${isMost ? "max" : "min"} of ${values.length} rows`;
  }
  return null;
}

/** Derives the numbers of one statement. */
export interface Reckoner {
  /**
   * How a number is derived from those of the passages; null if it cannot be or is ambiguous. One that occurs
   * in the passages with another meaning (`isStanding`) is only accepted as the change, difference or extreme
   * that the words mention.
   */
  derive(number: string, isStanding?: boolean): string | null;
  /**
   * A possible derivation from numbers that the statement shows, even if ambiguous; null if there is none.
   */
  mayBe(number: string): string | null;
  /** The derivations found so far. */
  used(): readonly string[];
}

/**
 * Derives the numbers of a statement by one operation, which its words or unit must allow, from numbers that
 * the statement or its question names, or else from cells of a matching row or column or clauses on the
 * topic. A number is not derived if it has so few digits that some result matches by chance, or if two
 * different pairs give it.
 */
export function reckoner(statement: string, asked: Question, cited: readonly Witness[]): Reckoner {
  const claims = figuresIn(statement);
  const figures = cited.flatMap((witness) => witness.figures);
  const declared = [...cited.flatMap((one) => one.declared), ...figures.flatMap((one) => one.declared)];
  const scales = [...new Set(declared)];
  const said = new Set([...claims.map(({ quantity }) => quantity.text), ...asked.numbers]);
  const topic: Topic = {
    terms: new Set([...words(statement), ...asked.alternatives.flat(), ...asked.words]),
    periods: [...claims.flatMap(({ periods }) => periods), ...asked.periods],
  };
  const tables = cited.flatMap((witness) => [
    ...Map.groupBy(
      witness.figures.filter((figure): figure is Placed => figure.cell !== null),
      ({ table }) => table,
    ).values(),
  ]);
  const spoken = groupsOfText(
    figures.filter(({ cell }) => cell === null),
    topic,
  );
  const tiers: readonly (readonly Group[])[] = [
    [figures.filter(({ quantity }) => said.has(quantity.text))],
    [...tables.flatMap((cells) => groupsOfTable(cells, topic)), ...spoken],
  ];
  const ends = ofEither(asked.extremes, extremesIn(statement));
  const found = (claim: Figure, isStanding: boolean): string | null => {
    const extreme = tables.map((cells) => asExtreme(claim, cells, ends));
    const standing = extreme.find((each) => each !== null);
    if (standing !== undefined) return standing;
    const allowed = operationsFor(claim, asked, statement);
    const isChangeAsked = asked.isApart || saysApart(statement);
    const operations = isStanding ? allowed.filter((one) => isChangeAsked && ofChange.has(one)) : allowed;
    for (const groups of tiers) {
      const results = groups.flatMap((group) => resultsOf(group, operations));
      const way = wayTo(claim, results, scales);
      if (way !== null) return way.isUncertain ? null : way.derivation;
    }
    return null;
  };
  const shown = lazy(() => shownWork(statement, claims, figures, scales));
  const derived = (number: string, isStanding: boolean): string | null => {
    const claim = claims.find(({ quantity }) => quantity.text === number);
    const derivation = claim === undefined ? null : found(claim, isStanding);
    if (derivation !== null || isStanding) return derivation;
    const work = shown().get(number);
    return work === undefined || work.isUncertain ? null : work.derivation;
  };
  const known = new Map<string, string | null>();
  return {
    derive(number, isStanding = false) {
      const derivation = known.get(number) ?? derived(number, isStanding);
      known.set(number, derivation);
      return derivation;
    },
    mayBe: (number) => shown().get(number)?.derivation ?? null,
    used: () => [...known.values()].filter((derivation) => derivation !== null),
  };
}
