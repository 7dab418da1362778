import { alternatives, anyOf, wordsIn } from "../../../language/languages.ts";
import { type Amount, isWithin, limitsIn } from "../../../language/limits.ts";
import { contentTerms, isNumber, normalize, words } from "../../../language/terms.ts";
import { sharedTerms } from "../question.ts";
import type { Claim } from "./claim.ts";
import { isYes, termsOf } from "./polarity.ts";

/** Words that restrict, except, forbid or require something. */
const restricting = new RegExp(
  `(?<![\\p{L}])(?:${[
    alternatives(({ restrictions }) => restrictions),
    alternatives(({ exceptions }) => exceptions),
    alternatives(({ negations }) => negations),
    alternatives(({ refusals }) => refusals),
    ...wordsIn(({ obligations }) => obligations),
  ].join("|")})(?![\\p{L}])`,
  "giu",
);
const no = new RegExp(`^(?:${alternatives((language) => language.no)})\\s{0,2}(?:[,.:;!–-]|$)`, "iu");
const permission = anyOf(alternatives(({ affirmations }) => affirmations));

const restrictionsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (text.normalize("NFC").replaceAll("’", "'").match(restricting) ?? []).map((word) => word.toLowerCase()),
  );

/** Share of a question's terms from which a statement merely repeats it. */
const repeated = 0.6;

/** A statement's reply to a yes-or-no question: yes, no, or null if it says something else. */
function answerOf({ bare, asked }: Claim): "yes" | "no" | null {
  const plain = bare.normalize("NFC");
  if (isYes(plain)) return "yes";
  if (no.test(plain)) return "no";
  const isSame =
    sharedTerms(asked, new Set(words(plain))) >= Math.max(1, asked.alternatives.length * repeated);
  return isSame ? "yes" : null;
}

/** A sentence or row of a passage that a yes or no is based on. */
export interface Basis {
  readonly text: string;
  readonly marker: number;
}

/** The sentences that share most with the question and with what the statement adds to it. */
export function basesOf({ asked, terms, cited, markers }: Claim): readonly Basis[] {
  const kept = new Set(termsOf(asked.affirmed));
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => kept.has(term)) };
  const added = terms.filter((term) => !asked.known.has(term));
  const scored = cited.flatMap(({ sentences }, at) =>
    sentences.map((text) => {
      const own = new Set(words(text));
      const shared = sharedTerms(topic, own) + added.filter((term) => own.has(term)).length;
      return { text, marker: markers[at] ?? 0, shared };
    }),
  );
  const most = Math.max(1, ...scored.map(({ shared }) => shared));
  return scored.filter(({ shared }) => shared === most);
}

/** Whether an amount is outside a limit that a text sets in the same measure. */
const isBeyond = (amount: Amount, text: string): boolean =>
  limitsIn(normalize(text)).some(
    (limit) => limit.measure === amount.measure && isWithin(amount, limit) !== limit.isBound,
  );

/**
 * Why a yes is not supported: the sentence it is based on restricts, excepts or forbids something with a word
 * that neither question nor statement has, or sets a limit that the question's amount is outside of. That
 * sentence is then the answer. Null otherwise.
 */
export function restrictedYes(claim: Claim): string | null {
  const { bare, asked, where } = claim;
  if (answerOf(claim) !== "yes" || restrictionsOf(bare.replace(no, "")).size > 0) return null;
  const own = restrictionsOf(asked.affirmed);
  const { amounts } = asked;
  const isRestricted = ({ text }: Basis): boolean =>
    restrictionsOf(text).difference(own).size > 0 || amounts.some((amount) => isBeyond(amount, text));
  return basesOf(claim).some(isRestricted) ? asked.notes.judged.restricted(where) : null;
}

/**
 * Why a no that adds nothing to its question is not supported: the sentence it is based on neither denies nor
 * restricts anything. Null otherwise.
 */
export function baselessNo(claim: Claim): string | null {
  const { asked, terms, where } = claim;
  const { amounts } = asked;
  const isPlain = terms.every((term) => asked.known.has(term) || permission.test(term) || isNumber(term));
  if (answerOf(claim) !== "no" || !isPlain) return null;
  const bases = basesOf(claim);
  const allows = ({ text }: Basis): boolean =>
    restrictionsOf(text).size === 0 && !amounts.some((amount) => isBeyond(amount, text));
  const speaks = bases.some(({ text }) => contentTerms(text).some((term) => asked.known.has(term)));
  return speaks && bases.every(allows) ? asked.notes.judged.undenied(where) : null;
}
