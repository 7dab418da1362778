import { trimEndOf } from "../../core/text.ts";
import { amountsInQuestion, rangeTableLines } from "../../language/limits.ts";
import { rangeIn } from "../../language/ranges.ts";
import {
  contentTokens,
  distinguishingWords,
  isLabelQualifier,
  isSubset,
  kindsOfValues,
  limitWords,
  neutralWords,
} from "../../tables/query/words.ts";
import type { TableRow, TextTable } from "./read.ts";
import { findSumRows } from "./sums.ts";

type Tokens = ReadonlySet<string>;

/** A column, with the words a question may use for it. */
export interface FoundColumn {
  readonly at: number;
  /** Its header, on one line. */
  readonly head: string;
  /** Words that distinguish it from other columns; all of its words if it is the only one. */
  readonly own: Tokens;
  /** Optional words: those of other headers too, or in brackets. */
  readonly more: Tokens;
  /** Words of the last line of its header. */
  readonly end: string;
}

/** A row, with the words a question may use for it. */
export interface NamedRow {
  readonly row: TableRow;
  /** Words that must be used. */
  readonly own: Tokens;
  /** Optional words. */
  readonly more: Tokens;
  /** Whether it is a total of the others. */
  readonly isTotal: boolean;
}

/** A table, with the words a question may use for its parts. */
export interface Named {
  readonly table: TextTable;
  readonly columns: readonly FoundColumn[];
  readonly rows: readonly NamedRow[];
  /** Subtotal rows with the rows that they sum; empty if those are ambiguous. */
  readonly parts: ReadonlyMap<NamedRow, readonly NamedRow[]>;
  /** Words of the label column's header, the row groups and the headings. */
  readonly near: Tokens;
  /** Words of captions and of lines next to the table. */
  readonly beside: Tokens;
}

const brackets = /\([^()]*\)|\[[^[\]]*\]/g;
/**
 * Required words of a label or header: those outside brackets, without generic ones such as `score` unless
 * there are no others.
 */
function outside(text: string): Tokens {
  const all = contentTokens(text.replace(brackets, " "));
  const telling = all.difference(neutralWords);
  return telling.size > 0 ? telling : all;
}
/** Words of a set that are in none of the others. */
export const subtract = (all: Tokens, ...less: readonly Tokens[]): Tokens =>
  less.reduce((rest, one) => rest.difference(one), all);

/** Headers without `%`, which a question may omit, unless it distinguishes one header from another. */
function withoutShares(heads: readonly Tokens[]): readonly Tokens[] {
  const plain = heads.map((tokens) => new Set([...tokens].filter((token) => token !== "%")));
  const isOnly = (tokens: Tokens): boolean =>
    tokens.size > 0 &&
    plain.filter((other) => other.size === tokens.size && isSubset(other, tokens)).length === 1;
  return heads.map((tokens, at) => {
    const short = plain[at] ?? tokens;
    return short.size < tokens.size && isOnly(short) ? short : tokens;
  });
}

function columnsOf({ heads }: TextTable): readonly FoundColumn[] {
  const own = withoutShares(heads.slice(1).map((lines) => outside(lines.join(" "))));
  const common = own.length < 2 ? new Set<string>() : own.reduce((some, other) => some.intersection(other));
  // For `Trips` and `% Trips`, the shared word is all that identifies the first.
  const shared = own.some((tokens) => isSubset(tokens, common)) ? new Set<string>() : common;
  return heads.slice(1).map((lines, at) => ({
    at: at + 1,
    head: lines.map((line) => trimEndOf(line, /[\s,;:]/)).join(", "),
    own: subtract(own[at] ?? new Set(), shared),
    more: contentTokens(lines.join(" ")),
    end: [...outside(lines.at(-1) ?? "")].join(" "),
  }));
}

