import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { languageOf } from "../../../language/languages.ts";
import { legalForms, namesIn, nearlyEqual } from "../../../language/names.ts";
import { formsOfPeople } from "../../../language/synonyms.ts";
import { contentTerms, isNumber, squash, words } from "../../../language/terms.ts";
import { type CalendarDate, datesIn, sameDate } from "../../../language/time/dates.ts";
import { type Question, readQuestion, shares } from "../question.ts";
import { statementsOf } from "../statements.ts";
import { baselessYes } from "./affirmations.ts";
import type { Claim } from "./claim.ts";
import { bareFault } from "./figures/bare.ts";
import { misplacedFigure } from "./figures/binding.ts";
import { unmetCondition } from "./figures/conditions.ts";
import { rowThatLeads } from "./figures/extremes.ts";
import { mistakenLabel } from "./figures/labels.ts";
import { numbersHeld } from "./figures/numbers.ts";
import { isOfAnotherRow, rowOfAnotherName, wordOfAnotherRow } from "./figures/rows.ts";
import { allowsRefused, crossesLimit } from "./limits.ts";
import {
  absentAcronym,
  absentCode,
  codeOfSeries,
  missingMeasure,
  spellsOut,
  wordsOfNumbers,
} from "./measure.ts";
import {
  exchangedName,
  foreignTo,
  misattributedName,
  nameOfOthers,
  namesOfOtherDocument,
  withFirstPages,
} from "./names.ts";
import { onlyPoints, query, saysNothing } from "./non-answers.ts";
import { figureOfOthers } from "./peoples.ts";
import { absentOffice, nobodyNamed, titleOfOthers } from "./persons.ts";
import { otherPlace } from "./places/place.ts";
import { deniesYes, heldPolarity, isOpposed } from "./polarity.ts";
import {
  answersElse,
  bearsOn,
  countsElse,
  givesNoReason,
  hardlyMentions,
  inventsDirection,
  isLabelled,
  lacksValue,
  measuredInstead,
  repeatsQuestion,
  standsElsewhere,
} from "./relevance.ts";
import { otherRepetition } from "./repetitions.ts";
import { missingSuperlative } from "./superlatives.ts";
import { type Witness, withoutSources, withSharedScales, witnessOf } from "./witness.ts";
import { otherYear } from "./years.ts";

/**
 * Share of the words an answer adds to its question that must stand in the passages it cites: below the first
 * unsupported, below the second partial.
 */
const wordSupport = { unsupported: 0.34, supported: 0.5 } as const;

/** Says yes or no before the sentence itself, or alone. */
const opener = /^(?:yes|no|ja|nein|oui|non|sí|có|không|vâng|dạ)(?:\s{0,2}[,.:;!–-]{1,3}\s{0,2}|$)/iu;

/**
 * Parts of a name that neither the witnesses nor the question know; an acronym knows the words it is made of,
 * and the other way round.
 */
function unknownParts(name: string, witnesses: readonly Witness[], known: ReadonlySet<string>): string[] {
  const parts = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const joined = squash(name);
  if (joined.length >= 5 && witnesses.some((witness) => witness.squashed.includes(joined))) return [];
  const initials = parts.map((part) => part[0]?.toUpperCase()).join("");
  if (parts.length >= 2 && witnesses.some((witness) => witness.raw.includes(initials))) return [];
  return parts.filter((part) => {
    if (legalForms.test(part)) return false;
    const isKnown = (root: string): boolean =>
      known.has(root) ||
      witnesses.some((w) => w.words.has(root) || [...w.words].some((word) => nearlyEqual(word, root)));
    if ([part, ...formsOfPeople(part)].some((form) => words(form).every(isKnown))) return false;
    return !(/^\p{Lu}{2,6}$/u.test(part) && witnesses.some((witness) => spellsOut(part, witness.raw)));
  });
}

/** Facts that stand in the passages, but far from where those speak of what the sentence is about. */
function apart(facts: readonly string[], topic: readonly string[], witnesses: readonly Witness[]): string[] {
  const windows = witnesses.flatMap((witness) => witness.windows);
  if (topic.length === 0 || witnesses.some((witness) => witness.windows.length === 0)) return [];
  const nearness = windows.map((window) => topic.filter((term) => window.has(term)).length);
  const best = Math.max(0, ...nearness);
  return facts.filter((fact) => {
    const own = nearness.filter((_, at) => windows[at]?.has(fact));
    return own.length > 0 && Math.max(...own) * 2 < best;
  });
}

