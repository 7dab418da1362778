import { quantitiesIn } from "../../../language/quantities.ts";
import { contentTerms, isNumber, normalize, squash, words } from "../../../language/terms.ts";
import { datesIn, sameDate } from "../../../language/time/dates.ts";
import { comparePeriods, periodsIn } from "../../../language/time/periods.ts";
import { termsOfUnit } from "../../../language/units.ts";
import type { Contradiction } from "./checked.ts";
import type { Evidence } from "./evidence.ts";
import { rowNamedBy } from "./named-row.ts";
import { codesWritten, numbersIn, type Value } from "./values.ts";

/** Share of a statement's subject that a sentence and its headings must have, and that the sentence itself must have. */
const [sameSubject, ownShare] = [0.75, 0.65];
/** Share of it that a row, its table and the headings above must have. */
const rowShare = 2 / 3;
/** Fewest terms of a subject. */
const leastTerms = 2;

/** The terms of a statement without numbers, its dates and the unit of a value. */
function subjectOf(statement: string, value: Value): readonly string[] {
  const ofUnit = value.kind === "number" ? termsOfUnit(value.quantity.unit) : new Set<string>();
  return contentTerms(datesIn(statement).rest).filter((term) => !isNumber(term) && !ofUnit.has(term));
}

/** Whether a sentence is on the subject, under headings that may name a part of it. */
function isOnSubject(subject: readonly string[], sentence: string, heads: ReadonlySet<string>): boolean {
  const own = new Set(words(sentence));
  const held = subject.filter((term) => own.has(term));
  const all = subject.filter((term) => own.has(term) || heads.has(term));
  return all.length >= subject.length * sameSubject && held.length >= subject.length * ownShare;
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

/** Whether a sentence has a value of the same kind and unit that the statement has not. */
function hasOther(value: Value, statement: string, sentence: string): boolean {
  if (value.kind === "date")
    return datesIn(sentence).dates.some(
      (readings) =>
        !readings.some((reading) =>
          datesIn(statement)
            .dates.flat()
            .some((own) => sameDate(own, reading)),
        ),
    );
  if (value.kind !== "number") return false;
  const own = numbersIn(statement);
  const others = quantitiesIn(normalize(datesIn(sentence).rest)).filter(
    ({ unit, readings }) =>
      unit === value.quantity.unit &&
      !own.some((each) => each.readings.some((reading) => readings.includes(reading))),
  );
  return others.length > 0;
}

/** The sentence of a passage that has another value for the same thing at the same time; null if none clearly has. */
function otherInText(value: Value, statement: string, { sentences, heads }: Evidence): string | null {
  const subject = subjectOf(statement, value);
  if (subject.length < leastTerms) return null;
  const headWords = new Set(words(heads));
  const codes = codesWritten(statement).map(squash);
  const found = sentences().find(
    (sentence) =>
      !sentence.includes(" | ") &&
      isOnSubject(subject, sentence, headWords) &&
      codes.every((code) => squash(`${sentence} ${heads}`).includes(code)) &&
      mayBeOfSameTime(statement, `${sentence} ${heads}`) &&
      hasOther(value, statement, sentence),
  );
  return found ?? null;
}

/** Values of a statement that may be contradicted, and those that may not. */
interface Suspects {
  /** Without a tie. */
  readonly loose: readonly Value[];
  /** Worked out from others. */
  readonly derived: readonly Value[];
}

const isAmong = (value: Value, values: readonly Value[]): boolean =>
  values.some(({ kind, text }) => kind === value.kind && text === value.text);

/** The row that a statement names, if it has another value; a value that has a tie must be that of another row. */
function otherInRow(statement: string, { marker, tables, heads }: Evidence, suspects: Suspects) {
  const named = rowNamedBy(statement, tables(), heads);
  if (named === null || named.other === null) return named === null ? null : "agrees";
  const { value, isOfTable } = named.other;
  const { row, table } = named;
  const about = [row.text, row.group, ...table.header, table.around, table.headings, heads].join("\n");
  const [subject, own] = [subjectOf(statement, value), new Set(words(about))];
  const isOnRow = subject.filter((term) => own.has(term)).length >= subject.length * rowShare;
  if (!isOnRow || !mayBeOfSameTime(statement, about)) return null;
  if (isAmong(value, suspects.derived) || !(isOfTable || isAmong(value, suspects.loose))) return null;
  return { value: value.text, marker, quote: named.row.text };
}

/**
 * How a passage contradicts a statement: the row that the statement names has another value in the same column, or a sentence
 * on the same subject and of the same time has one.
 */
export function contradictionIn(
  statement: string,
  evidence: Evidence,
  suspects: Suspects,
): Contradiction | null {
  const row = otherInRow(statement, evidence, suspects);
  if (row === "agrees") return null;
  if (row !== null) return row;
  for (const value of suspects.loose) {
    const quote = otherInText(value, statement, evidence);
    if (quote !== null) return { value: value.text, marker: evidence.marker, quote };
  }
  return null;
}
