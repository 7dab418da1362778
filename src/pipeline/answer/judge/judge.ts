import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import { lazy } from "../../../core/lazy.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { conjunctions, languageOf } from "../../../language/languages.ts";
import { namesIn } from "../../../language/names.ts";
import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import { datesIn } from "../../../language/time/dates.ts";
import { type Question, readQuestion, sharedTerms } from "../question.ts";
import { statementsOf } from "../statements.ts";
import { type Basis, basesOf } from "./affirmation.ts";
import type { Check, Claim } from "./claim.ts";
import { grantedBy, ofAffirmation, ofEveryReader, rules, ties } from "./rules.ts";
import { doubtfulNumber } from "./ties/numbers.ts";
import { noReckoner, reckoner } from "./ties/reckon.ts";
import { doubtfulWords } from "./ties/words.ts";
import { type Witness, withoutSources, withSharedScales, witnessOf } from "./witness.ts";

/** What the judge finds of a sentence. */
type Finding = Pick<SentenceVerdict, "support" | "reason" | "rule" | "derivation">;

/** Says yes or no before the sentence itself, or alone. */
export const opener = /^(?:yes|no|ja|nein|oui|non|sí|có|không|vâng|dạ)(?:\s{0,2}[,.:;!–-]{1,3}\s{0,2}|$)/iu;

const unsupported = (reason: string, rule: string): Finding => ({ support: "unsupported", reason, rule });
const partial = (reason: string, rule: string): Finding => ({ support: "partial", reason, rule });

const isWorded = (text: string): boolean => /\p{L}/u.test(text);

/** A sentence without its markers as a claim on the passages it cites. */
function claimOf(bare: string, markers: readonly number[], { witnesses, asked, off, isAble }: Bench): Claim {
  const cited = markers.flatMap((marker) => witnesses.get(marker) ?? []);
  const text = withoutSources(bare.replace(opener, ""), cited);
  const { dates, rest } = datesIn(text);
  // A number alone is of no language.
  const hasWords = isWorded(text);
  const language = hasWords ? languageOf(text) : asked.language;
  const claim: Claim = {
    asked,
    cited,
    everywhere: [...witnesses.values()],
    markers,
    where: markers.map((marker) => `[${marker}]`).join(""),
    bare,
    text,
    dates,
    rest,
    terms: contentTerms(rest),
    names: namesIn(text),
    isFound: cited.some(({ finding }) => finding),
    language,
    isForeign: cited.every(
      (witness) => (hasWords || isWorded(witness.text)) && languageOf(witness.text) !== language,
    ),
    granted: lazy(() => grantedBy(claim, off)),
    reckoner: off.has("reckoned") ? noReckoner : reckoner(text, asked, cited),
    isAble,
  };
  return claim;
}

/** Who wrote what is judged, and how strictly that is done. */
export interface Trust {
  /** Ids of ties and rules that do not count, to measure what they are worth. Default: none. */
  readonly off?: ReadonlySet<string>;
  /** An able reader wrote it. Default false. */
  readonly isAble?: boolean;
}

/** What a sentence is judged with. */
interface Bench extends Required<Trust> {
  readonly witnesses: ReadonlyMap<number, Witness>;
  readonly asked: Question;
}

/** A statement of SQL, which a model that learned to write some gives for an answer. */
const statement =
  /^(?:select|insert|update|delete|create|drop)\s{1,4}(?:\d|\*|[\w".]{1,64}\s{0,4}[(,]|[\w".]{1,64}\s{1,4}from\b|into\b|table\b)/i;

/** Ends with a word that joins: what stood behind it is gone, such as a marker that stood for a noun. */
const cutOff = new RegExp(`(?<![\\p{L}])(?:${conjunctions()})\\s?[.,;:!?]{0,2}$`, "iu");

/** Why a text is no statement on passages at all; null where it is one. */
function formFault(bare: string, markers: readonly number[], { witnesses, asked }: Bench): Finding | null {
  const { nothing, breaksOff, query, uncited, noPassage } = asked.notes.judged;
  if (!/[\p{L}\p{N}]/u.test(bare)) return unsupported(nothing, "form");
  if (cutOff.test(bare)) return unsupported(breaksOff, "form");
  if (statement.test(bare)) return unsupported(query, "form");
  if (markers.length === 0) return unsupported(uncited, "citation");
  const absent = markers.find((marker) => !witnesses.has(marker));
  return absent === undefined ? null : unsupported(noPassage(absent), "citation");
}

