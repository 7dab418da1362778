import { RagctlError } from "../../core/errors.ts";
import type { Hit, ScoreParts } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import {
  type CompanionHits,
  type Features,
  featureNames,
  type PageReader,
  readFeatures,
  type Sought,
} from "./features.ts";
import { pageOf } from "./pages.ts";

/** Weight of each feature, in units of the fused score. */
export type FeatureWeights = Features;

const schema = z.strictObject(
  Object.fromEntries(featureNames.map((name) => [name, z.number().min(-10).max(10)])) as Record<
    (typeof featureNames)[number],
    z.ZodNumber
  >,
);

/** Parses the weights of a file. @throws CONFIG_INVALID */
export function readFeatureWeights(content: unknown, name: string): FeatureWeights {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new RagctlError(
    "CONFIG_INVALID",
    `the weights ${name} are not valid: ${z.prettifyError(parsed.error)}`,
    {
      hint: "restore the file, or fit it again with scripts/eval/ranking.ts",
    },
  );
}

/** Hits whose pages are analysed: features reorder only these, and the rest stay behind them. */
const weighedHits = 200;

/**
 * Hits by fused score and page features, best first. The passages of a page share its features: the best one
 * gets, for each feature, the maximum over all of them. Hits that only the companion's search found have a
 * fused score of 0.
 */
export function rescoreByFeatures(
  fused: readonly Hit[],
  sought: Sought,
  companion: CompanionHits,
  weights: FeatureWeights,
  pages: PageReader,
): readonly Hit[] {
  const all = inOrder(fused, companion, weights);
  const [candidates, rest] = [all.slice(0, weighedHits), all.slice(weighedHits)];
  const features = readFeatures(candidates, sought, companion, pages);
  const weighed = candidates.map((hit, at) => ({ hit, own: features[at] }));
  const byPage = Map.groupBy(weighed, ({ hit }) => pageOf(hit));
  const ranked = [...byPage.values()].flatMap((windows) => {
    const base = Math.max(...windows.map(({ hit }) => hit.score));
    const worth = (name: (typeof featureNames)[number]): number =>
      weights[name] * Math.max(...windows.map(({ own }) => own?.[name] ?? 0));
    const whole = partsOf(base, worth);
    return windows.map(({ hit, own }, at): Hit => {
      const isBest = windows.every((other, place) => place === at || better(hit, other.hit, at, place));
      const parts = isBest ? whole : partsOf(hit.score, (name) => weights[name] * (own?.[name] ?? 0));
      return { ...hit, score: sumOf(parts), parts };
    });
  });
  return [...ranked, ...rest].sort((one, two) => two.score - one.score);
}

/** The non-zero parts of a score; `fused` is that of the routes. */
function partsOf(fused: number, worth: (name: (typeof featureNames)[number]) => number): ScoreParts {
  const all = [["fused", fused] as const, ...featureNames.map((name) => [name, worth(name)] as const)];
  return Object.fromEntries(all.filter(([, value]) => value !== 0));
}

const sumOf = (parts: ScoreParts): number => Object.values(parts).reduce((sum, part) => sum + part, 0);

/** Whether the first of two passages of a page is to be shown; of equal ones the earlier. */
const better = (one: Hit, two: Hit, at: number, place: number): boolean =>
  one.score > two.score || (one.score === two.score && at < place);

/** All hits, best first by the fused score plus the companion's. */
function inOrder(
  fused: readonly Hit[],
  { dense, lexical }: CompanionHits,
  weights: FeatureWeights,
): readonly Hit[] {
  const known = new Set(fused.map(({ chunk }) => chunk.id));
  const added = new Map(
    [...dense, ...lexical]
      .filter(({ chunk }) => !known.has(chunk.id))
      .map(({ chunk }) => [chunk.id, { chunk, score: 0, via: "fused" as const }]),
  );
  const worth = new Map<string, number>();
  for (const [hits, weight] of [
    [dense, weights.companionDense],
    [lexical, weights.companionLexical],
  ] as const)
    for (const { chunk, score } of hits) worth.set(chunk.id, (worth.get(chunk.id) ?? 0) + weight * score);
  const together = ({ chunk, score }: Hit): number => score + (worth.get(chunk.id) ?? 0);
  return [...fused, ...added.values()].sort((one, two) => together(two) - together(one));
}

/** Whether a file name or question mentions a template. */
export const mentionsTemplate = (text: string): boolean =>
  /template|biểu mẫu|bieu[ _]?mau/i.test(text.normalize("NFC"));

/** Whether a hit's file name calls it a template. */
export const isTemplate = ({ chunk }: Pick<Hit, "chunk">): boolean => mentionsTemplate(chunk.sourceName);

/** Factor on the score of a template. Source: seed 001 §6.2, 0.7. */
const templateFactor = 0.7;

/**
 * Lowers templates: their score is capped at that of the best other document and multiplied by
 * `templateFactor`, because the headings of a template have the words of many questions.
 */
export function demoteTemplates(hits: readonly Hit[]): readonly Hit[] {
  const best = Math.max(...hits.filter((hit) => !isTemplate(hit)).map(({ score }) => score));
  const most = Number.isFinite(best) ? best : Number.POSITIVE_INFINITY;
  return hits
    .map((hit) => {
      if (!isTemplate(hit)) return hit;
      const score = Math.min(hit.score, most) * templateFactor;
      const { parts = { fused: hit.score } } = hit;
      return { ...hit, score, parts: { ...parts, template: score - hit.score } };
    })
    .sort((one, two) => two.score - one.score);
}
