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

/** Reciprocal rank of the first place with a grade above 0 among the first `cut`; 0 where there is none. */
export function reciprocalRank(grades: readonly number[], cut: number): number {
  const at = grades.slice(0, cut).findIndex((grade) => grade > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

/** What a ranked list is worth at one cut. */
export interface RankScores {
  /** 1 where any of the first `cut` places is right, else 0. */
  readonly hit: number;
  /** Share of what is sought that the first `cut` places hold. */
  readonly recall: number;
  readonly ndcg: number;
  readonly mrr: number;
}

/**
 * Scores a ranked list. A place holds keys (the pages of a passage, or its document); it is right where it
 * holds a sought key, and earns gain only for keys that no earlier place held, so that repeats of a page earn
 * nothing.
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
