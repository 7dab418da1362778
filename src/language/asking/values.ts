import { alternatives, anyApart, anyOf, languages } from "../languages.ts";
import { quantitiesIn } from "../quantities.ts";
import { isStopWord, normalize, words } from "../terms.ts";

/** A kind of value that a question explicitly asks for. */
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
    // Three digits or more, grouped as in telephone numbers.
    holds: /\p{N}(?:[\s()./+-]{0,2}\p{N}){2,}/u,
  },
] as const;

/** The kind of value a question asks for; null for none. */
export function askedValue(question: string): AskedValue | null {
  const text = question.normalize("NFC");
  return kinds.find(({ asks }) => asks.test(text))?.kind ?? null;
}

const reasonAsked = anyApart(alternatives(({ reasons }) => reasons));
/** Whether a question asks for a reason. */
export const asksForReason = (question: string): boolean => reasonAsked.test(question.normalize("NFC"));

/** The text after the words by which a question asks for a number; "" if it does not. */
function behindAsking(question: string): string {
  const text = question.normalize("NFC");
  const asking = kinds.find(({ kind }) => kind === "number")?.asks.exec(text);
  return asking === null || asking === undefined ? "" : text.slice(asking.index + asking[0].length);
}

const general = new Set(words(languages.map((language) => language.general ?? "").join(" ")));

const joining = new RegExp(`^(?:${alternatives(({ and }) => and)})$`, "iu");

/**
 * Stems of what a question asks to count (`metric`, `ton` of “How many metric tons of …”): the words after
 * the interrogative up to the next stop word that does not join two. Empty if it asks for no number, names
 * nothing there, or something with many other names.
 */
export function countedWords(question: string): readonly string[] {
  const behind = behindAsking(question).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const end = behind.findIndex((word) => isStopWord(word) && !joining.test(word));
  const counted = words(behind.slice(0, end === -1 ? behind.length : end).join(" "));
  return counted.some((root) => general.has(root)) ? [] : counted;
}

/** A colour code of a colour system. */
const colorCode = /(?<!\p{L})(?:ral|pantone|ncs)\s?\p{N}|#[\da-f]{6}(?![\p{L}\p{N}])/iu;

/**
 * Whether a text has any value of a kind: digits, a number word, a time or an amount; for a colour its name
 * or code, for a telephone number digits.
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

/** Whether a question asks for a difference. */
export const asksDifference = (question: string): boolean => differenceAsked.test(question.normalize("NFC"));

/** Whether a text states a difference. */
export const saysDifference = (text: string): boolean => differenceSaid.test(text.normalize("NFC"));

const aggregate = anyOf(alternatives(({ aggregates }) => aggregates));

/** Whether a text mentions a total, an average or the like. */
export const saysAggregate = (text: string): boolean => aggregate.test(text);
