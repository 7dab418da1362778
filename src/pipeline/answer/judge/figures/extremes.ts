import { alternatives, anyOf, languages } from "../../../../language/languages.ts";
import { contentTerms, isNumber, isStopWord, words } from "../../../../language/terms.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";
import { type Cell, type Figure, saysAggregate } from "./figures.ts";

const most = anyOf(alternatives(({ extremes }) => extremes?.most));
const least = anyOf(alternatives(({ extremes }) => extremes?.least));
const ofSome = anyOf(alternatives(({ extremes }) => extremes?.ofSome));
const interrogatives = languages.flatMap((language) => language.interrogatives?.split(" ") ?? []);
const ranks = anyOf(alternatives(({ extremes }) => extremes?.ranks));

/** Rows from which a column has something to stand out from. */
const leastRows = 3;
/** How far the sum of a column may lie from its total row, as figures are rounded; share of the total. */
const totalSlack = 0.02;

type Placed = Figure & { readonly cell: Cell };
const isPlaced = (figure: Figure): figure is Placed => figure.cell !== null;

const amountOf = ({ quantity: { readings, scale } }: Figure): number => (readings[0] ?? Number.NaN) * scale;

/** The figures of one column each, of the tables of a passage that have several with a header of their own. */
function columnsOf({ figures }: Witness): readonly (readonly Placed[])[] {
  const columns = Map.groupBy(figures.filter(isPlaced), ({ table, cell }) => `${table} ${cell.column}`);
  return [...columns.values()].filter(
    (column) => column.length >= leastRows && !column.some(({ cell }) => ranks.test(cell.head)),
  );
}

/** The one column whose header has most of the terms of a statement; undefined where none or several have. */
function columnNamed(
  columns: readonly (readonly Placed[])[],
  terms: ReadonlySet<string>,
): readonly Placed[] | undefined {
  const shared = columns.map(
    ([first]) =>
      contentTerms(first?.cell.head ?? "").filter((term) => !isNumber(term) && terms.has(term)).length,
  );
  const best = Math.max(0, ...shared);
  const named = columns.filter((_, at) => best > 0 && shared[at] === best);
  return named.length === 1 ? named[0] : undefined;
}

/** The rows of a column that can be held against each other: no total, told by its name or by what it comes to. */
function comparable(column: readonly Placed[]): readonly Placed[] {
  const rows = column.filter(({ cell }) => !saysAggregate(cell.label));
  const sum = rows.reduce((total, figure) => total + amountOf(figure), 0);
  return rows.filter((figure) => {
    const value = amountOf(figure);
    return Math.abs(sum - 2 * value) > totalSlack * value;
  });
}

/** Whether the values of a column can be ranked: all are of one unit, and none is below zero or a range. */
const isRankable = (column: readonly Placed[]): boolean =>
  new Set(column.map(({ quantity }) => quantity.unit)).size === 1 &&
  new Set(column.map(({ cell }) => cell.row)).size === column.length &&
  column.every(({ cell }) => /^[\p{Sc}\s]{0,3}\p{N}/u.test(cell.text));

/** Rows whose whole label is among these words. */
const rowsNamed = (rows: readonly Placed[], said: ReadonlySet<string>): readonly Placed[] =>
  rows.filter(({ cell }) => {
    const label = contentTerms(cell.label);
    return label.length > 0 && label.every((term) => said.has(term));
  });

/**
 * The label of the row that comes before that of a statement in a column, of several that the question names before
 * that among those; "" where none does or it is not told.
 */
function rowBefore(
  column: readonly Placed[],
  said: ReadonlySet<string>,
  asked: Question,
  isMost: boolean,
): string {
  const rows = comparable(column);
  if (rows.length < leastRows || !isRankable(rows)) return "";
  const [own, ...others] = rowsNamed(rows, said);
  if (own === undefined || others.length > 0) return "";
  const inQuestion = rowsNamed(rows, asked.known);
  const rivals = inQuestion.length > 1 ? inQuestion : rows;
  const isBefore = (figure: Figure): boolean =>
    isMost ? amountOf(figure) > amountOf(own) : amountOf(figure) < amountOf(own);
  return rivals.find(isBefore)?.cell.label ?? "";
}

/** What is picked from, `Which coastal city`: the two words behind one that asks. */
const picked = new RegExp(
  `(?<![\\p{L}])(?:${interrogatives.join("|")})\\s([\\p{L}\\p{M}-]+)\\s([\\p{L}\\p{M}-]+)`,
  "iu",
);

/** Whether only some rows may be meant: the question picks by a word, or a name, that the passage does not have. */
function isOfSome({ text, names }: Question, witness: Witness): boolean {
  if (ofSome.test(text)) return true;
  const [, first = "", second = ""] = picked.exec(text) ?? [];
  const isNarrowed = !isStopWord(first) && !isStopWord(second);
  const narrowing = [...(isNarrowed ? [first] : []), ...names].flatMap((word) => contentTerms(word));
  return narrowing.some((term) => !witness.words.has(term));
}

/**
 * The row of a table that stands before the one which a statement puts before all others (`the most`, `fewer than any
 * other`), in the column that it names; "" where none does, where only some rows are compared, or where row or column
 * is not told.
 */
export function rowThatLeads(asked: Question, statement: string, cited: readonly Witness[]): string {
  const isMost = most.test(statement);
  if (isMost === least.test(statement) || cited.some(({ finding }) => finding)) return "";
  if (ofSome.test(statement)) return "";
  const said = new Set(words(statement));
  for (const witness of cited.filter((each) => !isOfSome(asked, each))) {
    const tables = Map.groupBy(columnsOf(witness), ([first]) => first?.table);
    for (const columns of tables.values()) {
      const column = columnNamed(columns, said);
      const before = column === undefined ? "" : rowBefore(column, said, asked, isMost);
      if (before !== "") return before;
    }
  }
  return "";
}
