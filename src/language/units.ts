import { languages } from "./languages.ts";
import { words } from "./terms.ts";

/** Canonical unit → spellings. Only for comparing units, never converting. */
const symbolsAndNames: Readonly<Record<string, string>> = {
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
  km2: "km² km2 square_kilometres square_kilometers quadratkilometer quadratkilometern",
  m2: "m² m2 sq_m square_metres square_meters quadratmeter quadratmetern mét_vuông",
  ft2: "ft² ft2 sq_ft sqft square_feet square_foot",
  mi2: "mi² mi2 sq_mi square_miles",
};
/** Each unit with its spellings, those of every language included. */
const spellings = [symbolsAndNames, ...languages.map(({ units = {} }) => units)].flatMap(
  Object.entries<string>,
);
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

/** Whether a canonical unit is such a symbol. */
export const isSymbol = (unit: string): boolean => symbols.has(unit);
