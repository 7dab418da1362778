import { languages, listed } from "./languages.ts";
import type { Language } from "./lexicons/language.ts";
import { hasVietnameseLetters } from "./lexicons/vi.ts";

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

/** Canonical unit → spellings; only units that are compared, never converted. */
const spellings: Readonly<Record<string, string>> = {
  "%": "% percent pct phần_trăm percentage_points prozent pourcent",
  usd: "$ us$ usd dollar dollars đô_la",
  eur: "€ eur euro euros",
  gbp: "£ gbp pound_sterling",
  vnd: "₫ vnd đồng",
  jpy: "¥ jpy yen",
  km: "km kilometre kilometres kilometer kilometers kilometern kilomètres",
  m: "m metre metres meter meters mét metern mètre mètres",
  cm: "cm centimetre centimetres centimeter centimeters",
  mm: "mm millimetre millimetres millimeter millimeters",
  mi: "mile miles dặm",
  ft: "ft foot feet",
  in: "inch inches",
  kg: "kg kilogram kilograms kilogramm",
  g: "gram grams gramm",
  t: "tonne tonnes ton tons tấn tonnen",
  lb: "lb lbs pound pounds",
  l: "litre litres liter liters litern",
  ml: "ml millilitre millilitres",
  c: "°c celsius",
  f: "°f fahrenheit",
  nm: "nm newton-metres",
  bar: "bar",
  kpa: "kpa",
  psi: "psi",
  kw: "kw kilowatt kilowatts",
  mw: "mw megawatt megawatts",
  gw: "gw gigawatt gigawatts",
  kwh: "kwh",
  mwh: "mwh",
  gwh: "gwh",
  v: "volt volts",
  a: "a amp amps ampere amperes",
  n: "n newton newtons",
  kn: "kn kilonewton kilonewtons",
  j: "joule joules",
  kj: "kj kilojoule kilojoules",
  mj: "mj megajoule megajoules",
  db: "db dba decibel decibels",
  kmh: "km/h kph kmh",
  mps: "m/s",
  hz: "hz",
  rpm: "rpm",
  s: "second seconds giây sekunde sekunden seconde secondes",
  ms: "ms millisecond milliseconds",
  min: "min minute minutes phút minuten",
  h: "hour hours giờ stunde stunden heure heures",
  d: "day days ngày tag tage tagen jour jours",
  wk: "week weeks tuần woche wochen semaine semaines",
  mo: "month months tháng monat monate monaten mois",
  y: "year years năm jahr jahre jahren ans année années",
  kb: "kb",
  mb: "mb",
  gb: "gb",
  tb: "tb",
  ha: "hectare hectares ha",
  km2: "km² km2",
  m2: "m² m2",
};
const unitOf = new Map(
  Object.entries(spellings).flatMap(([unit, all]) =>
    all.split(" ").map((spelling) => [spelling.replaceAll("_", " "), unit]),
  ),
);

/** Canonical units that measure the same, so that a value in one answers a question for the other. */
const dimensions = [
  "usd eur gbp vnd jpy",
  "km m cm mm mi ft in",
  "kg g t lb",
  "l ml",
  "kw mw gw",
  "kwh mwh gwh",
  "s ms min h d wk mo y",
  "bar kpa psi",
  "kb mb gb tb",
  "ha km2 m2",
  "c f",
  "n kn",
  "j kj mj",
  "kmh mps",
].map((units) => new Set(units.split(" ")));

/** Whether two canonical units measure the same; "" may be any. */
export const isSameMeasure = (one: string, other: string): boolean =>
  one === other ||
  one === "" ||
  other === "" ||
  dimensions.some((units) => units.has(one) && units.has(other));

/** Whether a word is a unit of what this canonical unit measures: `days` and `wk`. */
export function measuresSame(word: string, unit: string): boolean {
  const own = unitOf.get(word.toLowerCase()) ?? "";
  return own !== "" && (own === unit || dimensions.some((units) => units.has(own) && units.has(unit)));
}

const pattern =
  /(us\$|[$€£¥₫])?\s?(?<![\p{L}\p{N}.,])(\p{Nd}+(?:[.,]\p{Nd}+)*)(?:st|nd|rd|th)?(?!\p{Nd})(?![\p{L}\p{N}]*\p{Nd})(?:[\s-]?([%‰₫€]|°[cf]|k?m\/[hs](?!\p{L})|[\p{L}²]+[\d²]?))?(?:[\s-]([\p{L}%]+(?: \p{L}+)?))?/gu;

/**
 * The values a run of digits and separators can stand for. The calculator's `plainNumber` settles on one of
 * them, as exact digits, because it computes; here every reading counts, because a text is compared with
 * another whose language is not known.
 */
function readingsOf(digits: string): { readings: number[]; decimals: number } {
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
  return unitOf.get(all) ?? unitOf.get(all.split(" ")[0] ?? "") ?? "";
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
  return firstUnit(next) || (next === "per" && after?.startsWith("cent") === true ? "%" : "");
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
    const unit = unitOf.get(currency) ?? unitBehind(scale !== 1, next, after);
    return [{ ...read, scale, unit, text: digits, word: false, at }];
  });
}

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
export const quantitiesIn = (text: string): Quantity[] => [...numeralsIn(text), ...wordsIn(text)];

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
  const elsewhere = symbols.has(wanted.unit) && among.some((other) => other.unit === wanted.unit);
  return same.some((other) => other.unit === "") && !elsewhere ? "yes" : "unit";
}

/**
 * Units by whose symbol a row, a column or the corner of a table says what its numbers are in: currencies,
 * shares and measurements. Words of time are as often the subject of a label (`year end`).
 */
const labelUnits: ReadonlySet<string> = new Set(
  "usd eur gbp vnd jpy % km kg kw mw gw kwh mwh gwh kpa psi hz rpm ha km2 m2 kb mb gb tb kj kn db kmh mps".split(
    " ",
  ),
);

/** Whether a label may name this canonical unit, so that a number can be held against it. */
export const isLabelUnit = (unit: string): boolean => labelUnits.has(unit);

/** The canonical units that the label of a row, a column or a table names: `Sales (EUR thousand)`. */
export const unitsNamed = (label: string): ReadonlySet<string> =>
  new Set(
    (label.toLowerCase().match(/[%€£¥₫$]|[\p{L}²]+2?/gu) ?? [])
      .map((word) => unitOf.get(word) ?? "")
      .filter(isLabelUnit),
  );

const symbols: ReadonlySet<string> = new Set([
  "nm",
  "bar",
  "kpa",
  "psi",
  "kw",
  "mw",
  "gw",
  "kwh",
  "mwh",
  "gwh",
  "hz",
  "rpm",
  "mm",
  "cm",
  "ml",
  "c",
  "f",
  "kg",
  "kj",
  "kn",
  "db",
  "kmh",
  "mps",
]);
