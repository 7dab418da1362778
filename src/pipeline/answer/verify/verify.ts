import type { Citation } from "../../../core/answers/answer.ts";
import type { Entailment } from "../../../core/answers/entailment.ts";
import type { CheckedStatement } from "../../../core/answers/verify.ts";
import { type Hit, type Passage, readChunk } from "../../../core/retrieval.ts";
import { languageOf, spokenLanguage } from "../../../language/languages.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import { headersOf } from "../extract.ts";
import { citationQuoting, openGrounding } from "../ground.ts";
import { openSecondJudge } from "../judge/second.ts";
import { witnessOf } from "../judge/witness.ts";
import { type Question, readQuestion } from "../question.ts";
import { markerPattern, statementsOf } from "../statements.ts";
import { contradictionBy, type Pair } from "./contradict.ts";
import { hasNames, identifiersIn } from "./matter.ts";

const heading = /^\s{0,3}#{1,6}\s/;
const question = /[?？]["”’')]*$/u;

/** The statements of a text, in order, without markers: no headings or questions. */
export function statementsToCheck(text: string): readonly string[] {
  const body = text
    .split("\n")
    .filter((line) => !heading.test(line))
    .join("\n");
  return statementsOf(body.replace(markerPattern, ""))
    .map(({ bare }) => bare)
    .filter((bare) => !question.test(bare) && contentTerms(bare).length > 1);
}

/** Share of a statement's terms that one place of a passage must have. */
const heldShare = 0.8;

/**
 * Whether one place of a passage, not just the passage as a whole, has what a statement says: a sentence with
 * its neighbours, or a row with its header, plus the headings.
 */
function isHeldTogether({ statement, witness }: Pair): boolean {
  const { headWords, heads } = witness;
  const lines = witness.sentences.filter((line) => !question.test(line));
  const headers = headersOf(witness.sentences.join("\n"));
  const terms = contentTerms(statement);
  return lines.some((line, at) => {
    const near = line.includes(" | ")
      ? [headers.get(line) ?? "", line]
      : lines.slice(Math.max(0, at - 1), at + 2);
    const text = near.join("\n");
    const own = new Set(words(text));
    const isHere = (term: string): boolean => headWords.has(term) || own.has(term);
    // A rounded or computed number occurs nowhere; one that occurs elsewhere belongs to something else.
    if (terms.some((term) => isNumber(term) && !isHere(term) && witness.words.has(term))) return false;
    const held = terms.filter(isHere);
    return held.length >= terms.length * heldShare && hasNames(statement, `${heads}\n${text}`);
  });
}

/** A statement as a question that gives nothing away except the numbers of its identifiers. */
const askedFor = (statement: string): Question => ({
  ...readQuestion(""),
  numbers: new Set(identifiersIn(statement).flatMap((each) => each.match(/\p{N}+/gu) ?? [])),
  notes: notesFor(statement),
  language: languageOf(statement),
  spoken: spokenLanguage(statement),
});

/** Markers from 1, in the order of the sources. */
const renumbered = (sources: readonly Citation[]): readonly Citation[] =>
  sources.map((source, at) => ({ ...source, marker: at + 1 }));

const passageOf = (hit: Pick<Hit, "chunk" | "around">, at: number): Passage => {
  const chunk = readChunk(hit);
  return {
    marker: at + 1,
    chunk,
    text: chunk.text,
    ...(hit.around === undefined ? {} : { around: hit.around }),
  };
};

/**
 * Checks a statement against passages, nearest first:
 * - contradicted if a passage clearly on the same subject says the opposite, or has another number, date or
 *   name, and no other passage supports it;
 * - supported if the judge of answers fully supports it and its words occur in one place of a passage;
 * - not found otherwise.
 * `entailment`, if any, may find that a supported statement does not follow.
 */
export async function checkStatement(
  text: string,
  hits: readonly Pick<Hit, "chunk" | "around">[],
  entailment: Entailment | null,
  signal: AbortSignal,
): Promise<CheckedStatement> {
  const asked = askedFor(text);
  const passages = hits.map(passageOf);
  const second = entailment === null ? undefined : openSecondJudge(passages, asked, entailment);
  const grounding = openGrounding(passages, asked, "off", second);
  await grounding.consult(text, signal);
  const { sentences, citations } = grounding.ground(text);
  const isSupported = sentences.every(({ support }) => support === "supported");
  const pairs = passages.map(
    (passage): Pair => ({ statement: text, passage, asked, witness: witnessOf(passage, asked) }),
  );
  const isCited = ({ passage: { marker } }: Pair): boolean =>
    citations.some((each) => each.marker === marker);
  const holding = pairs.filter((pair) => isSupported && isCited(pair) && isHeldTogether(pair));
  const contradictions = new Map(
    (holding.length > 0 ? holding : pairs).map((pair) => [pair.passage, contradictionBy(pair)]),
  );
  const sources = citations.filter(({ marker }) =>
    holding.some(({ passage }) => passage.marker === marker && contradictions.get(passage) === null),
  );
  if (sources.length > 0) return { text, verdict: "supported", reason: "", sources: renumbered(sources) };
  for (const [passage, found] of contradictions) {
    if (found === null) continue;
    const source = citationQuoting({ ...passage, marker: 1 }, [found.quote]);
    return { text, verdict: "contradicted", reason: found.reason, sources: [source] };
  }
  const isPartial = sentences.some(({ support }) => support === "partial");
  const [{ reason = "" } = {}] = sentences.filter(({ support }) => support === "partial");
  return {
    text,
    verdict: "not_found",
    reason: isPartial ? reason : asked.notes.judged.unstated,
    sources: isPartial ? renumbered(citations) : [],
  };
}
