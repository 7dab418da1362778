import { planQueries } from "../../src/agents/decide/plan.ts";
import { rankingOf } from "../../src/app/engines/ranking.ts";
import type { Settings } from "../../src/config/settings.ts";
import type { SearchRequest } from "../../src/core/app.ts";
import type { Hit } from "../../src/core/retrieval.ts";
import { expandContext, neighbourIds } from "../../src/pipeline/retrieve/expand.ts";
import { gatherDefaults, gatherPassages } from "../../src/pipeline/retrieve/gather.ts";
import { buildNameIndex } from "../../src/pipeline/retrieve/naming.ts";
import { evalRun, type openLibrary } from "./library.ts";

/** Hits that a prompt is made of. */
export const promptHits = 5;

/** Searches a collection as `ask` does. */
export async function openAnswerHits(settings: Settings, library: Awaited<ReturnType<typeof openLibrary>>) {
  const catalogue = buildNameIndex(await library.documents());
  const ranking = rankingOf(settings);
  const retrieve = { ...library.drivers, catalogue: async () => catalogue, ...(ranking && { ranking }) };
  const drivers = { retrieve, settings: { ...gatherDefaults, lambda: settings.mmr.lambda } };
  const reach = settings.answer.neighbours;
  return {
    /** The hits of a question, best first. */
    async find(
      question: string,
      within: Partial<Pick<SearchRequest, "documents" | "topK">> = {},
    ): Promise<readonly Hit[]> {
      const planned = planQueries(question, { rewritten: null }, { intent: "retrieval" });
      const request = { topK: 10, collections: [], mode: "hybrid" as const, ...within };
      return (await gatherPassages(planned, request, drivers, evalRun)).hits;
    },
    /** Hits with the pages they are read with, the first ones of a prompt. */
    async read(hits: readonly Hit[]): Promise<readonly Hit[]> {
      const first = hits.slice(0, promptHits);
      const chunks = await library.chunksWith(neighbourIds(first, reach));
      return [...expandContext(first, chunks, reach), ...hits.slice(promptHits)];
    },
  };
}
