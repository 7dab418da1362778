/** [a, b, c, d, e, f]: (x, y) → (ax + cy + e, bx + dy + f). */
export type Matrix = readonly [number, number, number, number, number, number];

/** Left, top, right, bottom in points as the page is shown, y downwards. */
export interface Rectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The affine matrix that applies `inner`, then `outer`. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  // Read by index: destructuring is slow until the code has run a few thousand times.
  const a = inner[0];
  const b = inner[1];
  const c = inner[2];
  const d = inner[3];
  const e = inner[4];
  const f = inner[5];
  const g = outer[0];
  const h = outer[1];
  const i = outer[2];
  const j = outer[3];
  return [
    a * g + b * i,
    a * h + b * j,
    c * g + d * i,
    c * h + d * j,
    e * g + f * i + outer[4],
    e * h + f * j + outer[5],
  ];
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

/** The bounding rectangle, as shown, of a line from (x, y) to (x + right, y + down). */
export function segment(matrix: Matrix, x: number, y: number, right: number, down: number): Rectangle {
  const x0 = matrix[0] * x + matrix[2] * y + matrix[4];
  const y0 = matrix[1] * x + matrix[3] * y + matrix[5];
  const x1 = x0 + matrix[0] * right + matrix[2] * down;
  const y1 = y0 + matrix[1] * right + matrix[3] * down;
  return { x0: Math.min(x0, x1), y0: Math.min(y0, y1), x1: Math.max(x0, x1), y1: Math.max(y0, y1) };
}
