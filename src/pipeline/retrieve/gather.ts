import type { Plan, PlannedQuery } from "../../core/answers/agent.ts";
import type { SearchRequest } from "../../core/app.ts";
import { hasEmptyCell, hasRow } from "../../core/documents/table-text.ts";
import type { Hit, UnavailableCollection } from "../../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { contentTerms } from "../../language/terms.ts";
import { phaseClock } from "../phases.ts";
import { diversify } from "./diversify.ts";
import { bestCosine } from "./formulate.ts";
import { distinctPages } from "./pages.ts";
import { rerank } from "./rerank.ts";
import { demoteTemplates, isTemplate, mentionsTemplate } from "./rescore.ts";
import { type RetrieveDrivers, type Retrieved, type RetrievedEach, retrieveEach } from "./retrieve.ts";

export interface GatherSettings {
  /** λ of maximal marginal relevance; 1 turns it off. Default 0.5. */
  readonly lambda: number;
  /** Cosine from which two chunks count as similar. */
  readonly likeFrom: number;
  /** Weight of each kind of formulation in the fusion. */
  readonly weights: Readonly<Record<PlannedQuery["purpose"], number>>;
}

export const gatherDefaults: GatherSettings = {
  lambda: 0.5,
  likeFrom: 0.95,
  weights: { question: 1, rewrite: 1, key_terms: 1, part: 1 },
};

export interface GatherDrivers {
  readonly retrieve: RetrieveDrivers;
  readonly settings: GatherSettings;
}

/** Results of all formulations of a question. */
export interface GatheredHits {
  /** Best first, each chunk once, at most `topK`. */
  readonly hits: readonly Hit[];
  /** Names of the documents that the question names. */
  readonly named: readonly string[];
  /** Empty forms, where nothing else was found; absent where anything was. */
  readonly forms?: readonly Hit[];
  /** Best cosine of any passage under any formulation. */
  readonly cosine?: number;
  /** Number of template files among the first results. */
  readonly templates: number;
  /** Whether so many were templates that a second search excluded them. */
  readonly refined: boolean;
  readonly phases: readonly PhaseMetrics[];
  /** Collections that could not be searched. */
  readonly unavailable: readonly UnavailableCollection[];
}

/**
 * Σ weight × score over the formulations, divided by the sum of all weights; a formulation that lacks a hit
 * adds nothing. Parts are not averaged.
 */
function merge(
  found: readonly Pick<Retrieved, "hits">[],
  queries: readonly PlannedQuery[],
  weights: GatherSettings["weights"],
): Hit[] {
  const byChunk = new Map<string, Hit>();
  const whole = queries
    .filter(({ purpose }) => purpose !== "part")
    .reduce((sum, { purpose }) => sum + weights[purpose], 0);
  found.forEach(({ hits }, index) => {
    const purpose = queries[index]?.purpose ?? "question";
    for (const { chunk, score } of hits) {
      const before = byChunk.get(chunk.id)?.score ?? 0;
      const value =
        purpose === "part"
          ? Math.max(before, weights.part * score)
          : before + (weights[purpose] * score) / Math.max(whole, Number.EPSILON);
      byChunk.set(chunk.id, { chunk, via: "fused", score: value });
    }
  });
  return [...byChunk.values()].sort((left, right) => right.score - left.score);
}

/** The question in its own words: each part of a compound question, otherwise the question itself. */
function questionsOf({ queries }: Plan): readonly string[] {
  const parts = queries.filter(({ purpose }) => purpose === "part");
  return (parts.length > 0 ? parts : queries.slice(0, 1)).map(({ text }) => text);
}

/** The best passage of each page, near-duplicates last. */
function choose(
  merged: readonly Hit[],
  found: readonly Pick<Retrieved, "vectors">[],
  { lambda, likeFrom }: GatherSettings,
  limit: number,
): readonly Hit[] {
  const pages = distinctPages(merged, limit);
  if (lambda >= 1) return pages.slice(0, limit);
  return diversify(pages, new Map(found.flatMap((each) => [...each.vectors])), { lambda, likeFrom, limit });
}

/** An empty form field: a line to write on, an empty box, or a label without a value. */
const emptyField = /_{3}|\.{4}|…{2}|\[ ?\]|:[ \t]*$/mu;

