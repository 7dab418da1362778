import type { Citation } from "../../core/answers/answer.ts";
import { isFindingId } from "../../core/answers/tool.ts";
import type { App } from "../../core/app.ts";
import { versionIdOf } from "../../core/documents/chunk.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Run } from "../../core/run.ts";
import { bestQuote, termCoverage } from "../../pipeline/answer/extract.ts";
import type { StaleReport } from "../../shapes/verify.ts";
import { readableDocuments } from "../documents/documents.ts";
import type { Home } from "../home.ts";
import { redactAnswer, runVisibility } from "../records.ts";
import { quoteFinder } from "./quotes.ts";

type StaleAnswer = StaleReport["answers"][number];
type StalePassage = StaleAnswer["passages"][number];

/**
 * Share of a quote's words that a passage must have for one of its sentences to count as the quote's new
 * wording.
 */
const leastShared = 0.34;

/**
 * The newest answers, within `limit` runs, with quotes that are no longer in their documents; only those that
 * the run's principal asked and may read.
 */
export async function staleAnswers(
  limit: number,
  library: Pick<App, "show">,
  home: Home,
  run: Run,
): Promise<StaleReport> {
  const limits = await runVisibility(home, run);
  const documents = await readableDocuments(home, run);
  const visible = new Set(documents.map(({ versionId }) => versionId));
  const textsOf = lazyMap(async (id: string) => (await library.show(id, run)).chunks.map(({ text }) => text));
  const stalePassages = async (citation: Citation): Promise<readonly StalePassage[]> => {
    const { marker, sourceFile, sourcePath, collection, chunkId, quotes } = citation;
    if (isFindingId(chunkId) || visible.has(versionIdOf(chunkId))) return [];
    const inCollection = documents.filter((each) => each.collection === collection);
    const document =
      inCollection.find(({ path }) => path === sourcePath) ??
      inCollection.find(({ name }) => name === sourceFile);
    const facts = { marker, document: sourceFile, collection };
    if (document === undefined)
      return quotes.map((before) => ({ ...facts, state: "gone", before, after: "" }));
    const now = await textsOf(document.id);
    const isThere = quoteFinder(now);
    return quotes
      .filter((quote) => !isThere(quote))
      .map((before) => ({ ...facts, state: "changed", before, after: nearestTo(before, now) }));
  };
  const asked = new Set<string>();
  const answers: StaleAnswer[] = [];
  for (const past of await home.runs.list({ kind: "ask", limit, ...(limits && { of: limits.of }) })) {
    run.signal.throwIfAborted();
    const key = `${past.principal}\n${past.kind === "ask" ? past.question : ""}`;
    if (past.kind !== "ask" || past.state !== "completed" || asked.has(key)) continue;
    asked.add(key);
    const { question, citations } = await redactAnswer(past, limits);
    const passages: StalePassage[] = [];
    for (const citation of citations) passages.push(...(await stalePassages(citation)));
    if (passages.length > 0) answers.push({ runId: past.id, question, askedAt: past.startedAt, passages });
  }
  return { answers, checked: asked.size };
}

/** The sentence or row nearest to a quote; "" for none. */
function nearestTo(quote: string, texts: readonly string[]): string {
  const [best] = texts
    .map((text) => ({ text, shared: termCoverage(quote, text) }))
    .toSorted((one, other) => other.shared - one.shared);
  return best === undefined || best.shared < leastShared ? "" : bestQuote(quote, best.text);
}
