import type { Passage } from "../../../core/retrieval.ts";
import { contentTerms, isNumber, squash, words } from "../../../language/terms.ts";
import { datesIn, sameDate } from "../../../language/time/dates.ts";
import { termsOfUnit } from "../../../language/units.ts";
import { type Figure, figuresIn } from "../check/figures.ts";
import { bestQuote } from "../extract.ts";
import { isLike, isSame, mayBeOf, shareOf } from "../judge/figures/binding.ts";
import { opener } from "../judge/judge.ts";
import { contradict } from "../judge/polarity.ts";
import { type Witness, witnessOf } from "../judge/witness.ts";
import type { Question } from "../question.ts";
import { hasNames, identifiersIn, matterOf, namedIn, sameMatter, withDigits } from "./matter.ts";

/** Margin by which another figure must match a statement better than its own; as for answers. */
const lead = 0.1;

/**
 * Share of a statement's terms that the sentence, row or column itself must have, in addition to headings.
 */
const ownShare = 0.65;

/** Share of a sentence's words from which a statement of these words alone counts as part of it. */
const partShare = 0.3;

/** What a passage says instead of a statement. */
export interface Contradiction {
  readonly quote: string;
  readonly reason: string;
}

/** A statement with a passage that may contradict it. */
export interface Pair {
  readonly statement: string;
  readonly passage: Passage;
  readonly asked: Question;
  readonly witness: Witness;
}

type Contradicts = (pair: Pair) => Contradiction | null;

const shareIn = (terms: readonly string[], line: string): number => {
  const own = new Set(words(line));
  return terms.filter((term) => own.has(term)).length / Math.max(1, terms.length);
};

/** Sentences of running text on a statement's subject. */
const linesOfMatter = (matter: readonly string[], { witness }: Pair): readonly string[] =>
  matter.length < 2
    ? []
    : witness.sentences.filter((line) => {
        const above = matter.filter((term) => witness.headWords.has(term));
        const rest = matter.filter((term) => !above.includes(term));
        const held = above.length + shareIn(rest, line) * rest.length;
        return held >= matter.length * sameMatter && shareIn(matter, line) >= ownShare;
      });

/** Finds a sentence with mostly the same words that says the opposite. */
const opposed: Contradicts = ({ statement, witness, asked }) => {
  const terms = matterOf(statement);
  const isNear = (line: string): boolean => {
    const [own, other] = [shareIn(terms, line), shareIn(matterOf(line), statement)];
    return own === 1
      ? other >= partShare
      : Math.min(own, other) >= ownShare && Math.max(own, other) >= sameMatter;
  };
  const near = witness.sentences.filter((line) => !line.includes(" | ") && isNear(line));
  const quote = near.toSorted((one, other) => shareIn(terms, other) - shareIn(terms, one))[0];
  if (
    quote === undefined ||
    witness.text.includes(statement) ||
    !contradict(statement, quote.replace(opener, ""))
  )
    return null;
  return { quote, reason: asked.notes.judged.opposite("[1]") };
};

/** What a passage supports, with its numbers in digits so that they compare with figures. */
const inDigits = ({ passage, asked }: Pair): Witness =>
  witnessOf({ ...passage, chunk: { ...passage.chunk, text: withDigits(passage.chunk.text) } }, asked);

/** The figures of a passage, each with its match to a statement. */
function weighed(statement: string, witness: Witness, claim: Figure) {
  const topic = matterOf(statement, termsOfUnit(claim.quantity.unit)).map((term) => [term]);
  const named = identifiersIn(statement).map(squash);
  const names = namedIn(statement).map(words);
  const unnamed = topic.flat().filter((term) => !names.flat().includes(term));
  return witness.figures
    .filter((figure) => isLike(figure, claim) && mayBeOf(figure, claim.periods))
    .map((figure) => {
      const place = squash(
        `${figure.cell?.label ?? [...figure.around].join(" ")} ${figure.cell?.head ?? ""} ${witness.heads}`,
      );
      const around = figure.around.union(witness.headWords);
      const ofName = named.filter(
        (name) => place.includes(name) || (figure.cell === null && witness.squashed.includes(name)),
      );
      const own = figure.words.union(figure.around);
      const held = topic.filter(([term = ""]) => own.has(term) || witness.headWords.has(term)).length;
      const isOfNames = names.every((name) =>
        name.every((word) => own.has(word) || witness.headWords.has(word)),
      );
      const all = topic.length + named.length;
      return {
        figure,
        isOwn: isSame(claim, figure, witness.declared),
        isOfMatter:
          topic.length > 0 &&
          isOfNames &&
          ofName.length === named.length &&
          held >= topic.length * sameMatter &&
          unnamed.filter((term) => own.has(term)).length >= unnamed.length * ownShare,
        // `50 seconds instead of 30`: a figure without a unit is a less certain match.
        share:
          (figure.cell === null && figure.quantity.unit !== claim.quantity.unit ? -lead : 0) +
          (shareOf(topic, { ...figure, around }) * topic.length + ofName.length) / all,
      };
    });
}