/** Holds the words that a statement adds to its question against the passages it cites. */
function wordsHeld({ text: claim, terms, names, asked, cited, where }: Claim) {
  const acronyms = (claim.match(/\b\p{Lu}{2,6}\b/gu) ?? []).filter((acronym) =>
    cited.some((witness) => spellsOut(acronym, witness.raw)),
  );
  const inOtherWords = [...wordsOfNumbers(claim, cited), ...heldPolarity(claim, cited)];
  const recognised = new Set([...words([...names, ...acronyms].join(" ")), ...inOtherWords]);
  const added = terms.filter((term) => !asked.known.has(term));
  // Of a statement that adds nothing, the numbers are those of its question.
  const counted = added.length > 0 ? added : terms.filter((term) => !isNumber(term));
  const weight = (term: string): number => (isNumber(term) ? 2 : 1);
  const held = (term: string): boolean =>
    isNumber(term) ||
    recognised.has(term) ||
    cited.some(
      (w) => w.words.has(term) || (term.length >= 5 && [...w.words].some((word) => nearlyEqual(word, term))),
    );
  const total = counted.reduce((sum, term) => sum + weight(term), 0);
  const share =
    total === 0 ? 1 : counted.reduce((sum, term) => sum + (held(term) ? weight(term) : 0), 0) / total;
  const missing = counted.filter((term) => !held(term));
  return { share, reason: `${where} says nothing of ${missing.slice(0, 5).join(", ")}` };
}

/** The reason of a statement that says nothing its question does not. */
export const repetition = "repeats the question";

type Finding = Pick<SentenceVerdict, "support" | "reason">;

const unsupported = (reason: string): Finding => ({ support: "unsupported", reason });
const partial = (reason: string): Finding => ({ support: "partial", reason });

/** A yes or no alone, under what the passages speak of. */
function judgeBareOpener(asked: Question, cited: readonly Witness[], where: string): Finding {
  const { alternatives } = asked;
  const speaks = cited.some(({ units }) =>
    units.some(
      (unit) => alternatives.filter((forms) => shares([forms], unit.words)).length * 2 >= alternatives.length,
    ),
  );
  return speaks && alternatives.length > 0
    ? partial(`says yes or no alone: ${where} speaks of what is asked`)
    : unsupported(`${where} does not speak of what is asked`);
}

/** The first date of a statement that no passage holds, as written; undefined where all are held. */
function missingDate(
  dates: readonly (readonly CalendarDate[])[],
  cited: readonly Witness[],
): string | undefined {
  const heldDates = cited.flatMap((witness) => witness.dates);
  const date = dates.find(
    (readings) => !readings.some((reading) => heldDates.some((held) => sameDate(reading, held))),
  );
  return date === undefined ? undefined : (date[0]?.text ?? "a date");
}

/** Why the passages say the figures or the words of a statement of another thing; "" where they do not. */
function ofSomethingElse({ text, asked, cited, where }: Claim): string {
  const misplaced = misplacedFigure(text, asked, cited, where);
  if (misplaced !== "") return misplaced;
  const figure = figureOfOthers(asked, text, cited);
  if (figure !== "") return `${figure} stands in ${where}, but of another people`;
  const condition = unmetCondition(asked, text, cited);
  if (condition !== "") return `${where} has nothing of it that is ${condition}`;
  const untitled = titleOfOthers(asked, text, cited);
  if (untitled !== "") return `${where} gives ${untitled} another title`;
  const leader = rowThatLeads(asked, text, cited);
  if (leader !== "") return `in ${where} it is “${leader}” that stands out so`;
  const row = rowOfAnotherName(asked, text, cited);
  if (row !== "") return `the row “${row}” of ${where} is of another name`;
  const stray = wordOfAnotherRow(asked, text, cited);
  return stray === "" ? "" : `${where} says “${stray}” of another row`;
}

const isWorded = (text: string): boolean => /\p{L}/u.test(text);

