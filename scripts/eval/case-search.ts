import { planQueries } from "../../src/agents/decide/plan.ts";
import { rankingOf } from "../../src/app/engines/ranking.ts";
import { evidenceDefaults } from "../../src/pipeline/answer/evidence.ts";
import { gatherDefaults, gatherPassages } from "../../src/pipeline/retrieve/gather.ts";
import { buildNameIndex } from "../../src/pipeline/retrieve/naming.ts";
import type { RetrieveDrivers } from "../../src/pipeline/retrieve/retrieve.ts";
import { evalRun, type openHome, type openLibrary } from "./library.ts";
import type { EvidenceCase } from "./near-misses.ts";
import type { Found } from "./replay.ts";

type Settings = ReturnType<typeof openHome>["settings"];
type Library = Awaited<ReturnType<typeof openLibrary>>;

/** Searches as a question does, but for what its case leaves out. */
export async function searchCase(one: EvidenceCase, library: Library, settings: Settings): Promise<Found> {
  const documents = (await library.documents()).filter(({ name }) => !one.excludedNames.includes(name));
  const hidden = { not: { field: "sourceName" as const, in: one.excludedNames } };
  const retrieve: RetrieveDrivers = {
    ...library.drivers,
    catalogue: async () => buildNameIndex(documents),
    ranking: rankingOf(settings),
    targets: async (request) =>
      (await library.drivers.targets(request)).map((target) => ({
        ...target,
        store: {
          async search(name, query, signal) {
            const filter = one.excludedNames.length === 0 ? query.filter : { all: [query.filter, hidden] };
            const found = await target.store.search(name, { ...query, filter }, signal);
            const keep = ({ chunk }: (typeof found.dense)[number]): boolean => !one.hides(chunk);
            return { ...found, dense: found.dense.filter(keep), lexical: found.lexical.filter(keep) };
          },
        },
      })),
  };
  const planned = planQueries(one.question, { rewritten: null }, { intent: "retrieval" });
  const request = {
    topK: 10,
    collections: [],
    mode: "hybrid" as const,
  };
  const { hits, cosine } = await gatherPassages(
    planned,
    request,
    { retrieve, settings: gatherDefaults },
    evalRun,
  );
  return {
    hits: hits.slice(0, evidenceDefaults.depth),
    ...(cosine === undefined ? {} : { cosine }),
  };
}
