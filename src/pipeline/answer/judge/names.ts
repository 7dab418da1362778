import { isGerman } from "../../../language/languages.ts";
import { namesIn, nearlyEqual } from "../../../language/names.ts";
import { formsOfPeople } from "../../../language/synonyms.ts";
import { contentTerms, isStopWord, squash, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { sharedTerms, sourceOf } from "./relevance.ts";
import type { Witness } from "./witness.ts";

/** Letters of the shortest name by which a document is told from others. */
const leastName = 4;

/**
 * The name that a statement says something of, beside others or alone, where what it cites speaks of another
 * name of the question and not of this one: of two companies that are compared, each has its own documents. One that
 * another passage of the document has together with a name that is cited belongs to that. "" where there is none.
 */
export function misattributedName(
  asked: Question,
  statement: string,
  witnesses: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  if (asked.names.length < 2 || witnesses.some(({ finding }) => finding)) return "";
  const has = (name: string, of: ReadonlySet<string>): boolean => words(name).every((root) => of.has(root));
  const said = new Set(words(statement));
  const holds = (name: string, witness: Witness): boolean =>
    witness.squashed.includes(squash(name)) ||
    [name, ...formsOfPeople(name)].some((form) => has(form, witness.words));
  const cited = asked.names.filter((name) => witnesses.some((witness) => holds(name, witness)));
  const { own } = byDocument(witnesses, everywhere);
  const isBeside = (name: string): boolean =>
    own.some((witness) => holds(name, witness) && cited.some((other) => holds(other, witness)));
  const absent = asked.names.find(
    (name) =>
      has(name, said) && !cited.includes(name) && !isBeside(name) && !isAbbreviated(name, asked, witnesses),
  );
  return absent !== undefined && cited.length > 0 ? absent : "";
}

/** Letters of the shortest acronym that tells a name: `DOT`. */
const leastAcronym = 3;

/** The acronyms of the names of a question that one of its capitalised words is part of: `DOT` of `Department`. */
function acronymsAround(name: string, text: string): readonly string[] {
  const runs: string[][] = [[]];
  for (const word of text.match(/[\p{L}\p{M}]+|[^\p{L}\p{M}\s]+/gu) ?? []) {
    const isSmall = isStopWord(word.toLowerCase());
    const isCapital = /^\p{Lu}/u.test(word) && !isSmall;
    if (isCapital || (isSmall && (runs.at(-1)?.length ?? 0) > 0)) runs.at(-1)?.push(word);
    else runs.push([]);
  }
  const around = runs.filter((run) => name.split(" ").every((part) => run.includes(part)));
  const initials = (run: readonly string[]): string => run.map((word) => word[0] ?? "").join("");
  return around
    .flatMap((run) => {
      const last = run.findLastIndex((word) => /^\p{Lu}/u.test(word)) + 1;
      const whole = run.slice(0, last);
      return [initials(whole), initials(whole.filter((word) => /^\p{Lu}/u.test(word)))];
    })
    .map((acronym) => acronym.toUpperCase())
    .filter((acronym) => acronym.length >= leastAcronym);
}

/** Whether file name, title or text have the acronym of the name that this one is part of. */
function isAbbreviated(name: string, asked: Question, witnesses: readonly Witness[]): boolean {
  const acronyms = acronymsAround(name, asked.text);
  return witnesses.some(({ called, raw }) =>
    acronyms.some((acronym) => called.includes(acronym.toLowerCase()) || raw.includes(acronym)),
  );
}

/** The passages of the documents that are cited, and those of other ones. */
function byDocument(
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): { readonly own: readonly Witness[]; readonly others: readonly Witness[] } {
  const documents = new Set(cited.map(({ document }) => document));
  const { own = [], others = [] } = Object.groupBy(everywhere, ({ document }) =>
    documents.has(document) ? "own" : "others",
  );
  return { own, others };
}

/**
 * What is cited with the first pages of the same documents, where those were found: they say who and what a document
 * is about.
 */
export function withFirstPages(
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): readonly Witness[] {
  const first = byDocument(cited, everywhere).own.filter(({ pages }) => pages.includes(1));
  return [...new Set([...cited, ...first])];
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
  const isKnown = (name: string): boolean =>
    cited.some(({ squashed }) => squashed.includes(squash(name))) || isAbbreviated(name, asked, cited);
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
  const { own, others } = byDocument(cited, everywhere);
  if (asked.names.some((name) => own.some((witness) => hasName(name, witness)))) return "";
  const terms = contentTerms(statement);
  const sources = cited.map((witness) => sourceOf(terms, witness));
  if (sources.flatMap(namesIn).every((name) => asked.names.includes(name))) return "";
  const said = new Set(words([statement, ...sources].join("\n")));
  return (
    asked.names.find((name) => {
      const rest = restOf(asked, name, said);
      return others.some(
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

/**
 * The names of a question that a statement repeats, where the documents it cites have none of them and one passage of
 * another document has all: that one is about them. "" where there is none.
 */
export function namesOfOtherDocument(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  const said = new Set(words(statement));
  const names = asked.names.filter((name) => words(name).every((root) => said.has(root)));
  const { own, others } = byDocument(cited, everywhere);
  if (
    names.length === 0 ||
    own.some((witness) => witness.finding || names.some((name) => hasName(name, witness)))
  )
    return "";
  const isOfOther = others.some((witness) => names.every((name) => hasName(name, witness)));
  return isOfOther ? (names[0] ?? "") : "";
}
