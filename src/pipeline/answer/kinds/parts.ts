import type { Context, Hit } from "../../../core/retrieval.ts";
import { partsOf } from "../../../language/clauses.ts";
import { withoutOpening } from "../../../language/forms.ts";
import { hasVietnameseLetters } from "../../../language/lexicons/vi.ts";
import { sentences } from "../../../language/sentences.ts";
import { words } from "../../../language/terms.ts";
import { type EvidenceOptions, evidence } from "../evidence.ts";
import { subjectsOf } from "../extract.ts";
import { extractiveAnswer, type Grounded, ground } from "../ground.ts";
import { type Question, readQuestion, shares } from "../question.ts";
import { completeByKind } from "./complete.ts";

/** Sentences quoted for one part at most. */
const sentencesOfPart = 2;

/** One of the questions that a question of several is made of. */
export interface Part {
  readonly question: Question;
  /** Whether the passages may answer it. */
  readonly enough: boolean;
}

/** Whether a sentence has all that a part is about: a short part has too few words to be weighed by. */
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

/** The questions a question is made of, fewer than two for none; the sides of a comparison are no parts. */
export function partsAsked(
  { text, kind }: Question,
  hits: readonly Hit[],
  { evidence: options, cosine }: { readonly evidence: EvidenceOptions; readonly cosine?: number },
): readonly Part[] {
  const { parts, reason } = partsOf(withoutOpening(text));
  if (parts.length < 2 || kind === "comparison" || reason === "two things are compared") return [];
  return parts.map((part) => {
    const question = readQuestion(part);
    const { enough } = evidence(question, hits, options, cosine);
    return { question, enough: enough || isSpokenOf(question, hits.slice(0, options.depth)) };
  });
}

/** Answers one after the other, citations of one passage as one. */
function merged(all: readonly Grounded[]): Grounded {
  const byMarker = Map.groupBy(
    all.flatMap(({ citations }) => citations),
    ({ marker }) => marker,
  );
  const citations = [...byMarker.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const sections = [first, ...others].flatMap(({ section }) => section.split("; "));
    const quotes = [first, ...others].flatMap((citation) => citation.quotes);
    return [{ ...first, section: [...new Set(sections)].join("; "), quotes: [...new Set(quotes)] }];
  });
  return {
    text: all
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n"),
    citations: citations.sort((one, other) => one.marker - other.marker),
    sentences: all.flatMap(({ sentences }) => sentences),
    removed: all.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** A part without the subject that it took over from the one before it, in brackets at its end. */
const bareOf = ({ text }: Question): string => text.replace(/(?<!\s)\s*\([^()]*\)$/, "");

/** Whether a text has a word of what a part asks itself. */
function speaksOf(part: Question, text: string): boolean {
  const { alternatives } = readQuestion(bareOf(part));
  return alternatives.length === 0 || shares(alternatives, new Set(words(text)));
}

/** That no passage answers a part, in the language of the question. */
const lackOf = (part: Question): string =>
  hasVietnameseLetters(part.text.normalize("NFC"))
    ? `Không có đoạn nào trả lời: “${bareOf(part)}”`
    : `No passage answers: “${bareOf(part)}”`;

/** Each part by sentences of the passages, as its own kind of question wants them; what has none is named. */
export function quoteParts(parts: readonly Part[], context: Context): Grounded {
  const said = new Set<string>();
  const answers = parts.map(({ question, enough }): Grounded => {
    const lack: Grounded = { text: lackOf(question), citations: [], sentences: [], removed: 0 };
    if (!enough) return lack;
    const quoted = ground(
      extractiveAnswer(question, context, sentencesOfPart),
      context.passages,
      question.text,
      "off",
    );
    const { grounded } = completeByKind(quoted, question, context);
    // The sentence of an earlier part answers this one too if it speaks of what only this one asks.
    if (said.has(grounded.text)) return speaksOf(question, grounded.text) ? { ...lack, text: "" } : lack;
    said.add(grounded.text);
    return grounded.text === "" ? lack : grounded;
  });
  return answers.some(({ citations }) => citations.length > 0)
    ? merged(answers)
    : { text: "", citations: [], sentences: [], removed: 0 };
}

/**
 * An answer with quotes for the parts that no sentence of it is about: that has none of the words which only
 * this part has.
 */
export function withParts(answer: Grounded, parts: readonly Part[], context: Context): Grounded {
  const told = answer.sentences
    .filter(({ support }) => support !== "unsupported")
    .map(({ text }) => new Set(words(text)));
  const missing = parts.filter(({ question }) => {
    const others = new Set(
      parts.flatMap((other) => (other.question === question ? [] : other.question.terms)),
    );
    const own = question.alternatives.filter((_, at) => !others.has(question.terms[at] ?? ""));
    return own.length > 0 && !told.some((sentence) => shares(own, sentence));
  });
  if (missing.length === 0) return answer;
  const removed = answer.sentences.filter(({ support }) => support === "unsupported");
  const quoted = quoteParts(missing, context);
  // What a judge took out does not come back as a quote.
  if (removed.some(({ text }) => quoted.text.includes(text))) return answer;
  return quoted.text === "" ? answer : merged([answer, { ...quoted, sentences: [] }]);
}
