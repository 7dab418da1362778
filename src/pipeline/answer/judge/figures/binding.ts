import { saysApart } from "../../../../language/asking/changes.ts";
import { saysAggregate } from "../../../../language/asking/values.ts";
import { isGrouped, stands } from "../../../../language/quantities.ts";
import { contentTerms, isNumber, isYear } from "../../../../language/terms.ts";
import { comparePeriods, type Period } from "../../../../language/time/periods.ts";
import {
  isCurrency,
  isLabelUnit,
  isSameMeasure,
  termsOfUnit,
  unitNamed,
} from "../../../../language/units.ts";
import type { Question } from "../../question.ts";
import type { Claim } from "../claim.ts";
import type { Witness } from "../witness.ts";
import { type Figure, figuresIn, type Kind } from "./figures.ts";

/**
 * How much more of what a statement and its question speak of must stand with another number than with its
 * own, for the own to be said of something else; shares in [0, 1]. Fitted on the even questions of TAT-QA's
 * dev set and of XQuAD: scripts/eval/judge.ts; of a number that stands alone, for which its question speaks, on
 * pages of PDFs: scripts/eval/judge-pages.ts.
 */
const lead = { statement: 0.1, question: 0.25, bare: 0.15 } as const;

/** Terms with those that may stand for each. */
type Topic = readonly (readonly string[])[];

/** What a term is worth that stands in the sentence of a figure, but in another clause. */
const aroundWeight = 0.6;

/**
 * Share of a topic that a figure is said of, in [0, 1]; headings are above every figure alike and do not
 * count.
 */
export function shareOf(topic: Topic, { words, around }: Figure): number {
  const worth = (forms: readonly string[]): number =>
    forms.some((form) => words.has(form)) ? 1 : forms.some((form) => around.has(form)) ? aroundWeight : 0;
  return topic.reduce((sum, forms) => sum + worth(forms), 0) / Math.max(1, topic.length);
}

/**
 * What tells one figure from another: a word like `total` says how a figure was made, and every table has
 * some, so that it counts only where nothing else is said.
 */
function telling(topic: Topic): Topic {
  const rest = topic.filter(([term = ""]) => !saysAggregate(term));
  return rest.length === 0 ? topic : rest;
}

/** What a question asks a figure of: its terms without years, which are periods. */
const topicOf = ({ alternatives }: Question): Topic =>
  telling(alternatives.filter(([term = ""]) => !isYear(term)));

/**
 * A topic without what the headings, title and file name of every passage say, as that is said of each of their
 * figures; as it is where nothing else is asked.
 */
function besideHeads(topic: Topic, cited: readonly Witness[]): Topic {
  const rest = topic.filter(
    (forms) => !cited.every(({ headWords }) => forms.some((form) => headWords.has(form))),
  );
  return rest.length === 0 ? topic : rest;
}

/**
 * Terms that a statement says its figure is of, as far as the passages know them, with their synonyms where
 * the question has them. Of a figure of a table not those of its unit, which is said once for a column.
 */
function statedTopic({ claim: figure, own }: Placed, asked: Question, known: ReadonlySet<string>): Topic {
  const synonyms = new Map(asked.alternatives.map((forms) => [forms[0], forms]));
  const isOfTable = own.every(({ table }) => table !== null);
  const ofUnit = isOfTable ? termsOfUnit(figure.quantity.unit) : new Set();
  return telling(
    contentTerms([...figure.words].join(" "))
      .filter((term) => !ofUnit.has(term))
      .filter((term) => !isNumber(term) || (asked.known.has(term) && !isYear(term)))
      .map((term) => synonyms.get(term) ?? [term])
      .filter((forms) => forms.some((form) => known.has(form))),
  );
}

/** Whether a figure may be of one of these periods: nothing near it names another, or none is asked for. */
export const mayBeOf = (figure: Figure, periods: readonly Period[]): boolean =>
  periods.length === 0 ||
  figure.periods.length === 0 ||
  figure.periods.some((one) => periods.some((other) => comparePeriods(one, other) !== "different"));

/** Whether a number is written as one that names something, a telephone say, and counts nothing. */
const isDialled = ({ quantity }: Figure): boolean => /^0\d{3}/.test(quantity.text) || isGrouped(quantity);

/** Whether two figures are measured alike, so that one may be mistaken for the other. */
export const isLike = (left: Figure, right: Figure): boolean =>
  isDialled(left) === isDialled(right) &&
  (left.quantity.unit === right.quantity.unit || left.quantity.unit === "" || right.quantity.unit === "");

/**
 * Whether a number counts what the amount of money in its own sentence is paid for: it has no unit, where that has its
 * currency (`1,300 shares for $495`).
 */
