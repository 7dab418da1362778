import { holdsValue } from "../../../language/asking/values.ts";
import { alternatives, isGerman } from "../../../language/languages.ts";
import { hasVietnameseLetters } from "../../../language/lexicons/vi.ts";
import { namesIn, nearlyEqual } from "../../../language/names.ts";
import { measuresSame, quantitiesIn } from "../../../language/quantities.ts";
import { formsOfPeople } from "../../../language/synonyms.ts";
import { contentTerms, normalize, squash, words } from "../../../language/terms.ts";
import { rank } from "../extract.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** Number of a question's terms, or words that stand for them, among these. */
const sharedTerms = ({ alternatives }: Pick<Question, "alternatives">, own: ReadonlySet<string>): number =>
  alternatives.filter((forms) => forms.some((form) => own.has(form))).length;

/** Whether words have something of a question; a single syllable of Vietnamese says nothing, two do. */
function touches(asked: Question, own: ReadonlySet<string>): boolean {
  const least = hasVietnameseLetters(asked.text.normalize("NFC"))
    ? Math.min(2, asked.alternatives.length)
    : 1;
  return sharedTerms(asked, own) >= least;
}

/** Whether any sentence of the document answers: a summary names the document, not what stands in it. */
const isOfWhole = ({ kind }: Question): boolean => kind === "summary";

/**
 * Whether what the sentence rests on has anything to do with the question: a shared term in it, near it in
 * the passage, or above it.
 */
export function bearsOn(asked: Question, sentence: string, witnesses: readonly Witness[]): boolean {
  if (isOfWhole(asked) || asked.alternatives.length === 0 || touches(asked, new Set(words(sentence))))
    return true;
  const terms = contentTerms(sentence);
  return witnesses.some((witness) => {
    if (witness.finding || touches(asked, witness.headWords)) return true;
    const scores = rank(terms, witness.sentences);
    const best = scores.indexOf(Math.max(...scores));
    return touches(
      asked,
      new Set(words(witness.sentences.slice(Math.max(0, best - 1), best + 2).join("\n"))),
    );
  });
}

/** Kinds of questions whose answers share no words with them. */
const wantsMore: ReadonlySet<Question["kind"]> = new Set(["list", "procedure", "definition"]);

/** Whether a statement of these terms says nothing that its question does not, where that is no answer. */
export const repeatsQuestion = ({ kind, known }: Question, terms: readonly string[]): boolean =>
  wantsMore.has(kind) && terms.length > 0 && terms.every((term) => known.has(term));

/** The sentence of a passage that a statement rests on. */
function sourceOf(terms: readonly string[], { sentences }: Witness): string {
  const scores = rank(terms, sentences);
  return sentences[scores.indexOf(Math.max(...scores))] ?? "";
}

/**
 * Whether a time, a number or a colour is asked for, and neither the statement nor the sentence it rests on has one:
 * then it answers something else. No list has all colours: another sentence must have one, and a word of the
 * question.
 */
export function lacksValue(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const isFigure = asked.kind === "number" || asked.kind === "total";
  const value = asked.value ?? (isFigure ? "number" : null);
  if (value === null || (asked.kind !== "fact" && !isFigure) || holdsValue(value, statement)) return false;
  const terms = contentTerms(statement);
  if (cited.some((witness) => witness.finding || holdsValue(value, sourceOf(terms, witness)))) return false;
  if (value !== "color") return true;
  const topic = asked.alternatives.filter(([term = ""]) => !holdsValue("color", term));
  return everywhere.some(({ sentences }) =>
    sentences.some(
      (sentence) =>
        holdsValue("color", sentence) && touches({ ...asked, alternatives: topic }, new Set(words(sentence))),
    ),
  );
}

/**
 * Whether another thing is counted than the question asks for (`how many tons`): nothing of that stands in
 * the statement or in the sentence it rests on, while another sentence of the passages has it beside a
 * number. A value in another unit of the same measure (`19 weeks` for days) counts, unless that other sentence
 * has more of the question.
 */
export function countsElse(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const { counted } = asked;
  if (counted.length === 0 || cited.some(({ finding }) => finding)) return false;
  const names = (text: string): boolean => {
    const own = new Set(words(text));
    return counted.some((root) => own.has(root));
  };
  const terms = contentTerms(statement);
  const sources = cited.map((witness) => sourceOf(terms, witness));
  const rivals = everywhere.flatMap(({ sentences }) =>
    sentences.filter((sentence) => names(sentence) && holdsValue("number", sentence)),
  );
  if (names(statement) || sources.some(names) || rivals.length === 0) return false;
  const topic = { alternatives: asked.alternatives.filter(([root = ""]) => !counted.includes(root)) };
  const shared = (text: string): number => sharedTerms(topic, new Set(words(text)));
  const inOtherUnits = quantitiesIn(normalize(statement)).some(({ unit }) =>
    counted.some((root) => measuresSame(root, unit)),
  );
  const own = Math.max(...[statement, ...sources].map(shared));
  return !inOtherUnits || rivals.some((rival) => shared(rival) > own);
}

