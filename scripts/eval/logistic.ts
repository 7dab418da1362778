/** A row to fit on: what was seen, what was true, and how much the row counts. */
export interface LabelledRow {
  readonly signals: readonly number[];
  readonly isTrue: boolean;
  readonly weight: number;
}

/** Weights of a logistic model over signals as they are, not scaled. */
export interface LogisticModel {
  readonly intercept: number;
  readonly weights: readonly number[];
}

/** Steps of Newton's method; a dozen is enough where the classes overlap. */
const steps = 25;

const dot = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

export const probability = ({ intercept, weights }: LogisticModel, signals: readonly number[]): number =>
  1 / (1 + Math.exp(-(intercept + dot(weights, signals))));

/** Solves a symmetric positive definite system by Cholesky's decomposition. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lower: number[][] = [];
  for (const [row, values] of matrix.entries()) {
    const own: number[] = [];
    lower.push(own);
    for (let column = 0; column <= row; column += 1) {
      const rest = (values[column] ?? 0) - dot(own.slice(0, column), lower[column] ?? []);
      own.push(column === row ? Math.sqrt(rest) : rest / (lower[column]?.[column] ?? 1));
    }
  }
  const half: number[] = [];
  for (const [row, own] of lower.entries())
    half.push(((right[row] ?? 0) - dot(own.slice(0, row), half)) / (own[row] ?? 1));
  const solution = half.map(() => 0);
  for (let row = half.length - 1; row >= 0; row -= 1) {
    let rest = half[row] ?? 0;
    for (let below = row + 1; below < half.length; below += 1)
      rest -= (lower[below]?.[row] ?? 0) * (solution[below] ?? 0);
    solution[row] = rest / (lower[row]?.[row] ?? 1);
  }
  return solution;
}

/** Mean and standard deviation of each signal; 1 for one that never changes. */
function scalesOf(rows: readonly LabelledRow[]): readonly (readonly [mean: number, deviation: number])[] {
  return (rows[0]?.signals ?? []).map((_, at) => {
    const values = rows.map(({ signals }) => signals[at] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return [mean, Math.sqrt(variance) || 1];
  });
}

/**
 * Fits a logistic model by Newton's method, with a quadratic penalty on the weights of the scaled signals.
 * Source: Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.4.
 */
export function fitLogistic(rows: readonly LabelledRow[], penalty: number): LogisticModel {
  const scales = scalesOf(rows);
  const scaled = rows.map(({ signals }) => [
    1,
    ...signals.map((value, at) => (value - (scales[at]?.[0] ?? 0)) / (scales[at]?.[1] ?? 1)),
  ]);
  let model = [0, ...scales.map(() => 0)];
  for (let step = 0; step < steps; step += 1) {
    const gradient = model.map((weight, at) => (at === 0 ? 0 : -penalty * weight));
    const curvature = model.map((_, row) => model.map((__, at) => (row === at && at > 0 ? penalty : 0)));
    for (const [at, row] of rows.entries()) {
      const signals = scaled[at] ?? [];
      const predicted = 1 / (1 + Math.exp(-dot(signals, model)));
      const error = row.weight * (Number(row.isTrue) - predicted);
      const spread = row.weight * predicted * (1 - predicted);
      for (const [one, value] of signals.entries()) {
        gradient[one] = (gradient[one] ?? 0) + error * value;
        const line = curvature[one] ?? [];
        for (const [other, second] of signals.entries())
          line[other] = (line[other] ?? 0) + spread * value * second;
      }
    }
    const change = solve(curvature, gradient);
    model = model.map((weight, at) => weight + (change[at] ?? 0));
  }
  const [scaledIntercept = 0, ...rest] = model;
  const weights = rest.map((weight, at) => weight / (scales[at]?.[1] ?? 1));
  return {
    intercept:
      scaledIntercept -
      dot(
        weights,
        scales.map(([mean]) => mean),
      ),
    weights,
  };
}
