import { alternatives, conjunctions, spanWords } from "../languages.ts";

/** A figure or a table by its number: `7`, `3.1`, `a.2`. */
export interface Shown {
  readonly kind: "figure" | "table";
  readonly number: string;
}

const digits = String.raw`(?:\p{Lu}\.?)?\d{1,3}(?:\.\d{1,2}(?!\d))?\p{L}?(?![\p{L}\p{N}])`;
/** In capitals; the first only where nothing can follow that `I` would say: `TABLE I.`. */
const roman = String.raw`(?:[IVX]{2,5}|[VX]|I(?=\s{0,2}(?:[.:)\n]|$)))(?![\p{L}\p{N}])`;
const number = `(?:${digits}|${roman})`;
const until = spanWords();
/** `Figure 7`, `Figures 7 and 8`, `Tables 3–5`; no amount: `the figure 7%`. */
const list = String.raw`(${number}(?:\s?(?:,|&|–|-|(?<!\p{L})(?:${conjunctions()}|${until})(?!\p{L}))\s?${number}){0,9})(?![.,]?\d|\s?[%€$£])`;
/** Alternatives in small letters, as they begin a sentence, and in capitals. */
const inCases = (names: string): string =>
  names
    .split("|")
    .flatMap((name) => [name, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, name.toUpperCase()])
    .join("|");
const named = (names: string): RegExp => new RegExp(`(?<!\\p{L})(?:${inCases(names)})\\s{0,2}${list}`, "gu");

const patterns = [
  { kind: "figure", pattern: named(alternatives(({ shown }) => shown?.figures)) },
  { kind: "table", pattern: named(alternatives(({ shown }) => shown?.tables)) },
] as const;

const each = new RegExp(`(?<span>(?:[–-]|(?<!\\p{L})(?:${until}))\\s?)?(?<at>${number})`, "gu");
/** Most numbers of a span that are taken for named one by one. */
const longestSpan = 30;

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** `III` → `3`; `7b` → `7`, since a part is shown with the whole. */
function plainOf(written: string): string {
  if (!/^[IVX]+$/.test(written)) return written.toLowerCase().replace(/(?<=\d)\p{L}$/u, "");
  const parts = [...written].map((letter) => values[letter] ?? 0);
  const sum = parts.reduce((all, part, at) => all + (part < (parts[at + 1] ?? 0) ? -part : part), 0);
  return String(sum);
}

/** `7, 9-11` → the numbers. */
function numbersOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const { groups } of text.matchAll(each)) {
    const last = plainOf(groups?.["at"] ?? "");
    const first = groups?.["span"] === undefined ? Number.NaN : Number(found.at(-1));
    const between = Number(last) - first - 1;
    if (between > 0 && between < longestSpan)
      found.push(...Array.from({ length: between }, (_, at) => String(first + 1 + at)));
    found.push(last);
  }
  return found;
}

/** The figures and tables that a text names by their numbers. */
export const shownIn = (text: string): readonly Shown[] =>
  patterns.flatMap(({ kind, pattern }) =>
    [...text.normalize("NFC").matchAll(pattern)].flatMap(([, numbers = ""]) =>
      numbersOf(numbers).map((at) => ({ kind, number: at })),
    ),
  );

const counting = new RegExp(`(?<!\\p{L})(?:${alternatives(({ shown }) => shown?.counting)})(?!\\p{L})`, "iu");
/** Most words before a figure with which a question begins: `According to the Figure 7, …`. */
const openingWords = 4;

/**
 * The figures and tables that a question is about: it begins with one, or has something counted. Otherwise one may
 * only tell which thing is meant (`the module shown in Figure 6`), of which another page says the rest.
 */
export function shownAsked(question: string): readonly Shown[] {
  const text = question.normalize("NFC");
  const first = Math.min(
    ...patterns.flatMap(({ pattern }) => [...text.matchAll(pattern)].map(({ index }) => index)),
  );
  if (!Number.isFinite(first)) return [];
  const isFirst = (text.slice(0, first).match(/\p{L}+/gu) ?? []).length <= openingWords;
  return isFirst || counting.test(text) ? shownIn(text) : [];
}