/** Finds a figure that matches the subject of a statement better than the statement's own figure does. */
const otherFigure: Contradicts = (pair) => {
  const { statement, asked } = pair;
  const claims = figuresIn(withDigits(statement)).filter(
    ({ quantity }) => !isOfName(quantity.text, statement),
  );
  const witness = claims.length === 0 ? pair.witness : inDigits(pair);
  for (const claim of claims) {
    const all = weighed(statement, witness, claim);
    const most = Math.max(0, ...all.filter(({ isOwn }) => isOwn).map(({ share }) => share));
    const rival = all
      .filter(
        ({ figure, isOwn, isOfMatter }) =>
          isOfMatter &&
          !isOwn &&
          isOfUnit(figure, claim) &&
          !claims.some((other) => isSame(other, figure, [])),
      )
      .toSorted((one, other) => other.share - one.share)[0];
    if (rival === undefined || rival.share - most < lead) continue;
    const { quantity, cell } = rival.figure;
    const { otherThing, absent } = asked.notes.judged;
    const say = all.some(({ isOwn }) => isOwn) ? otherThing : absent;
    const lines = pair.witness.sentences.filter((line) =>
      withDigits(line).includes(cell === null ? quantity.text : withDigits(cell.text)),
    );
    const quote = bestQuote(`${statement} ${cell?.label ?? ""}`, lines.join("\n"));
    return { quote, reason: say(claim.quantity.text, "[1]") };
  }
  return null;
};

/** Whether two figures have the same unit; a cell's may be given elsewhere in its table. */
const isOfUnit = ({ quantity: { unit }, cell }: Figure, claim: Figure): boolean =>
  unit === claim.quantity.unit || (unit === "" && cell !== null);

/** Whether a number is part of an identifier. */
const isOfName = (number: string, statement: string): boolean =>
  identifiersIn(statement).some((each) => each.includes(number));

/** Finds another date in a sentence on the same subject. */
const otherDate: Contradicts = (pair) => {
  const { statement, witness, asked } = pair;
  const { dates, rest } = datesIn(statement);
  const [missing] = dates.filter(
    (readings) => !readings.some((reading) => witness.dates.some((date) => sameDate(reading, date))),
  );
  if (missing === undefined) return null;
  const quote = linesOfMatter(matterOf(rest), pair).find(
    (line) => hasNames(statement, `${witness.heads}\n${line}`) && datesIn(line).dates.length > 0,
  );
  return quote === undefined
    ? null
    : { quote, reason: asked.notes.judged.absent(missing[0]?.text ?? "", "[1]") };
};

/**
 * Finds another name in a sentence or row on the same subject that has all numbers and dates of the
 * statement.
 */
const otherName: Contradicts = (pair) => {
  const { statement, asked } = pair;
  const said = new Set(words(statement));
  for (const name of namedIn(statement)) {
    const own = words(name);
    const rest = contentTerms(statement).filter((term) => !own.includes(term));
    const numbers = rest.filter(isNumber);
    const quote = linesOfMatter(matterOf(statement, own), pair).find(
      (line) =>
        own.every((word) => !words(line).includes(word)) &&
        shareIn(rest, line) >= sameMatter &&
        numbers.every((number) => words(line).includes(number)) &&
        namedIn(line).some((other) => words(other).every((word) => !said.has(word))),
    );
    if (quote !== undefined) return { quote, reason: asked.notes.judged.notOf("[1]", name) };
  }
  return null;
};

/**
 * How a passage contradicts a statement: it is clearly on the same subject and says the opposite, or has
 * another number, date or name; null otherwise. A number of the statement that the passage also has does not
 * prevent this if it matches the subject less well.
 */
export function contradictionBy(pair: Pair): Contradiction | null {
  for (const check of [opposed, otherFigure, otherDate, otherName]) {
    const found = check(pair);
    if (found !== null) return found;
  }
  return null;
}
