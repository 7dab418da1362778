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
 * Why a statement about one name of the question is unsupported: the passages it cites mention another of its
 * names but not this one, as when two companies with separate documents are compared. A name is exempt if
 * another passage of the same document mentions it together with a name that is cited. Null otherwise.
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

/**
 * Whether a passage has part of a name, allowing a one-letter typo, its initials or, for a country, the name
 * of its people.
 */
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
 * The rest of the question about a name: its terms without the name. Empty if the statement answers another
 * part of a compound question.
 */
function restOf(asked: Question, name: string, said: ReadonlySet<string>): Pick<Question, "alternatives"> {
  const ofName = new Set(words(name));
  const parts = asked.parts.filter((part) => part.some(([term = ""]) => ofName.has(term)));
  const rests = parts.map((part) => part.filter(([term = ""]) => !ofName.has(term)));
  const spoken = rests.filter((alternatives) => sharedTerms({ alternatives }, said) > 0);
  return { alternatives: spoken.flat() };
}

/**
 * Why a statement is unsupported: no passage of the cited documents has any name of the question, the
 * sentence it is based on mentions another name, and a passage of another document has a name of the question
 * with at least as many of its other terms. Null otherwise.
 */
export function nameOfOthers(claim: Claim): string | null {
  const { asked, text, terms, cited } = claim;
  if (cited.some((witness) => isGerman(witness.text) !== (asked.spoken === "de"))) return null;
  const { own, others } = byDocument(claim);
  if (asked.names.some((name) => own.some((witness) => hasName(name, witness)))) return null;
  const sources = cited.map((witness) => sourceOf(terms, witness));
  if (sources.flatMap((text) => namesIn(text)).every((name) => asked.names.includes(name))) return null;
  const said = new Set(words([text, ...sources].join("\n")));
  const isOfOther = (name: string): boolean => {
    const rest = restOf(asked, name, said);
    const least = Math.max(1, sharedTerms(rest, said));
    return others.some((witness) => hasName(name, witness) && sharedTerms(rest, witness.words) >= least);
  };
  return ofOther(claim, asked.names.find(isOfOther));
}

/**
 * Share of a question's other terms in the sentence that has a different name. Of 394 questions of XQuAD with
 * a name, it loses a sentence that repeats it for 4, and removes 56 of 125 answers under an exchanged name;
 * at .3 these are 7 and 65, at .6 3 and 40.
 */
const exchangedShare = 0.5;

/**
 * Why a statement is unsupported: it repeats a name of its question that nothing cited has, while the cited
 * sentence that best matches the rest of the question mentions another name. Null otherwise.
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
  const scored = cited
    .flatMap(({ sentences }) => sentences)
    .map((sentence) => ({ sentence, shared: sharedTerms(topic, new Set(words(sentence))) }));
  const most = Math.max(0, ...scored.map(({ shared }) => shared));
  if (most === 0 || most < topic.alternatives.length * exchangedShare) return null;
  const nearest = scored.find(({ shared }) => shared === most)?.sentence ?? "";
  return namesIn(nearest).some((name) => !isSaid(name, said)) ? ofOther(claim, own) : null;
}
