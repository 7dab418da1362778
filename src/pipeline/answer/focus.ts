import { halved, omission } from "../../core/text.ts";
import { quantitiesIn } from "../../language/quantities.ts";
import { sentences } from "../../language/sentences.ts";
import { normalize } from "../../language/terms.ts";
import { rankForms } from "./extract.ts";

interface Unit {
  readonly text: string;
  /** A table row, which gets a line to itself. */
  readonly row: boolean;
  /** First row of a table. */
  readonly header: boolean;
  /** Index of its line in the passage. */
  readonly line: number;
}

/** Number of pieces that an oversized sentence is split into, so that some fit along with the best one. */
const shares = 4;

/** Sentences and rows of a text; a sentence of more than `most` tokens is split. */
function unitsOf(text: string, most: number, count: (text: string) => number): Unit[] {
  const units: Unit[] = [];
  for (const [at, line] of text.split(/\n+/).entries()) {
    const row = line.includes(" | ");
    const header = row && units.at(-1)?.row !== true;
    if (row) units.push({ text: line, row, header, line: at });
    else
      for (const sentence of sentences(line).flatMap((whole) =>
        count(whole) > most ? halved(whole, (part) => count(part) <= most / shares) : [whole],
      ))
        units.push({ text: sentence, row: false, header: false, line: at });
  }
  return units;
}

/** A cell of a spreadsheet row; the cells of a row are read as one sentence. */
const field = /^- [^:]{1,80}: /;

/** Separator between a unit and the previous one that is kept. */
function between(unit: Unit, before: Unit, gap: boolean): string {
  const isRow = unit.row || before.row;
  // A heading must not run into the sentence below it.
  const apart = isRow || (unit.line !== before.line && !field.test(unit.text)) ? "\n" : " ";
  if (!gap) return apart;
  // A blank line keeps the next table from being read under the previous header.
  return isRow ? `\n${omission}\n${before.row && unit.header ? "\n" : ""}` : `${apart}${omission} `;
}

function join(units: readonly Unit[], kept: ReadonlySet<number>): string {
  let text = "";
  let last = -1;
  for (const [index, unit] of units.entries()) {
    if (!kept.has(index)) continue;
    const before = units[last];
    text += before === undefined ? "" : between(unit, before, index > last + 1);
    text += unit.text;
    last = index;
  }
  const goesOn = units[last]?.row === true && units[last + 1]?.row === true;
  return goesOn ? `${text}\n${omission}` : text;
}

/** What to look for in a passage. */
export interface Sought {
  /** Terms of the question, each with its synonyms. */
  readonly terms: readonly (readonly string[])[];
  /** The question asks for a number. */
  readonly number: boolean;
}

/**
 * Whether a text has a number other than a year, in digits or as a word; `one` is excluded, as it is mostly a
 * pronoun.
 */
const hasNumber = (text: string): boolean =>
  /\d/.test(text.replace(/\b(?:19|20)\d\d\b/g, "")) ||
  quantitiesIn(normalize(text)).some(({ word, readings: [value = 0] }) => word && value !== 1);

/** Units by relevance to a question, best first. */
function nearestFirst(
  sought: Sought,
  units: readonly Unit[],
): readonly { readonly index: number; readonly score: number }[] {
  const own = rankForms(
    sought.terms,
    units.map(({ text }) => text),
  );
  const at = (index: number): number => own[index] ?? 0;
  // A header applies to every row and is added with each, so it says nothing about its neighbour.
  const beside = (index: number): number => (units[index]?.header === true ? 0 : at(index));
  return units
    .map(({ text }, index) => ({
      index,
      score: at(index) + (beside(index - 1) + beside(index + 1)) / 3,
      comesLast: sought.number && !hasNumber(text),
    }))
    .sort((a, b) => Number(a.comesLast) - Number(b.comesLast) || b.score - a.score || a.index - b.index);
}

/** Cost of the separator before a unit, including an omission mark, in tokens. */
const parting = 2;
const rowParting = 3;

/** A unit and, if it is a row, the header of its table. */
function withHeader(index: number, units: readonly Unit[]): readonly number[] {
  if (units[index]?.row !== true) return [index];
  const header = units.slice(0, index + 1).findLastIndex((unit) => unit.header);
  return header < 0 || header === index ? [index] : [index, header];
}

/**
 * Cuts a long passage to what is relevant to a question, in reading order, within `maxTokens`:
 * 1. split into sentences and table rows; a sentence that exceeds any budget, such as text without full
 * stops, is split between words;
 * 2. score each unit by BM25 against the question, plus a third of its neighbours' scores;
 * 3. take the best until the budget is full, a row always with its table's header; if a number is asked for,
 * units that have one come first, even without a word of the question; the first may use `nearestTokens`, so
 * that a long best unit does not lose to short ones that say less;
 * 4. if nothing matches, take from the start.
 * `scripts/eval/prompts.ts` measures how often the answer survives. A passage within the budget is returned
 * unchanged; omissions, including the rest of a table, show as `…`.
 */
export function focus(
  sought: Sought,
  text: string,
  maxTokens: number,
  count: (text: string) => number,
  nearestTokens = maxTokens,
): string {
  if (count(text) <= maxTokens) return text;
  const most = Math.max(maxTokens, nearestTokens);
  const units = unitsOf(text, most, count);
  const order = nearestFirst(sought, units);
  const kept = new Set<number>();
  let used = 0;
  const bears = order.some(({ score }) => score > 0);
  for (const { index, score } of order) {
    if (bears && score === 0 && !sought.number) continue;
    const added = withHeader(index, units).filter((unit) => !kept.has(unit));
    const cost = added
      .flatMap((unit) => units[unit] ?? [])
      .reduce((sum, { text: own, row }) => sum + count(own) + (row ? rowParting : parting), 0);
    const isNearest = kept.size === 0 && score > 0;
    if (used + cost > (isNearest ? most : maxTokens)) continue;
    for (const unit of added) kept.add(unit);
    used += cost;
  }
  return join(units, kept);
}
