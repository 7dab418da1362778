/** [a, b, c, d, e, f]: (x, y) → (ax + cy + e, bx + dy + f). */
export type Matrix = readonly [number, number, number, number, number, number];

/** Left, top, right, bottom in points as the page is shown, y downwards. */
export interface Rectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** First `inner`, then `outer`. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [g, h, i, j, k, l] = outer;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

/** The box around the rectangle at (x, y) as the matrix shows it. */
export function box(matrix: Matrix, x: number, y: number, width: number, height: number): Rectangle {
  const [a, b, c, d, e, f] = matrix;
  const left = a * x + c * y + e;
  const top = b * x + d * y + f;
  const [alongX, alongY, acrossX, acrossY] = [a * width, b * width, c * height, d * height];
  return {
    x0: left + Math.min(0, alongX) + Math.min(0, acrossX),
    y0: top + Math.min(0, alongY) + Math.min(0, acrossY),
    x1: left + Math.max(0, alongX) + Math.max(0, acrossX),
    y1: top + Math.max(0, alongY) + Math.max(0, acrossY),
  };
}

/** The straight line from (x, y), which runs `right` and `down` from there. */
export function segment(matrix: Matrix, x: number, y: number, right: number, down: number): Rectangle {
  const [a, b, c, d, e, f] = matrix;
  const [x0, y0] = [a * x + c * y + e, b * x + d * y + f];
  const [x1, y1] = [x0 + a * right + c * down, y0 + b * right + d * down];
  return { x0: Math.min(x0, x1), y0: Math.min(y0, y1), x1: Math.max(x0, x1), y1: Math.max(y0, y1) };
}