/** A statement whose dates are held: its numbers, then its names, then its words. */
function judgeFacts(claim: Claim): Finding {
  const { asked, cited, where, terms, names } = claim;
  const telling = terms.filter((term) => !isNumber(term) && cited.some((witness) => witness.words.has(term)));
  const { lack, doubt } = numbersHeld(claim, telling.length < 2);
  if (lack !== "") return unsupported(lack);
  const bare = bareFault(claim);
  if (bare !== "") return unsupported(bare);
  const measure = missingMeasure(claim.text, asked, cited, claim.everywhere);
  if (measure !== "") return unsupported(`${measure}, which is asked for, does not stand in ${where}`);
  if (isOfAnotherRow(asked, claim.text, cited)) return unsupported(`${where} says it of another row`);
  const other = ofSomethingElse(claim);
  if (other !== "") return unsupported(other);
  if (isOpposed(claim.text, cited)) return unsupported(`${where} says the opposite`);
  const label = mistakenLabel(claim.text, asked, cited, where);
  if (label !== "") return unsupported(label);
  const absent =
    absentAcronym(claim.text, asked, claim.everywhere) || absentCode(claim.text, claim.everywhere);
  if (absent !== "") return unsupported(`no passage mentions ${absent}`);
  const ofSeries = codeOfSeries(claim.text, asked, cited, claim.everywhere);
  if (ofSeries !== "") return unsupported(`${where} speaks of something else than ${ofSeries}`);
  const ofDocument = withFirstPages(cited, claim.everywhere);
  const foreign =
    misattributedName(asked, claim.text, ofDocument, claim.everywhere) ||
    foreignTo(asked, cited, claim.everywhere) ||
    exchangedName(asked, claim.text, ofDocument) ||
    namesOfOtherDocument(asked, claim.text, cited, claim.everywhere) ||
    nameOfOthers(asked, claim.text, cited, claim.everywhere);
  if (foreign !== "") return unsupported(`${where} speaks of something else than ${foreign}`);
  const unknown = names.flatMap((name) => unknownParts(name, cited, asked.known));
  if (unknown.length > 0)
    return unsupported(`${[...new Set(unknown)].join(", ")} does not stand in ${where}`);
  // A number alone is of no language.
  const hasWords = isWorded(claim.text);
  const language = hasWords ? languageOf(claim.text) : asked.language;
  const isForeign = ({ text }: Witness) => (hasWords || isWorded(text)) && languageOf(text) !== language;
  if (cited.every(isForeign))
    return partial("written in another language than its passage: only names and numbers were compared");
  return judgeWords(claim, language, doubt);
}

const valueNames = {
  date: "time",
  number: "number",
  color: "colour",
  telephone: "telephone number",
} as const;

/** Why a statement in the language of its question is no answer to it; "" where nothing tells. */
function beside({ asked, text, cited, where, everywhere }: Claim): string {
  if (!bearsOn(asked, text, cited) || hardlyMentions(asked, text, cited))
    return "has nothing to do with the question";
  const isElsewhere = standsElsewhere(asked, text, withFirstPages(cited, everywhere), everywhere);
  if (isElsewhere && !isLabelled(asked, text, cited))
    return `${where} has far less of the question than another passage`;
  if (answersElse(asked, text, cited)) return `${where} says it of something else than what is asked`;
  if (givesNoReason(asked, text, cited)) return `${where} has figures of it, and no reason`;
  if (inventsDirection(asked, text, cited)) return `nothing in ${where} goes that way`;
  if (lacksValue(asked, text, cited, everywhere))
    return `says no ${valueNames[asked.value ?? "number"]}, which is what is asked`;
  const measured = measuredInstead(asked, text, cited);
  if (measured !== "") return `${where} has ${measured} with a unit of measure alone`;
  if (countsElse(asked, text, cited, everywhere))
    return `counts something else than ${asked.counted.join(" ")}`;
  return "";
}

/** `doubt`: what the numbers leave open, "" for nothing. */
function judgeWords(claim: Claim, language: string, doubt: string): Finding {
  const { asked, cited, where, terms, names } = claim;
  const year = otherYear(asked, claim.text, cited);
  if (year !== null) return unsupported(`${where} speaks of ${year.told}, not of ${year.asked}`);
  if (repeatsQuestion(asked, claim.text)) return unsupported(repetition);
  if (onlyPoints(claim.text, asked, cited)) return unsupported("only says where it stands");
  const nobody = nobodyNamed(claim.text, asked, cited, claim.everywhere, where);
  if (nobody !== "") return unsupported(nobody);
  const office = absentOffice(claim.text, asked, cited);
  if (office !== "") return unsupported(`${where} says nothing of “${office}”`);
  const place = otherPlace(claim);
  if (place !== "") return unsupported(place);
  const times = otherRepetition(asked, claim.text, cited);
  if (times !== "") return unsupported(`${where} says it of something else than “${times}”`);
  const degree = missingSuperlative(asked, claim.text, cited);
  if (degree !== "") return unsupported(`${where} says of nothing that it is “${degree}”`);
  const { share, reason } = wordsHeld(claim);
  if (share < wordSupport.unsupported) return unsupported(reason);
  const unasked = language === asked.language ? beside(claim) : "";
  if (unasked !== "") return unsupported(unasked);
  if (share < wordSupport.supported) return partial(reason);
  if (doubt !== "") return partial(doubt);
  const facts = words(names.join(" ")).concat(terms.filter(isNumber));
  const far = apart(
    facts.filter((fact) => !asked.known.has(fact)),
    terms.filter((term) => asked.known.has(term)),
    cited,
  );
  return far.length > 0
    ? partial(`${far.join(", ")} stands in ${where}, but apart from the rest`)
    : { support: "supported", reason: "" };
}

