import { languages, listed } from "./languages.ts";
import type { Language } from "./lexicons/language.ts";
import { hasVietnameseLetters } from "./lexicons/vi.ts";
import { isSymbol, unitNamed } from "./units.ts";

/** A number with what it counts. */
export interface Quantity {
  /** Ways to read it: `1.200` is 1.2 in English and 1200 in Vietnamese. */
  readonly readings: readonly number[];
  /** Factor of a word like `million`; 1 without. */
  readonly scale: number;
  /** Canonical unit, `%` and currencies included; "" for none. */
  readonly unit: string;
  /** Digits after the decimal point. */
  readonly decimals: number;
  /** As written. */
  readonly text: string;
  /** Written as a word (`three`). */
  readonly word: boolean;
  /** Where it starts in the text. */
  readonly at: number;
}

const scales: Readonly<Record<string, number>> = Object.assign(
  {},
  ...languages.map(({ numbers }) => numbers?.scales),
);

/** What a word multiplies a number by: 10⁶ for `million`; 1 for any other word. */
export const scaleNamed = (word: string): number => scales[word] ?? 1;

/**
 * Groups of digits that make up one number, of a telephone or a part say: `01983 873655`, `(514) 312-0292`,
 * `978-3161-484100`; not a date, nor a range of two amounts.
 */
const groupedDigits = [
  "\\(0?\\d{2,4}\\)[ -]?\\d{3,4}[ -]\\d{3,5}",
  "0\\d{2,4}[ /-]\\d{3,8}(?:[ -]\\d{2,8}){0,3}",
  "(?!(?:19|20)\\d\\d-\\d\\d-\\d\\d(?!\\d)|\\d\\d-\\d\\d-(?:19|20)?\\d\\d(?!\\d))\\d{2,5}(?:-\\d{2,7}){2,3}",
].join("|");
const oneNumber = new RegExp(`(?<![\\p{L}\\p{N}.,/-])(?:${groupedDigits})(?![\\p{L}\\p{N}]|[.,/-]\\d)`, "gu");

/** Whether a number is made of groups of digits, as those of telephones are, and so names something. */
export const isGrouped = ({ text }: Pick<Quantity, "text">): boolean => /\d[ /()-]+\d/.test(text);

const pattern =
  /(us\$|[$€£¥₫])?\s?(?<![\p{L}\p{N}.,])(\p{Nd}+(?:[.,]\p{Nd}+)*)(?:st|nd|rd|th)?(?!\p{Nd})(?![\p{L}\p{N}]*\p{Nd})(?:[\s-]?([%‰₫€]|°[cf]|k?m\/[hs](?!\p{L})|[\p{L}²]+[\d²]?))?(?:[\s-]([\p{L}%]+(?: \p{L}+)?))?/gu;

/**
 * The values a run of digits and separators can stand for. The calculator's `plainNumber` settles on one of
 * them, as exact digits, because it computes; here every reading counts, because a text is compared with
 * another whose language is not known.
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
  return unitNamed(all) || unitNamed(all.split(" ")[0] ?? "");
};

/** The number before a power of ten, whose mark stands before its decimals. */
const mantissaOf = (digits: string) => ({
  readings: [Number(digits.replace(",", "."))].filter(Number.isFinite),
  decimals: digits.split(/[.,]/)[1]?.length ?? 0,
});

/** Behind a number: `× 10^11`. */
const powerOfTen = /^\s?[×x·*]\s?10\^([+-]?\d{1,2})(?!\d)/u;

/** Characters of it at most. */
const longestPower = 10;

/** The canonical unit of a number by the words behind it; after a scale it is that of the second. */
function unitBehind(isScaled: boolean, next: string | undefined, after: string | undefined): string {
  if (isScaled) return firstUnit(after);
  // `16 A` is a current, `3 a day` is none.
  if (next === "a" && after !== undefined) return "";
  const joined = unitNamed(`${next} ${after?.split(" ")[0]}`);
  return joined || firstUnit(next) || (next === "per" && after?.startsWith("cent") === true ? "%" : "");
}

/** A text without the marks of notes, `[1]`, behind its words and numbers. */
export const withoutNoteMarks = (text: string): string =>
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
    // Nobody groups thousands before a power of ten.
    const read = power === null ? readingsOf(digits) : mantissaOf(digits);
    const unit = unitNamed(currency) || unitBehind(scale !== 1, next, after);
    return [{ ...read, scale, unit, text: digits, word: false, at }];
  });
}

/** Numbers that are written in groups of digits and name something; equal where all digits are. */
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

/** The forms of each number of a list, which stand in order. */
const formsOf = (list: string | undefined): readonly (readonly string[])[] =>
  listed(list).map((forms) => forms.replaceAll("_", " ").split("|"));

