import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import type { Passage } from "../../../core/retrieval.ts";
import type { Question } from "../question.ts";
import { type Statement, statementsOf } from "../statements.ts";
import type { Checked, Contradiction, FoundContradiction, UntiedValue } from "./checked.ts";
import { contradictionIn } from "./contradiction.ts";
import { listsOf } from "./derive/lists.ts";
import { type CheckedPassage, evidenceOf } from "./evidence.ts";
import { checkValue } from "./holds.ts";
import { type Basis, type Tied, tie } from "./tie.ts";
import type { Value } from "./values.ts";
import { verdictOf } from "./verdict.ts";

/** The passages that a statement cites; if it cites none, all that the answer cites. */
function citedBy(
  { markers }: Statement,
  statements: readonly Statement[],
  evidence: readonly CheckedPassage[],
) {
  const own = markers.length > 0 ? markers : statements.flatMap((statement) => statement.markers);
  return evidence.filter(({ marker }) => own.includes(marker));
}

/** The first cited passage that contradicts a statement; what was worked out is not contradicted by what it is not. */
function contradictionOf(statement: string, { cited }: Basis, tied: Tied): Contradiction | null {
  const loose = tied.loose.map(({ value }) => value);
  for (const evidence of cited) {
    const found = contradictionIn(statement, evidence, { loose, derived: tied.derived });
    if (found !== null) return found;
  }
  return null;
}

/** A statement with what it is held against, and its values by their ties. */
interface TiedStatement {
  readonly statement: Statement;
  readonly basis: Basis;
  readonly tied: Tied;
}

/**
 * Ties the values of all statements, each to its passages, to those of earlier statements, and to what `later`, the same of a
 * first round, shows to be worked out: an answer often comes before its calculation.
 */
function tieAll(
  statements: readonly Statement[],
  given: Omit<Basis, "cited" | "earlier">,
  evidence: readonly CheckedPassage[],
  later: readonly TiedStatement[] = [],
): readonly TiedStatement[] {
  const earlier: Value[] = [];
  return statements.map((statement, at) => {
    const workedOut = later.slice(at + 1).flatMap(({ tied }) => tied.derived);
    const cited = citedBy(statement, statements, evidence);
    const basis: Basis = { ...given, cited, earlier: [...workedOut, ...earlier] };
    const tied = tie(statement.bare, basis);
    earlier.push(...tied.held, ...tied.derived);
    return { statement, basis, tied };
  });
}

/**
 * Holds each statement of an answer against all passages that it cites, together. Its figures, dates, names and codes have a tie
 * if the passages (titles, headings and file names included) or the question have them, or if they follow from what the answer
 * shows or the passages have. A statement is
 * - unsupported if a passage has another value for the same thing;
 * - partial if a value has no tie, or it cites no passage;
 * - supported otherwise: its words are the reader's.
 */
export function checkAnswer(text: string, passages: readonly Passage[], question: Question): Checked {
  const evidence = passages.map((passage) => evidenceOf(passage, question));
  const statements = statementsOf(text);
  const sources = new Set(statements.flatMap(({ markers }) => markers)).size;
  const lists = [...listsOf(text), ...(sources > 1 ? [sources] : [])];
  const given = { asked: question, lists };
  const tiedOnce = tieAll(statements, given, evidence);
  const contradictions: FoundContradiction[] = [];
  const untied: UntiedValue[] = [];
  const isOpen = tiedOnce.some(({ tied }) => tied.loose.length > 0);
  const isWorkedOut = tiedOnce.some(({ tied }) => tied.derived.length > 0);
  const all = isOpen && isWorkedOut ? tieAll(statements, given, evidence, tiedOnce) : tiedOnce;
  const sentences = all.map(({ statement, basis, tied }, sentence): SentenceVerdict => {
    const { bare, markers } = statement;
    const { cited } = basis;
    const contradiction = contradictionOf(bare, basis, tied);
    const isElsewhere = (value: Value, each: CheckedPassage): boolean =>
      !cited.includes(each) && checkValue(value, bare, [each], question) === "yes";
    const own = tied.loose.map(({ value, isOtherUnit }) => {
      const elsewhere = evidence.filter((each) => isElsewhere(value, each)).map(({ marker }) => marker);
      return { sentence, value, elsewhere, isOtherUnit };
    });
    untied.push(...own);
    if (contradiction !== null) contradictions.push({ ...contradiction, sentence });
    const absent = markers.find((marker) => !evidence.some((each) => each.marker === marker));
    return verdictOf(statement, { ...tied, contradiction, untied: own, absent, say: question.notes.judged });
  });
  return { text, sentences, contradictions, untied };
}
