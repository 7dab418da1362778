import { plainNumber } from "../calculator/numbers.ts";
import type { Cell } from "./source.ts";

/** What a column of texts holds when every filled cell agrees. */
export interface ReadColumn {
  readonly type: "integer" | "real" | "text" | "date";
  /** Unit that every number carries, e.g. `PSI`, `%`, `$`; "" for none. */
  readonly unit: string;
  readonly cells: readonly Cell[];
}

const empty = /^(?:|-|–|—|n\/?a|null|none|\.)$/i;
const quantity =
  /^(?<open>\()?(?<sign>[-−+])?\s*(?:(?<currency>[$€£¥₫]|USD|EUR|GBP|VND)\s*)?(?<sign2>[-−])?(?<number>\d[\d.,\s]*)(?<unit>%|[\p{L}°µ"][\p{L}\d°µ·/^²³"%-]{0,11}(?:\s[\p{L}²³]{1,6})?)?(?<close>\))?$/u;

interface Quantity {
  readonly value: number;
  readonly unit: string;
}

function quantityOf(text: string): Quantity | null {
  const parts = quantity.exec(text)?.groups;
  if (parts === undefined || (parts["open"] === undefined) !== (parts["close"] === undefined)) return null;
  const written = (parts["number"] ?? "").replaceAll(/[\s\u00a0](?=\d{3}(?!\d))/g, "").trim();
  // A number that begins with zero and goes on is a code, not a quantity.
  if (/^0\d/.test(written)) return null;
  const number = plainNumber(written);
  if (number === null || number.replace(".", "").length > 15) return null;
  const negative =
    parts["open"] !== undefined ||
    parts["sign"] === "-" ||
    parts["sign"] === "−" ||
    parts["sign2"] !== undefined;
  return {
    value: negative ? -Number(number) : Number(number),
    unit: parts["unit"] ?? parts["currency"] ?? "",
  };
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

const monthOf = (name = ""): string => String(months.indexOf(name.toLowerCase()) + 1);

/** Year, month and day as a cell writes them; the order of `03/04/2024` is for the column to say. */
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

/** A date as ISO writes it; null for what is none. */
function dateOf(text: string, dayFirst: boolean): string | null {
  const [year = "", month = "", day = ""] = dateParts(text, dayFirst);
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? null : iso;
}

/** Dates of a column, ISO; null unless all are dates and their order is beyond doubt. */
function datesOf(filled: readonly string[]): ((text: string) => string | null) | null {
  const orders = [true, false].filter((dayFirst) => filled.every((text) => dateOf(text, dayFirst) !== null));
  const [order] = orders;
  if (order === undefined) return null;
  const same = orders.length === 1 || filled.every((text) => dateOf(text, true) === dateOf(text, false));
  return same ? (text) => dateOf(text, order) : null;
}

/**
 * The type of a column and its cells in it. A column is of numbers or dates only when every filled cell is
 * one and, for numbers, all carry the same unit; otherwise its texts stay as they are, so that nothing is
 * lost.
 */
export function readColumn(texts: readonly string[]): ReadColumn {
  const trimmed = texts.map((text) => text.trim());
  const filled = trimmed.filter((text) => !empty.test(text));
  const plain = (): ReadColumn => ({
    type: "text",
    unit: "",
    cells: trimmed.map((text) => (text === "" ? null : text)),
  });
  if (filled.length === 0) return plain();
  const quantities = new Map(filled.map((text) => [text, quantityOf(text)]));
  const units = new Set([...quantities.values()].map((found) => found?.unit ?? ""));
  const [unit = ""] = [...units].filter((name) => name !== "");
  const agree =
    units.size === 1 ||
    (units.size === 2 &&
      units.has("") &&
      filled.every((text) => quantities.get(text)?.unit !== "" || quantities.get(text)?.value === 0));
  if (agree && [...quantities.values()].every((found) => found !== null)) {
    const cells = trimmed.map((text) => quantities.get(text)?.value ?? null);
    return {
      type: cells.every((value) => value === null || Number.isSafeInteger(value)) ? "integer" : "real",
      unit,
      cells,
    };
  }
  const toDate = datesOf(filled);
  if (toDate !== null)
    return { type: "date", unit: "", cells: trimmed.map((text) => (empty.test(text) ? null : toDate(text))) };
  return plain();
}
