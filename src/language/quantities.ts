import { isSyllabic, languages, parseWords } from "./languages.ts";
import type { Language } from "./schema/language.ts";
import { canonicalUnit, isUnitSymbol } from "./units.ts";

/** A number and its unit. */
export interface Quantity {
  /** Possible values: `1.200` is 1.2 in English and 1200 in Vietnamese. */
  readonly readings: readonly number[];
  /** Factor of a word such as `million`; 1 without one. */
  readonly scale: number;
  /** Canonical unit, including `%` and currencies; "" for none. */
  readonly unit: string;
  /** Digits after the decimal point. */
  readonly decimals: number;
  /** As written. */
  readonly text: string;
  /** Written as a word (`three`). */
  readonly word: boolean;
  /** Index in the text. */
  readonly at: number;
}

const scales: Readonly<Record<string, number>> = Object.assign(
  {},
  ...languages.map(({ numbers }) => numbers?.scales),
);

/** Factor that a word stands for: 10⁶ for `million`; 1 for any other word. */
export const scaleFactorFor = (word: string): number => scales[word] ?? 1;

/**
 * Groups of digits that form one number, for example of a telephone or part: `01983 873655`, `(514)
 * 312-0292`, `978-3161-484100`; not a date or a range of two amounts.
 */
const groupedDigits = [
  "\\(0?\\d{2,4}\\)[ -]?\\d{3,4}[ -]\\d{3,5}",
  "0\\d{2,4}[ /-]\\d{3,8}(?:[ -]\\d{2,8}){0,3}",
  "(?!(?:19|20)\\d\\d-\\d\\d-\\d\\d(?!\\d)|\\d\\d-\\d\\d-(?:19|20)?\\d\\d(?!\\d))\\d{2,5}(?:-\\d{2,7}){2,3}",
].join("|");
const oneNumber = new RegExp(`(?<![\\p{L}\\p{N}.,/-])(?:${groupedDigits})(?![\\p{L}\\p{N}]|[.,/-]\\d)`, "gu");

/** Whether a number consists of groups of digits, like a telephone number, and so is an identifier. */
export const isGrouped = ({ text }: Pick<Quantity, "text">): boolean => /\d[ /()-]+\d/.test(text);

const pattern =
  /(us\$|[$€£¥₫])?\s?(?<![\p{L}\p{N}.,])(\p{Nd}+(?:[.,]\p{Nd}+)*)(?:st|nd|rd|th)?(?!\p{Nd})(?![\p{L}\p{N}]*\p{Nd})(?:[\s-]?([%‰₫€]|°[cf]|k?m\/[hs](?!\p{L})|[\p{L}²]+[\d²]?))?(?:[\s-]([\p{L}%]+(?: \p{L}+)?))?/gu;

/**
 * The possible values of digits with separators. The calculator's `plainNumber` picks one of them, as exact
 * digits, because it computes; here every reading counts, because a text is compared with one in an unknown
 * language.
 */
function readingsOf(digits: string): { readings: number[]; decimals: number } {
  // Indian grouping: hundreds of thousands, then tens of millions.
  if (/^\d{1,2}(?:,\d\d){1,6},\d{3}(?:\.\d+)?$/.test(digits))
    return { readings: [Number(digits.replaceAll(",", ""))], decimals: 0 };
  const thousands = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/.exec(digits);
  const separator = thousands?.[1] ?? "";
  const grouped = separator === "" ? [] : [Number(digits.replaceAll(separator, "").replace(",", "."))];
  const single = digits.match(/[.,]/g)?.length === 1;
  const plain = digits.match(/[.,]/) === null;
  const decimal =
    plain || (single && (separator === "" || separator === ".")) ? [Number(digits.replace(",", "."))] : [];
  const readings = [...new Set([...grouped, ...decimal])].filter(Number.isFinite);
  const decimals = grouped.length > 0 ? 0 : (digits.split(/[.,]/)[1]?.length ?? 0);
  return { readings, decimals };
}

const firstUnit = (text: string | undefined): string => {
  const all = (text ?? "").trim();
  return canonicalUnit(all) || canonicalUnit(all.split(" ")[0] ?? "");
};

/** The number before a power of ten, whose separator is a decimal one. */
const mantissaOf = (digits: string) => ({
  readings: [Number(digits.replace(",", "."))].filter(Number.isFinite),
  decimals: digits.split(/[.,]/)[1]?.length ?? 0,
});

/** After a number: `× 10^11`. */
const powerOfTen = /^\s?[×x·*]\s?10\^([+-]?\d{1,2})(?!\d)/u;

/** Longest power, in characters. */
const longestPower = 10;

/** The canonical unit of a number by the words after it; after a scale, by the second word. */
function unitBehind(isScaled: boolean, next: string | undefined, after: string | undefined): string {
  if (isScaled) return firstUnit(after);
  // `16 A` is a current, `3 a day` is not.
  if (next === "a" && after !== undefined) return "";
  const joined = canonicalUnit(`${next} ${after?.split(" ")[0]}`);
  return joined || firstUnit(next) || (next === "per" && after?.startsWith("cent") === true ? "%" : "");
}

