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
import { type Figure, figuresIn, type Kind } from "../../check/figures.ts";
import type { Question } from "../../question.ts";
import type { Claim } from "../claim.ts";
import type { Witness } from "../witness.ts";

/**
 * Margin by which another number must match the topic of a statement or question better than its own number,
 * for its own to count as misattributed; shares in [0, 1]. `bare` is for a number without words, where only
 * the question gives the topic. Fitted on the even questions of TAT-QA's dev set and of XQuAD by
 * scripts/eval/judge.ts, and `bare` on pages of PDFs by scripts/eval/judge-pages.ts.
 */
const lead = { statement: 0.1, question: 0.25, bare: 0.15 } as const;

/** Terms, each with its synonyms. */
type Topic = readonly (readonly string[])[];

/** Weight of a term in the figure's sentence, but in another clause. */
const aroundWeight = 0.6;

/**
 * Share of a topic that a figure's words match, in [0, 1]. Headings apply to every figure alike and do not
 * count.
 */
export function shareOf(topic: Topic, { words, around }: Figure): number {
  const worth = (forms: readonly string[]): number =>
    forms.some((form) => words.has(form)) ? 1 : forms.some((form) => around.has(form)) ? aroundWeight : 0;
  return topic.reduce((sum, forms) => sum + worth(forms), 0) / Math.max(1, topic.length);
}

/**
 * The terms that distinguish figures. A word like `total` occurs in every table, so it counts only if there
 * is no other term.
 */
function telling(topic: Topic): Topic {
  const rest = topic.filter(([term = ""]) => !saysAggregate(term));
  return rest.length === 0 ? topic : rest;
}

/** The topic of a question: its terms without years, which are periods. */
const topicOf = ({ alternatives }: Question): Topic =>
  telling(alternatives.filter(([term = ""]) => !isYear(term)));

/**
 * A topic without the terms that the headings, title and file name of every passage have, since those apply
 * to each figure; unchanged if no other term is left.
 */
function besideHeads(topic: Topic, cited: readonly Witness[]): Topic {
  const rest = topic.filter(
    (forms) => !cited.every(({ headWords }) => forms.some((form) => headWords.has(form))),
  );
  return rest.length === 0 ? topic : rest;
}

/**
 * Terms for what a statement says its figure is, restricted to words of the passages, with the question's
 * synonyms. For a table figure without those of its unit, which a table gives once for a column.
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

/**
 * Whether a figure may be of one of these periods: nothing near it names another one, or `periods` is empty.
 */
const mayBeOf = (figure: Figure, periods: readonly Period[]): boolean =>
  periods.length === 0 ||
  figure.periods.length === 0 ||
  figure.periods.some((one) => periods.some((other) => comparePeriods(one, other) !== "different"));

/** Whether a number is an identifier, such as a telephone number, rather than a quantity. */
const isDialled = ({ quantity }: Figure): boolean => /^0\d{3}/.test(quantity.text) || isGrouped(quantity);

/** Whether two figures have the same kind of measure, so that they may be confused. */
export const isLike = (left: Figure, right: Figure): boolean =>
  isDialled(left) === isDialled(right) &&
  (left.quantity.unit === right.quantity.unit || left.quantity.unit === "" || right.quantity.unit === "");

/**
 * Whether a number without a unit counts what an amount of money in its sentence pays for (`1,300 shares for
 * $495`).
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

/**
 * Whether a number counts something other than the question asks to count, while one of these counts that.
 */
function countsOther({ counts }: Figure, own: readonly Figure[], { counted }: Question): boolean {
  const isAsked = (of: ReadonlySet<string>): boolean => counted.some((root) => of.has(root));
  return counts.size > 0 && !isAsked(counts) && own.some((figure) => isAsked(figure.counts));
}

/** Whether terms are only numbers and their units. */
const isBare = (terms: readonly string[]): boolean =>
  terms.every((term) => isNumber(term) || unitNamed(term) !== "");

