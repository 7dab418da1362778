import type { Chunk } from "../../../core/documents/chunk.ts";
import { cellsOfRow, hasRow } from "../../../core/documents/table-text.ts";
import { mentionsAggregate } from "../../../language/asking/values.ts";
import { alternatives } from "../../../language/languages.ts";
import { type Quantity, quantitiesIn, scalesInLabel } from "../../../language/quantities.ts";
import { sentences } from "../../../language/sentences.ts";
import { normalize, words } from "../../../language/terms.ts";
import { datesIn } from "../../../language/time/dates.ts";
import { blanked, type Period, periodsIn, periodText } from "../../../language/time/periods.ts";
import { amountSeriesIn, yearSeriesIn } from "../../../language/time/series.ts";
import { unitsInLabel } from "../../../language/units.ts";
import { readTables, type TextTable } from "../../tables/read.ts";

/** Position and labels of a figure in its table. */
export interface FigurePlace {
  readonly row: number;
  readonly column: number;
  /** The labels of its row, and the header of its column. */
  readonly label: string;
  readonly head: string;
  /** As written. */
  readonly text: string;
}

/** A number in its place, with what it is said of. */
export interface StatedFigure {
  readonly quantity: Quantity;
  /** Words of its clause; in a table, of its row labels and column header. */
  readonly words: ReadonlySet<string>;
  /** Its periods; empty if nothing near it names one. */
  readonly periods: readonly Period[];
  /**
   * Canonical units: its own, otherwise from the first of these that names any: row and column, corner and
   * caption of its table. Empty if none does, and in running text.
   */
  readonly units: ReadonlySet<string>;
  /** Its table's number within the passage; null for running text. */
  readonly table: number | null;
  /** Its position in the table; null for running text. */
  readonly cell: FigurePlace | null;
  /** Whether its clause, row or column calls it a total, an average or the like. */
  readonly isAggregate: boolean;
  /** Scales named in the row, column or caption: `thousand metric tons`. */
  readonly declared: readonly number[];
}

const joiners = [alternatives(({ breaks }) => breaks), alternatives((language) => language.joiners)].join(
  "|",
);
/** Boundary between clauses: a comma or colon outside a number, or a word that opens another statement. */
const clauseBreak = new RegExp(
  `[;:](?!\\d)|,(?!\\d|\\s(?:19|20)\\d\\d(?!\\d))|(?<![\\p{L}\\p{N}])(?:${joiners})(?![\\p{L}\\p{N}])`,
  "giu",
);
const year = /^(?:1\d|20)\d\d$/;

/** Last member of a series: `and 760`; but not `from $5 million`, which is a comparison. */
const seriesGoesOn = new RegExp(
  `^\\s?(?:${alternatives(({ and }) => and)}|${alternatives((language) => language.or)}) \\p{Sc}?(\\p{N}[\\p{N}.,]{0,20})`,
  "iu",
);

/**
 * Whether a conjunction is inside a series of numbers (`687 and 760 nm`, `1991 and 2000`), which belongs to
 * one statement.
 */
function joinsNumbers(before: string, after: string): boolean {
  const last = /([\p{N}.,]{1,20}) ?[%°]?\s?$/u.exec(before.slice(-24))?.[1];
  const next = seriesGoesOn.exec(after)?.[1];
  return last !== undefined && next !== undefined && (year.test(next) || !year.test(last));
}

/**
 * Length from which a series of amounts is one statement whatever joins it; the second of two may belong to
 * another.
 */
const leastSeries = 3;

/** Splits a sentence where another statement begins. */
export function clausesOf(sentence: string): string[] {
  const runs = amountSeriesIn(sentence).filter(({ members }) => members.length >= leastSeries);
  const isInside = (cut: number): boolean => runs.some(({ at, length }) => cut > at && cut < at + length);
  const cuts = [...sentence.matchAll(clauseBreak)]
    .map(({ index }) => index)
    .filter((at) => !isInside(at) && !joinsNumbers(sentence.slice(0, at), sentence.slice(at, at + 40)));
  return [0, ...cuts].map((from, at) => sentence.slice(from, cuts[at] ?? sentence.length));
}

/** The unit of a table's quantity, otherwise those of the first label that names any. */
const unitsOf = ({ unit }: Quantity, labels: readonly string[]): ReadonlySet<string> =>
  unit === "" ? (labels.map(unitsInLabel).find(({ size }) => size > 0) ?? new Set()) : new Set([unit]);

const plain = (text: string): string => normalize(text.replace(/\s+/g, " "));

/** Numbers in digits that are neither dates nor periods. */
function valuesIn(text: string): readonly Quantity[] {
  // Blanked in place, so that `HP-200` and `10.2` keep their neighbours.
  const shown = blanked(periodText(text), periodsIn(text));
  return quantitiesIn(plain(datesIn(shown).rest)).filter(
    ({ text: digits, word, unit, scale }) => !word && !(unit === "" && scale === 1 && year.test(digits)),
  );
}