/** Whether a text is a table header without rows. */
const isBareHeader = (text: string): boolean => text.split("\n").filter(hasRow).length === 1;

/** Whether a hit is an empty form, which answers nothing. */
const isEmptyForm = (hit: Hit): boolean =>
  isTemplate(hit) &&
  (emptyField.test(hit.chunk.text) || hasEmptyCell(hit.chunk.text) || isBareHeader(hit.chunk.text));

/** Searches the key terms again, excluding the files of these templates. */
async function searchWithout(
  templates: readonly Hit[],
  { queries }: Plan,
  request: Omit<SearchRequest, "query">,
  { retrieve, settings }: GatherDrivers,
  run: Run,
): Promise<RetrievedEach> {
  const text = contentTerms(queries[0]?.text ?? "").join(" ");
  const excludedNames = [...new Set(templates.map(({ chunk }) => chunk.sourceName))];
  const vectors = settings.lambda < 1;
  const again = await retrieveEach([{ text, limit: request.topK }], request, retrieve, run, {
    vectors,
    excludedNames,
  });
  return { ...again, phases: again.phases.map((phase) => ({ ...phase, phase: `${phase.phase}_again` })) };
}

/** Adds hits that only the second search found; best first. */
function joined(hits: readonly Hit[], { found }: Pick<RetrievedEach, "found">): readonly Hit[] {
  const known = new Set(hits.map(({ chunk }) => chunk.id));
  const fresh = found.flatMap((each) => each.hits).filter(({ chunk }) => !known.has(chunk.id));
  return [...hits, ...fresh].toSorted((left, right) => right.score - left.score);
}

/**
 * A plan → its passages:
 * 1. all formulations are searched concurrently, and their hits merged by weighted score, each chunk once;
 * 2. empty forms are dropped unless the question asks for a template;
 * 3. if at least half of the first results are templates, the key terms are searched again without those
 *    files, and merged;
 * 4. the second stage, if any, rescores the first hits;
 * 5. near-duplicates are demoted (maximal marginal relevance).
 */
export async function gatherPassages(
  plan: Plan,
  request: Omit<SearchRequest, "query">,
  drivers: GatherDrivers,
  run: Run,
): Promise<GatheredHits> {
  const { settings } = drivers;
  const { secondStage } = drivers.retrieve;
  const [least, vectors] = [secondStage?.hits ?? 0, settings.lambda < 1];
  const formulations = plan.queries.map(({ text, limit }) => ({ text, limit: Math.max(limit, least) }));
  const once = await retrieveEach(formulations, request, drivers.retrieve, run, { vectors });
  const clock = phaseClock();
  const isAsked = plan.queries.some(({ text }) => mentionsTemplate(text));
  let merged: readonly Hit[] = await clock.time("gather", async () =>
    merge(once.found, plan.queries, settings.weights),
  );
  const first = merged.slice(0, request.topK);
  const templates = first.filter(isTemplate);
  const refined = first.length > 0 && templates.length * 2 >= first.length && !isAsked;
  const again = refined ? await searchWithout(templates, plan, request, drivers, run) : null;
  if (again !== null) merged = joined(merged, again);
  const forms = isAsked ? [] : merged.filter(isEmptyForm);
  const isAllForms = forms.length > 0 && forms.length === merged.length;
  merged = merged.filter((hit) => !forms.includes(hit));
  const second = await rerank(merged, questionsOf(plan), request.topK, secondStage, run);
  if (secondStage !== undefined) merged = isAsked ? second.hits : demoteTemplates(second.hits);
  const all = [...once.found, ...(again?.found ?? [])];
  const hits = await clock.time("gather", async () => choose(merged, all, settings, request.topK));
  clock.count("gather", {
    formulations: formulations.length,
    merged: merged.length,
    templates: templates.length,
    refined: Number(refined),
  });
  const lost = [...once.unavailable, ...(again?.unavailable ?? [])];
  return {
    hits,
    ...(isAllForms ? { forms } : {}),
    named: [...new Set(once.found.flatMap(({ named }) => named))],
    templates: templates.length,
    refined,
    unavailable: [...new Map(lost.map((each) => [each.collection, each])).values()],
    phases: [...once.phases, ...(again?.phases ?? []), ...second.phases, ...clock.list()],
    ...bestCosine(all),
  };
}
