import { intentFromPatterns } from "../../agents/decide/intent.ts";
import { planQueries } from "../../agents/decide/plan.ts";
import type { PlannedQuery } from "../../core/answers/agent.ts";
import type { Ablation, EvalQuestion, EvalRequest, Scores } from "../../core/answers/evaluation.ts";
import type { SearchRequest } from "../../core/app.ts";
import { expandedChunk, type Hit, type StoreResult } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { placesOf, rankCutoffs, retrievalScores } from "../../pipeline/evaluate/score.ts";
import { differencesOf, summarize } from "../../pipeline/evaluate/summary.ts";
import { createPageCache } from "../../pipeline/retrieve/features.ts";
import { gatherDefaults, gatherPassages } from "../../pipeline/retrieve/gather.ts";
import type { RetrieveDrivers, Target } from "../../pipeline/retrieve/retrieve.ts";
import { createRetrieval } from "../ask/retrieval.ts";
import type { Home } from "../home.ts";

/** The search for an answer, with one part left out. */
interface Variant {
  readonly name: string;
  readonly description: string;
  readonly mode?: SearchRequest["mode"];
  /** Kind of formulation that is left out. */
  readonly without?: PlannedQuery["purpose"];
  /** The drivers without the part. */
  readonly change?: (drivers: RetrieveDrivers) => RetrieveDrivers;
  readonly neighbours?: false;
  readonly diversity?: false;
  /** Whether the settings use the part at all. Default: they do. */
  readonly isUsed?: (settings: Home["settings"]) => boolean;
}

/** The first is what `ask` does, which the others are held against. */
const variants: readonly Variant[] = [
  { name: "complete", description: "the search that answers are based on" },
  { name: "dense alone", description: "vectors only, without names and page features", mode: "dense" },
  { name: "lexical alone", description: "words only, without names and page features", mode: "lexical" },
  { name: "without question", description: "without the question as it was typed", without: "question" },
  { name: "without rewrite", description: "without the keywords of the question", without: "rewrite" },
  { name: "without key terms", description: "without the key terms of the question", without: "key_terms" },
  { name: "without parts", description: "without the parts of a compound question", without: "part" },
  {
    name: "without names",
    description: "no boost for documents that the question names",
    change: ({ catalogue: _, ...drivers }) => drivers,
  },
  {
    name: "without page features",
    description: "without the glossary and page features",
    change: ({ ranking: _, ...drivers }) => drivers,
    isUsed: ({ retrieve }) => retrieve.features === "on",
  },
  {
    name: "without second stage",
    description: "without reranking of the first hits",
    change: ({ secondStage: _, ...drivers }) => drivers,
    isUsed: ({ retrieve }) => retrieve.rerankModel !== "off",
  },
  {
    name: "without neighbours",
    description: "passages without their neighbouring chunks",
    neighbours: false,
    isUsed: ({ answer }) => answer.neighbours > 0,
  },
  {
    name: "without diversity",
    description: "near-duplicates are not demoted",
    diversity: false,
    isUsed: ({ mmr }) => mmr.lambda < 1,
  },
];

/** Searches question by question with one part left out at a time. */
export interface AblatedSearch {
  take(question: EvalQuestion): Promise<void>;
  /** Without the variants that leave out a kind of formulation which no question had. */
  report(): readonly Ablation[];
}

/**
 * Drivers that ask a store the same, and read a page, only once: the variants of one question differ in few
 * of their searches.
 */
function openMemory(drivers: RetrieveDrivers): RetrieveDrivers {
  const results = new Map<string, Promise<StoreResult>>();
  const remembered =
    ({ spec, store }: Target): Target["store"]["search"] =>
    async (name, query, signal) => {
      const key = JSON.stringify([spec.name, name, query]);
      const result = results.get(key) ?? store.search(name, query, signal);
      results.set(key, result);
      return result;
    };
  return {
    ...drivers,
    pages: createPageCache(),
    targets: async (request) =>
      (await drivers.targets(request)).map((target) => ({
        ...target,
        store: { search: remembered(target) },
      })),
  };
}

/** Creates the ablation of one evaluation; every search covers only what the run's principal may read. */
export function createAblation({ topK, collections }: EvalRequest, home: Home, run: Run): AblatedSearch {
  const retrieval = createRetrieval(home);
  const { settings } = home;
  const used = variants.filter(({ isUsed }) => isUsed?.(settings) ?? true);
  const scores = new Map<string, Scores[]>(used.map(({ name }) => [name, []]));
  const formulated = new Set<PlannedQuery["purpose"]>();
  const search = async (
    { without, change = (same) => same, ...variant }: Variant,
    queries: readonly PlannedQuery[],
    drivers: RetrieveDrivers,
  ): Promise<readonly Hit[]> => {
    const kept = queries.filter(({ purpose }) => purpose !== without);
    const lambda = variant.diversity === false ? 1 : settings.mmr.lambda;
    const { hits } = await gatherPassages(
      { queries: kept.length === 0 ? queries : kept, reason: "" },
      { topK, collections, mode: variant.mode ?? "hybrid" },
      { retrieve: change(drivers), settings: { ...gatherDefaults, lambda } },
      run,
    );
    const reach = variant.neighbours === false ? 0 : settings.answer.neighbours;
    // The rest of a page adds no page.
    if (reach === 0) return hits;
    const wide = await retrieval.widen(hits, topK, reach, { topK, collections }, run, null);
    return wide.map((hit) => ({ ...hit, chunk: expandedChunk(hit) }));
  };
  return {
    async take(question) {
      // Only the form of a question makes it one of several, so that no answer is needed to plan its search.
      const isMultiPart = intentFromPatterns(question.question, [])?.intent === "multi_part";
      const intent = isMultiPart ? "multi_part" : "retrieval";
      const { queries } = planQueries(question.question, { rewritten: null }, { intent });
      for (const { purpose } of queries) formulated.add(purpose);
      const drivers = openMemory(retrieval.drivers(run, null));
      for (const variant of used) {
        const hits = await search(variant, queries, drivers);
        scores.get(variant.name)?.push(retrievalScores(question, placesOf(hits), rankCutoffs(topK)));
      }
    },
    report() {
      const complete = scores.get("complete") ?? [];
      const worth = used.filter(({ without }) => without === undefined || formulated.has(without));
      return worth.map(({ name, description }) => {
        const own = scores.get(name) ?? [];
        const differences = name === "complete" ? [] : differencesOf(complete, own);
        return { variant: name, description, metrics: summarize(own), differences };
      });
    },
  };
}