/**
 * Share of the best passage's terms of a question that what is cited must have. Fitted on the even questions
 * of XQuAD: `scripts/eval/judge.ts --squad`, “beside others”.
 */
const citedShare = 0.6;

/** Kinds whose answers are spread over passages that each have a part of the question. */
const ofManyPassages: ReadonlySet<Question["kind"]> = new Set(["summary", "list", "holdings"]);

/**
 * Whether what is cited has far fewer words of the question, in text and headings, than another passage: a
 * name or a number stands in many passages, but what was asked does not. Of several questions in one, of those that
 * the statement shares a word with.
 */
export function standsElsewhere(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const isFree = ({ finding, text }: Witness): boolean => finding || isGerman(text) !== isGerman(asked.text);
  if (ofManyPassages.has(asked.kind) || cited.some(isFree)) return false;
  const cites = new Set(cited.flatMap((witness) => [...witness.words]));
  const said = new Set(words(statement));
  const spoken = asked.parts.filter((alternatives) => sharedTerms({ alternatives }, said) > 0);
  return (spoken.length > 0 ? spoken : asked.parts).every((alternatives) => {
    const most = Math.max(0, ...everywhere.map((witness) => sharedTerms({ alternatives }, witness.words)));
    return sharedTerms({ alternatives }, cites) < most * citedShare;
  });
}

/**
 * Share of a question's terms in another sentence of the passages from which that one is what was asked for.
 */
const answeringShare = 0.6;

/**
 * Content terms of the shortest statement that can be about something else: a name or a date alone is an
 * answer.
 */
const leastTerms = 3;

/** Letters of the shortest name by which a document is told from others. */
const leastName = 4;

/**
 * The name that a statement says something of, beside others or alone, where what it cites speaks of another
 * name of the question and not of this one: of two companies that are compared, each has its own documents. ""
 * where there is none.
 */
export function misattributedName(asked: Question, statement: string, witnesses: readonly Witness[]): string {
  if (asked.names.length < 2 || witnesses.some(({ finding }) => finding)) return "";
  const has = (name: string, of: ReadonlySet<string>): boolean => words(name).every((root) => of.has(root));
  const said = new Set(words(statement));
  const isCited = (name: string): boolean =>
    witnesses.some(
      (witness) =>
        witness.squashed.includes(squash(name)) ||
        [name, ...formsOfPeople(name)].some((form) => has(form, witness.words)),
    );
  const absent = asked.names.find((name) => has(name, said) && !isCited(name));
  return absent !== undefined && asked.names.some(isCited) ? absent : "";
}

/**
 * The name that a question asks about where what is cited belongs to somebody else: another passage is of a
 * document called by that name, and neither text, headings nor file name of the cited ones have it or another
 * such name. "" where there is none.
 */
export function foreignTo(
  asked: Question,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  if (cited.some(({ finding }) => finding)) return "";
  const owners = asked.names.filter((name) => {
    const form = squash(name);
    return form.length >= leastName && everywhere.some(({ heads }) => squash(heads).includes(form));
  });
  const isKnown = (name: string): boolean => cited.some(({ squashed }) => squashed.includes(squash(name)));
  const known = owners.filter(isKnown);
  if (known.length === 0) return owners[0] ?? "";
  // A word with a capital is no name of its own where the documents of another name have it as well.
  const isOfAnother = (name: string, document: string): boolean =>
    everywhere.some((witness) => isCalled(witness, document) && witness.squashed.includes(squash(name)));
  const absent = owners.find(
    (document) => !isKnown(document) && known.every((name) => isOfAnother(name, document)),
  );
  return absent ?? "";
}

/**
 * The name that a question asks about, where no passage of the cited documents has any name of the question, the
 * sentence that the statement rests on speaks of another name, and a passage of another document has the name, with
 * at least as much of the rest of the question; "" where there is none. Of several questions in one, the names of
 * those that the statement shares a word with.
 */
export function nameOfOthers(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  if (cited.some(({ finding, text }) => finding || isGerman(text) !== isGerman(asked.text))) return "";
  const documents = new Set(cited.map(({ document }) => document));
  const [own, others] = [true, false].map((isOwn) =>
    everywhere.filter(({ document }) => documents.has(document) === isOwn),
  );
  if (asked.names.some((name) => own?.some((witness) => hasName(name, witness)))) return "";
  const terms = contentTerms(statement);
  const sources = cited.map((witness) => sourceOf(terms, witness));
  if (sources.flatMap(namesIn).every((name) => asked.names.includes(name))) return "";
  const said = new Set(words([statement, ...sources].join("\n")));
  return (
    asked.names.find((name) => {
      const rest = restOf(asked, name, said);
      return others?.some(
        (witness) =>
          hasName(name, witness) && sharedTerms(rest, witness.words) >= Math.max(1, sharedTerms(rest, said)),
      );
    }) ?? ""
  );
}

