import { datesOf, isDate, timesOf } from "./dates.ts";
import type { Cell } from "./schema.ts";

/** The type of a text column in which every filled cell agrees. */
export interface ReadColumn {
  readonly type: "integer" | "real" | "text" | "date";
  /** Whether its dates have a time; absent for no. */
  readonly hasTime?: true;
  /** Unit of all its numbers, e.g. `PSI`, `%`, `$`; "" for none. */
  readonly unit: string;
  readonly cells: readonly Cell[];
  /** Texts that are not of its type, each in its place; absent if there are none. */
  readonly others?: readonly Cell[];
}

const empty = /^(?:|-|–|—|n\/?a|null|none|\.)$/i;
/** Before or after a number; a code of three capitals may be any currency. */
const currency =
  "[$€£¥₫]|US\\$|Fr\\.|(?:USD|EUR|GBP|CHF|VND|JPY|CNY|SEK|NOK|DKK|PLN|CZK|CAD|AUD)(?![\\p{L}])";
const quantity = new RegExp(
  `^(?<open>\\()?(?<sign>[-−+])?\\s*(?:(?<currency>${currency})\\s*)?(?<sign2>[-−])?(?<number>\\d(?:[\\d.,'’\\s]*\\d)?)(?<signBehind>[-−](?=\\s*$|\\s*[$€£¥₫]))?\\s*(?<unit>%|${currency}|[\\p{L}°µ"][\\p{L}\\d°µ·/^²³"%-]{0,11}(?:\\s[\\p{L}²³]{1,6})?)?(?<close>\\))?$`,
  "u",
);

interface Quantity {
  /** The digits with their separators. */
  readonly written: string;
  readonly isNegative: boolean;
  readonly unit: string;
}

function quantityOf(text: string): Quantity | null {
  const parts = quantity.exec(text)?.groups;
  if (parts === undefined || (parts["open"] === undefined) !== (parts["close"] === undefined)) return null;
  const { number: written = "", open, sign, sign2, signBehind } = parts;
  // A number with a leading zero is a code, not a quantity.
  if (/^0\d/.test(written)) return null;
  return {
    written,
    isNegative: [open, sign2, signBehind].some((part) => part !== undefined) || sign === "-" || sign === "−",
    unit: parts["unit"] ?? parts["currency"] ?? "",
  };
}

/** The decimal separator of a column's numbers. */
export type NumberFormat = "point" | "comma";

/**
 * Numbers in each format; thousands may be grouped by the other separator, a space or an apostrophe,
 * consistently.
 */
