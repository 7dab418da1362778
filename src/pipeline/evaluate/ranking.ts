/**
 * Normalised discounted cumulative gain: Σ (2^grade − 1) / log2(rank + 1), rank from 1, over the first `cut`
 * places, divided by the same of the best order. Source: Järvelin, Kekäläinen, ACM TOIS 2002, with
 * exponential gain as in Burges et al., ICML 2005.
 */
export function ndcg(grades: readonly number[], ideal: readonly number[], cut: number): number {
  const best = gain(
    ideal.toSorted((left, right) => right - left),
    cut,
  );
  return best === 0 ? 0 : gain(grades, cut) / best;
}

const gain = (grades: readonly number[], cut: number): number =>
  grades.slice(0, cut).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);

/** Reciprocal rank of the first place with a grade above 0 among the first `cut`; 0 if there is none. */
export function reciprocalRank(grades: readonly number[], cut: number): number {
  const at = grades.slice(0, cut).findIndex((grade) => grade > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

/** Scores of a ranked list at one cut. */
export interface RankScores {
  /** 1 if any of the first `cut` places is right, otherwise 0. */
  readonly hit: number;
  /** Share of the sought keys among the first `cut` places. */
  readonly recall: number;
  readonly ndcg: number;
  readonly mrr: number;
}

/**
 * Scores a ranked list. A place has keys (the pages of a passage, or its document); it is right if one of
 * them is sought, and only keys that no earlier place had earn gain, so that repeated pages earn nothing.
 */
export function rankScores(
  places: readonly (readonly string[])[],
  sought: ReadonlySet<string>,
  cut: number,
): RankScores {
  const seen = new Set<string>();
  const grades = places.slice(0, cut).map((keys) => {
    const added = keys.filter((key) => sought.has(key) && !seen.has(key));
    for (const key of added) seen.add(key);
    return added.length > 0 ? 1 : 0;
  });
  const ideal = Array.from(sought, () => 1);
  return {
    hit: seen.size > 0 ? 1 : 0,
    recall: sought.size === 0 ? 0 : seen.size / sought.size,
    ndcg: ndcg(grades, ideal, cut),
    mrr: reciprocalRank(grades, cut),
  };
}
