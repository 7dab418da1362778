import type { CheerioAPI } from "cheerio";

interface Level {
  readonly format: string;
  /** Label with `%1` for the number of level 0 and so on. */
  readonly pattern: string;
  readonly start: number;
}

interface List {
  readonly levels: ReadonlyMap<number, Level>;
  /** Level that a paragraph style stands for. */
  readonly byStyle: ReadonlyMap<string, number>;
}

/** The place of a paragraph in a list. `label` is as printed, "" for a bullet. */
export interface Numbered {
  readonly level: number;
  readonly label: string;
}

function roman(number: number): string {
  const signs = ["m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"];
  const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
  let [left, text] = [number > 0 && number < 4000 ? number : 0, ""];
  values.forEach((value, index) => {
    for (; left >= value; left -= value) text += signs[index];
  });
  return text === "" ? String(number) : text;
}

/** A number in one of the numbering formats of Office and OpenDocument; those not known are written in digits. */
export function formatNumber(number: number, format: string): string {
  const letter = () =>
    String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.min(8, Math.ceil(number / 26)));
  switch (format) {
    case "lowerLetter":
    case "a":
      return number > 0 ? letter() : String(number);
    case "upperLetter":
    case "A":
      return number > 0 ? letter().toUpperCase() : String(number);
    case "lowerRoman":
    case "i":
      return roman(number);
    case "upperRoman":
    case "I":
      return roman(number).toUpperCase();
    case "decimalZero":
      return String(number).padStart(2, "0");
    default:
      return String(number);
  }
}

function readLists($: CheerioAPI): {
  lists: Map<string, List>;
  uses: Map<string, { list: string; starts: Map<number, number> }>;
} {
  const lists = new Map<string, List>();
  for (const list of $("w\\:abstractNum").toArray()) {
    const levels = new Map<number, Level>();
    const byStyle = new Map<string, number>();
    for (const level of $(list).children("w\\:lvl").toArray()) {
      const value = (name: string) => $(level).children(name).attr("w:val");
      const index = Number(level.attribs["w:ilvl"] ?? 0);
      const style = value("w\\:pStyle");
      if (style !== undefined) byStyle.set(style, index);
      levels.set(index, {
        format: value("w\\:numFmt") ?? "decimal",
        pattern: value("w\\:lvlText") ?? "",
        start: Number(value("w\\:start") ?? 1),
      });
    }
    lists.set(list.attribs["w:abstractNumId"] ?? "", { levels, byStyle });
  }
  const uses = new Map<string, { list: string; starts: Map<number, number> }>();
  for (const use of $("w\\:num").toArray()) {
    const starts = new Map<number, number>();
    for (const change of $(use).children("w\\:lvlOverride").toArray()) {
      const start = $(change).children("w\\:startOverride").attr("w:val");
      if (start !== undefined) starts.set(Number(change.attribs["w:ilvl"] ?? 0), Number(start));
    }
    uses.set(use.attribs["w:numId"] ?? "", {
      list: $(use).children("w\\:abstractNumId").attr("w:val") ?? "",
      starts,
    });
  }
  return { lists, uses };
}

/**
 * Counts list paragraphs in document order as Word does: counters belong to the abstract list, a use that overrides its start
 * begins anew once, and a level begins anew after a higher one.
 */
export function numberer(
  $: CheerioAPI,
): (numId: string, level: string | undefined, styleId: string | undefined) => Numbered | undefined {
  const { lists, uses } = readLists($);
  const counters = new Map<string, Map<number, number>>();
  const restarted = new Set<string>();
  return (numId, written, styleId) => {
    const use = uses.get(numId);
    const list = lists.get(use?.list ?? "");
    if (use === undefined || list === undefined) return { level: Number(written ?? 0), label: "" };
    const level = written === undefined ? (list.byStyle.get(styleId ?? "") ?? 0) : Number(written);
    const own = list.levels.get(level);
    const counts = counters.get(use.list) ?? new Map<number, number>();
    counters.set(use.list, counts);
    const start = use.starts.get(level);
    if (start !== undefined && !restarted.has(`${numId}/${level}`)) {
      restarted.add(`${numId}/${level}`);
      counts.delete(level);
    }
    counts.set(level, (counts.get(level) ?? (start ?? own?.start ?? 1) - 1) + 1);
    for (const deeper of [...counts.keys()]) if (deeper > level) counts.delete(deeper);
    if (own === undefined || own.format === "bullet" || own.format === "none") return { level, label: "" };
    const label = own.pattern.replace(/%(\d)/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const other = list.levels.get(index);
      return formatNumber(counts.get(index) ?? other?.start ?? 1, other?.format ?? "decimal");
    });
    return { level, label: label.replace(/\s+/g, " ").trim() };
  };
}