const formats: Readonly<Record<NumberFormat, RegExp>> = {
  point: /^(?:\d+|[1-9]\d{0,2}([,'’\s])\d{3}(?:\1\d{3})*)(?:\.\d+)?$/,
  comma: /^(?:\d+|[1-9]\d{0,2}([.'’\s])\d{3}(?:\1\d{3})*)(?:,\d+)?$/,
};

/** A number in a format as a plain decimal; null if it does not match. */
function decimalIn(format: NumberFormat, written: string): string | null {
  if (!formats[format].test(written)) return null;
  return format === "point"
    ? written.replace(/[^\d.]/g, "")
    : written.replace(/[^\d,]/g, "").replace(",", ".");
}

/**
 * The format of a column; undefined if its numbers share none or are ambiguous:
 * 1. the only format that fits all of them;
 * 2. either, if both give the same values; otherwise that of the table's other columns (`usual`);
 * 3. `1,200` groups thousands, and so does `1.200` in a column with a number without separator, which would
 *    have the decimals too. `1.200` alone may be either.
 */
function formatOf(numbers: readonly string[], usual?: NumberFormat): NumberFormat | undefined {
  const possible = (["point", "comma"] as const).filter((format) =>
    numbers.every((written) => decimalIn(format, written) !== null),
  );
  const [only, other] = possible;
  if (other === undefined) return only;
  const differing = numbers.filter(
    (written) => Number(decimalIn("point", written)) !== Number(decimalIn("comma", written)),
  );
  if (differing.length === 0) return "point";
  if (usual !== undefined) return usual;
  if (differing.every((written) => written.includes(","))) return "point";
  const isGrouped =
    differing.some((written) => written.endsWith("0")) && numbers.some((written) => /^\d+$/.test(written));
  return isGrouped ? "comma" : undefined;
}

/** The filled cells of a column as quantities with one unit; null if one of them is not. */
function quantitiesOf(filled: readonly string[]): ReadonlyMap<string, Quantity> | null {
  const quantities = new Map<string, Quantity>();
  for (const text of filled) {
    const found = quantityOf(text);
    if (found === null) return null;
    quantities.set(text, found);
  }
  const named = [...quantities.values()].filter(({ unit }) => unit !== "");
  const units = new Set(named.map(({ unit }) => unit));
  const isNothing = ({ written }: Quantity): boolean => /^0(?:[.,]0+)?$/.test(written);
  const agree =
    units.size === 0 ||
    (units.size === 1 && [...quantities.values()].every((found) => found.unit !== "" || isNothing(found)));
  return agree ? quantities : null;
}

const filledOf = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => text.trim()).filter((text) => !empty.test(text));

/** The format shared by all columns of a table that are unambiguous; undefined if they differ or none is. */
export function commonFormat(columns: readonly (readonly string[])[]): NumberFormat | undefined {
  const found = columns.flatMap((texts) => {
    const written = [...(quantitiesOf(filledOf(texts))?.values() ?? [])].map((each) => each.written);
    const format = formatOf(written);
    const isTelling = written.some(
      (each) => format !== undefined && decimalIn(format === "point" ? "comma" : "point", each) === null,
    );
    return format !== undefined && isTelling ? [format] : [];
  });
  const distinct = [...new Set(found)];
  return distinct.length === 1 ? distinct[0] : undefined;
}

/** A column of numbers; null if its cells share no unit or no format. */
function numbersOf(trimmed: readonly string[], usual: NumberFormat | undefined): ReadColumn | null {
  const quantities = quantitiesOf(filledOf(trimmed));
  if (quantities === null) return null;
  const format = formatOf(
    [...quantities.values()].map(({ written }) => written),
    usual,
  );
  if (format === undefined) return null;
  const decimals = new Map(
    [...quantities].map(([text, { written, isNegative }]) => [
      text,
      `${isNegative ? "-" : ""}${decimalIn(format, written) ?? ""}`,
    ]),
  );
  if ([...decimals.values()].some((decimal) => decimal.replace(/\..*|\D/g, "").length > 15)) return null;
  const cells = trimmed.map((text) => (decimals.has(text) ? Number(decimals.get(text)) : null));
  const isWhole = cells.every((value) => value === null || Number.isSafeInteger(value));
  const unit = [...quantities.values()].find((each) => each.unit !== "")?.unit ?? "";
  return { type: isWhole ? "integer" : "real", unit, cells };
}

/**
 * The type of a column, and its cells converted to it. A column has numbers or dates only if every filled
 * cell does and, for numbers, all have the same unit and one format (`usual`: that of the other columns);
 * otherwise its texts are kept, so that nothing is lost or misread.
 */
export function readColumn(texts: readonly string[], usual?: NumberFormat): ReadColumn {
  const trimmed = texts.map((text) => text.trim());
  const filled = filledOf(texts);
  const plain = (cells: readonly Cell[]): ReadColumn => ({ type: "text", unit: "", cells });
  const asWritten = trimmed.map((text) => (text === "" ? null : text));
  if (filled.length === 0) return plain(asWritten);
  const numbers = numbersOf(trimmed, usual);
  if (numbers !== null) return numbers;
  const dates = datesOf(filled);
  if (dates !== null) {
    const cells = trimmed.map((text) => (empty.test(text) ? null : dates.read(text)));
    return { type: "date", unit: "", cells, ...(dates.hasTime ? { hasTime: true } : {}) };
  }
  const times = timesOf(filled);
  return plain(times === null ? asWritten : trimmed.map((text) => times.get(text) ?? null));
}

/** Share of a column's filled cells, and their least number, that make its type where some are of another. */
const majority = { share: 0.75, cells: 3 } as const;
/** Cells that are looked at first, spread over a column, to leave most columns of texts at once. */
const sampled = 60;

/** Whether enough cells of a column may be of a kind, by a sample. */
function areMost(filled: readonly string[], isKind: (text: string) => boolean): boolean {
  const step = Math.max(1, Math.floor(filled.length / sampled));
  const sample = filled.filter((_, at) => at % step === 0);
  return sample.filter(isKind).length * 2 >= sample.length;
}

/** The cells that make the type of a column, and those that must not be among the others; null for none. */
type Kind = (
  filled: readonly string[],
) => { readonly isKept: (text: string) => boolean; readonly mayBe: RegExp } | null;

/** Numbers of the unit that most have. A number with more is no exception among numbers, but a code. */
const mostNumbers: Kind = (filled) => {
  if (!areMost(filled, (text) => quantityOf(text) !== null)) return null;
  const units = Map.groupBy(filled, (text) => quantityOf(text)?.unit);
  const [most] = [...units].toSorted((one, other) => other[1].length - one[1].length);
  const unit = most?.[0];
  return unit === undefined ? null : { isKept: (text) => quantityOf(text)?.unit === unit, mayBe: /^\D*$/ };
};
const mostDates: Kind = (filled) => (areMost(filled, isDate) ? { isKept: isDate, mayBe: /^/ } : null);

/**
 * The same, but a column of which most cells are numbers, or dates, is one: the texts among them are kept
 * beside it.
 */
export function readMixedColumn(texts: readonly string[], usual?: NumberFormat): ReadColumn {
  const whole = readColumn(texts, usual);
  const filled = filledOf(texts);
  if (whole.type !== "text" || filled.length <= majority.cells) return whole;
  for (const kind of [mostNumbers, mostDates]) {
    const found = kind(filled);
    if (found === null) continue;
    const kept = texts.map((text) => (found.isKept(text.trim()) ? text : ""));
    const others = texts.map((text, at) =>
      kept[at] === "" && !empty.test(text.trim()) ? text.trim() : null,
    );
    const apart = others.filter((text) => text !== null);
    const isMost = filled.length - apart.length >= Math.max(majority.cells, filled.length * majority.share);
    if (!isMost || !apart.every((text) => found.mayBe.test(text))) continue;
    const read = readColumn(kept, usual);
    if (read.type !== "text") return { ...read, others };
  }
  return whole;
}

/** The numbers of a column of which most cells are some, each by itself; null where a cell has none. */
export function looseNumbers(
  texts: readonly string[],
  usual?: NumberFormat,
): readonly (number | null)[] | null {
  if (!areMost(filledOf(texts), (text) => quantityOf(text) !== null)) return null;
  const quantities = texts.map((text) => (empty.test(text.trim()) ? null : quantityOf(text.trim())));
  const written = quantities.flatMap((found) => (found === null ? [] : [found.written]));
  const format = formatOf(written, usual);
  if (format === undefined) return null;
  return quantities.map((found) => {
    const decimal = found === null ? null : decimalIn(format, found.written);
    return decimal === null ? null : Number(decimal) * (found?.isNegative === true ? -1 : 1);
  });
}
