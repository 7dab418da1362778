import { alternation, alternatives, wordPattern } from "../languages.ts";
import { quantitiesIn } from "../quantities.ts";
import { normalize } from "../terms.ts";

/** A kind of value that a question explicitly asks for. */
export type AskedValue = "date" | "number" | "color" | "telephone";

const kinds = [
  {
    kind: "date",
    asks: wordPattern(alternatives(({ values }) => values?.date?.asks)),
    holds: wordPattern(alternatives(({ values }) => values?.date?.holds)),
  },
  {
    kind: "number",
    asks: wordPattern(alternatives(({ values }) => values?.number?.asks)),
    holds: wordPattern(alternatives(({ values }) => values?.number?.holds)),
  },
  {
    kind: "color",
    asks: wordPattern(alternatives(({ values }) => values?.color?.asks)),
    holds: wordPattern(alternatives(({ values }) => values?.color?.holds)),
  },
  {
    kind: "telephone",
    asks: wordPattern(alternatives(({ values }) => values?.telephone?.asks)),
    // Three digits or more, grouped as in telephone numbers.
    holds: /\p{N}(?:[\s()./+-]{0,2}\p{N}){2,}/u,
  },
] as const;

/** The kind of value a question asks for; null for none. */
export function expectedValueType(question: string): AskedValue | null {
  const text = question.normalize("NFC");
  return kinds.find(({ asks }) => asks.test(text))?.kind ?? null;
}

const reasonAsked = wordPattern(alternatives(({ reasons }) => reasons));
/** Whether a question asks for a reason. */
export const asksForReason = (question: string): boolean => reasonAsked.test(question.normalize("NFC"));

/** A colour code of a colour system. */
const colorCode = /(?<!\p{L})(?:ral|pantone|ncs)\s?\p{N}|#[\da-f]{6}(?![\p{L}\p{N}])/iu;

/**
 * Whether a text has any value of a kind: digits, a number word, a time or an amount; for a colour its name
 * or code, for a telephone number digits.
 */
export function containsValueOfType(kind: AskedValue, text: string): boolean {
  const plain = text.normalize("NFC");
  if (kinds.some((each) => each.kind === kind && each.holds.test(plain))) return true;
  if (kind === "telephone") return false;
  return kind === "color"
    ? colorCode.test(plain)
    : /\p{N}/u.test(plain) || quantitiesIn(normalize(plain)).length > 0;
}
const differenceSaid = wordPattern(alternatives(({ differences }) => differences?.holds));

/** Whether a text states a difference. */
export const statesDifference = (text: string): boolean => differenceSaid.test(text.normalize("NFC"));

const aggregate = alternation(alternatives(({ aggregates }) => aggregates));

/** Whether a text mentions a total, an average or the like. */
export const mentionsAggregate = (text: string): boolean => aggregate.test(text);
