// Folds of documents, and intervals that hold the questions of a document together.
import { createHash } from "node:crypto";
import { fitLogistic, type LabelledRow, probability } from "./logistic.ts";

export const folds = 10;

/** Fold of a document, in [0, `folds`): the same in every run and script. */
export const foldOf = (document: string): number =>
  createHash("sha256").update(document).digest().readUInt32BE(0) % folds;

/** Rows with the probability that a logistic model fitted on the other folds gives each. */
export function scoreByFold<Row extends LabelledRow & { readonly document: string }>(
  rows: readonly Row[],
  penalty: number,
): readonly { readonly row: Row; readonly score: number }[] {
  const models = Array.from({ length: folds }, (_, fold) =>
    fitLogistic(
      rows.filter(({ document }) => foldOf(document) !== fold),
      penalty,
    ),
  );
  return rows.map((row) => {
    const model = models[foldOf(row.document)];
    if (model === undefined) throw new Error("a fold without a model");
    return { row, score: probability(model, row.signals) };
  });
}

/** 0 for an empty list. */
export const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/**
 * `[low, high]`: the 2.5th and 97.5th percentile of the means of a thousand samples of documents, by a fixed
 * sequence.
 */
export function documentInterval(
  hits: readonly number[],
  documentOf: (at: number) => string | null | undefined,
): string {
  const groups = [
    ...Map.groupBy(
      hits.map((_, at) => at),
      documentOf,
    ).values(),
  ];
  let state = 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const means = Array.from({ length: 1000 }, () =>
    average(
      groups.flatMap(() => groups[Math.floor(next() * groups.length)] ?? []).map((at) => hits[at] ?? 0),
    ),
  ).sort((one, two) => one - two);
  return `[${means[25]?.toFixed(3)}, ${means[974]?.toFixed(3)}]`;
}