const equal = (left: Figure, right: Figure): boolean =>
  stands(left.quantity, [right.quantity], [], false) !== "no";

/** Whether a figure equals that of a statement, allowing for a scale that its passage or table declares. */
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
  /** Whether a passage contains the statement verbatim. */
  readonly isQuoted: boolean;
  /** The figures of the statement. */
  readonly claims: readonly Figure[];
}

/**
 * A statement's figure with the passages' figures of equal value (`own`) and those of another value but the
 * same kind (`rivals`); all of its period.
 */
interface Placed {
  readonly claim: Figure;
  readonly own: readonly Figure[];
  readonly rivals: readonly Figure[];
}

/** The periods of a statement's figure: its own, otherwise the question's. */
const periodsOf = (claim: Figure, asked: Question): readonly Period[] =>
  claim.periods.length > 0 ? claim.periods : asked.periods;

/** How much more of a topic a rival matches than the figure's own occurrences, in [-1, 1]. */
function leadOfRivals(topic: Topic, { own, rivals }: Pick<Placed, "own" | "rivals">): number {
  const most = (of: readonly Figure[]): number => Math.max(0, ...of.map((figure) => shareOf(topic, figure)));
  return most(rivals) - most(own);
}

/**
 * Finds a statement's figure in the passages. A reason if it occurs there only for another period or unit, or
 * as one row of many.
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
  // Numbers that the same clause lists are not alternatives for the same thing.
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

/**
 * The unit that tables give a figure everywhere, if it differs from the stated one; "" if the stated one is
 * possible.
 */
function otherUnit({ quantity: { unit } }: Figure, own: readonly Figure[]): string {
  const isMismatch = isLabelUnit(unit) && own.every(({ units }) => units.size > 0 && !units.has(unit));
  return isMismatch ? ([...(own[0]?.units ?? [])][0] ?? "") : "";
}

/**
 * Whether the question asks for a change or difference but the figure is nowhere given as one: it is the
 * level at one of the two times.
 */
const isLevel = (own: readonly Figure[], asked: Question): boolean =>
  (asked.asksDifference || (asked.periods.length > 1 && asked.isApart)) &&
  own.every(({ isApart }) => !isApart);

/** Whether a single row is presented as the total of several rows. */
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
  // The same row in another year is no part of this year's total.
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
 * Whether a number is asked for, or a single one is given, and each figure of a statement matches less of the
 * question than another figure does. Several numbers without words are a score or a time of day.
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
 * Compares the numbers of a statement with what the passages say about them: period, row, column and clause.
 * Numbers of the question are its conditions. At least one number of the statement must be said of what the
 * question asks. Returns why a number belongs elsewhere; null if all are in place.
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
 * Whether a statement attributes its figure to something other than the passages do; verbatim quotes cannot.
 */
const isElsewhere = (placed: Placed, { asked, figures, known, isQuoted }: Bound): boolean =>
  !isQuoted &&
  (isOfOtherKind(placed, figures) ||
    leadOfRivals(statedTopic(placed, asked, known), placed) >= lead.statement);

/**
 * Whether a figure is attributed to one thing of a kind while the passages give it for another one, and
 * another figure for the first: the premium plan's price is not the standard plan's.
 */
function isOfOtherKind({ claim, own }: Placed, figures: readonly Figure[]): boolean {
  const rivals = figures.filter(
    (figure) =>
      isSameMeasure(figure.quantity.unit, claim.quantity.unit) && !own.some((one) => equal(one, figure)),
  );
  const isOfOtherThing = ({ of, which }: Kind, figure: Figure): boolean =>
    !figure.words.has(which) && figure.kinds.some((kind) => kind.of === of && !claim.words.has(kind.which));
  return claim.kinds.some(
    (said) =>
      own.every((figure) => isOfOtherThing(said, figure)) &&
      rivals.some(({ kinds }) => kinds.some(({ of, which }) => of === said.of && which === said.which)),
  );
}
