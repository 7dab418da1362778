import { isGerman } from "../../../language/languages.ts";
import { namesIn, nearlyEqual } from "../../../language/names.ts";
import { formsOfPeople } from "../../../language/synonyms.ts";
import { squash, words } from "../../../language/terms.ts";
import { type Question, sharedTerms } from "../question.ts";
import type { Claim } from "./claim.ts";
import { sourceOf } from "./relevance.ts";
import { byDocument, type Witness, withFirstPages } from "./witness.ts";

const ofOther = ({ asked, where }: Claim, name: string | undefined): string | null =>
  name === undefined ? null : asked.notes.judged.notOf(where, name);

const isSaid = (name: string, said: ReadonlySet<string>): boolean =>
  words(name).every((root) => said.has(root));

/**
 * Whether a statement says something of one name of the question, while what it cites speaks of another one and not of
 * this: of two companies that are compared, each has its own documents. One that another passage of the document has
 * together with a name that is cited belongs to that.
 */
export function misattributedName(claim: Claim): string | null {
  const { asked, text } = claim;
  if (asked.names.length < 2) return null;
  const witnesses = withFirstPages(claim);
  const said = new Set(words(text));
  const holds = (name: string, witness: Witness): boolean =>
    witness.squashed.includes(squash(name)) ||
    [name, ...formsOfPeople(name)].some((form) => isSaid(form, witness.words));
  const held = asked.names.filter((name) => witnesses.some((witness) => holds(name, witness)));
  const { own } = byDocument(claim);
  const isBeside = (name: string): boolean =>
    own.some((witness) => holds(name, witness) && held.some((other) => holds(other, witness)));
  const absent = asked.names.find((name) => isSaid(name, said) && !held.includes(name) && !isBeside(name));
  return held.length === 0 ? null : ofOther(claim, absent);
}

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

/**
 * Whether no passage of the cited documents has any name of the question, the sentence that the statement rests on
 * speaks of another name, and a passage of another document has one that is asked about, with at least as much of the
 * rest of the question.
 */
export function nameOfOthers(claim: Claim): string | null {
  const { asked, text, terms, cited } = claim;
  if (cited.some((witness) => isGerman(witness.text) !== (asked.spoken === "de"))) return null;
  const { own, others } = byDocument(claim);
  if (asked.names.some((name) => own.some((witness) => hasName(name, witness)))) return null;
  const sources = cited.map((witness) => sourceOf(terms, witness));
  if (sources.flatMap(namesIn).every((name) => asked.names.includes(name))) return null;
  const said = new Set(words([text, ...sources].join("\n")));
  const isOfOther = (name: string): boolean => {
    const rest = restOf(asked, name, said);
    const least = Math.max(1, sharedTerms(rest, said));
    return others.some((witness) => hasName(name, witness) && sharedTerms(rest, witness.words) >= least);
  };
  return ofOther(claim, asked.names.find(isOfOther));
}

/**
 * Share of the rest of a question's terms in the sentence that has another name instead of its own. Of 394
 * questions of XQuAD with a name, a sentence that repeats it would be lost for 4, and 56 of 125 answers under
 * an exchanged name removed; at .3 these are 7 and 65, at .6 3 and 40.
 */
const exchangedShare = 0.5;

/**
 * Whether a statement repeats a name of its question that nothing it cites has, while the sentence there that has most
 * of the rest of the question speaks of another name: the passage says it of somebody else.
 */
export function exchangedName(claim: Claim): string | null {
  const { asked, text } = claim;
  const cited = withFirstPages(claim);
  const said = new Set(words(text));
  const own = asked.names.find(
    (name) => isSaid(name, said) && !cited.some((witness) => hasName(name, witness)),
  );
  if (own === undefined) return null;
  const ofName = new Set(words(own));
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => !ofName.has(term)) };
  const told = cited
    .flatMap(({ sentences }) => sentences)
    .map((sentence) => ({ sentence, shared: sharedTerms(topic, new Set(words(sentence))) }));
  const most = Math.max(0, ...told.map(({ shared }) => shared));
  if (most === 0 || most < topic.alternatives.length * exchangedShare) return null;
  const nearest = told.find(({ shared }) => shared === most)?.sentence ?? "";
  return namesIn(nearest).some((name) => !isSaid(name, said)) ? ofOther(claim, own) : null;
}
