import type { Figure } from "../figures/figures.ts";

/** A number of a passage that another one may be worked out of. */
export interface Operand {
  readonly value: number;
  readonly unit: string;
  /** As written. */
  readonly text: string;
  readonly figure: Figure;
}

/** What an operation comes to. */
export interface Result {
  readonly value: number;
  /** Unit of it; "" where it has none. */
  readonly unit: string;
  /** As it is shown: `5.9 - 4.1`. */
  readonly shown: string;
  readonly operands: readonly Operand[];
}

/** What a statement may say that it made of numbers. */
export type Operation = "difference" | "growth" | "share" | "ratio" | "sum" | "mean";

/** Years of a figure's period; undefined where it names none. */
const yearOf = ({ figure }: Operand): number | undefined => figure.periods[0]?.years[0];

/** Both orders of a pair, or the one that goes by time: the later one less the earlier. */
function ordered(one: Operand, other: Operand): readonly (readonly [Operand, Operand])[] {
  const [first, second] = [yearOf(one), yearOf(other)];
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

/** What an operation makes of two numbers. */
export function ofPair(operation: Operation, one: Operand, other: Operand): readonly Result[] {
  const operands = [one, other];
  const isAlike = one.unit === other.unit || one.unit === "" || other.unit === "";
  const unit = one.unit || other.unit;
  const made = (value: number, resultUnit: string, shown: string): readonly Result[] =>
    Number.isFinite(value) ? [{ value, unit: resultUnit, shown, operands }] : [];
  if (operation === "ratio" || operation === "share") {
    const factor = operation === "share" ? 100 : 1;
    if (operation === "share" && (!isAlike || unit === "%")) return [];
    return [[one, other] as const, [other, one] as const].flatMap(([top, bottom]) =>
      made(
        (top.value / bottom.value) * factor,
        operation === "share" ? "%" : "",
        `${top.text} / ${bottom.text}${operation === "share" ? " * 100" : ""}`,
      ),
    );
  }
  if (!isAlike) return [];
  if (operation === "sum") return made(one.value + other.value, unit, `${one.text} + ${other.text}`);
  if (operation === "mean")
    return made((one.value + other.value) / 2, unit, `(${one.text} + ${other.text}) / 2`);
  const isGrowth = operation === "growth";
  if (isGrowth && unit === "%") return [];
  return ordered(one, other).flatMap(([to, from]) =>
    isGrowth
      ? made(
          ((to.value - from.value) / Math.abs(from.value)) * 100,
          "%",
          `(${to.text} - ${from.text}) / ${from.text} * 100`,
        )
      : made(to.value - from.value, unit, `${to.text} - ${from.text}`),
  );
}

/** What an operation makes of three numbers or more in one unit. */
export function ofSeries(operation: Operation, operands: readonly Operand[]): readonly Result[] {
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