/** A text without note markers, `[1]`, after its words and numbers. */
export const stripNoteMarkers = (text: string): string =>
  text.replace(/(?<=\S)\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]/g, "");

/** Numbers written in digits. */
function numeralsIn(text: string): Quantity[] {
  let end = 0;
  return [...text.matchAll(pattern)].flatMap((match): readonly Quantity[] => {
    const [all, currency = "", digits = "", next, after] = match;
    const at = match.index + all.indexOf(digits);
    if (at < end) return [];
    const behind = at + digits.length;
    const power = powerOfTen.exec(text.slice(behind, behind + longestPower));
    if (power !== null) end = behind + power[0].length;
    const scale = power === null ? (scales[next ?? ""] ?? 1) : 10 ** Number(power[1]);
    // Thousands are not grouped before a power of ten.
    const read = power === null ? readingsOf(digits) : mantissaOf(digits);
    const unit = canonicalUnit(currency) || unitBehind(scale !== 1, next, after);
    return [{ ...read, scale, unit, text: digits, word: false, at }];
  });
}

/** Numbers in groups of digits, which are identifiers; equal if all digits are. */
const groupedIn = (text: string): Quantity[] =>
  Array.from(text.matchAll(oneNumber), ({ 0: written, index }) => ({
    readings: [Number(written.replace(/\D/g, ""))],
    scale: 1,
    unit: "",
    decimals: 0,
    text: written,
    word: false,
    at: index,
  }));

/** The forms of each number in an ordered list. */
const formsOf = (list: string | undefined): readonly (readonly string[])[] =>
  parseWords(list).map((forms) => forms.replaceAll("_", " ").split("|"));

/** Every number from zero to ninety-nine in a language: word → value. */
function valuesOf({ numbers }: Language): ReadonlyMap<string, number> {
  const small = formsOf(numbers?.small ?? numbers?.words?.small);
  const tens = formsOf(numbers?.tens ?? numbers?.words?.tens);
  const ones = numbers?.words === undefined ? small : formsOf(numbers.words.ones);
  const joined = numbers?.words?.join ?? ["{ten}-{one}", "{ten} {one}"];
  const compounds = tens.flatMap((ofTen, at) =>
    ones.flatMap((ofOne, one) =>
      one === 0
        ? []
        : ofTen.flatMap((ten) =>
            ofOne.flatMap((word) =>
              joined.map(
                (form) => [form.replace("{ten}", ten).replace("{one}", word), (at + 2) * 10 + one] as const,
              ),
            ),
          ),
    ),
  );
  return new Map([
    ...small.flatMap((forms, at) => forms.map((form) => [form, at] as const)),
    ...tens.flatMap((forms, at) => forms.map((form) => [form, (at + 2) * 10] as const)),
    ...compounds,
  ]);
}

/**
 * Pattern for the number words of a language, longest first, except where adjacent words give them another
 * meaning.
 */
function patternOf({ numbers }: Language, values: ReadonlyMap<string, number>): string {
  const { notAfter, onlyBefore } = numbers?.words ?? {};
  const guarded = (word: string): string => {
    const before = onlyBefore?.[word];
    return before === undefined ? word : `${word}(?=\\s(?:${before})(?!\\p{L}))`;
  };
  const words = [...values.keys()].sort((left, right) => right.length - left.length).map(guarded);
  const before = notAfter === undefined ? "" : `(?<!(?<!\\p{L})(?:${notAfter})\\s)`;
  return `${before}(?:${words.join("|")})`;
}

const spoken = languages.map((language) => {
  const values = valuesOf(language);
  const { syllables = false } = language;
  return { syllables, forms: values.size === 0 ? "" : patternOf(language, values), values };
});
/** The words of languages written in syllables, or of all others, as alternatives of a pattern. */
const formsIn = (isInSyllables: boolean): string =>
  spoken
    .flatMap(({ syllables, forms }) => (syllables === isInSyllables && forms !== "" ? forms : []))
    .join("|");
const [syllabicForms, otherForms] = [true, false].map(formsIn);
const syllabicWords = new RegExp(
  `(?<!\\p{L})(${syllabicForms})(?!\\p{L})(?: (\\p{L}+))?(?: (\\p{L}+))?`,
  "gu",
);
const otherWords = new RegExp(`(?<!\\p{L})(${otherForms})(?!\\p{L})(?: (\\p{L}+))?(?: (\\p{L}+))?`, "gu");
const wordValues = new Map(spoken.flatMap((each) => [...each.values]));

/** A number word, and the two words after it. */
interface NumberWord {
  readonly value: number;
  readonly word: string;
  readonly next: string | undefined;
  readonly after: string | undefined;
  readonly at: number;
}

/**
 * The number words of a lower-case text, up to ninety-nine. Those that are syllables of other words
 * elsewhere count only if the text has the letters of their language.
 */
