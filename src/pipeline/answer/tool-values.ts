import type { Citation, GroundedMode, SentenceVerdict } from "../../core/answers/answer.ts";
import { isFinding } from "../../core/answers/tool.ts";
import type { Context, Passage } from "../../core/retrieval.ts";
import { omission } from "../../core/text.ts";
import { numberOccurrence, quantitiesIn } from "../../language/quantities.ts";
import { contentTerms, isNumber, normalize, words } from "../../language/terms.ts";
import { citationOf, citationQuoting, type Grounded, neutralizeMarkup } from "./ground.ts";
import type { Question } from "./question.ts";

/** Tools whose result is a value; results of others are treated like a passage. */
const exact: ReadonlySet<string> = new Set(["tool:calculator", "tool:database_query"]);

/**
 * A finding's result without the call: without the line that names the query, or the expression before the
 * equals sign.
 */
function resultOf({ text, chunk }: Passage): string {
  if (chunk.method === "tool:calculator")
    return text.slice(Math.max(text.lastIndexOf("="), text.lastIndexOf("≈")) + 1);
  const [first = "", ...rest] = text.split("\n");
  return chunk.method === "tool:database_query" && rest.length > 0 && first.endsWith(":")
    ? rest.join("\n")
    : text;
}

/** Whether a sentence states something of a finding that is neither in the question nor in the tool call. */
function tells(sentence: string, passage: Passage, question: Question): boolean {
  const result = resultOf(passage);
  const values = quantitiesIn(normalize(result));
  if (
    quantitiesIn(normalize(sentence)).some(
      (quantity) => numberOccurrence(quantity, values, [], true) !== "no",
    )
  )
    return true;
  const asked = new Set([
    ...question.words,
    ...words(passage.chunk.headings.join(" ")),
    ...words(passage.text.slice(0, -result.length || undefined)),
  ]);
  const own = new Set(words(sentence));
  return contentTerms(result).some((term) => !asked.has(term) && !isNumber(term) && own.has(term));
}

/**
 * Findings that the answer must still show, so that no tool result is lost: a calculation or query whose
 * value no kept sentence states, and any other finding that a sentence was written about, or any if no
 * sentence is left, unless a kept one states it. `written`: every sentence of the answer; `left`: those that
 * are shown.
 */
function untold(
  question: Question,
  context: Context,
  written: readonly SentenceVerdict[],
  left: readonly SentenceVerdict[],
): readonly Passage[] {
  return context.passages.filter((passage) => {
    if (!isFinding(passage.chunk)) return false;
    const about = ({ markers }: SentenceVerdict): boolean => markers.includes(passage.marker);
    if (left.some((sentence) => about(sentence) && tells(sentence.text, passage, question))) return false;
    return exact.has(passage.chunk.method) || left.length === 0 || written.some(about);
  });
}

/**
 * A citation of a finding. Quotes the rows it was read from, never the computed text; for findings without a
 * document, the rows of a query or the last line.
 */
function findingCitation(passage: Passage, question: Question): Citation {
  const { text, chunk, marker } = passage;
  if (chunk.readFrom !== undefined)
    return citationQuoting({ marker, chunk: chunk.readFrom.chunk }, chunk.readFrom.rows);
  const isQuery = chunk.method === "tool:database_query";
  const lines = (isQuery ? resultOf(passage) : text).split("\n").filter((line) => line !== omission);
  return citationOf(passage, isQuery ? lines : lines.slice(-1), question);
}

/** A finding as shown in an answer, with its marker. */
const shownFinding = (passage: Passage, passages: readonly Passage[]): string =>
  `${neutralizeMarkup(passage.text.trim(), passages)} [${passage.marker}]`;

/** Appends the findings of tools whose value the answer lacks, each on its own lines. */
export function appendToolValues(
  grounded: Grounded,
  question: Question,
  built: Context,
  mode: GroundedMode,
): Grounded {
  const left =
    mode === "strict"
      ? grounded.sentences.filter(({ support }) => support !== "unsupported")
      : grounded.sentences;
  const missing = untold(
    question,
    built,
    grounded.sentences,
    left.filter(({ support }) => support !== "unsupported"),
  );
  if (missing.length === 0) return grounded;
  const text = [grounded.text, ...missing.map((passage) => shownFinding(passage, built.passages))]
    .filter((part) => part !== "")
    .join("\n");
  const markers = new Set(missing.map(({ marker }) => marker));
  const kept = grounded.citations.filter(({ marker }) => !markers.has(marker));
  const own = missing.map((passage) => findingCitation(passage, question));
  return { ...grounded, text, citations: [...kept, ...own].sort((one, other) => one.marker - other.marker) };
}
