import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** A row of a table: what it is about, and what it says of that. */
interface TableRow {
  readonly label: readonly string[];
  readonly rest: ReadonlySet<string>;
}

/** A table with the words that may belong to any of its rows: those of its header and of rows without a label. */
interface Table {
  readonly rows: readonly TableRow[];
  readonly shared: ReadonlySet<string>;
}

/** Share of what a statement adds to its question that must stand in one row for the statement to be its. */
const ownShare = 0.6;
/** Terms of the shortest addition that tells a row. */
const leastTerms = 2;

const isRow = (line: string): boolean => line.includes(" | ");

function tableOf(lines: readonly string[]): Table {
  const rows = lines.map((line) => {
    const [label = "", ...rest] = line.split(" | ");
    return { label: contentTerms(label), rest: new Set(words(rest.join(" "))), line };
  });
  const unlabelled = rows.filter(({ label }) => label.length === 0).map(({ line }) => line);
  return {
    rows: rows.filter(({ label }) => label.length > 0),
    shared: new Set(words([lines[0] ?? "", ...unlabelled].join("\n"))),
  };
}

/** The tables of a text, each a run of rows. */
function tablesOf({ text }: Witness): readonly Table[] {
  const runs: string[][] = [];
  let before = "";
  for (const line of text.split("\n")) {
    if (isRow(line)) (isRow(before) ? runs.at(-1) : runs[runs.push([]) - 1])?.push(line);
    before = line;
  }
  return runs.map(tableOf);
}

/** Words of a text outside its tables, and of its headings: they may be said of any row. */
const proseOf = ({ text, heads }: Witness): readonly string[] =>
  words([heads, ...text.split("\n").filter((line) => !isRow(line))].join("\n"));

/**
 * Whether a statement says of what is asked what a table says of another row: every row that holds most of
 * what it adds to the question is labelled otherwise, while the question has the whole label of a further row.
 * Numbers are bound to their rows in `misplacedFigure`.
 */
export function isOfAnotherRow(asked: Question, statement: string, witnesses: readonly Witness[]): boolean {
  const forms = new Set(asked.alternatives.flat());
  const said = new Set(words(statement));
  const added = contentTerms(statement).filter((term) => !forms.has(term) && !isNumber(term));
  if (added.length < leastTerms) return false;
  const shared = ({ label }: TableRow): number => label.filter((term) => forms.has(term)).length;
  return witnesses.some((witness) => {
    if (witness.finding) return false;
    const rows = tablesOf(witness).flatMap((table) => table.rows);
    const holds = ({ rest }: TableRow): boolean =>
      added.filter((term) => rest.has(term)).length >= added.length * ownShare;
    const own = rows.filter(holds);
    const most = Math.max(0, ...own.map(shared));
    const isNamed = ({ label }: TableRow): boolean => label.every((term) => said.has(term));
    return (
      own.length > 0 &&
      !own.some(isNamed) &&
      rows.some((row) => !holds(row) && shared(row) === row.label.length && shared(row) > most)
    );
  });
}

/**
 * A word that a statement gives the row it names, or its question does, and that stands in other rows of that
 * table alone: `leather` of “acid handling: leather gloves”, where the leather is in the row above. Where no
 * row is named, the rows with a number of the statement are meant. "" for none.
 */
export function wordOfAnotherRow(asked: Question, statement: string, witnesses: readonly Witness[]): string {
  if (witnesses.some(({ finding }) => finding)) return "";
  const given = new Set(asked.alternatives.flat());
  const named = new Set([...given, ...words(statement)]);
  const terms = contentTerms(statement).filter((term) => !given.has(term));
  const numbers = terms.filter(isNumber);
  const isNamed = ({ label }: TableRow): boolean => label.every((term) => named.has(term));
  const isCounted = ({ rest }: TableRow): boolean => numbers.some((number) => rest.has(number));
  const all = witnesses.flatMap(tablesOf);
  const isMeant = all.some(({ rows }) => rows.some(isNamed)) ? isNamed : isCounted;
  const tables = all.filter(({ rows }) => rows.some(isMeant));
  const free = new Set([...witnesses.flatMap(proseOf), ...tables.flatMap(({ shared }) => [...shared])]);
  const rowsWith = (term: string): readonly TableRow[] =>
    tables.flatMap(({ rows }) => rows.filter(({ label, rest }) => rest.has(term) || label.includes(term)));
  const isStray = (term: string): boolean => {
    const rows = rowsWith(term);
    return rows.length > 0 && !free.has(term) && !rows.some(isMeant);
  };
  return terms.find((term) => !isNumber(term) && isStray(term)) ?? "";
}
