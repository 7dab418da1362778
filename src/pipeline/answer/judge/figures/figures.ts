import type { Chunk } from "../../../../core/documents/chunk.ts";
import { saysApart } from "../../../../language/asking/changes.ts";
import { saysAggregate } from "../../../../language/asking/values.ts";
import { alternatives } from "../../../../language/languages.ts";
import { type Quantity, quantitiesIn, scalesNamed } from "../../../../language/quantities.ts";
import { sentences } from "../../../../language/sentences.ts";
import { isStopWord, normalize, stem, words } from "../../../../language/terms.ts";
import { datesIn } from "../../../../language/time/dates.ts";
import { type Period, periodsIn, periodText } from "../../../../language/time/periods.ts";
import { amountSeriesIn, yearSeriesIn } from "../../../../language/time/series.ts";
import { unitsNamed } from "../../../../language/units.ts";
import { readTables, type Table } from "../../../tables/read.ts";

/** One of several things of a name: `premium plan`. */
export interface Kind {
  readonly of: string;
  readonly which: string;
}

/** Where a figure stands in its table. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  /** The labels of its row, and the header of its column. */
  readonly label: string;
  readonly head: string;
  /** As written. */
  readonly text: string;
}

/** A number where it stands, with what it is said of. */
export interface Figure {
  readonly quantity: Quantity;
  /** Words of its clause; in a table those of its row's labels and of its column's header. */
  readonly words: ReadonlySet<string>;
  /** The things of its clause with the word that tells each from others of its kind; none in a table. */
  readonly kinds: readonly Kind[];
  /** The words behind it up to one that says nothing, which it counts; none in a table. */
  readonly counts: ReadonlySet<string>;
  /** Words of its whole sentence, or of the corner and caption of its table. */
  readonly around: ReadonlySet<string>;
  /** Periods it is said to be of; empty where nothing near it names one. */
  readonly periods: readonly Period[];
  /**
   * Canonical units it is in by its own, or by the first of these that names any: row and column, corner and
   * caption of its table. Empty where nothing tells, and in running text.
   */
  readonly units: ReadonlySet<string>;
  /** The table it stands in, numbered within the passage; null for running text. */
  readonly table: number | null;
  /** Its place there; null for running text. */
  readonly cell: Cell | null;
  /** Whether its clause, row or column calls it a total, an average or the like. */
  readonly isAggregate: boolean;
  /** Whether they call it a change, or how far two things lie apart. */
  readonly isApart: boolean;
  /** Scales that row, column or caption of its table name: `thousand metric tons`. */
  readonly declared: readonly number[];
}

const joiners = [alternatives(({ breaks }) => breaks), alternatives((language) => language.joiners)].join(
  "|",
);
/** Between two clauses: a comma or colon that stands in no number, or a word that opens another statement. */
const clauseBreak = new RegExp(
  `[;:](?!\\d)|,(?!\\d|\\s(?:19|20)\\d\\d(?!\\d))|(?<![\\p{L}\\p{N}])(?:${joiners})(?![\\p{L}\\p{N}])`,
  "giu",
);
const year = /^(?:1\d|20)\d\d$/;

/** The last of a series: `and 760`; not `from $5 million`, with which something is compared. */
const seriesGoesOn = new RegExp(
  `^\\s?(?:${alternatives(({ and }) => and)}|${alternatives((language) => language.or)}) \\p{Sc}?(\\p{N}[\\p{N}.,]{0,20})`,
  "iu",
);

/**
 * Whether a joining word stands within a row of numbers (`687 and 760 nm`, `1991 and 2000`), which are of one
 * statement.
 */
function joinsNumbers(before: string, after: string): boolean {
  const last = /([\p{N}.,]{1,20}) ?[%°]?\s?$/u.exec(before.slice(-24))?.[1];
  const next = seriesGoesOn.exec(after)?.[1];
  return last !== undefined && next !== undefined && (year.test(next) || !year.test(last));
}

/** Amounts in a row that are of one statement whatever joins them: of two, the second may be of another. */
const leastSeries = 3;

/** A sentence taken apart where another statement begins. */
function clausesOf(sentence: string): string[] {
  const runs = amountSeriesIn(sentence).filter(({ members }) => members.length >= leastSeries);
  const isInside = (cut: number): boolean => runs.some(({ at, length }) => cut > at && cut < at + length);
  const cuts = [...sentence.matchAll(clauseBreak)]
    .map(({ index }) => index)
    .filter((at) => !isInside(at) && !joinsNumbers(sentence.slice(0, at), sentence.slice(at, at + 40)));
  return [0, ...cuts].map((from, at) => sentence.slice(from, cuts[at] ?? sentence.length));
}

/** The unit of a quantity in a table, else those of the first label that names any. */
const unitsOf = ({ unit }: Quantity, labels: readonly string[]): ReadonlySet<string> =>
  unit === "" ? (labels.map(unitsNamed).find(({ size }) => size > 0) ?? new Set()) : new Set([unit]);

const plain = (text: string): string => normalize(text.replace(/\s+/g, " "));

/** A number, and what it counts. */
type Value = Quantity & Pick<Figure, "counts">;

/** Words of a thing counted at most. */
const longestCounted = 4;

