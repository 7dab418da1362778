import { halved, omission } from "../../core/text.ts";
import { quantitiesIn } from "../../language/quantities.ts";
import { sentences } from "../../language/sentences.ts";
import { normalize } from "../../language/terms.ts";
import { rankForms } from "./extract.ts";

interface Unit {
  readonly text: string;
  /** A table row; rows stand on their own lines. */
  readonly row: boolean;
  /** First row of a run of rows. */
  readonly header: boolean;
  /** The line of the passage it stands on. */
  readonly line: number;
}

/** Pieces of a sentence that is too long to be shown whole: so many that those beside the best one fit, too. */
const shares = 4;

/** Sentences and rows of a text; a sentence of more than `most` tokens in pieces. */
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

/** A cell of a spreadsheet's row: those of one row are read as one sentence. */
const field = /^- [^:]{1,80}: /;

/** What parts a unit from the one kept before it. */
function between(unit: Unit, before: Unit, gap: boolean): string {
  const isRow = unit.row || before.row;
  // A heading must not become the beginning of the sentence under it.
  const apart = isRow || (unit.line !== before.line && !field.test(unit.text)) ? "\n" : " ";
  if (!gap) return apart;
  // A blank line: the next table is not read under the header of the one before.
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

/** What a passage is read for. */
export interface Sought {
  /** Terms of the question, each with the words that may stand for it. */
  readonly terms: readonly (readonly string[])[];
  /** A number is asked for. */
  readonly number: boolean;
}

/** Whether a text has a number other than a year, in figures or as a word; `one` is more often none. */
const hasNumber = (text: string): boolean =>
  /\d/.test(text.replace(/\b(?:19|20)\d\d\b/g, "")) ||
  quantitiesIn(normalize(text)).some(({ word, readings: [value = 0] }) => word && value !== 1);

/** Units by how much they bear on a question, best first. */
function nearestFirst(
  sought: Sought,
  units: readonly Unit[],
): readonly { readonly index: number; readonly score: number }[] {
  const own = rankForms(
    sought.terms,
    units.map(({ text }) => text),
  );
  const at = (index: number): number => own[index] ?? 0;
  // A header is of all rows: it comes with each, and says nothing of the one beside it.
  const beside = (index: number): number => (units[index]?.header === true ? 0 : at(index));
  return units
    .map(({ text }, index) => ({
      index,
      score: at(index) + (beside(index - 1) + beside(index + 1)) / 3,
      comesLast: sought.number && !hasNumber(text),
    }))
    .sort((a, b) => Number(a.comesLast) - Number(b.comesLast) || b.score - a.score || a.index - b.index);
}

/** Tokens of what parts a unit from the one before it, a mark for what is left out there included. */
const parting = 2;
const rowParting = 3;

/** A unit and, of a row, the header of its table. */
function withHeader(index: number, units: readonly Unit[]): readonly number[] {
  if (units[index]?.row !== true) return [index];
  const header = units.slice(0, index + 1).findLastIndex((unit) => unit.header);
  return header < 0 || header === index ? [index] : [index, header];
}

/**
 * A long passage cut down to what bears on a question, in reading order, within `maxTokens`:
 * 1. split into sentences, and tables into rows; what no budget would hold, as text without stops, between words;
 * 2. score each by BM25 against the question, its neighbours' scores at a third;
 * 3. take the best until the budget is full, a row always with the header row of its table; where a number is
 *    asked for, all with one come before the others, even if they share no word with the question; the first may
 *    take `nearestTokens`, or a long one would give way to short ones that say less;
 * 4. nothing bears on the question: take from the start.
 * `scripts/eval/prompts.ts` counts how often the answer is held. A passage within the budget comes back unchanged;
 * what is left out inside, and the rest of a table, shows as `…`.
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
