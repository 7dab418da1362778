import type { EvalQuestion } from "../../core/answers/evaluation.ts";
import type { ReembedGate } from "../../core/documents/reembed.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { baseName, readQuestions } from "../../pipeline/evaluate/questions.ts";
import { pairedTest } from "../../pipeline/evaluate/resample.ts";
import { placesOf, retrievalScores } from "../../pipeline/evaluate/score.ts";
import { colbertStage, requireColbert } from "../../pipeline/retrieve/colbert.ts";
import { type RetrieveDrivers, retrieve } from "../../pipeline/retrieve/retrieve.ts";
import type { CollectionRecord } from "../../registry/documents/collections.ts";
import type { ReembedReport } from "../../shapes/documents.ts";
import { createRetrieval } from "../ask/retrieval.ts";
import { visibleStore } from "../engines/collection-store.ts";
import type { Home } from "../home.ts";

/** Passages that are looked at for each question. */
const topK = 10;

/** Vectors of a collection: the store that holds them and the model they came from. */
export interface Vectors extends CollectionSpec {
  readonly embedder: string;
}

/** Vectors that searches have not moved to yet. */
export interface NewVectors extends Vectors {
  /** Chunks embedded just now that are longer than the model reads. */
  readonly truncated: number;
}

/**
 * Searches two stores of one collection with the same questions. The new vectors pass where their mean
 * nDCG@10, by page where a question states its pages and else by document, is at most the margin below that
 * of the old ones. @throws GATE_FAILED, USAGE_INVALID
 */
export async function evaluateReembedGate(
  { questions: source, margin }: ReembedGate,
  collection: CollectionRecord,
  before: Vectors,
  after: NewVectors,
  home: Home,
  run: Run,
): Promise<NonNullable<ReembedReport["gate"]>> {
  const file = await readQuestions(source.bytes, source.name, "group");
  const names = new Set((await home.documents.latest([collection.name])).map(({ name }) => baseName(name)));
  const questions = file.questions.filter(
    ({ answerable, document }) => answerable && document !== null && names.has(document),
  );
  if (questions.length === 0)
    throw new RagctlError(
      "GATE_FAILED",
      `the gate cannot be computed: no question in ${source.name} is about a document in ${collection.name}`,
      {
        hint: `searches keep using the vectors of ${before.embedder}; docs/reference/evaluation.md describes questions`,
      },
    );
  const pairs: { before: number; after: number }[] = [];
  for (const question of questions)
    pairs.push({
      before: await gainOf(question, driversOf(before, collection, home, run), run),
      after: await gainOf(question, driversOf(after, collection, home, run), run),
    });
  const skipped = file.questions.length + file.excluded.length - questions.length;
  const seen = { metric: `ndcg@${topK}`, margin, skipped, ...pairedTest(pairs) };
  if (seen.difference >= -margin) return seen;
  throw new RagctlError("GATE_FAILED", lossText(collection.name, after, seen), {
    hint: `searches keep using the vectors of ${before.embedder}; the new ones are kept, and the same command without --gate switches to them`,
  });
}

const rounded = (value: number): string => value.toFixed(3);

function lossText(
  name: string,
  { embedder, truncated }: NewVectors,
  seen: NonNullable<ReembedReport["gate"]>,
): string {
  const { metric, before, after, low, high, questions, margin, skipped } = seen;
  const loss = `with ${embedder}, ${metric} of ${name} would fall from ${rounded(before)} to ${rounded(after)} on ${questions} questions (difference ${rounded(after - before)}, 95 % interval ${rounded(low)} to ${rounded(high)}; a fall of at most ${margin} is allowed)`;
  const lines = skipped === 0 ? [] : [`${skipped} other line${skipped === 1 ? "" : "s"} of the file skipped`];
  const chunks = truncated === 1 ? "1 chunk is" : `${truncated} chunks are`;
  const cut = truncated === 0 ? [] : [`${chunks} longer than the model reads`];
  return [loss, ...lines, ...cut].join("; ");
}

/** Searches one store as `search` does, whatever the collection is searched in now. */
function driversOf(vectors: Vectors, collection: CollectionRecord, home: Home, run: Run): RetrieveDrivers {
  const { access, documents, embedders, store, settings } = home;
  const { rerankModel, rerankHits } = settings.retrieve;
  const byColbert = rerankModel === "colbert";
  const embedder = embedders.of(vectors.embedder);
  const keep = (hits: readonly Hit[]): Promise<readonly Hit[]> => access.keep(hits, run, null);
  const target = {
    spec: vectors,
    collection: collection.name,
    store: {
      async search(...[name, query, signal]: Parameters<ReturnType<typeof visibleStore>["search"]>) {
        if (byColbert) await requireColbert(collection.name, embedder);
        const visible = visibleStore(await store(collection.instance), collection, {}, documents);
        const { dense, lexical, vectors: found } = await visible.search(name, query, signal);
        return { dense: await keep(dense), lexical: await keep(lexical), vectors: found };
      },
    },
  };
  return {
    ...createRetrieval(home).drivers(run, null),
    embedder,
    targets: async () => [target],
    // Rows of ColBERT are those of these vectors' model, which need not be the one that is searched by now.
    ...(byColbert ? { secondStage: colbertStage(async () => embedder, rerankHits) } : {}),
  };
}

async function gainOf(question: EvalQuestion, drivers: RetrieveDrivers, run: Run): Promise<number> {
  const request = { query: question.question, topK, collections: [], mode: "hybrid" as const };
  const { hits } = await retrieve(request, drivers, run);
  const scores = retrievalScores(question, placesOf(hits), [topK]);
  return scores[`page_ndcg@${topK}`] ?? scores[`document_ndcg@${topK}`] ?? 0;
}
