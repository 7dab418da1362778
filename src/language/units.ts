import { languages } from "./languages.ts";
import { words } from "./terms.ts";

/** Canonical unit → its symbols. Only for comparing units, never converting. */
const symbolsOf: Readonly<Record<string, string>> = {
  "%": "% pct",
  usd: "$ us$ usd",
  eur: "€ eur",
  gbp: "£ gbp",
  vnd: "₫ vnd",
  jpy: "¥ jpy",
  km: "km",
  m: "m",
  cm: "cm",
  mm: "mm",
  ft: "ft",
  kg: "kg",
  lb: "lb lbs",
  ml: "ml",
  c: "°c",
  f: "°f",
  nm: "nm",
  bar: "bar",
  kpa: "kpa",
  psi: "psi",
  kw: "kw",
  mw: "mw",
  gw: "gw",
  kwh: "kwh",
  mwh: "mwh",
  gwh: "gwh",
  a: "a",
  n: "n",
  kn: "kn",
  kj: "kj",
  mj: "mj",
  db: "db dba",
  kmh: "km/h kph kmh",
  mps: "m/s",
  hz: "hz",
  rpm: "rpm",
  ms: "ms",
  min: "min",
  kb: "kb",
  mb: "mb",
  gb: "gb",
  tb: "tb",
  ha: "ha",
  km2: "km² km2",
  m2: "m² m2",
  ft2: "ft² ft2",
  mi2: "mi² mi2",
};
/** Each unit with its spellings, those of every language included. */
const spellings = [symbolsOf, ...languages.map(({ units = {} }) => units)].flatMap(Object.entries<string>);
const unitOf = new Map(
  spellings.flatMap(([unit, all]) => all.split(" ").map((spelling) => [spelling.replaceAll("_", " "), unit])),
);

/** The canonical unit of a lower-case spelling; "" for none. */
export const canonicalUnit = (spelling: string): string => unitOf.get(spelling) ?? "";

/** The words of a canonical unit's spellings, as terms. */
export const termsOfUnit = (unit: string): ReadonlySet<string> =>
  new Set(spellings.flatMap(([one, all]) => (one === unit ? words(all.replaceAll("_", " ")) : [])));

/**
 * Units whose symbol in the label of a row, column or table applies to its numbers: currencies, percentages
 * and measurements. Words for time are as often the subject of a label (`year end`).
 */
const labelUnits: ReadonlySet<string> = new Set(
  "usd eur gbp vnd jpy % km kg kw mw gw kwh mwh gwh kpa psi hz rpm ha km2 m2 kb mb gb tb kj kn db kmh mps".split(
    " ",
  ),
);

/** The canonical units in the label of a row, column or table: `Sales (EUR thousand)`. */
export const unitsInLabel = (label: string): ReadonlySet<string> =>
  new Set(
    (label.toLowerCase().match(/[%€£¥₫$]|[\p{L}²]+2?/gu) ?? [])
      .map((word) => canonicalUnit(word))
      .filter((unit) => labelUnits.has(unit)),
  );

/** Symbols of measurements, which directly follow their number. */
const symbols: ReadonlySet<string> = new Set(
  "nm bar kpa psi kw mw gw kwh mwh gwh hz rpm mm cm ml c f kg kj kn db kmh mps".split(" "),
);

/** Whether a canonical unit is such a symbol. */
export const isUnitSymbol = (unit: string): boolean => symbols.has(unit);
