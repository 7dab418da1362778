import { alternatives, conjunctions, languages, listed } from "../languages.ts";

const names = alternatives(({ items }) => items?.names);
const elsewhere = alternatives(({ items }) => items?.countedFrom);
const ends = alternatives(({ pages }) => pages?.ordinalEnds);
const tens = languages.flatMap(({ numbers }) => listed(numbers?.tens)).join("|");

/** Word → number: `second`. */
const ordinals = new Map(
  languages.flatMap(({ pages }) =>
    listed(pages?.ordinals).flatMap((word, at) => (at === 0 ? [] : [[word, at] as const])),
  ),
);

/** `the second bullet point`, `the 10th step`; not one of several, nor one counted from the end. */
const named = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?<!(?:${tens})\\s)(?<!(?<!\\p{L})(?:${conjunctions()})\\s(?:\\p{L}{1,4}\\s)?)(?:(?<word>${[...ordinals.keys()].join("|")})[nrsm]?|(?<digits>\\d{1,2})(?:${ends}))\\s(?:${names})(?![\\p{L}-])(?!\\s(?:${elsewhere})(?!\\p{L}))`,
  "giu",
);

/** The number of the one item of a list that a question asks for; null where it asks for none or for several. */
export function itemAsked(question: string): number | null {
  const found = [...question.normalize("NFC").matchAll(named)].map(({ groups }) =>
    Number(groups?.["digits"] ?? ordinals.get(groups?.["word"]?.toLowerCase() ?? "") ?? 0),
  );
  const [only] = found;
  return found.length === 1 && only !== undefined && only > 0 ? only : null;
}
