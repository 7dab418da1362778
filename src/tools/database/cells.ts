import type { Cell } from "./source.ts";

/** The type of a text column in which every filled cell agrees. */
export interface ReadColumn {
  readonly type: "integer" | "real" | "text" | "date";
  /** Unit of all its numbers, e.g. `PSI`, `%`, `$`; "" for none. */
  readonly unit: string;
  readonly cells: readonly Cell[];
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

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

const monthOf = (name = ""): string => String(months.indexOf(name.toLowerCase()) + 1);

/** Year, month and day of a cell; the column decides the order of `03/04/2024`. */
function dateParts(text: string, dayFirst: boolean): readonly (string | undefined)[] {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?$/.exec(text);
  if (iso !== null) return [iso[1], iso[2], iso[3]];
  const slashed = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text);
  if (slashed !== null)
    return dayFirst ? [slashed[3], slashed[2], slashed[1]] : [slashed[3], slashed[1], slashed[2]];
  const named = /^(\d{1,2})[\s-]([A-Za-z]{3})[a-z]*\.?,?[\s-](\d{4})$/.exec(text);
  if (named !== null) return [named[3], monthOf(named[2]), named[1]];
  const american = /^([A-Za-z]{3})[a-z]*\.?\s(\d{1,2}),?\s(\d{4})$/.exec(text);
  return american === null ? [] : [american[3], monthOf(american[1]), american[2]];
}

/** A date in ISO format; null if it is none. */
function dateOf(text: string, dayFirst: boolean): string | null {
  const [year = "", month = "", day = ""] = dateParts(text, dayFirst);
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? null : iso;
}

/** Parser for a column's dates, to ISO; null unless all cells are dates in an unambiguous order. */
function datesOf(filled: readonly string[]): ((text: string) => string | null) | null {
  const orders = [true, false].filter((dayFirst) => filled.every((text) => dateOf(text, dayFirst) !== null));
  const [order] = orders;
  if (order === undefined) return null;
  const same = orders.length === 1 || filled.every((text) => dateOf(text, true) === dateOf(text, false));
  return same ? (text) => dateOf(text, order) : null;
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
export function usualFormat(columns: readonly (readonly string[])[]): NumberFormat | undefined {
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

/**
 * The type of a column, and its cells converted to it. A column has numbers or dates only if every filled
 * cell does and, for numbers, all have the same unit and one format (`usual`: that of the other columns);
 * otherwise its texts are kept, so that nothing is lost or misread.
 */
export function readColumn(texts: readonly string[], usual?: NumberFormat): ReadColumn {
  const trimmed = texts.map((text) => text.trim());
  const filled = filledOf(texts);
  const plain = (): ReadColumn => ({
    type: "text",
    unit: "",
    cells: trimmed.map((text) => (text === "" ? null : text)),
  });
  if (filled.length === 0) return plain();
  const quantities = quantitiesOf(filled);
  const format = formatOf(
    [...(quantities?.values() ?? [])].map(({ written }) => written),
    usual,
  );
  if (quantities !== null && format !== undefined) {
    const decimals = new Map(
      [...quantities].map(([text, { written, isNegative }]) => [
        text,
        `${isNegative ? "-" : ""}${decimalIn(format, written) ?? ""}`,
      ]),
    );
    if ([...decimals.values()].every((decimal) => decimal.replace(/\..*|\D/g, "").length <= 15)) {
      const cells = trimmed.map((text) => (decimals.has(text) ? Number(decimals.get(text)) : null));
      const isWhole = cells.every((value) => value === null || Number.isSafeInteger(value));
      const [unit = ""] = [...quantities.values()].flatMap((each) => (each.unit === "" ? [] : [each.unit]));
      return { type: isWhole ? "integer" : "real", unit, cells };
    }
  }
  const toDate = datesOf(filled);
  if (toDate !== null)
    return { type: "date", unit: "", cells: trimmed.map((text) => (empty.test(text) ? null : toDate(text))) };
  return plain();
}
