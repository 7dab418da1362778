import { withoutEnd } from "../../core/text.ts";
import { amountsAsked, bandsOf } from "../../language/limits.ts";
import { rangeIn } from "../../language/ranges.ts";
import type { Table, TableRow } from "./read.ts";
import { sumsOf } from "./sums.ts";
import { isWay, isWithin, kindsOfValues, limitWords, neutral, tellingTokens, turning } from "./words.ts";

type Tokens = ReadonlySet<string>;

/** A column of a table as a question may name it. */
export interface Column {
  readonly at: number;
  /** All that heads it, in one line. */
  readonly head: string;
  /** What tells it from the other columns; of an only column all of its words. */
  readonly own: Tokens;
  /** What it may be called beside that: what heads other columns too, or stands in brackets. */
  readonly more: Tokens;
  /** The words of the last line that heads it. */
  readonly end: string;
}

/** A row as a question may name it. */
export interface NamedRow {
  readonly row: TableRow;
  /** What it must be called by. */
  readonly own: Tokens;
  /** What it may be called by beside that. */
  readonly more: Tokens;
  /** Whether it adds up the others. */
  readonly isTotal: boolean;
}

/** A table with the words that a question may name its parts by. */
export interface Named {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly rows: readonly NamedRow[];
  /** Rows that add up some of those that follow them, with these; with none where it is not told which. */
  readonly parts: ReadonlyMap<NamedRow, readonly NamedRow[]>;
  /** Of what heads the labels, what the rows are grouped under, and the headings. */
  readonly near: Tokens;
  /** Of captions and lines beside the table. */
  readonly beside: Tokens;
}

const brackets = /\([^()]*\)|\[[^[\]]*\]/g;
/** What a label or head must be named by: its words outside brackets, but for those that only say that it counts. */
function outside(text: string): Tokens {
  const all = tellingTokens(text.replace(brackets, " "));
  const telling = all.difference(neutral);
  return telling.size > 0 ? telling : all;
}
/** What is in none of the other sets. */
export const minus = (all: Tokens, ...less: readonly Tokens[]): Tokens =>
  less.reduce((rest, one) => rest.difference(one), all);

/** Heads without `%`, which a question need not say, but for those that it tells from another. */
function withoutShares(heads: readonly Tokens[]): readonly Tokens[] {
  const plain = heads.map((tokens) => new Set([...tokens].filter((token) => token !== "%")));
  const isOnly = (tokens: Tokens): boolean =>
    tokens.size > 0 &&
    plain.filter((other) => other.size === tokens.size && isWithin(other, tokens)).length === 1;
  return heads.map((tokens, at) => {
    const short = plain[at] ?? tokens;
    return short.size < tokens.size && isOnly(short) ? short : tokens;
  });
}

function columnsOf({ heads }: Table): readonly Column[] {
  const own = withoutShares(heads.slice(1).map((lines) => outside(lines.join(" "))));
  const common = own.length < 2 ? new Set<string>() : own.reduce((some, other) => some.intersection(other));
  // `Trips` and `% Trips`: what both have is all that tells the first.
  const shared = own.some((tokens) => isWithin(tokens, common)) ? new Set<string>() : common;
  return heads.slice(1).map((lines, at) => ({
    at: at + 1,
    head: lines.map((line) => withoutEnd(line, /[\s,;:]/)).join(", "),
    own: minus(own[at] ?? new Set(), shared),
    more: tellingTokens(lines.join(" ")),
    end: [...outside(lines.at(-1) ?? "")].join(" "),
  }));
}

/** A table as a question may name its parts. */
export function named(table: Table): Named {
  const near = tellingTokens([...(table.heads[0] ?? []), table.headings].join("\n"));
  const sums = sumsOf(table);
  const rows = table.rows.map((row, at) => ({
    row,
    own: outside(row.label),
    more: tellingTokens(row.label),
    isTotal: sums.totals.has(at),
  }));
  return {
    table,
    columns: columnsOf(table),
    rows,
    parts: new Map(
      rows.flatMap((row, at) => {
        const count = sums.parents.get(at);
        return count === undefined ? [] : [[row, rows.slice(at + 1, at + 1 + count)] as const];
      }),
    ),
    near,
    beside: tellingTokens(table.around),
  };
}

/** Those that name most: none whose words are among those of another. */
const fullest = <T extends { readonly own: Tokens }>(all: readonly T[]): readonly T[] =>
  all.filter(({ own }) => !all.some((other) => other.own.size > own.size && isWithin(own, other.own)));

/** Whether words are numbers alone: `7`, `5 to 10`. */
export const isNumeral = (tokens: Tokens): boolean =>
  [...tokens].every((token) => isWay(token) || /^\p{N}/u.test(token));
