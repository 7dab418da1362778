import type { Quantity } from "../../../../language/quantities.ts";
import type { StatedFigure } from "../figures.ts";

/** A number as input to a calculation. */
export interface Operand {
  readonly value: number;
  readonly unit: string;
  /** As written. */
  readonly text: string;
  /** Digits after its decimal point. */
  readonly decimals: number;
  /** Year it is of; undefined if unknown. */
  readonly year: number | undefined;
}

/** Result of a calculation. */
export interface Result {
  readonly value: number;
  /** Unit; "" if none. */
  readonly unit: string;
  /** Shown as `5.9 - 4.1`. */
  readonly shown: string;
  readonly operands: readonly Operand[];
}

/** Operations by which a statement may derive a number. */
export type DerivationStep = "difference" | "growth" | "share" | "ratio" | "sum" | "mean" | "product";

/** Both orders of a pair or, if the years are known, only the later one first. */
function ordered(one: Operand, other: Operand): readonly (readonly [Operand, Operand])[] {
  const [first, second] = [one.year, other.year];
  if (first === undefined || second === undefined || first === second)
    return one.value > other.value
      ? [
          [one, other],
          [other, one],
        ]
      : [
          [other, one],
          [one, other],
        ];
  return first > second ? [[one, other]] : [[other, one]];
}

/** Two operands and their common unit. */
interface Pair {
  readonly one: Operand;
  readonly other: Operand;
  /** Common unit, if either has one; "" for none. */
  readonly unit: string;
}

type Made = readonly [value: number, unit: string, shown: string];

const bothWays = ({ one, other }: Pair): readonly (readonly [Operand, Operand])[] => [
  [one, other],
  [other, one],
];

/** Results of each operation on two numbers in one unit. */
const ofAlike: Readonly<
  Record<Exclude<DerivationStep, "ratio" | "product">, (pair: Pair) => readonly Made[]>
> = {
  sum: ({ one, other, unit }) => [[one.value + other.value, unit, `${one.text} + ${other.text}`]],
  mean: ({ one, other, unit }) => [
    [(one.value + other.value) / 2, unit, `(${one.text} + ${other.text}) / 2`],
  ],
  difference: ({ one, other, unit }) =>
    ordered(one, other).map(([to, from]) => [to.value - from.value, unit, `${to.text} - ${from.text}`]),
  growth: ({ one, other, unit }) =>
    unit === "%"
      ? []
      : ordered(one, other).map(([to, from]) => [
          ((to.value - from.value) / Math.abs(from.value)) * 100,
          "%",
          `(${to.text} - ${from.text}) / ${from.text} * 100`,
        ]),
  share: (pair) =>
    pair.unit === "%"
      ? []
      : bothWays(pair).map(([top, bottom]) => [
          (top.value / bottom.value) * 100,
          "%",
          `${top.text} / ${bottom.text} * 100`,
        ]),
};

const ratioOf = (pair: Pair): readonly Made[] =>
  bothWays(pair).map(([top, bottom]) => [top.value / bottom.value, "", `${top.text} / ${bottom.text}`]);

/** A count times a value, or a percentage of a number. */
function productOf({ one, other }: Pair): readonly Made[] {
  const units = [one.unit, other.unit];
  const factor = units.includes("%") ? 0.01 : 1;
  const unit = units.find((each) => each !== "" && each !== "%") ?? "";
  return [[one.value * other.value * factor, unit, `${one.text} * ${other.text}`]];
}

/** Results of an operation on two numbers. */
export function pairResults(operation: DerivationStep, one: Operand, other: Operand): readonly Result[] {
  const pair = { one, other, unit: one.unit || other.unit };
  const isAlike = one.unit === other.unit || one.unit === "" || other.unit === "";
  const made =
    operation === "ratio"
      ? ratioOf(pair)
      : operation === "product"
        ? productOf(pair)
        : isAlike
          ? ofAlike[operation](pair)
          : [];
  return made
    .filter(([value]) => Number.isFinite(value))
    .map(([value, unit, shown]) => ({ value, unit, shown, operands: [one, other] }));
}

