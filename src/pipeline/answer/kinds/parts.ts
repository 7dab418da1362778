import type { Context, Hit } from "../../../core/retrieval.ts";
import { withoutAnswerForm } from "../../../language/asking/answer-form.ts";
import { partsOf } from "../../../language/clauses.ts";
import { withoutOpening } from "../../../language/forms.ts";
import { alternatives, wordsIn } from "../../../language/languages.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { sentences } from "../../../language/sentences.ts";
import { words } from "../../../language/terms.ts";
import { type EvidenceOptions, evidence } from "../evidence.ts";
import { subjectsOf } from "../extract.ts";
import { extractiveAnswer, type Grounded, ground, mergedCitations } from "../ground.ts";
import { type Question, readQuestion, shares } from "../question.ts";
import { quotedSentence } from "../statements.ts";
import { completeByKind } from "./complete.ts";
import { isUnseen } from "./looks.ts";

/** Most sentences quoted for one part. */
const sentencesOfPart = 2;

/** One part of a compound question. */
export interface Part {
  readonly question: Question;
  /** Whether the passages may answer it. */
  readonly enough: boolean;
}

/**
 * Whether a sentence has every subject term of a part: short parts have too few words for the evidence model.
 */
function isSpokenOf(part: Question, hits: readonly Hit[]): boolean {
  const subjects = subjectsOf(part);
  return (
    subjects.length > 0 &&
    hits.some(({ chunk }) =>
      sentences(chunk.text).some((sentence) => {
        const own = new Set(words(sentence));
        return subjects.every((forms) => shares([forms], own));
      }),
    )
  );
}

/** The parts of a compound question; none if it is a single question or a comparison. */
export function partsAsked(
  { text, kind }: Question,
  hits: readonly Hit[],
  { evidence: options, cosine }: { readonly evidence: EvidenceOptions; readonly cosine?: number },
): readonly Part[] {
  const { parts, reason } = partsOf(withoutOpening(text));
  // Instructions on the form of the answer are no part, but only without them may the rest be a sentence.
  const asked = partsOf(withoutOpening(withoutAnswerForm(text))).parts;
  if (
    Math.min(parts.length, asked.length) < 2 ||
    kind === "comparison" ||
    reason === "two things are compared"
  )
    return [];
  return asked.map((part) => {
    const question = readQuestion(part);
    const { enough } = evidence(question, hits, options, cosine);
    const isAnswerable = enough || isSpokenOf(question, hits.slice(0, options.depth));
    return { question, enough: isAnswerable && !isUnseen(question, hits) };
  });
}

