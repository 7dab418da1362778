import { hasRow } from "../../../core/documents/table-text.ts";
import { quantitiesIn } from "../../../language/quantities.ts";
import { alphanumeric, contentTerms, isNumber, normalize, words } from "../../../language/terms.ts";
import { datesIn, isAmongDates } from "../../../language/time/dates.ts";
import { comparePeriods, periodsIn } from "../../../language/time/periods.ts";
import { termsOfUnit } from "../../../language/units.ts";
import type { Contradiction } from "./checked.ts";
import type { CheckedPassage } from "./evidence.ts";
import { clausesOf } from "./figures.ts";
import { hasValue, rowNamedBy } from "./named-row.ts";
import { rowShare, subjectOverlapShares } from "./thresholds.ts";
import { codesWritten, numbersIn, type Value } from "./values.ts";

/** Fewest terms of a subject. */
const leastTerms = 2;

/** The terms of a statement without numbers, its dates and the words of a value or its unit. */
function subjectOf(statement: string, value: Value): readonly string[] {
  const own = value.kind === "number" ? termsOfUnit(value.quantity.unit) : new Set(words(value.text));
  return contentTerms(datesIn(statement).rest).filter((term) => !isNumber(term) && !own.has(term));
}

/** Whether a sentence is on the subject, under headings that may name a part of it. */
function isOnSubject(subject: readonly string[], sentence: string, heads: ReadonlySet<string>): boolean {
  const own = new Set(words(sentence));
  const held = subject.filter((term) => own.has(term));
  const rest = subject.filter((term) => !heads.has(term));
  const all = subject.filter((term) => own.has(term) || heads.has(term));
  return (
    all.length >= subject.length * subjectOverlapShares.larger &&
    held.length >= Math.max(leastTerms, rest.length * subjectOverlapShares.smaller)
  );
}

/** Whether two texts may be of the same time: not if both name periods and none is equal. */
function mayBeOfSameTime(one: string, other: string): boolean {
  const [own, others] = [periodsIn(one), periodsIn(other)];
  return (
    own.length === 0 ||
    others.length === 0 ||
    own.some((left) => others.some((right) => comparePeriods(left, right) !== "different"))
  );
}

/** What of a statement says when its value applies: all of it, unless the value is a date. */
const timeOf = (statement: string, { kind }: Value): string =>
  kind === "date" ? datesIn(statement).rest : statement;

/** Whether a sentence has a value of the same kind and unit that the statement has not. */
function hasOther(value: Value, statement: string, sentence: string): boolean {
  if (value.kind === "date") {
    const told = datesIn(statement).dates.flat();
    return datesIn(sentence).dates.some((readings) => !isAmongDates(readings, told));
  }
  if (value.kind !== "number") return false;
  const own = numbersIn(statement);
  const others = quantitiesIn(normalize(datesIn(sentence).rest)).filter(
    ({ unit, readings }) =>
      unit === value.quantity.unit &&
      !own.some((each) => each.readings.some((reading) => readings.includes(reading))),
  );
  return others.length > 0;
}

/** Whether a clause has a value in its own unit. */
const isInUnit = (value: Value, clause: string): boolean =>
  value.kind !== "number" ||
  quantitiesIn(normalize(clause)).some(
    ({ unit, readings }) =>
      unit === value.quantity.unit && value.quantity.readings.some((reading) => readings.includes(reading)),
  );

/** Weight of a word of the subject that the sentence has, but not the clause of the value. */
const sentenceWeight = 0.6;
/** How much more of the subject a clause with another value must have than each that has the value itself. */
const lead = 0.1;

/** Share of a subject that a clause has, with the rest of its sentence. */
function shareOf(subject: readonly string[], clause: string, sentence: string): number {
  const [own, around] = [new Set(words(clause)), new Set(words(sentence))];
  const worth = (term: string): number => (own.has(term) ? 1 : around.has(term) ? sentenceWeight : 0);
  return subject.reduce((sum, term) => sum + worth(term), 0) / subject.length;
}

/**
 * The sentence of a passage that has another value for the same thing at the same time, in a clause with more of the subject
 * than any that has the value; null if none clearly has.
 */
function otherInText(value: Value, statement: string, { sentences, heads }: CheckedPassage): string | null {
  const subject = subjectOf(statement, value);
  if (subject.length < leastTerms) return null;
  const headWords = new Set(words(heads));
  const codes = codesWritten(statement).map(alphanumeric);
  const timed = timeOf(statement, value);
  const clauses = sentences()
    .filter((sentence) => !hasRow(sentence))
    .flatMap((sentence) =>
      clausesOf(sentence).map((clause) => ({ clause, sentence, share: shareOf(subject, clause, sentence) })),
    );
  // `50 seconds instead of 30`: a number without a unit is less certainly the value.
  const own = clauses
    .filter(({ clause }) => hasValue(clause, value))
    .map(({ clause, share }) => share + (isInUnit(value, clause) ? lead : 0));
  const [other] = clauses
    .filter(
      ({ clause, sentence, share }) =>
        share >= Math.max(0, ...own) &&
        hasOther(value, statement, clause) &&
        isOnSubject(subject, sentence, headWords) &&
        codes.every((code) => alphanumeric(`${sentence} ${heads}`).includes(code)) &&
        mayBeOfSameTime(timed, `${sentence} ${heads}`),
    )
    .toSorted((one, another) => another.share - one.share);
  return other?.sentence ?? null;
}

/** Values of a statement that may be contradicted, and those that may not. */
interface Suspects {
  /** Without a tie. */
  readonly loose: readonly Value[];
  /** Worked out from others. */
  readonly derived: readonly Value[];
  /** With a tie that may be to something else in the text. Default: none. */
  readonly tied?: readonly Value[];
}

const isAmong = (value: Value, values: readonly Value[]): boolean =>
  values.some(({ kind, text }) => kind === value.kind && text === value.text);

/** The row that a statement names, if it has another value; a value that has a tie must be that of another row. */
function otherInRow(statement: string, { marker, tables, heads }: CheckedPassage, suspects: Suspects) {
  const named = rowNamedBy(statement, tables(), heads);
  if (named === null || named.other === null) return named === null ? null : "agrees";
  const { value, isOfTable } = named.other;
  const { row, table } = named;
  const about = [row.text, row.group, ...table.header, table.around, table.headings, heads].join("\n");
  const [subject, own] = [subjectOf(statement, value), new Set(words(about))];
  const isOnRow = subject.filter((term) => own.has(term)).length >= subject.length * rowShare;
  if (!isOnRow || !mayBeOfSameTime(timeOf(statement, value), about)) return null;
  if (isAmong(value, suspects.derived) || !(isOfTable || isAmong(value, suspects.loose))) return null;
  return { value: value.text, marker, quote: named.row.text };
}

/**
 * How a passage contradicts a statement: the row that the statement names has another value in the same column, or a sentence
 * on the same subject and of the same time has one.
 */
export function contradictionIn(
  statement: string,
  evidence: CheckedPassage,
  suspects: Suspects,
): Contradiction | null {
  const row = otherInRow(statement, evidence, suspects);
  if (row === "agrees") return null;
  if (row !== null) return row;
  for (const value of [...suspects.loose, ...(suspects.tied ?? [])]) {
    const quote = otherInText(value, statement, evidence);
    if (quote !== null) return { value: value.text, marker: evidence.marker, quote };
  }
  return null;
}