/** Whether a label says which row it is: `Total` is one of many. */
const isTelling = (tokens: Tokens): boolean =>
  [...tokens].some((token) => !isWay(token) && !turning.has(token) && !neutral.has(token));

/** Whether a label has nothing but a band of values, and what the question says: `steel, 51–100 mm`. */
const isBandOf = (own: Tokens, roots: Tokens, asked: Tokens): boolean =>
  [...own].every((token) => isNumeral(new Set([token])) || roots.union(limitWords).union(asked).has(token));

/**
 * The rows whose whole label is among these words, or that are headed by a range with an amount of the question; a mere
 * number must be called by what heads it.
 */
export function rowsNamed(
  { rows, near, table }: Named,
  asked: Tokens,
  question: string,
): readonly NamedRow[] {
  const header = table.heads[0]?.join(" ") ?? "";
  const { within, outside, roots } = bandsOf(
    amountsAsked(question),
    rows.map((row) => ({ row, text: row.row.label, header })),
  );
  // `Over 200 mm` is not the row of 200 mm.
  const others = new Set(outside.map(({ row }) => row));
  // A label that tells little by itself may be all that is asked for: `Total`.
  const said = asked.difference(neutral).size;
  const byName = fullest(
    rows.filter(
      (row) =>
        (isTelling(row.own) || row.own.size === said) &&
        isWithin(row.own, asked) &&
        isWithin(row.more.intersection(turning), asked) &&
        (!isNumeral(row.own) || near.size === 0 || !near.isDisjointFrom(asked)) &&
        !others.has(row),
    ),
  );
  if (byName.length > 0) return byName;
  const amount = new Set(roots);
  return within.flatMap(({ row }) =>
    isWithin(amount, asked) && isBandOf(row.own, amount, asked)
      ? [{ ...row, own: amount.union(row.own.intersection(asked)) }]
      : [],
  );
}

const isNamedBy = (own: Tokens, asked: Tokens): boolean => own.size > 0 && isWithin(own, asked);

/** The columns whose whole head is among these words, or that are headed by a range with an amount of them. */
export function columnsNamed({ columns }: Named, asked: Tokens, question: string): readonly Column[] {
  const [only, ...others] = columns;
  // `Property | Value`: an only column that is called so need not be named, if nothing else like it is.
  const isPlain = only !== undefined && only.own.size > 0 && isWithin(only.own, neutral);
  if (isPlain && others.length === 0 && isWithin(asked.intersection(neutral), only.own))
    return [{ ...only, own: new Set() }];
  const byName = fullest(columns.filter(({ own }) => isNamedBy(own, asked)));
  // Of two that end alike one may only have lost what stands above both.
  const alike = columns.filter(({ own, end }) =>
    byName.some((column) => column.end === end && own.size > column.own.size && isWithin(column.own, own)),
  );
  if (byName.length > 0) return [...byName, ...alike];
  return columns.flatMap((column) => {
    const amount = rangeIn(column.head)?.amountWithin(question);
    return amount === undefined ? [] : [{ ...column, own: tellingTokens(amount) }];
  });
}

/** What a question says beside row and column, and what of that the document's name alone says. */
export interface Rest {
  readonly byName: readonly string[];
  /** Whether a word for a kind of value (`accuracy`) stands neither at the table nor in its document's name. */
  readonly isLoose: boolean;
}

/**
 * Whether all that is left of a question is said around the table; null where something is not, or turns the
 * meaning of a label (`before`). Of a caption no word counts that other rows or columns are called by.
 */
export function restOf(
  { near, beside, rows, columns }: Named,
  left: Tokens,
  also: readonly Tokens[],
  called: Tokens,
): Rest | null {
  const isNear = (token: string): boolean => near.has(token) || also.some((tokens) => tokens.has(token));
  const isElsewhere = (token: string): boolean =>
    columns.some(({ own }) => own.has(token)) || rows.some(({ own, isTotal }) => !isTotal && own.has(token));
  const isAround = (token: string): boolean =>
    isNear(token) || neutral.has(token) || (beside.has(token) && !isElsewhere(token));
  const rest = [...left].filter((token) => !isWay(token));
  if (rest.some((token) => turning.has(token))) return null;
  const others = rest.filter((token) => !isAround(token));
  const byName = others.filter((token) => called.has(token));
  const loose = others.filter((token) => !called.has(token));
  const isSaid = loose.every((token) => kindsOfValues.has(token) && !isElsewhere(token));
  return isSaid ? { byName, isLoose: loose.length > 0 } : null;
}
