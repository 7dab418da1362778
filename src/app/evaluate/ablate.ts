import { plan } from "../../agents/decide/plan.ts";
import type { PlannedQuery } from "../../core/answers/agent.ts";
import type { Intent } from "../../core/answers/answer.ts";
import type { Ablation, EvalQuestion, EvalRequest, Scores } from "../../core/answers/evaluation.ts";
import type { SearchRequest } from "../../core/app.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { cutsOf, placesOf, retrievalScores } from "../../pipeline/evaluate/score.ts";
import { differencesOf, summarize } from "../../pipeline/evaluate/summary.ts";
import { gather, gatherDefaults } from "../../pipeline/retrieve/gather.ts";
import { openRetrieval } from "../ask/retrieval.ts";
import type { Home } from "../home.ts";

/** What a search for an answer does, with one part left out. */
interface Variant {
  readonly name: string;
  readonly description: string;
  readonly mode?: SearchRequest["mode"];
  /** Kind of formulation that is left out. */
  readonly without?: PlannedQuery["purpose"];
  readonly neighbours?: false;
  readonly diversity?: false;
}

/** The first is what `ask` does, which the others are held against. */
const variants: readonly Variant[] = [
  { name: "complete", description: "the search that answers are written from" },
  { name: "dense alone", description: "without the lexical route", mode: "dense" },
  { name: "lexical alone", description: "without the dense route", mode: "lexical" },
  { name: "without question", description: "without the question as it was typed", without: "question" },
  { name: "without rewrite", description: "without the keywords of the question", without: "rewrite" },
  { name: "without key terms", description: "without the key terms of the question", without: "key_terms" },
  { name: "without parts", description: "without the parts of a question of several", without: "part" },
  { name: "without neighbours", description: "passages without what stands around them", neighbours: false },
  { name: "without diversity", description: "near-repeats do not give way", diversity: false },
];

/** Searches question by question with one part left out at a time. */
export interface AblatedSearch {
  take(question: EvalQuestion, intent: Intent | undefined): Promise<void>;
  report(): readonly Ablation[];
}

/** Opens the ablation of one evaluation; every search is within what the run's principal may read. */
export function openAblation({ topK, collections }: EvalRequest, home: Home, run: Run): AblatedSearch {
  const retrieval = openRetrieval(home);
  const { settings } = home;
  const scores = new Map<string, Scores[]>(variants.map(({ name }) => [name, []]));
  const search = async (variant: Variant, queries: readonly PlannedQuery[]): Promise<readonly Hit[]> => {
    const kept = queries.filter(({ purpose }) => purpose !== variant.without);
    const lambda = variant.diversity === false ? 1 : settings.mmr.lambda;
    const { hits } = await gather(
      { queries: kept.length === 0 ? queries : kept, reason: "" },
      { topK, collections, mode: variant.mode ?? "hybrid" },
      { retrieve: retrieval.drivers(run, null), settings: { ...gatherDefaults, lambda } },
      run,
    );
    const reach = variant.neighbours === false ? 0 : settings.answer.neighbours;
    return retrieval.widen(hits, reach, run, null);
  };
  return {
    async take(question, intent) {
      const planned = intent === "multi_part" ? intent : "retrieval";
      const { queries } = plan(question.question, { rewritten: null }, { intent: planned });
      for (const variant of variants) {
        const hits = await search(variant, queries);
        scores.get(variant.name)?.push(retrievalScores(question, placesOf(hits), cutsOf(topK)));
      }
    },
    report() {
      const complete = scores.get("complete") ?? [];
      return variants.map(({ name, description }) => {
        const own = scores.get(name) ?? [];
        const differences = name === "complete" ? [] : differencesOf(complete, own);
        return { variant: name, description, metrics: summarize(own), differences };
      });
    },
  };
}
