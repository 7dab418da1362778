import { alternatives, anyOf } from "../../../language/languages.ts";
import { type Amount, amountsIn, isWithin, type Limit, limitsIn } from "../../../language/limits.ts";
import { contentTerms, isNumber, normalize, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { isNegated, withoutQuestionEnd } from "./polarity.ts";
import { sharedTerms } from "./relevance.ts";
import type { Witness } from "./witness.ts";

const opens = (forms: string): RegExp => new RegExp(`^(?:${forms})\\s{0,2}(?:[,.:;!–-]|$)`, "iu");
const yes = opens(alternatives((language) => language.yes));
const no = opens(alternatives((language) => language.no));
/** Words by which something is refused. */
export const refusal = anyOf(alternatives(({ refusals }) => refusals));
const permission = anyOf(alternatives(({ permissions }) => permissions));

/** Words that turn a limit round, so that it is not told what it allows. */
const turning = anyOf(
  [alternatives(({ exceptions }) => exceptions), alternatives(({ conditions }) => conditions)].join("|"),
);

/** Share of a question's terms in a sentence that says of its limit what the question asks. */
const sameMatter = 0.6;
/** Share of a question's terms in an answer that only says it again. */
const repeated = 0.75;

/** A sentence or a row as it stands there, and what of it counts. */
interface Told {
  readonly line: string;
  readonly text: string;
}

/** A limit with the clause that states it, its own words left out, and the sentence that one is of. */
interface Rule extends Told {
  readonly limit: Limit;
  readonly clause: string;
}

const clauseEnd = /[,;:](?!\d)/gu;

/** The clause of a text around one of its limits, without the words of that. */
function clauseAround(text: string, { from, to }: Limit): string {
  const ends = [...text.matchAll(clauseEnd)].map(({ index }) => index);
  const start = ends.filter((at) => at < from).at(-1) ?? 0;
  const end = ends.find((at) => at >= to) ?? text.length;
  return `${text.slice(start, from)} ${text.slice(to, end)}`;
}

/** The rows of a text with the cells of the columns that a question names; all cells where it names none. */
function rowsOf({ text }: Witness, { codes, names }: Question): readonly Told[] {
  let header: readonly string[] | undefined;
  const wanted = [...codes.map((code) => code.text), ...names].map((name) => name.toLowerCase());
  return text.split("\n").flatMap((line) => {
    if (!line.includes(" | ")) header = undefined;
    if (header === undefined) {
      header = line.includes(" | ") ? line.split(" | ") : undefined;
      return [];
    }
    const named = header.map((cell) => wanted.some((name) => cell.toLowerCase().trim() === name));
    const isFree = !named.includes(true);
    const cells = line.split(" | ").filter((_, at) => at === 0 || isFree || named[at] === true);
    return [{ line, text: cells.join(" | ") }];
  });
}

/** Terms of a question that say what its amount is of. */
const topicOf = (asked: Question, amount: Amount): Pick<Question, "alternatives"> => ({
  alternatives: asked.alternatives.filter(
    ([term = ""]) => !isNumber(term) && !isNegated(term) && !amount.roots.includes(term),
  ),
});

/** Whether a text states an amount itself, and not as the end of a limit. */
const states = (text: string, { measure, value }: Amount): boolean =>
  amountsIn(text).some((other) => other.measure === measure && other.value === value) &&
  !limitsIn(text).some(
    (limit) => limit.measure === measure && (limit.least === value || limit.most === value),
  );

/**
 * The limits on what an amount of the question counts, in the sentences that have most of its words; none where one
 * of these states the amount itself, or a condition or an exception.
 */
function rulesOn(asked: Question, amount: Amount, cited: readonly Witness[]): readonly Rule[] {
  const topic = topicOf(asked, amount);
  const told = cited
    .flatMap((witness) => [
      ...witness.sentences
        .filter((sentence) => !sentence.includes(" | "))
        .map((line) => ({ line, text: line })),
      ...rowsOf(witness, asked),
    ])
    .map(({ line, text }) => ({
      line,
      text: normalize(text),
      shared: sharedTerms(topic, new Set(words(text))),
    }));
  const most = Math.max(1, ...told.map(({ shared }) => shared));
  const nearest = told.filter(({ shared }) => shared === most);
  if (nearest.some(({ text }) => turning.test(text) || states(text, amount))) return [];
  return nearest.flatMap(({ line, text }) =>
    limitsIn(text)
      .filter(({ measure }) => measure === amount.measure)
      .map((limit) => ({ limit, clause: clauseAround(text, limit), line, text })),
  );
}

const isRefused = (text: string): boolean => refusal.test(text) || isNegated(text);
const asksRefused = ({ text }: Question): boolean => isRefused(withoutQuestionEnd(text).toLowerCase());

/**
 * Whether a rule lets the question be answered with yes; null where it does not say. It says so of what it refuses
 * or allows, of a bound, and of what the question asks in its own words.
 */
function allows({ limit, clause, text }: Rule, asked: Question, amount: Amount): boolean | null {
  const isIn = isWithin(amount, limit);
  const topic = topicOf(asked, amount);
  const isSame =
    sharedTerms(topic, new Set(words(text))) >= topic.alternatives.length * sameMatter &&
    (!permission.test(asked.text) || asksRefused(asked));
  const own = [clause, text].find((each) => isRefused(each) || permission.test(each)) ?? "";
  if (isSame) return isIn === (isRefused(own) === asksRefused(asked));
  if (refusal.test(own)) return isIn === asksRefused(asked);
  if (isNegated(own)) return null;
  return permission.test(own) || limit.isBound ? isIn === !asksRefused(asked) : null;
}

/** Whether an amount lies beyond what a limit names as its end. */
const crosses = (amount: Amount, limit: Limit): boolean => isWithin(amount, limit) !== limit.isBound;

/** What a statement answers a question for a yes or no with; null where it only adds to one. */
function answerOf(bare: string, asked: Question): boolean | null {
  const plain = bare.normalize("NFC");
  if (yes.test(plain)) return true;
  if (no.test(plain)) return false;
  const own = new Set(words(plain));
  const isSame = sharedTerms(asked, own) >= asked.alternatives.length * repeated;
  return isSame ? isRefused(plain.toLowerCase()) === asksRefused(asked) : null;
}

/** The one amount of a question for a yes or no; undefined where there is none, or another of its measure. */
function amountAsked(asked: Question): Amount | undefined {
  if (asked.kind !== "yes_no" || turning.test(withoutQuestionEnd(asked.text).toLowerCase())) return undefined;
  const amounts = amountsIn(normalize(asked.text)).filter(({ measure }) => measure !== "");
  const [amount, ...others] = amounts;
  return others.some(({ measure }) => measure === amount?.measure) ? undefined : amount;
}

/**
 * The sentence or row of a passage whose limit answers a question about an amount (`worth 50 EUR`) with yes or no;
 * undefined where none does, or two say otherwise.
 */
export function limitingLine(asked: Question, witness: Witness): string | undefined {
  const amount = amountAsked(asked);
  if (amount === undefined || witness.finding) return undefined;
  const rules = rulesOn(asked, amount, [witness]);
  const [first, ...others] = rules.map((rule) => allows(rule, asked, amount));
  const isClear = typeof first === "boolean" && others.every((other) => other === first);
  return isClear ? rules[0]?.line : undefined;
}

/**
 * Whether a statement says yes, or no, to what the question asks of an amount (`worth 50 EUR`), while what it cites
 * draws a limit there that says otherwise (`worth more than 40 EUR are declined`); or says it alone over a limit that
 * the amount crosses, of which the passage does not tell what follows.
 */
export function crossesLimit(bare: string, asked: Question, cited: readonly Witness[]): boolean {
  const amount = amountAsked(asked);
  const answer = answerOf(bare, asked);
  if (amount === undefined || answer === null || cited.some(({ finding }) => finding)) return false;
  const rules = rulesOn(asked, amount, cited);
  const isBare = contentTerms(bare.normalize("NFC").replace(yes, "").replace(no, "")).every((term) =>
    asked.known.has(term),
  );
  return (
    rules.length > 0 &&
    rules.every((rule) => {
      const isAllowed = allows(rule, asked, amount);
      return isAllowed === null ? isBare && crosses(amount, rule.limit) : isAllowed !== answer;
    })
  );
}

/**
 * Whether a statement allows what its passages refuse under the same limit: “you may accept it if it is worth more than
 * 40 EUR” over “gifts worth more than 40 EUR are declined”.
 */
export function allowsRefused(statement: string, cited: readonly Witness[]): boolean {
  const said = normalize(statement);
  if (isRefused(said) || !(permission.test(said) || yes.test(statement.normalize("NFC")))) return false;
  const rules = cited
    .flatMap(({ sentences }) => sentences)
    .filter((sentence) => !sentence.includes(" | "))
    .map(normalize);
  return limitsIn(said).some(({ measure, least, most }) => {
    const same = rules.filter((rule) =>
      limitsIn(rule).some(
        (limit) => limit.measure === measure && limit.least === least && limit.most === most,
      ),
    );
    return same.length > 0 && same.every((rule) => refusal.test(rule) && !permission.test(rule));
  });
}
