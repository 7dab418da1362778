import { alternatives, anyApart, anyOf, languages } from "../languages.ts";
import { quantitiesIn } from "../quantities.ts";
import { isStopWord, normalize, words } from "../terms.ts";

/** A kind of value that a question asks for in so many words. */
export type AskedValue = "date" | "number" | "color" | "telephone";

const kinds = [
  {
    kind: "date",
    asks: anyApart(alternatives(({ values }) => values?.date?.asks)),
    holds: anyApart(alternatives(({ values }) => values?.date?.holds)),
  },
  {
    kind: "number",
    asks: anyApart(alternatives(({ values }) => values?.number?.asks)),
    holds: anyApart(alternatives(({ values }) => values?.number?.holds)),
  },
  {
    kind: "color",
    asks: anyApart(alternatives(({ values }) => values?.color?.asks)),
    holds: anyApart(alternatives(({ values }) => values?.color?.holds)),
  },
  {
    kind: "telephone",
    asks: anyApart(alternatives(({ values }) => values?.telephone?.asks)),
    // Three digits or more, as telephone numbers are grouped.
    holds: /\p{N}(?:[\s()./+-]{0,2}\p{N}){2,}/u,
  },
] as const;

/** What a question asks for; null for none of these. */
export function askedValue(question: string): AskedValue | null {
  const text = question.normalize("NFC");
  return kinds.find(({ asks }) => asks.test(text))?.kind ?? null;
}

const reasonAsked = anyApart(alternatives(({ reasons }) => reasons));
/** Whether a question asks for a reason. */
export const asksForReason = (question: string): boolean => reasonAsked.test(question.normalize("NFC"));

const numberForms = anyApart(alternatives(({ values }) => values?.number?.forms));

/** Whether a question says that its answer is a number by the form it wants (`in USD millions`, `round to …`). */
export const asksForNumber = (question: string): boolean => numberForms.test(question.normalize("NFC"));

/** What stands behind the words by which a question asks for a number; "" where none does. */
function behindAsking(question: string): string {
  const text = question.normalize("NFC");
  const asking = kinds.find(({ kind }) => kind === "number")?.asks.exec(text);
  return asking === null || asking === undefined ? "" : text.slice(asking.index + asking[0].length);
}

const general = new Set(words(languages.map((language) => language.general ?? "").join(" ")));

const joining = new RegExp(`^(?:${alternatives(({ and }) => and)})$`, "iu");

/**
 * The stems of what a question asks to count (`metric`, `ton` of “How many metric tons of …”): the words up to
 * the next stop word behind the asking ones that does not join two. Empty where it asks for no number, names
 * nothing there, or what goes by many words.
 */
export function countedWords(question: string): readonly string[] {
  const behind = behindAsking(question).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const end = behind.findIndex((word) => isStopWord(word) && !joining.test(word));
  const counted = words(behind.slice(0, end === -1 ? behind.length : end).join(" "));
  return counted.some((root) => general.has(root)) ? [] : counted;
}

/** A colour by its number in a system of colours. */
const colorCode = /(?<!\p{L})(?:ral|pantone|ncs)\s?\p{N}|#[\da-f]{6}(?![\p{L}\p{N}])/iu;

/**
 * Whether a text has a value of a kind at all: digits, a number in words, a time or an amount by its name; for a
 * colour its name or code, for a telephone digits.
 */
export function holdsValue(kind: AskedValue, text: string): boolean {
  const plain = text.normalize("NFC");
  if (kinds.some((each) => each.kind === kind && each.holds.test(plain))) return true;
  if (kind === "telephone") return false;
  return kind === "color"
    ? colorCode.test(plain)
    : /\p{N}/u.test(plain) || quantitiesIn(normalize(plain)).length > 0;
}
const differenceAsked = anyApart(alternatives(({ differences }) => differences?.asks));
const differenceSaid = anyApart(alternatives(({ differences }) => differences?.holds));

/** Whether a question asks how far two things lie apart. */
export const asksDifference = (question: string): boolean => differenceAsked.test(question.normalize("NFC"));

/** Whether a text says such a distance. */
export const saysDifference = (text: string): boolean => differenceSaid.test(text.normalize("NFC"));

const aggregate = anyOf(alternatives(({ aggregates }) => aggregates));

/** Whether a text speaks of a total, an average or the like. */
export const saysAggregate = (text: string): boolean => aggregate.test(text);
