import { rangeConnectors } from "./languages.ts";

/** A range of amounts in one unit. */
export interface Range {
  /** The amount of a text within the range, with its unit; undefined for none or several. */
  amountWithin(text: string): string | undefined;
}

const factors: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const number = String.raw`(\d{1,9}(?:\.\d{1,6})?)`;
const unit = String.raw`([\p{L}%°]{1,5})`;
const amount = new RegExp(String.raw`(?<![\p{N}.,-])${number}\s?${unit}(?![\p{L}\p{N}])`, "gu");
const range = new RegExp(
  String.raw`(?<![\p{N}.,-])${number}\s?(?:${unit}\s?)?(?:${rangeConnectors()}|–|-)\s?${number}\s?${unit}(?![\p{L}\p{N}])`,
  "u",
);

/** A unit without its metric prefix, and the prefix's factor; only for units that allow prefixes. */
function prefixOf(written: string): { readonly base: string; readonly factor: number } {
  const [, prefix = "", base = ""] = /^([kMGT])(Hz|W|V|A|B|J|Pa|m|g)$/.exec(written) ?? [];
  return prefix === "" ? { base: written, factor: 1 } : { base, factor: factors[prefix] ?? 1 };
}

/** The range of amounts in a text: `80 MHz to 2.5 GHz`; undefined for none, or if the units differ. */
export function rangeIn(text: string): Range | undefined {
  const [, low = "", lowUnit = "", high = "", highUnit = ""] = range.exec(text) ?? [];
  if (high === "") return undefined;
  const top = prefixOf(highUnit);
  const bottom = prefixOf(lowUnit || highUnit);
  if (top.base !== bottom.base) return undefined;
  const [least, most] = [Number(low) * bottom.factor, Number(high) * top.factor];
  return {
    amountWithin(other) {
      const found = [...other.matchAll(amount)].filter(([, digits = "", written = ""]) => {
        const { base, factor } = prefixOf(written);
        const value = Number(digits) * factor;
        return base === top.base && value >= least && value <= most;
      });
      return found.length === 1 ? found[0]?.[0] : undefined;
    },
  };
}