/** Concatenates answers and merges citations of the same passage. */
function merged(all: readonly Grounded[]): Grounded {
  const citations = mergedCitations(all.flatMap((answer) => answer.citations));
  return {
    text: all
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n"),
    citations,
    sentences: all.flatMap(({ sentences }) => sentences),
    removed: all.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** A part without the subject inherited from the previous part, which is in parentheses at its end. */
const bareOf = ({ text }: Question): string => text.replace(/(?<!\s)\s*\([^()]*\)$/, "");

/** Whether a text has one of a part's own words. */
function speaksOf(part: Question, text: string): boolean {
  const { alternatives } = readQuestion(bareOf(part));
  return alternatives.length === 0 || shares(alternatives, new Set(words(text)));
}

/**
 * Answers each part with sentences of the passages, completed for its kind of question. Parts without an
 * answer, or about an acronym that no passage mentions, are named.
 */
export function quoteParts(parts: readonly Part[], context: Context): Grounded {
  const { partMissing } = notesFor(context.question);
  const said = new Set<string>();
  const answers = parts.map(({ question, enough }): Grounded => {
    const lack: Grounded = { text: partMissing(bareOf(question)), citations: [], sentences: [], removed: 0 };
    if (!enough) return lack;
    const quoted = ground(
      extractiveAnswer(question, context, sentencesOfPart),
      context.passages,
      question.text,
      "off",
    );
    const { grounded } = completeByKind(quoted, question, context);
    // If an earlier part got the same sentence, it answers this one too, provided it has one of its words.
    if (said.has(grounded.text)) return speaksOf(question, grounded.text) ? { ...lack, text: "" } : lack;
    said.add(grounded.text);
    return grounded.text === "" ? lack : grounded;
  });
  return answers.some(({ citations }) => citations.length > 0)
    ? merged(answers)
    : { text: "", citations: [], sentences: [], removed: 0 };
}

/** A part with the words that no other part has. */
interface OwnWords {
  readonly part: Part;
  readonly own: Question["alternatives"];
}

function ownWords(parts: readonly Part[]): readonly OwnWords[] {
  return parts.map((part) => {
    const others = new Set(
      parts.flatMap((other) => (other.question === part.question ? [] : other.question.terms)),
    );
    const { alternatives, terms } = part.question;
    return { part, own: alternatives.filter((_, at) => !others.has(terms[at] ?? "")) };
  });
}

const referring = wordsIn(({ pronouns }) => [pronouns?.subjects ?? "", pronouns?.owners ?? ""]);

/**
 * `…, and it is running`: a clause about the previous subject, which need not repeat the question's words.
 */
const goesOn = new RegExp(
  `(?<!\\p{L})(?:${alternatives(({ and }) => and)})\\s(?:${[...referring].join("|")})(?!\\p{L})`,
  "iu",
);

/** An answer to a compound question, and the parts it leaves unanswered. */
export interface PartsAnswer {
  readonly grounded: Grounded;
  readonly unanswered: readonly string[];
}

/**
 * Adds quotes for parts that the answer does not address, meaning that no sentence has a word unique to the
 * part. Names the part instead if there is no quote, if the judge removed what the quote says, or if it
 * removed the only sentence about this part alone. A clause that continues the same subject may answer one
 * part in other words.
 */
export function withParts(answer: Grounded, parts: readonly Part[], context: Context): PartsAnswer {
  const isRemoved = ({ support }: (typeof answer.sentences)[number]): boolean => support === "unsupported";
  const removed = answer.sentences.filter((each) => isRemoved(each) && !answer.text.includes(each.text));
  const kept = answer.sentences.filter((sentence) => !isRemoved(sentence));
  const all = ownWords(parts);
  const speaks = ({ own }: OwnWords, text: string): boolean => shares(own, new Set(words(text)));
  const isOnlyOf = (one: OwnWords, text: string): boolean =>
    speaks(one, text) && !all.some((other) => other !== one && speaks(other, text));
  const asked = all.filter(({ own }) => own.length > 0);
  const isGoingOn = removed.length === 0 && kept.some(({ text }) => goesOn.test(text));
  const unaddressed = asked.filter((one) => !kept.some(({ text }) => speaks(one, text)));
  const missing = isGoingOn ? unaddressed.slice(1) : unaddressed;
  const lost = asked.filter(
    (one) =>
      !missing.includes(one) &&
      removed.some(({ text }) => isOnlyOf(one, text)) &&
      !kept.some(({ text }) => isOnlyOf(one, text)),
  );
  const quoted = quoteParts(
    missing.map(({ part }) => part),
    context,
  );
  // Text that the judge removed must not return as a quote.
  const isQuoted = quoted.text !== "" && !removed.some(({ text }) => quoted.text.includes(text));
  const quotes = quoted.sentences.map(quotedSentence);
  const whole = isQuoted ? merged([answer, { ...quoted, sentences: quotes }]) : answer;
  if (answer.text === "") return { grounded: whole, unanswered: [] };
  const { partUnanswered } = notesFor(context.question);
  const notes = [...(isQuoted ? [] : missing), ...lost].map(({ part }) =>
    partUnanswered(bareOf(part.question)),
  );
  return { grounded: { ...whole, text: [whole.text, ...notes].join("\n") }, unanswered: notes };
}