/** Indexes a table by the words a question may use. */
export function indexTable(table: TextTable): Named {
  const near = contentTokens([...(table.heads[0] ?? []), table.headings].join("\n"));
  const sums = findSumRows(table);
  const rows = table.rows.map((row, at) => ({
    row,
    own: outside(row.label),
    more: contentTokens(row.label),
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
    beside: contentTokens(table.around),
  };
}

/** The most specific matches: none whose words are a subset of another's. */
const fullest = <T extends { readonly own: Tokens }>(all: readonly T[]): readonly T[] =>
  all.filter(({ own }) => !all.some((other) => other.own.size > own.size && isSubset(own, other.own)));

/** Whether the words are only numbers: `7`, `5 to 10`. */
export const isNumeral = (tokens: Tokens): boolean =>
  [...tokens].every((token) => isLabelQualifier(token) || /^\p{N}/u.test(token));
/** Whether a label identifies its row; there may be many called `Total`. */
const isTelling = (tokens: Tokens): boolean =>
  [...tokens].some(
    (token) => !isLabelQualifier(token) && !distinguishingWords.has(token) && !neutralWords.has(token),
  );

/** Whether a label is only a range of values and words of the question: `steel, 51–100 mm`. */
const isBandOf = (own: Tokens, roots: Tokens, asked: Tokens): boolean =>
  [...own].every((token) => isNumeral(new Set([token])) || roots.union(limitWords).union(asked).has(token));

/**
 * The rows whose full label is among these words, or whose range label includes an amount of the question; a
 * purely numeric label also needs its header.
 */
export function findRows({ rows, near, table }: Named, asked: Tokens, question: string): readonly NamedRow[] {
  const header = table.heads[0]?.join(" ") ?? "";
  const { within, outside, roots } = rangeTableLines(
    amountsInQuestion(question),
    rows.map((row) => ({ row, text: row.row.label, header })),
  );
  // `Over 200 mm` does not match the row of 200 mm.
  const others = new Set(outside.map(({ row }) => row));
  // A generic label such as `Total` may be everything that is asked for.
  const said = asked.difference(neutralWords).size;
  const byName = fullest(
    rows.filter(
      (row) =>
        (isTelling(row.own) || row.own.size === said) &&
        isSubset(row.own, asked) &&
        isSubset(row.more.intersection(distinguishingWords), asked) &&
        (!isNumeral(row.own) || near.size === 0 || !near.isDisjointFrom(asked)) &&
        !others.has(row),
    ),
  );
  if (byName.length > 0) return byName;
  const amount = new Set(roots);
  return within.flatMap(({ row }) =>
    isSubset(amount, asked) && isBandOf(row.own, amount, asked)
      ? [{ ...row, own: amount.union(row.own.intersection(asked)) }]
      : [],
  );
}

const isNamedBy = (own: Tokens, asked: Tokens): boolean => own.size > 0 && isSubset(own, asked);

/**
 * The columns whose full header is among these words, or whose range header includes an amount of the
 * question.
 */
export function findColumns({ columns }: Named, asked: Tokens, question: string): readonly FoundColumn[] {
  const [only, ...others] = columns;
  // `Property | Value`: a single generic column need not be named unless something similar exists.
  const isPlain = only !== undefined && only.own.size > 0 && isSubset(only.own, neutralWords);
  if (isPlain && others.length === 0 && isSubset(asked.intersection(neutralWords), only.own))
    return [{ ...only, own: new Set() }];
  const byName = fullest(columns.filter(({ own }) => isNamedBy(own, asked)));
  // Of two with the same last header line, one may only lack the line above both.
  const alike = columns.filter(({ own, end }) =>
    byName.some((column) => column.end === end && own.size > column.own.size && isSubset(column.own, own)),
  );
  if (byName.length > 0) return [...byName, ...alike];
  return columns.flatMap((column) => {
    const amount = rangeIn(column.head)?.amountWithin(question);
    return amount === undefined ? [] : [{ ...column, own: contentTokens(amount) }];
  });
}

/** What a question says in addition to row and column, and which of it only the document's name has. */
export interface Rest {
  readonly byName: readonly string[];
  /** Whether a word for a kind of value (`accuracy`) is neither near the table nor in its document's name. */
  readonly isLoose: boolean;
}

/**
 * Checks that the rest of a question occurs around the table; null if a word does not, or changes the meaning
 * of a label (`before`). Caption words do not count if they also name other rows or columns.
 */
export function matchRemainder(
  { near, beside, rows, columns }: Named,
  left: Tokens,
  also: readonly Tokens[],
  called: Tokens,
): Rest | null {
  const isNear = (token: string): boolean => near.has(token) || also.some((tokens) => tokens.has(token));
  const isElsewhere = (token: string): boolean =>
    columns.some(({ own }) => own.has(token)) || rows.some(({ own, isTotal }) => !isTotal && own.has(token));
  const isAround = (token: string): boolean =>
    isNear(token) || neutralWords.has(token) || (beside.has(token) && !isElsewhere(token));
  const rest = [...left].filter((token) => !isLabelQualifier(token));
  if (rest.some((token) => distinguishingWords.has(token))) return null;
  const others = rest.filter((token) => !isAround(token));
  const byName = others.filter((token) => called.has(token));
  const loose = others.filter((token) => !called.has(token));
  const isSaid = loose.every((token) => kindsOfValues.has(token) && !isElsewhere(token));
  return isSaid ? { byName, isLoose: loose.length > 0 } : null;
}