const isCount = ({ quantity, table, around }: Figure, own: readonly Figure[]): boolean =>
  table === null &&
  quantity.unit === "" &&
  own.every(
    (figure) =>
      figure.table === null &&
      isCurrency(figure.quantity.unit) &&
      around.symmetricDifference(figure.around).size === 0,
  );

/** Whether a number counts something else than the question asks to count, while one of these counts that. */
function countsOther({ counts }: Figure, own: readonly Figure[], { counted }: Question): boolean {
  const isAsked = (of: ReadonlySet<string>): boolean => counted.some((root) => of.has(root));
  return counts.size > 0 && !isAsked(counts) && own.some((figure) => isAsked(figure.counts));
}

/** Whether terms are nothing but numbers and their units. */
const isBare = (terms: readonly string[]): boolean =>
  terms.every((term) => isNumber(term) || unitNamed(term) !== "");

const equal = (left: Figure, right: Figure): boolean =>
  stands(left.quantity, [right.quantity], [], false) !== "no";

/** Whether a figure is that of a statement, in a scale that its passage or its table declares. */
export const isSame = (claim: Figure, figure: Figure, declared: readonly number[]): boolean =>
  stands(claim.quantity, [figure.quantity], [...declared, ...figure.declared], false) !== "no";

/** A statement, its question, and the figures of the passages it cites. */
interface Bound {
  readonly statement: string;
  readonly asked: Question;
  readonly figures: readonly Figure[];
  readonly known: ReadonlySet<string>;
  readonly declared: readonly number[];
  readonly where: string;
  /** Whether the statement stands in a passage as it is. */
  readonly isQuoted: boolean;
  /** The figures of the statement. */
  readonly claims: readonly Figure[];
}

/**
 * A figure of a statement with the passages' figures that are of its value, and those that are of another and
 * like it; both of its period.
 */
interface Placed {
  readonly claim: Figure;
  readonly own: readonly Figure[];
  readonly rivals: readonly Figure[];
}

/** The periods that a figure of a statement is of: its own, or else those that are asked about. */
const periodsOf = (claim: Figure, asked: Question): readonly Period[] =>
  claim.periods.length > 0 ? claim.periods : asked.periods;

/** How much more of a topic stands with a rival than with a figure's own places, in [-1, 1]. */
function leadOfRivals(topic: Topic, { own, rivals }: Pick<Placed, "own" | "rivals">): number {
  const most = (of: readonly Figure[]): number => Math.max(0, ...of.map((figure) => shareOf(topic, figure)));
  return most(rivals) - most(own);
}

/**
 * Where a figure of a statement stands in the passages; a reason where it stands there for another period
 * or in another unit, or as one row of many.
 */
function place(
  claim: Figure,
  { statement, asked, figures, declared, where, claims }: Bound,
): Placed | string | null {
  const same = figures.filter((figure) => isSame(claim, figure, declared));
  if (same.length === 0) return null;
  const { text } = claim.quantity;
  const say = asked.notes.judged;
  const periods = periodsOf(claim, asked);
  const own = same.filter((figure) => mayBeOf(figure, periods));
  if (own.length === 0) {
    const other = same[0]?.periods[0]?.text ?? "";
    return say.otherPeriod(text, where, other, periods[0]?.text ?? "");
  }
  const unit = otherUnit(claim, own);
  if (unit !== "") return say.inUnit(text, where, unit, claim.quantity.unit);
  if (claims.length === 1 && saysApart(statement) && isLevel(own, asked))
    return say.noDifference(text, where);
  if (isOneRow(claim, own, asked, figures)) return say.oneRow(text, where);
  // What a clause lists beside it is no other number for the same.
  const listed = claims.filter((other) => other !== claim && other.words === claim.words);
  const rivals = figures.filter(
    (figure) =>
      isLike(figure, claim) &&
      !listed.some((other) => equal(other, figure)) &&
      !isCount(figure, own) &&
      !countsOther(figure, own, asked) &&
      mayBeOf(figure, periods) &&
      !same.some((one) => equal(one, figure)),
  );
  return { claim, own, rivals };
}

/** The unit that tables have a figure in everywhere, where it is not the one stated; "" where it may be that. */
function otherUnit({ quantity: { unit } }: Figure, own: readonly Figure[]): string {
  const isOther = isLabelUnit(unit) && own.every(({ units }) => units.size > 0 && !units.has(unit));
  return isOther ? ([...(own[0]?.units ?? [])][0] ?? "") : "";
}

/**
 * Whether a change between two periods, or a difference, is asked for, and a figure that stands nowhere as one is
 * given for it: it is what one of the two came to.
 */