/**
 * What the question that has a name asks of it: its terms without the name; none where the statement speaks to another
 * one of several questions.
 */
function restOf(asked: Question, name: string, said: ReadonlySet<string>): Pick<Question, "alternatives"> {
  const ofName = new Set(words(name));
  const parts = asked.parts.filter((part) => part.some(([term = ""]) => ofName.has(term)));
  const rests = parts.map((part) => part.filter(([term = ""]) => !ofName.has(term)));
  const spoken = rests.filter((alternatives) => sharedTerms({ alternatives }, said) > 0);
  return { alternatives: spoken.flat() };
}

/** Most words that a file's name has for one name. */
const longestName = 4;

/** Whether file name or title have a name, in a word or in several in a row. */
function isCalled({ called }: Witness, name: string): boolean {
  const form = squash(name);
  return called.some((_, at) =>
    Array.from({ length: longestName }, (__, size) => called.slice(at, at + size + 1).join("")).includes(
      form,
    ),
  );
}

/**
 * Share of the rest of a question's terms in the sentence that has another name instead of its own. Of 394
 * questions of XQuAD with a name, a sentence that repeats it would be lost for 4, and 56 of 125 answers under
 * an exchanged name removed; at .3 these are 7 and 65, at .6 3 and 40.
 */
const exchangedShare = 0.5;

/** Whether a passage has a part of a name, a slip of a letter apart, its initials or, of a country, its people. */
function hasName(name: string, { squashed, words: own, raw }: Witness): boolean {
  const parts = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const initials = parts.map((part) => part[0]?.toUpperCase()).join("");
  const isHeld = (root: string): boolean => own.has(root) || [...own].some((word) => nearlyEqual(word, root));
  return (
    squashed.includes(squash(name)) ||
    (parts.length >= 2 && raw.includes(initials)) ||
    parts.some((part) => [part, ...formsOfPeople(part)].some((form) => words(form).every(isHeld)))
  );
}

/**
 * The name of a question that a statement repeats, where nothing of what it cites has it, and the sentence
 * there that has most of the rest of the question speaks of another name: the passage says it of somebody else.
 * "" where there is none.
 */
export function exchangedName(asked: Question, statement: string, cited: readonly Witness[]): string {
  if (cited.some(({ finding }) => finding)) return "";
  const said = new Set(words(statement));
  const isSaid = (name: string): boolean => words(name).every((root) => said.has(root));
  const own = asked.names.find((name) => isSaid(name) && !cited.some((witness) => hasName(name, witness)));
  if (own === undefined) return "";
  const ofName = new Set(words(own));
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => !ofName.has(term)) };
  const told = cited
    .flatMap(({ sentences }) => sentences)
    .map((sentence) => ({ sentence, shared: sharedTerms(topic, new Set(words(sentence))) }));
  const most = Math.max(0, ...told.map(({ shared }) => shared));
  if (most === 0 || most < topic.alternatives.length * exchangedShare) return "";
  const nearest = told.find(({ shared }) => shared === most)?.sentence ?? "";
  return namesIn(nearest).some((name) => !isSaid(name)) ? own : "";
}

const item = /^\s{0,12}(?:[-*•–>]|\(?\d{1,3}[.)]|\(?[a-h][.)])\s/;
/** Opens a sentence that goes on about what stands before it. */
const continuation = new RegExp(
  `^(?:${alternatives(({ continuations }) => continuations)})(?![\\p{L}])`,
  "iu",
);

/**
 * Whether a statement answers something else: nothing of what is asked stands in it, in the sentence it rests
 * on or above it, while another sentence of its passages has most of that. Items of a list and sentences that
 * go on about the one before are spared, since what is asked stands before them.
 */
export function answersElse(asked: Question, statement: string, witnesses: readonly Witness[]): boolean {
  if (isOfWhole(asked) || asked.alternatives.length < 2 || sharedTerms(asked, new Set(words(statement))) > 0)
    return false;
  const terms = contentTerms(statement);
  if (terms.length < leastTerms || continuation.test(statement)) return false;
  const sourced = witnesses.map((witness) => ({ witness, source: sourceOf(terms, witness) }));
  const isFree = sourced.some(
    ({ witness, source }) =>
      witness.finding ||
      source.includes(" | ") ||
      item.test(source) ||
      continuation.test(source) ||
      sharedTerms(asked, new Set([...words(source), ...witness.headWords])) > 0,
  );
  const most = Math.max(
    0,
    ...witnesses.flatMap(({ sentences }) =>
      sentences.map((sentence) => sharedTerms(asked, new Set(words(sentence)))),
    ),
  );
  return !isFree && most >= asked.alternatives.length * answeringShare;
}