/** Every number from zero to ninety-nine of a language: word → value. */
function valuesOf({ numbers }: Language): ReadonlyMap<string, number> {
  const small = formsOf(numbers?.small ?? numbers?.words?.small);
  const tens = formsOf(numbers?.tens ?? numbers?.words?.tens);
  const ones = numbers?.words === undefined ? small : formsOf(numbers.words.ones);
  const join = numbers?.words?.join ?? ((ten, one) => [`${ten}-${one}`, `${ten} ${one}`]);
  const compounds = tens.flatMap((ofTen, at) =>
    ones.flatMap((ofOne, one) =>
      one === 0
        ? []
        : ofTen.flatMap((ten) =>
            ofOne.flatMap((word) => join(ten, word).map((form) => [form, (at + 2) * 10 + one] as const)),
          ),
    ),
  );
  return new Map([
    ...small.flatMap((forms, at) => forms.map((form) => [form, at] as const)),
    ...tens.flatMap((forms, at) => forms.map((form) => [form, (at + 2) * 10] as const)),
    ...compounds,
  ]);
}

/** The words of a language that are numbers, longest first; not where its words beside them say otherwise. */
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
  return { code: language.code, forms: values.size === 0 ? "" : patternOf(language, values), values };
});
/** The words of Vietnamese, or of all other languages, as alternatives of a pattern. */
const formsIn = (isVietnamese: boolean): string =>
  spoken
    .flatMap(({ code, forms }) => ((code === "vi") === isVietnamese && forms !== "" ? forms : []))
    .join("|");
const [vietnameseForms, otherForms] = [true, false].map(formsIn);
const vietnameseWords = new RegExp(
  `(?<!\\p{L})(${vietnameseForms})(?!\\p{L})(?: (\\p{L}+))?(?: (\\p{L}+))?`,
  "gu",
);
const otherWords = new RegExp(`(?<!\\p{L})(${otherForms})(?!\\p{L})(?: (\\p{L}+))?(?: (\\p{L}+))?`, "gu");
const wordValues = new Map(spoken.flatMap((each) => [...each.values]));

/** A number in words, with the two words behind it. */
interface NumberWord {
  readonly value: number;
  readonly word: string;
  readonly next: string | undefined;
  readonly after: string | undefined;
  readonly at: number;
}

/**
 * The numbers in words of a text in lower case, up to ninety-nine. Those of Vietnamese, which are syllables of other
 * words elsewhere, only where a text has its letters.
 */
const numberWordsOf = (text: string): readonly NumberWord[] =>
  [...text.matchAll(hasVietnameseLetters(text) ? vietnameseWords : otherWords)].map(
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
 * Every number of a text (lower case, NFKC) with scale and unit; number words up to ninety-nine count too.
 */
export function quantitiesIn(text: string): Quantity[] {
  const grouped = groupedIn(text);
  const rest = grouped.reduce(
    (left, { at, text: { length } }) => left.slice(0, at) + "_".repeat(length) + left.slice(at + length),
    text,
  );
  return [...grouped, ...numeralsIn(rest), ...wordsIn(text)];
}

const currencies = "us\\$|[$€£]|usd|euros?|eur|gbp|chf|dollars?|vnd|đồng";
const scaleWords = Object.keys(scales).join("|");
/** A scale in the heading of a table: after `in` or a currency, or before a currency where no number is. */
const declaredScale = new RegExp(
  `(?:(?<!\\p{L})(?:in|of)|${currencies})\\s?(?:(?:${currencies})\\s?)?(${scaleWords})(?!\\p{L})|(?<![\\p{L}\\p{N}]|\\p{N}[-\\s])(${scaleWords})\\.?\\s?(?:${currencies})(?!\\p{L})`,
  "gu",
);
/** Currency and scale in one word: `TEUR`, `€m`, `$000`. */
const joinedScales: readonly (readonly [factor: number, form: RegExp])[] = [
  [1e3, /(?<![\p{L}\p{N}])(?:[tk](?:€|eur)|(?:us\$|[$€£])\s?(?:k|000s?)|eur k)(?![\p{L}\p{N}])/u],
  [1e6, /(?<![\p{L}\p{N}])(?:m(?:€|eur)|(?:us\$|[$€£])\s?m|eur ?m)(?![\p{L}\p{N}])/u],
];

/** Factors that a table declares for its numbers, like `(in millions)`, `EUR thousand` or `in Mio. €`. */
export const declaredScales = (text: string): number[] => [
  ...[...text.matchAll(declaredScale)].map(([, after, before]) => scales[after ?? before ?? ""] ?? 1),
  ...joinedScales.filter(([, form]) => form.test(text)).map(([factor]) => factor),
];

const scaleWordPattern = new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[-\\s])(?:${scaleWords})(?!\\p{L})`, "gu");

/** Factors that the label of a row, a column or a table names for its numbers: `thousand metric tons`. */
export const scalesNamed = (label: string): number[] => [
  ...new Set([...label.toLowerCase().matchAll(scaleWordPattern)].map(([word]) => scales[word] ?? 1)),
];

const near = (left: number, right: number, tolerance: number): boolean =>
  Math.abs(left - right) <= tolerance + 1e-9 * Math.max(Math.abs(left), Math.abs(right));

/**
 * Whether a number stands among others: `yes`; `unit` when it does, but only with another unit; `no`. Equal
 * means equal after scale words and declared scales; a number with a scale, a decimal point or `rounded` may
 * be the other one rounded.
 */
export function stands(
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
  // "25 working days": words come between a number and most units, but not between a number and the symbol of
  // a measurement.
  const elsewhere = isSymbol(wanted.unit) && among.some((other) => other.unit === wanted.unit);
  return same.some((other) => other.unit === "") && !elsewhere ? "yes" : "unit";
}
