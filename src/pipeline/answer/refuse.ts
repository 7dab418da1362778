import type { Citation, NearPassage } from "../../core/answers/answer.ts";
import { type Context, chunkContaining, type Hit } from "../../core/retrieval.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { cleanLine } from "./clean.ts";
import type { Evidence } from "./evidence.ts";
import { bestQuote } from "./extract.ts";
import { citationOf } from "./ground.ts";
import { isPromptInjection, stripInjections } from "./injection/injection.ts";
import { sourceLine } from "./prompt.ts";
import type { Question } from "./question.ts";

/**
 * Why the evidence is too weak, in one line: what occurs nowhere or only next to the passages, and what was
 * excluded from the search, where it may occur. The scores are in the verdict and the trace.
 */
export function describeInsufficiency(
  question: string,
  { missingNames, missingNumbers, namesBeside }: Evidence,
  withheld?: string,
): string {
  const { evidence, evidenceLacking, absent, beside } = notesFor(question).reasons;
  const [names, numbers] = [missingNames.join(", "), missingNumbers.join(", ")];
  const isAbsent = names !== "" || numbers !== "";
  const lacks = [
    ...(names !== "" && numbers !== "" ? [absent.both(names, numbers)] : []),
    ...(names !== "" && numbers === "" ? [absent.names(names)] : []),
    ...(names === "" && numbers !== "" ? [absent.numbers(numbers)] : []),
    ...(namesBeside.length > 0 ? [beside(namesBeside.join(", "), isAbsent)] : []),
    ...(withheld === undefined ? [] : [withheld]),
  ];
  return lacks.length === 0 ? evidence : evidenceLacking(lacks.join("; "));
}

/** Most places listed in a refusal. */
const mostNearest = 3;

/** The places nearest to a question, each once, with their nearest sentence; "" if it has none. */
export function nearestPassages(
  question: Question,
  hits: readonly Pick<Hit, "chunk">[],
): readonly NearPassage[] {
  const nearest = new Map<string, NearPassage>();
  for (const { chunk } of hits) {
    if (nearest.size >= mostNearest) break;
    const sentence = bestQuote(question, stripInjections(chunk.text, question.asksAboutOrders).text);
    const quoted = chunkContaining({ chunk }, sentence);
    const place = sourceLine({ chunk: quoted });
    const quote = cleanLine(sentence);
    if (!nearest.has(place))
      nearest.set(place, { chunk: quoted, quote: isPromptInjection(quote) ? "" : quote });
  }
  return [...nearest.values()];
}

/** A refusal for lack of evidence, with the nearest places. */
export function refusal(question: Question, nearestPlaces: readonly NearPassage[]): string {
  const { noPassage, nearest: heading } = question.notes.refusals;
  const lines = nearestPlaces.map(({ chunk, quote }) => {
    const place = sourceLine({ chunk });
    return quote === "" ? `- ${place}` : `- ${place}: “${quote}”`;
  });
  return lines.length === 0 ? noPassage : `${noPassage}\n${heading}\n${lines.join("\n")}`;
}

/** A refusal because the passages support nothing of what was written: quotes and cites what they do say. */
export function ungroundedRefusal(
  question: Question,
  context: Context,
): {
  readonly text: string;
  readonly citations: readonly Citation[];
} {
  const { ungrounded, found: heading } = question.notes.refusals;
  const nearest = context.passages.slice(0, mostNearest);
  const citations = nearest.map((passage) => citationOf(passage, [question], question));
  const lines = citations.map(({ quote, marker }) => `- “${cleanLine(quote)}” [${marker}]`);
  return {
    text: lines.length === 0 ? ungrounded : `${ungrounded}\n${heading}\n${lines.join("\n")}`,
    citations,
  };
}