/** What a number in a plain text counts by the text behind it: `formal training classes`. */
function countsIn(behind: string): ReadonlySet<string> {
  const [run = ""] = /^(?:[ -][\p{L}\p{M}]{1,30}){0,4}/u.exec(behind) ?? [];
  const named = run.split(/[ -]/).slice(1, longestCounted + 1);
  const end = named.findIndex(isStopWord);
  return new Set(words(named.slice(0, end < 0 ? named.length : end).join(" ")));
}

/** Numbers of a text in digits that are neither dates nor periods. */
function valuesIn(text: string): Value[] {
  const spans = periodsIn(text).map(({ at, text: { length } }) => [at, at + length] as const);
  const shown = [...periodText(text)];
  // Blanked in place, so that `HP-200` and `10.2` keep their neighbours.
  for (const [from, to] of spans) shown.fill(" ", from, to);
  const rest = plain(datesIn(shown.join("")).rest);
  return quantitiesIn(rest)
    .filter(
      ({ text: digits, word, unit, scale }) => !word && !(unit === "" && scale === 1 && year.test(digits)),
    )
    .map((quantity) => ({
      ...quantity,
      counts: countsIn(
        rest.slice(quantity.at + quantity.text.length, quantity.at + quantity.text.length + 130),
      ),
    }));
}

const since = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ periods }) => periods?.since)})\\s(?:the\\s)?$`,
  "iu",
);

/** Periods that a clause is of; the day from which on something is counted is none. */
const periodsOfClause = (clause: string): readonly Period[] =>
  periodsIn(clause).filter(({ at }) => !since.test(periodText(clause).slice(Math.max(0, at - 16), at)));

/**
 * The years of amounts that stand in a series as long as a series of years: `$4.9, $6.4 and $8.8 billion for
 * 2015, 2016 and 2017`. Each entry: the digits of an amount and its year, in the order of the sentence.
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

/** Figures of a sentence, those of a series with the years of theirs. */
function figuresOfSentence(sentence: string): Figure[] {
  const paired = [...yearsInSeries(sentence)];
  return figuresOfClauses(sentence).map((figure) => {
    const at = paired.findIndex(([digits]) => digits === figure.quantity.text);
    const [pair] = at < 0 ? [] : paired.splice(0, at + 1).slice(-1);
    return pair === undefined ? figure : { ...figure, periods: periodsIn(pair[1]) };
  });
}

/** Figures of a sentence. A clause without a period of its own is of that of the clause before it. */
function figuresOfClauses(sentence: string): Figure[] {
  let periods: readonly Period[] = [];
  const around = new Set(words(sentence));
  const isAggregate = saysAggregate(sentence);
  return clausesOf(sentence).flatMap((clause) => {
    const own = periodsOfClause(clause);
    if (own.length > 0) periods = own;
    const bag = new Set(words(clause));
    const kinds = kindsIn(clause);
    const isApart = saysApart(clause);
    return valuesIn(clause).map((quantity) => ({
      quantity,
      words: bag,
      kinds,
      counts: quantity.counts,
      around,
      periods,
      units: new Set(),
      table: null,
      cell: null,
      isAggregate,
      isApart,
      declared: [],
    }));
  });
}

/** Every two words that stand side by side and say something, the first for which of the second is meant. */
function kindsIn(clause: string): readonly Kind[] {
  const pairs = normalize(clause).matchAll(/(?<![\p{L}\p{M}])([\p{L}\p{M}]+)(?=[ -]([\p{L}\p{M}]+))/gu);
  return [...pairs].flatMap(([, which = "", of = ""]) =>
    isStopWord(which) || isStopWord(of) ? [] : [{ which: stem(which), of: stem(of) }],
  );
}

/** Figures of a table, each said to be of its row's labels and group, and of what heads its column. */
function figuresOfTable({ heads, rows, around: caption }: Table, table: number): Figure[] {
  const corner = heads[0]?.join(" ") ?? "";
  const around = new Set(words(`${corner} ${caption}`));
  // The unit of a number in the line above is that number's.
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
        kinds: [],
        counts: new Set<string>(),
        around,
        periods: named,
        units: unitsOf(quantity, [said, unitsAround]),
        table,
        cell: { row, column: at, label: labels, head: column, text: cells[at] ?? "" },
        isAggregate: saysAggregate(said),
        isApart: saysApart(said),
        declared: scalesNamed(`${said} ${unitsAround}`),
      }));
    });
  });
}

/** Every number of a passage's lines with what it is said of, by row and column in tables. */
export function figuresOf(lines: readonly string[], chunk: Chunk): readonly Figure[] {
  const text = lines.join("\n");
  const { true: tables = [], false: scraps = [] } = Object.groupBy(
    readTables([{ ...chunk, text, innerHeadings: [], sheetParts: [] }]),
    ({ rows, header }) => String(rows.length + header.length > 1) as "true" | "false",
  );
  const told = [
    ...lines.filter((line) => !line.includes(" | ")).flatMap(sentences),
    ...scraps.flatMap(({ rows }) => rows.map((row) => row.text.replaceAll("|", " "))),
  ];
  return [...told.flatMap(figuresOfSentence), ...tables.flatMap(figuresOfTable)];
}

/** The figures a statement gives, with what it says they are of. */
export const figuresIn = (statement: string): readonly Figure[] => figuresOfSentence(statement);
