// Whether texts hold an answer as a set has it: its figures, its names and most of its other words.
import { quantitiesIn } from "../../src/language/quantities.ts";
import { contentTerms, isNumber, normalize, words } from "../../src/language/terms.ts";

/** Share of the words of an answer with figures, and of one without, that the texts need to have. */
const leastShares = { withFigures: 0.3, without: 0.6 } as const;

/** Without what its set adds in brackets, a yes or no before it, and its list marks. */
const bareOf = (gold: string): string =>
  gold
    .replace(/\([^()]*\)/g, " ")
    .replace(/^\s*(?:yes|no|ja|nein|có|không)(?![\p{L}])[\s,.:;–-]*/iu, "")
    .replace(/[[\]"']/g, " ")
    .trim();

/** Whether the texts together hold an answer. */
export function holdsAnswer(gold: string, texts: readonly string[]): boolean {
  const bare = bareOf(gold) || gold;
  const said = normalize(texts.join("\n"));
  const values = new Set(quantitiesIn(said).flatMap(({ readings }) => readings));
  const figures = quantitiesIn(normalize(bare)).filter(({ text }) => /\d/.test(text));
  if (!figures.every(({ readings }) => readings.some((value) => values.has(value)))) return false;
  const own = new Set(words(said));
  const terms = contentTerms(bare).filter((term) => !isNumber(term));
  const held = terms.filter((term) => own.has(term)).length;
  const least = figures.length > 0 ? leastShares.withFigures : leastShares.without;
  return terms.length === 0 ? figures.length > 0 : held >= terms.length * least;
}
