/** A place in a numbering: its style, and the numbers from the outermost one to its own. */
interface Place {
  readonly style: string;
  readonly numbers: readonly number[];
}

const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** The number that Roman digits write; undefined where they write none. */
function romanNumber(digits: string): number | undefined {
  const values = [...digits.toUpperCase()].map((digit) => romanValues[digit] ?? 0);
  if (values.includes(0)) return undefined;
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

/** A number before a title, after a word (`Chapter 3`) or followed by a mark or blank. */
const numbered =
  /^(?:(\p{L}{2,20}) )?(\d{1,3}(?:\.\d{1,3}){0,5}|[IVXLC]{1,7}|[ivxlc]{1,7}|[A-Za-z])(?:([.):])|(?=\s|$))/u;

/** The possible readings of a heading's number: one letter may be a Roman digit too. */
function placesOf(text: string): readonly Place[] {
  const [, word = "", number = "", mark = ""] = numbered.exec(text.normalize("NFKC").slice(0, 60)) ?? [];
  if (number === "" || (mark === "" && word === "" && !/\d/.test(number))) return [];
  const style = (kind: string) => `${word.toLowerCase()} ${kind}`;
  if (/\d/.test(number)) {
    const numbers = number.split(".").map(Number);
    return [{ style: style(`1${mark === ")" ? mark : ""}${numbers.length}`), numbers }];
  }
  const isUpper = number === number.toUpperCase();
  const roman = romanNumber(number);
  const places: Place[] =
    roman === undefined ? [] : [{ style: style(isUpper ? "I" : "i"), numbers: [roman] }];
  if (number.length === 1)
    places.push({ style: style(isUpper ? "A" : "a"), numbers: [number.toLowerCase().charCodeAt(0) - 96] });
  return places;
}

/** Headings that a numbering may leap over, since they were not seen as such. */
const widestGap = 3;

/** Whether a number continues an earlier one, or starts a new sequence. */
function goesOn(last: readonly number[], numbers: readonly number[]): boolean {
  const at = numbers.findIndex((number, index) => number !== last[index]);
  const step = (numbers[at] ?? 0) - (last[at] ?? 0);
  return numbers.at(-1) === 1 || (step > 0 && step <= widestGap);
}

/**
 * Levels of headings by their numbers: a number that continues an earlier one in the same style gets its
 * level, whatever the size of its type. Returns the level of a heading, given the one that its looks suggest.
 */
export function createNumberingLevels(): (text: string, level: number) => number {
  const series = new Map<string, { readonly numbers: readonly number[]; readonly level: number }>();
  return (text, suggested) => {
    const places = placesOf(text);
    const known = places.find(({ style, numbers }) => {
      const last = series.get(style);
      return last !== undefined && goesOn(last.numbers, numbers);
    });
    const level = known === undefined ? suggested : (series.get(known.style)?.level ?? suggested);
    for (const { style, numbers } of known === undefined ? places : [known])
      series.set(style, { numbers, level });
    return level;
  };
}
