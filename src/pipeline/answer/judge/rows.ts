import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** A row of a table: what it is about, and what it says of that. */
interface TableRow {
  readonly label: readonly string[];
  readonly rest: ReadonlySet<string>;
}

/** Share of what a statement adds to its question that must stand in one row for the statement to be its. */
const ownShare = 0.6;
/** Terms of the shortest addition that tells a row. */
const leastTerms = 2;

const rowsOf = ({ text }: Witness): readonly TableRow[] =>
  text
    .split("\n")
    .filter((line) => line.includes(" | "))
    .map((line) => {
      const [label = "", ...rest] = line.split(" | ");
      return { label: contentTerms(label), rest: new Set(words(rest.join(" "))) };
    })
    .filter(({ label }) => label.length > 0);

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
    const rows = rowsOf(witness);
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
