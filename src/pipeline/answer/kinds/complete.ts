import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { Context } from "../../../core/retrieval.ts";
import { saysAggregate } from "../../../language/asking/values.ts";
import { citationOf, type Grounded, inert, mergedCitations } from "../ground.ts";
import type { Question } from "../question.ts";
import { markerPattern, markersOf, quotedSentence } from "../statements.ts";
import { missingSides } from "./comparison.ts";
import { answeringList, isComplete, listAnswer, namesItem } from "./items.ts";

/** An answer completed for its kind of question, and why; the reason is "" if nothing was missing. */
export interface Completed {
  readonly grounded: Grounded;
  readonly reason: string;
}

/**
 * Replaces the text of an answer, adding citations and sentences for the quoted lines. If these are the
 * entire text, the earlier sentences are dropped.
 */
function withText(
  grounded: Grounded,
  text: string,
  added: string,
  question: Question,
  context: Context,
): Grounded {
  const lines = added.split("\n").flatMap((line): SentenceVerdict[] => {
    const markers = markersOf(line);
    const said = line.replace(markerPattern, "").trim();
    return markers.length === 0 ? [] : [quotedSentence({ text: said, markers })];
  });
  const quoted = context.passages.flatMap((passage) => {
    const own = lines.filter(({ markers }) => markers.includes(passage.marker)).map((line) => line.text);
    return own.length === 0 ? [] : [citationOf(passage, own, question)];
  });
  const used = new Set(markersOf(text));
  const before = text === added ? { citations: [], sentences: [], removed: 0 } : grounded;
  return {
    text,
    citations: mergedCitations([...before.citations, ...quoted]).filter(({ marker }) => used.has(marker)),
    sentences: [...before.sentences, ...lines],
    removed: before.removed,
  };
}

/** Adds that no total was computed, unless the answer states or derives one. */
function withoutTotal(grounded: Grounded, { notes }: Question): Completed {
  const isReckoned = grounded.sentences.some(({ derivation }) => derivation !== undefined);
  if (grounded.text === "" || isReckoned || saysAggregate(grounded.text)) return { grounded, reason: "" };
  const text = `${grounded.text}\n${notes.noTotal}`;
  return { grounded: { ...grounded, text }, reason: notes.reasons.noTotal };
}

/**
 * Adds what the kind of question requires: both sides of a comparison, or a note that one is missing; every
 * item of a list; every step of a procedure, in order; for a total, a note that none was computed. Missing
 * content is quoted from the passages; an empty answer becomes these quotes.
 */
export function completeByKind(grounded: Grounded, question: Question, context: Context): Completed {
  // Tool results are left as they are.
  if (context.passages.some(({ chunk }) => isFinding(chunk))) return { grounded, reason: "" };
  if (question.kind === "total") return withoutTotal(grounded, question);
  if (question.kind === "comparison") {
    const lines = missingSides(question.text, context, grounded.text).map((line) =>
      inert(line, context.passages),
    );
    // In an otherwise empty answer both sides must be quoted; one alone answers nothing.
    if (lines.length === 0 || (grounded.text === "" && lines.some((line) => markersOf(line).length === 0)))
      return { grounded, reason: "" };
    const text = [grounded.text, ...lines].filter((part) => part !== "").join("\n");
    return {
      grounded: withText(grounded, text, lines.join("\n"), question, context),
      reason: question.notes.reasons.sideAdded,
    };
  }
  if (question.kind !== "list" && question.kind !== "procedure") return { grounded, reason: "" };
  const list = answeringList(question, context);
  if (list === null || isComplete(list, grounded.text, question.kind === "procedure"))
    return { grounded, reason: "" };
  // An answer that names no item of the list answers from something else.
  if (question.kind === "list" && grounded.text !== "" && !namesItem(list, grounded.text))
    return { grounded, reason: "" };
  const text = inert(listAnswer(list), context.passages);
  return {
    grounded: withText(grounded, text, text, question, context),
    reason: question.notes.reasons.whole(list.marker, question.kind === "procedure"),
  };
}
