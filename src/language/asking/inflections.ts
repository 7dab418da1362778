import { languageOfText, languages, parseWords } from "../languages.ts";

const inflections = languages
  .flatMap(({ inflection }) => inflection ?? [])
  .map(({ endings, umlauts }) => ({
    endings: parseWords(endings),
    // `au` before its parts.
    umlauts: Object.entries(umlauts).toSorted(([left], [right]) => right.length - left.length),
  }));
type Inflection = (typeof inflections)[number];

/** Whether words of a text have the forms of `inflectedForms`. */
export const hasInflectedForm = (text: string): boolean => languageOfText(text).inflection !== undefined;

/** Shortest word to split, and shortest parts, in letters: shorter ones are mostly unrelated words. */
const limits = { compound: 9, head: 4, modifier: 5 };

/** Umlauts the last vowel that allows it: `flug` → `flüg`, `raum` → `räum`. */
function withUmlaut(base: string, { umlauts }: Inflection): string {
  const ends = umlauts.map(([vowel]) => (base.includes(vowel) ? base.lastIndexOf(vowel) + vowel.length : 0));
  const end = Math.max(...ends);
  const [vowel = "", umlaut = ""] = umlauts.find(([plain]) => base.slice(0, end).endsWith(plain)) ?? [];
  return base.slice(0, end - vowel.length) + umlaut + base.slice(end);
}

const withoutUmlaut = (base: string, { umlauts }: Inflection): string =>
  umlauts.reduce((plain, [vowel, umlaut]) => plain.replaceAll(umlaut, vowel), base);

/** Beginnings and ends of a long word that may be words themselves. */
function partsOf(word: string): string[] {
  if (word.length < limits.compound) return [];
  const parts: string[] = [];
  for (let at = limits.modifier; at <= word.length - limits.head; at += 1)
    parts.push(word.slice(0, at), word.slice(at));
  return parts.filter((part) => part.length >= limits.head);
}

/**
 * Forms of a query word that a text may have: inflections (`flug`, `flüge`) and possible parts of a compound
 * (`reisekostenabrechnung`: `abrechnung`). Generated without a dictionary, so most are no words; they are only
 * looked up among the words of a passage. Lower case in and out.
 */
export function inflectedForms(word: string): readonly string[] {
  if (!/^\p{L}{4,40}$/u.test(word)) return [];
  const forms = inflections.flatMap((inflection) => {
    const { endings } = inflection;
    const cut = endings
      .filter((ending) => word.endsWith(ending))
      .map((ending) => word.slice(0, -ending.length));
    return [word, ...cut]
      .filter((base) => base.length >= 3)
      .flatMap((base) => [base, withUmlaut(base, inflection), withoutUmlaut(base, inflection)])
      .flatMap((base) => [base, ...endings.map((ending) => base + ending)]);
  });
  return [...new Set([...forms, ...partsOf(word)])];
}
