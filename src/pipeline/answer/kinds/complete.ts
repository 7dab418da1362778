import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import { isFinding } from "../../../core/answers/tool.ts";
import type { Context } from "../../../core/retrieval.ts";
import { saysAggregate } from "../../../language/asking/values.ts";
import { citationOf, type Grounded, inert, mergedCitations } from "../ground.ts";
import type { Question } from "../question.ts";
import { markerPattern, markersOf, quotedSentence } from "../statements.ts";
import { missingSides } from "./comparison.ts";
import { answeringList, isComplete, listAnswer, namesItem } from "./items.ts";

/**
 * An answer with what its kind of question still wants, and why; the reason is "" where nothing was wanting.
 */
export interface Completed {
  readonly grounded: Grounded;
  readonly reason: string;
}

/**
 * The answer with another text, and citations and sentences of what that quotes beside its own. Where the quoted lines
 * are the whole text, nothing that was written before is said any more.
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

/** A total that nothing computed: the answer says so, unless the passages state one. */
function withoutTotal(grounded: Grounded, { notes }: Question): Completed {
  const isReckoned = grounded.sentences.some(({ derivation }) => derivation !== undefined);
  if (grounded.text === "" || isReckoned || saysAggregate(grounded.text)) return { grounded, reason: "" };
  const text = `${grounded.text}\n${notes.noTotal}`;
  return { grounded: { ...grounded, text }, reason: notes.reasons.noTotal };
}

/**
 * What the kind of a question wants beyond sentences that are true: of a comparison both sides, or the word
 * that one is missing; of a list every item, of a procedure every step in order; of a total the word that none was
 * computed. What is wanting is quoted from the passages; an empty answer becomes these quotes.
 */
export function completeByKind(grounded: Grounded, question: Question, context: Context): Completed {
  // What a tool computed or found stands as it is.
  if (context.passages.some(({ chunk }) => isFinding(chunk))) return { grounded, reason: "" };
  if (question.kind === "total") return withoutTotal(grounded, question);
  if (question.kind === "comparison") {
    const lines = missingSides(question.text, context, grounded.text).map((line) =>
      inert(line, context.passages),
    );
    // Without a statement two quotes are an answer, one is none.
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
  // What lists other things is another answer.
  if (question.kind === "list" && grounded.text !== "" && !namesItem(list, grounded.text))
    return { grounded, reason: "" };
  const text = inert(listAnswer(list), context.passages);
  return {
    grounded: withText(grounded, text, text, question, context),
    reason: question.notes.reasons.whole(list.marker, question.kind === "procedure"),
  };
}
