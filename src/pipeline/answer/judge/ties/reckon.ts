import { lazy } from "../../../../core/lazy.ts";
import { type Extremes, extremesIn, saysApart } from "../../../../language/asking/changes.ts";
import { saysAggregate } from "../../../../language/asking/values.ts";
import { contentTerms, isNumber, words } from "../../../../language/terms.ts";
import { comparePeriods, type Period } from "../../../../language/time/periods.ts";
import { termsOfUnit } from "../../../../language/units.ts";
import type { Question } from "../../question.ts";
import { type Cell, type Figure, figuresIn } from "../figures/figures.ts";
import type { Witness } from "../witness.ts";
import { type Operation, ofPair, ofSeries, operandOf, pairsOf, type Result, wayTo } from "./operations.ts";
import { shownWork } from "./shown-work.ts";

/** What names rows, columns and clauses: the words of a question and of a statement, and their periods. */
interface Topic {
  readonly terms: ReadonlySet<string>;
  readonly periods: readonly Period[];
}

type Placed = Figure & { readonly cell: Cell };
type Group = readonly Figure[];

/** How many of a label's terms are named, and whether these are all. */
function naming(label: string, { terms }: Topic): { readonly count: number; readonly isWhole: boolean } {
  const own = contentTerms(label);
  const count = own.filter((term) => terms.has(term)).length;
  return { count, isWhole: own.length > 0 && count === own.length };
}

/** The groups whose label is named whole, and those of whose label most is; none where nothing of any is. */
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
 * The groups of cells of a table that a number may be worked out of: those of a row that is named, and those of a
 * column in rows that are named or that put others together. Columns are those of the periods, or else those that the
 * words name; of one year alone the one beside it too, as a change in a year is one since the year before.
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

/** The groups of numbers of running text: those of one unit in clauses that speak of the topic. */
function groupsOfText(figures: readonly Figure[], { terms }: Topic): readonly Group[] {
  const isSpoken = ({ words: own, quantity }: Figure): boolean => {
    const ofUnit = termsOfUnit(quantity.unit);
    return [...own].some((term) => terms.has(term) && !isNumber(term) && !ofUnit.has(term));
  };
  return [...Map.groupBy(figures.filter(isSpoken), ({ quantity }) => quantity.unit).values()];
}

/** Numbers of a group that are taken two by two at most: of more, two come to anything. */
const mostOperands = 8;

/** What the operations make of a group. */
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

/** The operations that a statement on a question may have made a number by. */
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

/** Operations that tell how far two numbers lie apart. */
const ofChange: ReadonlySet<Operation> = new Set(["difference", "growth"]);

/** Works nothing out. */
export const noReckoner: Reckoner = { derive: () => null, mayBe: () => null, used: () => [] };

/** The ends that one of two texts speaks of. */
const ofEither = (one: Extremes, other: Extremes): Extremes => ({
  most: one.most || other.most,
  least: one.least || other.least,
});

/** Rows from which a column has something to stand out from. */
const leastRows = 3;

/** How a number stands out in a column where the question or the statement says that something does. */
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

/** Works out the numbers of one statement. */
export interface Reckoner {
  /**
   * How a number is worked out of those of the passages; null where it is not, or in two ways. One that stands there for
   * something else is only taken for the change, the difference or the extreme that the words speak of.
   */
  derive(number: string, isStanding?: boolean): string | null;
  /** How it may be worked out of numbers that the statement shows, though others would do too; null where it is not. */
  mayBe(number: string): string | null;
  /** What was worked out so far. */
  used(): readonly string[];
}

/**
 * Works out the numbers of a statement: two numbers of one row or column that are named, or of clauses on the topic,
 * or numbers that the statement or its question names themselves, by one operation that its words or its unit allow. A
 * number of so few digits that some of the results tried come to it by accident is not worked out, and neither is one
 * that two different pairs come to.
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
    const isTold = asked.isApart || saysApart(statement);
    const operations = isStanding ? allowed.filter((one) => isTold && ofChange.has(one)) : allowed;
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
