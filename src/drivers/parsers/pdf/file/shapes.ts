import type { Matrix, Rectangle } from "../../page/geometry.ts";
import type { PdfValue } from "./lexer.ts";
import type { Operands } from "./scan.ts";

function numbers(values: readonly PdfValue[]): number[] {
  return values.filter((value) => typeof value === "number");
}

/** Six numbers as a matrix; undefined for anything else. */
export function asMatrix(value: PdfValue | undefined): Matrix | undefined {
  const [a, b, c, d, e, f] = Array.isArray(value) ? numbers(value) : [];
  if (
    a === undefined ||
    b === undefined ||
    c === undefined ||
    d === undefined ||
    e === undefined ||
    f === undefined
  )
    return undefined;
  return [a, b, c, d, e, f];
}

/** Whether the operands of a colour operator say white. */
export function isWhite({ numbers: values, count }: Operands): boolean {
  if (count === 0) return false;
  for (let index = 0; index < count; index++) {
    const value = values[index] ?? 0;
    // Four numbers say how much ink, fewer how much light.
    if (count === 4 ? value > 0.04 : value < 0.96) return false;
  }
  return true;
}

/** Sorts a drawn shape into lines and areas: a thin one is a line, a framed one four lines, a filled one an area. */
export function takeShape(
  shape: Rectangle,
  stroked: boolean,
  filled: boolean,
  rules: Rectangle[],
  fills: Rectangle[],
): void {
  const { x0, y0, x1, y1 } = shape;
  const width = x1 - x0;
  const height = y1 - y0;
  if (Math.min(width, height) < 3.2) {
    if (Math.max(width, height) > 4 && (filled || stroked)) rules.push(shape);
    return;
  }
  if (stroked)
    rules.push(
      { x0, y0, x1, y1: y0 },
      { x0, y0: y1, x1, y1 },
      { x0, y0, x1: x0, y1 },
      { x0: x1, y0, x1, y1 },
    );
  if (filled) fills.push(shape);
}