const since = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ periods }) => periods?.since)})\\s(?:the\\s)?$`,
  "iu",
);

/** Periods of a clause; a day from which something is counted is not one. */
const periodsOfClause = (clause: string): readonly Period[] =>
  periodsIn(clause).filter(({ at }) => !since.test(periodText(clause).slice(Math.max(0, at - 16), at)));

/**
 * The years of a series of amounts that is as long as a series of years: `$4.9, $6.4 and $8.8 billion for
 * 2015, 2016 and 2017`. Each entry: the digits of an amount and its year, in sentence order.
 */
function yearsInSeries(sentence: string): readonly (readonly [digits: string, year: string])[] {
  const text = normalize(sentence);
  const [years, ...others] = yearSeriesIn(text).map(({ members }) => members);
  if (years === undefined || others.length > 0) return [];
  return amountSeriesIn(text).flatMap(({ members }) => {
    const digits = members.flatMap((member) => member.match(/\p{N}[\p{N}.,]*(?<![.,])/gu) ?? []);
    if (digits.length !== years.length || digits.some((each, at) => each === years[at])) return [];
    return digits.map((each, at) => [each, years[at] ?? ""] as const);
  });
}

/** Figures of a sentence; those in a series get their years from the series of years. */
function figuresOfSentence(sentence: string): StatedFigure[] {
  const paired = [...yearsInSeries(sentence)];
  return figuresOfClauses(sentence).map((figure) => {
    const at = paired.findIndex(([digits]) => digits === figure.quantity.text);
    const [pair] = at < 0 ? [] : paired.splice(0, at + 1).slice(-1);
    return pair === undefined ? figure : { ...figure, periods: periodsIn(pair[1]) };
  });
}

/** Figures of a sentence. A clause without a period takes that of the clause before it. */
function figuresOfClauses(sentence: string): StatedFigure[] {
  let periods: readonly Period[] = [];
  const isAggregate = mentionsAggregate(sentence);
  return clausesOf(sentence).flatMap((clause) => {
    const own = periodsOfClause(clause);
    if (own.length > 0) periods = own;
    const bag = new Set(words(clause));
    return valuesIn(clause).map((quantity) => ({
      quantity,
      words: bag,
      periods,
      units: new Set(),
      table: null,
      cell: null,
      isAggregate,
      declared: [],
    }));
  });
}

/** Figures of a table, each with its row's labels and group and its column's header. */
function figuresOfTable({ heads, rows, around: caption }: TextTable, table: number): StatedFigure[] {
  const corner = heads[0]?.join(" ") ?? "";
  // A unit in a line with a number belongs to that number.
  const unitsAround = /\p{N}/u.test(caption) ? corner : `${corner} ${caption}`;
  return rows.flatMap(({ cells, group }, row) => {
    const values = cells.map((cell) => (/^[\p{Sc}\s(–-]{0,4}\p{N}/u.test(cell) ? valuesIn(cell) : []));
    const labels = [group, ...cells.filter((_, at) => values[at]?.length === 0)].join(" ").trim();
    return values.flatMap((found, at) => {
      const column = heads[at]?.join(" ") ?? "";
      const named = [column, labels, caption].map(periodsIn).find((periods) => periods.length > 0) ?? [];
      const said = `${labels} ${column}`;
      return found.map((quantity) => ({
        quantity,
        words: new Set(words(said)),
        periods: named,
        units: unitsOf(quantity, [said, unitsAround]),
        table,
        cell: { row, column: at, label: labels, head: column, text: cells[at] ?? "" },
        isAggregate: mentionsAggregate(said),
        declared: scalesInLabel(`${said} ${unitsAround}`),
      }));
    });
  });
}

/** The tables of a passage's text. */
export const tablesOf = (text: string, chunk: Chunk): readonly TextTable[] =>
  readTables([{ ...chunk, text, innerHeadings: [], sheetParts: [] }]);

/** Every number of a passage's lines with what it is said of; in tables, by row and column. */
export function figuresOf(lines: readonly string[], chunk: Chunk): readonly StatedFigure[] {
  const { true: tables = [], false: scraps = [] } = Object.groupBy(
    tablesOf(lines.join("\n"), chunk),
    ({ rows, header }) => String(rows.length + header.length > 1) as "true" | "false",
  );
  const prose = [
    ...lines.filter((line) => !hasRow(line)).flatMap(sentences),
    ...scraps.flatMap(({ rows }) => rows.map((row) => cellsOfRow(row.text).join("   "))),
  ];
  return [...prose.flatMap(figuresOfSentence), ...tables.flatMap(figuresOfTable)];
}

/** Figures of a statement, with what it says they are of. */
export const figuresIn = (statement: string): readonly StatedFigure[] => figuresOfSentence(statement);