/** A sentence without its markers, under the passages they stand for. */
function judgeSentence(
  bare: string,
  markers: readonly number[],
  witnesses: ReadonlyMap<number, Witness>,
  asked: Question,
): Finding {
  if (!/[\p{L}\p{N}]/u.test(bare)) return unsupported("says nothing");
  if (markers.length === 0) return unsupported("cites no passage");
  const absent = markers.find((marker) => !witnesses.has(marker));
  if (absent !== undefined) return unsupported(`there is no passage [${absent}]`);
  const cited = markers.flatMap((marker) => witnesses.get(marker) ?? []);
  const where = markers.map((marker) => `[${marker}]`).join("");
  const text = withoutSources(bare.replace(opener, ""), cited);
  if (deniesYes(bare, asked, cited)) return unsupported(`says yes to what ${where} denies`);
  if (crossesLimit(bare, asked, cited)) return unsupported(`${where} draws the limit elsewhere`);
  if (allowsRefused(bare, cited)) return unsupported(`${where} refuses that under the same limit`);
  const baseless = baselessYes(bare, asked, cited, where);
  if (baseless !== "") return unsupported(baseless);
  if (!/[\p{L}\p{N}]/u.test(text)) return judgeBareOpener(asked, cited, where);
  if (query.test(text)) return unsupported("is a query, not an answer");
  if (saysNothing.test(text)) return unsupported("only says that there is no answer");
  const { dates, rest } = datesIn(text);
  const date = missingDate(dates, cited);
  if (date !== undefined) return unsupported(`${date} does not stand in ${where}`);
  const terms = contentTerms(rest);
  const names = namesIn(text);
  if (terms.length === 0 && names.length === 0 && dates.length === 0) return unsupported("asserts nothing");
  const everywhere = [...witnesses.values()];
  return judgeFacts({ asked, cited, everywhere, where, text, rest, terms, names });
}

/** Holds single sentences against the passages of one answer. */
export interface Judge {
  sentence(bare: string, markers: readonly number[]): SentenceVerdict;
}

/**
 * A judge by rule, for one question and its passages. A sentence is
 * - unsupported when it cites nothing or no passage, asserts nothing, when a name, number, unit or date of it
 *   does not stand in what it cites, when it is little but a number that stands there apart from what is
 *   asked, when hardly any of the words it adds to the question do, when it has nothing to do with the
 *   question, or when it only says that there is no answer;
 * - partial when only some of its words do, a number word or a number of the question does not, or what it
 *   adds stands apart from what it is about;
 * - supported otherwise.
 * Sentences of a passage that speak to an assistant vouch for nothing; neither do the numbers of sections,
 * items, pages and sources.
 */
export function openJudge(passages: readonly Passage[], asked: Question): Judge {
  const read = withSharedScales(passages.map((passage) => witnessOf(passage, asked.text)));
  const witnesses = new Map(read.map((witness, at) => [passages[at]?.marker ?? 0, witness]));

  return {
    sentence: (bare, markers) => ({ text: bare, markers, ...judgeSentence(bare, markers, witnesses, asked) }),
  };
}

/**
 * Every sentence of an answer held against the passages it cites, in order; `question` says what is known and
 * what is asked.
 */
export function judge(text: string, passages: readonly Passage[], question = ""): readonly SentenceVerdict[] {
  const { sentence } = openJudge(passages, readQuestion(question));
  const texts = passages.map((passage) => passage.text);
  return statementsOf(text, texts).map(({ bare, markers }) => sentence(bare, markers));
}