/** Results of an operation on three or more numbers in one unit. */
export function seriesResults(operation: DerivationStep, operands: readonly Operand[]): readonly Result[] {
  const units = new Set(operands.map(({ unit }) => unit).filter((unit) => unit !== ""));
  if (units.size > 1 || operands.length < 3) return [];
  const [unit = ""] = units;
  const total = operands.reduce((sum, { value }) => sum + value, 0);
  const sum = operands.map(({ text }) => text).join(" + ");
  if (operation === "sum") return [{ value: total, unit, shown: sum, operands }];
  if (operation === "mean")
    return [{ value: total / operands.length, unit, shown: `(${sum}) / ${operands.length}`, operands }];
  return [];
}

const negative = /^[\p{Sc}\s]*[(−–-]\s?\p{Sc}?\s?\p{N}/u;

/** A number of running text as an operand; `reading` selects among the readings of its digits. */
export const operandOf = ({ readings, scale, unit, text, decimals }: Quantity, reading: number): Operand => ({
  value: (readings[reading] ?? readings[0] ?? Number.NaN) * scale,
  unit,
  text,
  decimals,
  year: undefined,
});

/** A figure of a passage as an operand, with its sign, unit and year. */
export function operandOfFigure({ quantity, cell, units, periods }: StatedFigure, reading: number): Operand {
  const own = operandOf(quantity, reading);
  const isNegative = cell !== null && negative.test(cell.text);
  return {
    ...own,
    value: own.value * (isNegative ? -1 : 1),
    unit: own.unit === "" ? ([...units][0] ?? "") : own.unit,
    text: isNegative ? `(-${own.text})` : own.text,
    year: periods[0]?.years[0],
  };
}

/** All pairs of a group. */
export const pairsOf = <T>(group: readonly T[]): readonly (readonly [T, T])[] =>
  group.flatMap((one, at) => group.slice(at + 1).map((other) => [one, other] as const));

/** Number of significant digits, as written. */
const digitsOf = ({ text, word, readings }: Quantity): number =>
  (word ? String(readings[0] ?? "") : text).replace(/\D|^[0.,]+/g, "").length;

/**
 * Whether a number equals a result, rounded to its own precision; scales declared by the passages are
 * allowed.
 */
export function isResult(
  quantity: Quantity,
  { value, unit }: Pick<Result, "value" | "unit">,
  declared: readonly number[],
): boolean {
  if (quantity.unit !== "" && unit !== "" && quantity.unit !== unit) return false;
  if (quantity.unit === "%" && unit !== "%") return false;
  const slack = (10 ** -quantity.decimals * quantity.scale) / 2;
  return [1, ...declared].some((factor) =>
    quantity.readings.some((reading) => {
      const apart = Math.abs(reading * quantity.scale - Math.abs(value) * factor);
      return (
        apart <= slack * 1.0001 &&
        (unit === "%" || quantity.decimals > 0 || quantity.scale > 1 || apart < 1e-6)
      );
    }),
  );
}

/**
 * Whether a number may match by chance, given the results tried and its digits: an exact match tolerates more
 * results than a rounded one. A number equal to one of its operands always counts as chance.
 */
function isAccident(claim: Quantity, hit: Result, tried: readonly Result[]): boolean {
  const values = new Set(tried.map(({ value }) => Math.abs(value).toPrecision(6)));
  const isExact = hit.operands.every(({ decimals }) => decimals <= claim.decimals);
  const most = isExact && hit.unit === claim.unit ? 10 ** digitsOf(claim) / 4 : 10 ** (digitsOf(claim) - 1);
  return values.size > most || hit.operands.some(({ value }) => Math.abs(value) === Math.abs(hit.value));
}

/** How a number is derived. */
export interface Way {
  /** Shown as `133.2 + 120.1`. */
  readonly derivation: string;
  /** Whether it may match by chance, or two different pairs give it. */
  readonly isUncertain: boolean;
}

/** The derivation of a number from the results tried; null if none of them matches. */
export function findDerivation(
  claim: Quantity,
  results: readonly Result[],
  declared: readonly number[],
): Way | null {
  const hits = results.filter((result) => isResult(claim, result, declared));
  const [hit] = hits;
  if (hit === undefined) return null;
  const ways = new Set(
    hits.map(({ operands }) =>
      operands
        .map(({ text }) => text)
        .toSorted()
        .join(" "),
    ),
  );
  return { derivation: hit.shown, isUncertain: ways.size > 1 || isAccident(claim, hit, results) };
}
