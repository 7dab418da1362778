import type { CheerioAPI } from "cheerio";
import type { Element } from "../dom.ts";

interface Level {
  readonly format: string;
  /** Label with `%1` for the number of level 0 and so on. */
  readonly pattern: string;
  readonly start: number;
  /** Whether the label writes Roman numbers and letters of other levels in digits. */
  readonly isLegal: boolean;
}

interface List {
  readonly levels: ReadonlyMap<number, Level>;
  /** Numbering level by paragraph style. */
  readonly byStyle: ReadonlyMap<string, number>;
}

interface Use {
  /** Id of the abstract list. */
  readonly list: string;
  /** Numbers at which levels start here, by level. */
  readonly starts: ReadonlyMap<number, number>;
}

/** The place of a paragraph in a list. `label` is as printed, "" for a bullet. */
export interface Numbered {
  readonly level: number;
  readonly label: string;
}

function roman(number: number): string {
  const signs = ["m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"];
  const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
  let left = number > 0 && number < 4000 ? number : 0;
  let text = "";
  values.forEach((value, index) => {
    for (; left >= value; left -= value) text += signs[index];
  });
  return text === "" ? String(number) : text;
}

/** A number as letters: a to z, then aa to zz. */
function letters(number: number): string {
  if (number <= 0) return String(number);
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.min(8, Math.ceil(number / 26)));
}

/**
 * A number in one of the numbering formats of Office and OpenDocument; those not known are written in digits.
 */
export function formatNumber(number: number, format: string): string {
  const [sign = ""] = /^[aAiI]$|^(?:lower|upper)(?:Letter|Roman)$/.exec(format) ?? [];
  const written = /^[aA]|Letter$/.test(sign) ? letters(number) : roman(number);
  if (sign !== "") return /^[AIu]/.test(sign) ? written.toUpperCase() : written;
  const circled = number > 0 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number);
  if (format === "decimalEnclosedCircle") return circled;
  return format === "decimalZero" ? String(number).padStart(2, "0") : String(number);
}

/** Whether an on/off property is present and not switched off by an attribute of its own. */
export function isOn(property: ReturnType<CheerioAPI>, attribute = "w:val"): boolean {
  return property.length > 0 && !/^(?:0|false|off)$/.test(property.attr(attribute) ?? "");
}

/** An abstract list: how each of its levels is numbered. */
function readList($: CheerioAPI, list: Element): List {
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
      isLegal: isOn($(level).children("w\\:isLgl")),
    });
  }
  return { levels, byStyle };
}

/** A use of an abstract list, and the levels that start at another number in it. */
function readUse($: CheerioAPI, use: Element): Use {
  const starts = new Map<number, number>();
  for (const change of $(use).children("w\\:lvlOverride").toArray()) {
    const start = $(change).children("w\\:startOverride").attr("w:val");
    if (start !== undefined) starts.set(Number(change.attribs["w:ilvl"] ?? 0), Number(start));
  }
  return { list: $(use).children("w\\:abstractNumId").attr("w:val") ?? "", starts };
}

/** A label as printed: the level's pattern with the numbers counted so far. */
function labelOf({ pattern, isLegal }: Level, list: List, counts: ReadonlyMap<number, number>): string {
  const label = pattern.replace(/%(\d)/g, (_, digit: string) => {
    const index = Number(digit) - 1;
    const level = list.levels.get(index);
    const format = level?.format ?? "decimal";
    const number = counts.get(index) ?? level?.start ?? 1;
    return formatNumber(number, isLegal && format !== "decimalZero" ? "decimal" : format);
  });
  return label.replace(/\s+/g, " ").trim();
}

/**
 * Counts list paragraphs in document order as Word does: counters belong to the abstract list, a use that
 * overrides its start restarts it once, and a level restarts after a higher one.
 */
export function createListNumberer(
  $: CheerioAPI,
): (numId: string, written: string | undefined, styleId: string | undefined) => Numbered {
  const lists = new Map(
    $("w\\:abstractNum")
      .toArray()
      .map((list) => [list.attribs["w:abstractNumId"] ?? "", readList($, list)]),
  );
  const uses = new Map(
    $("w\\:num")
      .toArray()
      .map((use) => [use.attribs["w:numId"] ?? "", readUse($, use)]),
  );
  const counters = new Map<string, Map<number, number>>();
  const restarted = new Set<string>();

  /** Counts a paragraph of a level; deeper levels start again after it. */
  const count = (numId: string, use: Use, level: number, start: number): Map<number, number> => {
    const counts = counters.get(use.list) ?? new Map<number, number>();
    counters.set(use.list, counts);
    if (use.starts.has(level) && !restarted.has(`${numId}/${level}`)) {
      restarted.add(`${numId}/${level}`);
      counts.delete(level);
    }
    counts.set(level, (counts.get(level) ?? start - 1) + 1);
    for (const deeper of [...counts.keys()].filter((each) => each > level)) counts.delete(deeper);
    return counts;
  };

  return (numId, written, styleId) => {
    const use = uses.get(numId);
    const list = lists.get(use?.list ?? "");
    if (use === undefined || list === undefined) return { level: Number(written ?? 0), label: "" };
    const level = Number(written ?? list.byStyle.get(styleId ?? "") ?? 0);
    const numbering = list.levels.get(level);
    const counts = count(numId, use, level, use.starts.get(level) ?? numbering?.start ?? 1);
    const isNumbered = numbering !== undefined && !["bullet", "none"].includes(numbering.format);
    return { level, label: isNumbered ? labelOf(numbering, list, counts) : "" };
  };
}
