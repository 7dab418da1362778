import type { Draft } from "../../../core/answers/agent.ts";
import type { Verdict } from "../../../core/answers/answer.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { chunkContaining, type Passage } from "../../../core/retrieval.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { cleanLine } from "../clean.ts";
import { citationOf, neutralizeMarkup } from "../ground.ts";
import { analyzeQuestion } from "../question.ts";

/** Most places listed; the rest are counted. */
const maxListed = 40;
/** Longest quote in a list, in characters. */
const longestQuote = 160;

/** A text of a document that is cited. */
export interface QuotedPlace {
  readonly chunk: Chunk;
  readonly quote: string;
  /** Pages to cite, ascending. */
  readonly pages: readonly number[];
}

/** A place in a document that an answer lists and cites. */
export interface ListedPlace extends QuotedPlace {
  /** Others that its line cites too; absent for none. */
  readonly others?: readonly QuotedPlace[];
  /** Indentation level of its line; absent for none. */
  readonly depth?: number;
  /** Its line in the answer, without marker; "" if the heading is the whole answer. */
  readonly line: string;
}

/** An answer compiled from documents without a model. */
export interface Listing {
  readonly head: string;
  readonly places: readonly ListedPlace[];
  readonly end?: string;
  readonly reason: string;
}

/** `1, 3–5`. */
export function ranges(pages: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const page of pages) {
    const open = runs.at(-1);
    if (open !== undefined && open[1] === page - 1) open[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** On one line, cut at a word if too long. */
export function truncateLine(quote: string): string {
  const text = cleanLine(quote);
  return text.length <= longestQuote
    ? text
    : `${text.slice(0, longestQuote - 1).replace(/(?<!\s)\s+\S*$/, "")}…`;
}

/** A listing as an answer that cites every place; a refusal if it has none. No model is involved. */
export function listingDraft(
  { head, places, end, reason }: Listing,
  question: string,
  base: Pick<Verdict, "threshold" | "grounded">,
): Draft {
  const listed = places.slice(0, maxListed);
  const cited = listed.flatMap((place) => [place, ...(place.others ?? [])]);
  const passages = cited.map(
    ({ chunk, quote }, at): Passage => ({
      marker: at + 1,
      chunk,
      text: quote,
      headings: chunkContaining({ chunk }, quote).headings,
    }),
  );
  const lines = listed.map((place) => {
    const { line, depth = 0, others = [] } = place;
    const markers = [place, ...others].map((each) => `[${cited.indexOf(each) + 1}]`).join(" ");
    return line === "" ? "" : `${"  ".repeat(depth)}- ${line} ${markers}`;
  });
  const isHeadAlone = lines.length > 0 && lines.every((line) => line === "");
  const text = neutralizeMarkup(
    [
      isHeadAlone ? `${head} [1]` : head,
      ...lines.filter((line) => line !== ""),
      ...(places.length > listed.length
        ? [notesFor(question).mentions.more(places.length - listed.length)]
        : []),
      ...(end === undefined ? [] : [end]),
    ].join("\n"),
    passages,
  );
  const verdict: Verdict = {
    ...base,
    status: places.length === 0 ? "refused" : "extractive",
    reason,
    evidence: places.length === 0 ? 0 : 1,
    sentences: [],
    removed: 0,
  };
  const context = { question, passages, tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } };
  const citations = passages.map((passage, at) => ({
    ...citationOf(passage, [passage.text], analyzeQuestion(question)),
    pages: cited[at]?.pages ?? [],
  }));
  return { text, citations, verdict, model: null, context, phases: [] };
}
