import { alternatives, anyOf, languages, listed } from "../../../../language/languages.ts";
import { contentTerms, isNumber, words } from "../../../../language/terms.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";
import type { TableRow } from "./tables.ts";

/** Share of what a statement adds to its question that must stand in one row for the statement to be its. */
const ownShare = 0.6;
/** Terms of the shortest addition that tells a row. */
const leastTerms = 2;

/** Whether a label has all of another one, and more. */
function extendsLabel({ label }: TableRow, { label: shorter }: TableRow): boolean {
  const [own, other] = [new Set(label), new Set(shorter)];
  return own.size > other.size && other.isSubsetOf(own);
}

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
    const rows = witness.tables.flatMap((table) => table.rows);
    const holds = ({ rest }: TableRow): boolean =>
      added.filter((term) => rest.has(term)).length >= added.length * ownShare;
    const own = rows.filter(holds);
    const most = Math.max(0, ...own.map(shared));
    const isSaid = ({ label }: TableRow): boolean => label.every((term) => said.has(term));
    // `Press` is not named by who names `press and hold`, where that is a row of its own.
    const isNamed = (row: TableRow): boolean =>
      isSaid(row) && !rows.some((other) => !holds(other) && isSaid(other) && extendsLabel(other, row));
    return (
      own.length > 0 &&
      !own.some(isNamed) &&
      rows.some((row) => !holds(row) && shared(row) === row.label.length && shared(row) > most)
    );
  });
}

/** Words by which a question may ask for the other rows: `not from Sealtec`, `cheaper than`. */
const others = anyOf(
  [
    alternatives(({ negations }) => negations),
    alternatives(({ exceptions }) => exceptions),
    ...languages.flatMap(({ comparatives }) => listed(comparatives).map((pair) => pair.replaceAll("/", "|"))),
    "than|others?|als|andere[nrs]?|que|autres?|hơn|khác",
  ].join("|"),
);

/**
 * A row that a statement names by its label, while the cells of other rows have a name of the question and its own have
 * none: `HP2-1518`, of another supplier, for “Which parts does Bergen Bearings supply?”. As written in the statement's
 * words; "" for none.
 */
export function rowOfAnotherName(asked: Question, statement: string, witnesses: readonly Witness[]): string {
  if (asked.names.length === 0 || others.test(asked.text)) return "";
  const given = new Set(asked.alternatives.flat());
  const said = new Set(words(statement));
  const names = asked.names.map((name) => words(name));
  const hasName = ({ rest }: TableRow): boolean =>
    names.some((name) => name.length > 0 && name.every((word) => rest.has(word)));
  const isNamed = ({ label }: TableRow): boolean =>
    label.some((term) => term.length > 1 && !given.has(term)) && label.every((term) => said.has(term));
  const rows = witnesses.flatMap(({ tables }) =>
    tables.filter((table) => table.rows.some(hasName)).flatMap((table) => table.rows),
  );
  const stray = rows.find((row) => isNamed(row) && !hasName(row));
  return stray === undefined || rows.some((row) => hasName(row) && row.label.join() === stray.label.join())
    ? ""
    : stray.label.join(" ");
}

/** Whether most rows of a table are fields of a form. */
const isForm = (rows: readonly TableRow[]): boolean =>
  rows.filter(({ isField }) => isField).length * 2 > rows.length;

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
  // The fields of a form are said of one thing.
  const all = witnesses.flatMap(({ tables }) => tables).filter(({ rows }) => !isForm(rows));
  const isMeant = all.some(({ rows }) => rows.some(isNamed)) ? isNamed : isCounted;
  const tables = all.filter(({ rows }) => rows.some(isMeant));
  const free = new Set([
    ...witnesses.flatMap(({ prose }) => [...prose]),
    ...tables.flatMap(({ shared }) => [...shared]),
  ]);
  const rowsWith = (term: string): readonly TableRow[] =>
    tables.flatMap(({ rows }) => rows.filter(({ label, rest }) => rest.has(term) || label.includes(term)));
  const isStray = (term: string): boolean => {
    const rows = rowsWith(term);
    return rows.length > 0 && !free.has(term) && !rows.some(isMeant);
  };
  return terms.find((term) => !isNumber(term) && isStray(term)) ?? "";
}