const isLevel = (own: readonly Figure[], asked: Question): boolean =>
  (asked.asksDifference || (asked.periods.length > 1 && asked.isApart)) &&
  own.every(({ isApart }) => !isApart);

/** Whether a single row is given out as what several rows make up. */
function isOneRow(
  claim: Figure,
  own: readonly Figure[],
  asked: Question,
  figures: readonly Figure[],
): boolean {
  const isTotal = claim.isAggregate || asked.isTogether;
  if (!isTotal || own.some(({ isAggregate }) => isAggregate)) return false;
  const topic = topicOf(asked);
  const periods = periodsOf(claim, asked);
  // The same row in another year makes no part of this year's total.
  const isPart = (other: Figure, row: Figure): boolean =>
    other.cell?.row !== row.cell?.row || (other.cell?.column !== row.cell?.column && mayBeOf(other, periods));
  return own.every(
    (row) =>
      row.table !== null &&
      figures.some(
        (other) =>
          other.table === row.table && isPart(other, row) && shareOf(topic, other) >= shareOf(topic, row),
      ),
  );
}

/**
 * Whether a number is asked for, or one is given alone, and each figure of a statement stands with less of what
 * is asked than another one does. Several alone are a score or a time of day.
 */
function isUnasked(
  statement: string,
  placed: readonly Placed[],
  { asked, claims }: Bound,
  cited: readonly Witness[],
): boolean {
  const isAlone = claims.length === 1 && isBare(contentTerms(statement));
  if (!isAlone && !asked.asksNumber) return false;
  const topic = besideHeads(topicOf(asked), cited);
  const least = isAlone ? lead.bare : lead.question;
  return placed.every((one) => leadOfRivals(topic, one) >= least);
}

/**
 * Holds the numbers of a statement against what the passages say they are of: period, row, column and clause.
 * Numbers of the question are its conditions. A number asked for must be said of what is asked, unless
 * another number of the statement is. The reason why one belongs elsewhere; null where all are in place.
 */
export function misplacedFigure({ text: statement, asked, cited, where, reckoner }: Claim): string | null {
  const figures = cited.flatMap((witness) => witness.figures);
  const known = new Set(figures.flatMap(({ words, around }) => [...words, ...around]));
  const isQuoted = cited.some(({ text }) => text.includes(statement));
  const claims = figuresIn(statement);
  const declared = cited.flatMap((witness) => witness.declared);
  const bound: Bound = { statement, asked, figures, known, declared, where, isQuoted, claims };
  const isWorkedOut = (figure: Figure): boolean => reckoner.derive(figure.quantity.text, true) !== null;
  const found = claims
    .filter(({ quantity: { text } }) => !asked.numbers.has(text))
    .map((claim) => {
      const outcome = place(claim, bound);
      return typeof outcome === "string" && isWorkedOut(claim) ? null : outcome;
    });
  const reason = found.find((outcome) => typeof outcome === "string");
  if (reason !== undefined) return reason;
  const placed = found.filter((outcome) => outcome !== null && typeof outcome !== "string");
  const elsewhere = placed.find((one) => isElsewhere(one, bound) && !isWorkedOut(one.claim));
  const wrong =
    elsewhere ??
    (isUnasked(statement, placed, bound, cited)
      ? placed.find(({ claim }) => !isWorkedOut(claim))
      : undefined);
  return wrong === undefined ? null : asked.notes.judged.otherThing(wrong.claim.quantity.text, where);
}

/**
 * Whether a statement says its figure of something else than the passages do; what stands there as it is says
 * the same.
 */
const isElsewhere = (placed: Placed, { asked, figures, known, isQuoted }: Bound): boolean =>
  !isQuoted &&
  (isOfOtherKind(placed, figures) ||
    leadOfRivals(statedTopic(placed, asked, known), placed) >= lead.statement);

/**
 * Whether a figure is said of one thing of a name, while it stands with another one of that name, and another
 * figure with the one: what the premium plan costs is not what the standard plan costs.
 */
function isOfOtherKind({ claim, own }: Placed, figures: readonly Figure[]): boolean {
  const rivals = figures.filter(
    (figure) =>
      isSameMeasure(figure.quantity.unit, claim.quantity.unit) && !own.some((one) => equal(one, figure)),
  );
  const isOther = ({ of, which }: Kind, figure: Figure): boolean =>
    !figure.words.has(which) && figure.kinds.some((kind) => kind.of === of && !claim.words.has(kind.which));
  return claim.kinds.some(
    (said) =>
      own.every((figure) => isOther(said, figure)) &&
      rivals.some(({ kinds }) => kinds.some(({ of, which }) => of === said.of && which === said.which)),
  );
}
