import type { Quantity } from "../../../../language/quantities.ts";
import { isYear } from "../../../../language/terms.ts";
import type { CalendarDate } from "../../../../language/time/dates.ts";
import type { Question } from "../../question.ts";
import type { CheckedPassage } from "../evidence.ts";
import { groupsFor } from "./operand-groups.ts";
import {
  type DerivationStep,
  findDerivation,
  isResult,
  type Operand,
  operandOf,
  operandOfFigure,
  pairResults,
  pairsOf,
  type Result,
  seriesResults,
  type Way,
} from "./operations.ts";

/** A date in every order in which it can be read. */
export type DateReadings = readonly CalendarDate[];

/** A statement with what its numbers may be worked out from. */
export interface Ground {
  readonly statement: string;
  /** Its own numbers that have a tie, and those of earlier statements and the question. */
  readonly own: readonly Quantity[];
  readonly earlier: readonly Quantity[];
  /** Its own dates that have a tie, and those of earlier statements and the question, each in all its readings. */
  readonly ownDates: readonly DateReadings[];
  readonly earlierDates: readonly DateReadings[];
  /** Lengths of lists in the answer that the statement may count. */
  readonly lists: readonly number[];
  readonly cited: readonly CheckedPassage[];
  readonly asked: Question;
}

const operations: readonly DerivationStep[] = [
  "difference",
  "growth",
  "share",
  "ratio",
  "sum",
  "mean",
  "product",
];
/** Larger groups are not combined: some pair would match any number. */
const [mostShown, mostOfPassages] = [24, 8];

/** Results of all operations on some numbers: pairs, and runs of three and more in their order. */
function resultsOf(operands: readonly Operand[], mostPaired: number): readonly Result[] {
  const runs = operands.flatMap((_, from) =>
    Array.from({ length: Math.max(0, operands.length - from - 2) }, (_, more) =>
      operands.slice(from, from + more + 3),
    ),
  );
  const pairs = operands.length > mostPaired ? [] : pairsOf(operands);
  return operations.flatMap((operation) => [
    ...pairs.flatMap(([one, other]) => pairResults(operation, one, other)),
    ...(operands.length > mostPaired ? [operands] : runs).flatMap((run) => seriesResults(operation, run)),
  ]);
}

const readings = [0, 1] as const;

/** A number with the sign that the statement gives it: `(0.6)%`, `−3`. */
function signed(operand: Operand, statement: string): Operand {
  const { text } = operand;
  const isNegative = [`(${text})`, `(${text}%)`, ` -${text}`, `−${text}`].some((form) =>
    statement.includes(form),
  );
  return isNegative ? { ...operand, value: -Math.abs(operand.value), text: `(-${text})` } : operand;
}

/** How a number follows from numbers that the answer shows. */
function fromShown(claim: Quantity, shown: readonly Quantity[], { statement, cited }: Ground): Way | null {
  const declared = cited.flatMap((evidence) => evidence.declared);
  // A year is an operand of nothing but a number of years.
  const isOperand = ({ unit, text }: Quantity): boolean => claim.unit === "y" || unit !== "" || !isYear(text);
  const all = shown.filter(isOperand).slice(-mostShown);
  const isRestated = (other: Quantity): boolean =>
    readings.some((reading) => isResult(claim, operandOf(other, reading), []));
  const restated = all.find(isRestated);
  if (restated !== undefined) return { derivation: restated.text, isUncertain: false };
  const results = readings.flatMap((reading) =>
    resultsOf(
      all.map((each) => signed(operandOf(each, reading), statement)),
      mostShown,
    ),
  );
  return findDerivation(claim, results, declared);
}

/** How a number follows from numbers of the cited passages on its subject. */
function fromPassages(claim: Quantity, { statement, cited, asked }: Ground): Way | null {
  const declared = [
    ...cited.flatMap((evidence) => evidence.declared),
    ...cited.flatMap(({ figures }) => figures().flatMap((figure) => figure.declared)),
  ];
  const results = groupsFor(statement, cited, asked).flatMap((group) =>
    readings.flatMap((reading) =>
      resultsOf(
        group.map((figure) => operandOfFigure(figure, reading)),
        mostOfPassages,
      ),
    ),
  );
  return findDerivation(claim, results, [...new Set(declared)]);
}

/** The number of a list that the answer gives. */
function asCount({ decimals, readings: [value], text }: Quantity, { lists }: Ground): Way | null {
  const isCount = decimals === 0 && value !== undefined && lists.includes(value);
  return isCount ? { derivation: `${text} listed`, isUncertain: false } : null;
}

/** So few numbers of one unit hardly give another by chance. */
const mostAlike = 4;

/** How a number follows from numbers of earlier statements; those of another unit are left out if that leaves few. */
function fromEarlier(claim: Quantity, ground: Ground): Way | null {
  const shown = [...ground.earlier, ...ground.own];
  const alike = shown.filter(({ unit }) => claim.unit !== "" && unit === claim.unit);
  const close = alike.length <= mostAlike ? fromShown(claim, alike, ground) : null;
  return close === null ? fromShown(claim, shown, ground) : { ...close, isUncertain: false };
}

/**
 * How a number of a statement is worked out: as the count of a list, else from numbers that the statement shows, then from
 * earlier ones or the cited passages. Null if it is not, or might be by chance; what the statement itself shows need not be the
 * only way.
 */
export function derive(claim: Quantity, ground: Ground): string | null {
  const own = asCount(claim, ground) ?? fromShown(claim, ground.own, ground);
  if (own !== null) return own.derivation;
  const certain = [fromEarlier, fromPassages].values().map((from) => from(claim, ground));
  return certain.find((way) => way !== null && !way.isUncertain)?.derivation ?? null;
}