const numberWordsOf = (text: string): readonly NumberWord[] =>
  [...text.matchAll(isSyllabic(text) ? syllabicWords : otherWords)].map(
    ({ 1: word = "", 2: next, 3: after, index }) => ({
      value: wordValues.get(word) ?? 0,
      word,
      next,
      after,
      at: index,
    }),
  );

/** Numbers written as words. */
const wordsIn = (text: string): Quantity[] =>
  numberWordsOf(text).map(({ value, word, next, after, at }) => {
    const scale = scales[next ?? ""] ?? 1;
    return {
      readings: [value],
      scale,
      unit: unitBehind(scale !== 1, next, after),
      decimals: 0,
      text: scale === 1 ? word : `${word} ${next}`,
      word: true,
      at,
    };
  });

/**
 * Every number of a text (lower case, NFKC) with scale and unit, including number words up to ninety-nine.
 */
export function quantitiesIn(text: string): Quantity[] {
  const grouped = groupedIn(text);
  const rest = grouped.reduce(
    (left, { at, text: { length } }) => left.slice(0, at) + "_".repeat(length) + left.slice(at + length),
    text,
  );
  return [...grouped, ...numeralsIn(rest), ...wordsIn(text)];
}

const currencyNames = languages
  .flatMap(({ units }) => ["usd", "eur", "vnd"].flatMap((unit) => parseWords(units?.[unit])))
  .filter((name) => !name.includes("_"));
const currencies = `us\\$|[$€£]|usd|eur|gbp|chf|vnd|${currencyNames.join("|")}`;
const scaleWords = Object.keys(scales).join("|");
/** A scale in a table's heading: after `in` or a currency, or before a currency where there is no number. */
const declaredScale = new RegExp(
  `(?:(?<!\\p{L})(?:in|of)|${currencies})\\s?(?:(?:${currencies})\\s?)?(${scaleWords})(?!\\p{L})|(?<![\\p{L}\\p{N}]|\\p{N}[-\\s])(${scaleWords})\\.?\\s?(?:${currencies})(?!\\p{L})`,
  "gu",
);
/** Currency and scale in one word: `TEUR`, `€m`, `$000`. */
const joinedScales: readonly (readonly [factor: number, form: RegExp])[] = [
  [1e3, /(?<![\p{L}\p{N}])(?:[tk](?:€|eur)|(?:us\$|[$€£])\s?(?:k|000s?)|eur k)(?![\p{L}\p{N}])/u],
  [1e6, /(?<![\p{L}\p{N}])(?:m(?:€|eur)|(?:us\$|[$€£])\s?m|eur ?m)(?![\p{L}\p{N}])/u],
];

/** Scales that a table declares for its numbers, such as `(in millions)`, `EUR thousand` or `in Mio. €`. */
export const declaredScales = (text: string): number[] => [
  ...[...text.matchAll(declaredScale)].map(([, after, before]) => scales[after ?? before ?? ""] ?? 1),
  ...joinedScales.filter(([, form]) => form.test(text)).map(([factor]) => factor),
];

const scaleWordPattern = new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[-\\s])(?:${scaleWords})(?!\\p{L})`, "gu");

/** Scales in the label of a row, column or table: `thousand metric tons`. */
export const scalesInLabel = (label: string): number[] => [
  ...new Set([...label.toLowerCase().matchAll(scaleWordPattern)].map(([word]) => scales[word] ?? 1)),
];

const near = (left: number, right: number, tolerance: number): boolean =>
  Math.abs(left - right) <= tolerance + 1e-9 * Math.max(Math.abs(left), Math.abs(right));

/**
 * Whether a number occurs among others: `yes`; `unit` if only with another unit; `no`. Scale words and
 * declared scales are applied before comparing; a number with a scale, a decimal point or `rounded` may be
 * the other one rounded.
 */
export function numberOccurrence(
  wanted: Quantity,
  among: readonly Quantity[],
  declared: readonly number[],
  rounded: boolean,
): "yes" | "unit" | "no" {
  const step = 10 ** -wanted.decimals * wanted.scale;
  const significant = wanted.text.replace(/\D|^0+/g, "").length;
  const slack = significant >= 2 && (rounded || wanted.scale > 1 || wanted.decimals > 0) ? step / 2 : 0;
  const same = among.filter((other) =>
    wanted.readings.some((reading) =>
      other.readings.some(
        (value) =>
          near(reading * wanted.scale, value * other.scale, slack) ||
          (other.scale === 1 &&
            declared.some((factor) => near(reading * wanted.scale, value * factor, slack))) ||
          (wanted.scale === 1 && near(reading, value, 0)),
      ),
    ),
  );
  if (same.length === 0) return "no";
  if (wanted.unit === "" || same.some((other) => other.unit === wanted.unit)) return "yes";
  // "25 working days": words may separate a number from most units, but not from the symbol of a measurement.
  const elsewhere = isUnitSymbol(wanted.unit) && among.some((other) => other.unit === wanted.unit);
  return same.some((other) => other.unit === "") && !elsewhere ? "yes" : "unit";
}
