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

/** The judge's result for a sentence. */
type Finding = Pick<SentenceVerdict, "support" | "reason" | "rule" | "derivation">;

/** A yes or no, alone or before the rest of the sentence. */
export const opener = /^(?:yes|no|ja|nein|oui|non|sí|có|không|vâng|dạ)(?:\s{0,2}[,.:;!–-]{1,3}\s{0,2}|$)/iu;

const unsupported = (reason: string, rule: string): Finding => ({ support: "unsupported", reason, rule });
const partial = (reason: string, rule: string): Finding => ({ support: "partial", reason, rule });

const isWorded = (text: string): boolean => /\p{L}/u.test(text);

/** A sentence without its markers, as a claim about the passages it cites. */
function claimOf(bare: string, markers: readonly number[], { witnesses, asked, off, isAble }: Bench): Claim {
  const cited = markers.flatMap((marker) => witnesses.get(marker) ?? []);
  const text = withoutSources(bare.replace(opener, ""), cited);
  const { dates, rest } = datesIn(text);
  // A bare number has no language.
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

/** Who wrote the text, and which checks apply. */
export interface Trust {
  /** Ids of ties and rules to ignore, to measure their effect. Default: none. */
  readonly off?: ReadonlySet<string>;
  /** A capable reader wrote it. Default false. */
  readonly isAble?: boolean;
}

/** Everything needed to judge a sentence. */
interface Bench extends Required<Trust> {
  readonly witnesses: ReadonlyMap<number, Witness>;
  readonly asked: Question;
}

/** An SQL statement, which some models give as an answer. */
const statement =
  /^(?:select|insert|update|delete|create|drop)\s{1,4}(?:\d|\*|[\w".]{1,64}\s{0,4}[(,]|[\w".]{1,64}\s{1,4}from\b|into\b|table\b)/i;

/** Ends with a conjunction: the rest is missing, for example a marker used as a noun. */
const cutOff = new RegExp(`(?<![\\p{L}])(?:${conjunctions()})\\s?[.,;:!?]{0,2}$`, "iu");

/** Why a text is no statement about passages at all; null if it is one. */
function formFault(bare: string, markers: readonly number[], { witnesses, asked }: Bench): Finding | null {
  const { nothing, breaksOff, query, uncited, noPassage } = asked.notes.judged;
  if (!/[\p{L}\p{N}]/u.test(bare)) return unsupported(nothing, "form");
  if (cutOff.test(bare)) return unsupported(breaksOff, "form");
  if (statement.test(bare)) return unsupported(query, "form");
  if (markers.length === 0) return unsupported(uncited, "citation");
  const absent = markers.find((marker) => !witnesses.has(marker));
  return absent === undefined ? null : unsupported(noPassage(absent), "citation");
}

/** Why a claim is only partly supported, although nothing contradicts it. */
function doubtOn(claim: Claim): Finding | null {
  if (claim.isForeign) return partial(claim.asked.notes.judged.foreign, "language");
  const words = doubtfulWords(claim);
  if (words !== null) return partial(words, "word");
  const number = doubtfulNumber(claim);
  return number === null ? null : partial(number, "number");
}

/** Share of a question's terms in the sentence that a bare yes or no is based on. */
const answeringShare = 0.5;

/** Judges a bare yes or no; `doubt` already marks it. */
function bareAnswer(claim: Claim, doubt: Finding | null): Finding {
  const { asked, where } = claim;
  const bases = basesOf(claim).map(({ text }) => sharedTerms(asked, new Set(words(text))));
  return Math.max(0, ...bases) >= Math.max(1, asked.alternatives.length * answeringShare)
    ? (doubt ?? partial(asked.notes.judged.yesNoAlone(where), "word"))
    : unsupported(asked.notes.judged.unasked(where), "bearsOn");
}

/** The strongest tie of a claim that passed all checks. */
function tieOf({ dates, terms, names }: Claim): string {
  if (dates.length > 0) return "date";
  if (terms.some(isNumber)) return "number";
  return names.length > 0 ? "name" : "word";
}

/** The first check that makes a claim unsupported, otherwise the first that marks it; null if none does. */
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

/** Judges single sentences against the passages of one answer. */
export interface Judge {
  sentence(bare: string, markers: readonly number[]): SentenceVerdict;
  /** What a passage says instead of a removed yes or no; null if it was removed for another reason. */
  instead(verdict: SentenceVerdict): Basis | null;
}

/**
 * A rule-based judge for one question and its passages. A sentence is
 * - unsupported if it cites nothing, lacks a tie (`ties`) or violates a rule (`rules`);
 * - partial if only some of its words are in its passages, or a number of the question is not;
 * - supported otherwise.
 * Sentences of a passage that address an assistant support nothing; neither do the numbers of sections,
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
 * Judges every sentence of an answer against the passages it cites, in order. `question` gives what is
 * already known and what it asks for.
 */
export function judge(text: string, passages: readonly Passage[], question = ""): readonly SentenceVerdict[] {
  const { sentence } = openJudge(passages, readQuestion(question));
  const texts = passages.map((passage) => passage.text);
  return statementsOf(text, texts).map(({ bare, markers }) => sentence(bare, markers));
}