/** What keeps a claim from being supported whole, though nothing speaks against it. */
function doubtOn(claim: Claim): Finding | null {
  if (claim.isForeign) return partial(claim.asked.notes.judged.foreign, "language");
  const words = doubtfulWords(claim);
  if (words !== null) return partial(words, "word");
  const number = doubtfulNumber(claim);
  return number === null ? null : partial(number, "number");
}

/** Share of a question's terms in the sentence that a yes or a no alone rests on. */
const answeringShare = 0.5;

/** A yes or a no alone; `doubt` marks it already. */
function bareAnswer(claim: Claim, doubt: Finding | null): Finding {
  const { asked, where } = claim;
  const bases = basesOf(claim).map(({ text }) => sharedTerms(asked, new Set(words(text))));
  return Math.max(0, ...bases) >= Math.max(1, asked.alternatives.length * answeringShare)
    ? (doubt ?? partial(asked.notes.judged.yesNoAlone(where), "word"))
    : unsupported(asked.notes.judged.unasked(where), "bearsOn");
}

/** The strongest tie of a claim that nothing speaks against. */
function tieOf({ dates, terms, names }: Claim): string {
  if (dates.length > 0) return "date";
  if (terms.some(isNumber)) return "number";
  return names.length > 0 ? "name" : "word";
}

/** What speaks first against a claim, or else what first marks it; null where nothing does. */
function findingOf(checks: readonly Check[], claim: Claim, { off, isAble }: Bench): Finding | null {
  let doubt: Finding | null = null;
  for (const { id, applies, check } of checks) {
    const reason = !off.has(id) && applies(claim) ? check(claim) : null;
    if (reason === null) continue;
    if (!isAble || ofEveryReader.has(id)) return unsupported(reason, id);
    doubt ??= partial(reason, id);
  }
  return doubt;
}

function judgeSentence(bare: string, markers: readonly number[], bench: Bench): Finding {
  const fault = formFault(bare, markers, bench);
  if (fault !== null) return fault;
  const claim = claimOf(bare, markers, bench);
  const isEmpty = claim.terms.length === 0 && claim.names.length === 0 && claim.dates.length === 0;
  // A yes or a no alone.
  const isAnswer = bench.asked.kind === "yes_no" && claim.text !== bare;
  if (isEmpty && !isAnswer) return unsupported(bench.asked.notes.judged.empty, "form");
  const checks = isEmpty ? rules.filter(({ id }) => ofAffirmation.has(id)) : [...ties, ...rules];
  const spoken = findingOf(checks, claim, bench);
  if (spoken?.support === "unsupported") return spoken;
  if (isEmpty) return bareAnswer(claim, spoken);
  const finding = spoken ?? doubtOn(claim) ?? { support: "supported", reason: "", rule: tieOf(claim) };
  const derivation = claim.reckoner.used().join("; ");
  return derivation === "" ? finding : { ...finding, derivation };
}

/** Holds single sentences against the passages of one answer. */
export interface Judge {
  sentence(bare: string, markers: readonly number[]): SentenceVerdict;
  /** What a passage says in place of a yes or a no that was removed; null where it was removed for something else. */
  instead(verdict: SentenceVerdict): Basis | null;
}

/**
 * A judge by rule, for one question and its passages. A sentence is
 * - unsupported when it cites nothing, when a tie is missing (`ties`), or when a rule speaks against it (`rules`);
 * - partial when only some of its words are in its passages, or a number of the question is not;
 * - supported otherwise.
 * Sentences of a passage that speak to an assistant vouch for nothing; neither do the numbers of sections,
 * items, pages and sources.
 */
export function openJudge(
  passages: readonly Passage[],
  asked: Question,
  { off = new Set(), isAble = false }: Trust = {},
): Judge {
  const read = withSharedScales(passages.map((passage) => witnessOf(passage, asked)));
  const witnesses = new Map(read.map((witness, at) => [passages[at]?.marker ?? 0, witness]));
  const bench: Bench = { witnesses, asked, off, isAble };
  return {
    sentence: (bare, markers) => ({ text: bare, markers, ...judgeSentence(bare, markers, bench) }),
    instead: ({ text, markers, rule, support }) =>
      support === "unsupported" && ofAffirmation.has(rule)
        ? (basesOf(claimOf(text, markers, bench))[0] ?? null)
        : null,
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
