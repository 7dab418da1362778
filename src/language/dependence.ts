import { trimEndOf } from "../core/text.ts";
import { allWords, alternatives } from "./languages.ts";
import { contentWords, isFunctionWord, isVague, oneLine, splitWords } from "./words.ts";

/** How a question depends on earlier turns. `ellipsis`: it names only what differs (`and for Japan?`). */
export interface Dependence {
  readonly kind: "ellipsis" | "pointer" | "short";
  readonly reason: string;
  /** For an ellipsis, what differs: `for Japan`. */
  readonly rest: string;
}

const openings =
  /^(?:(?:and|but|so|ok|okay|then|now)[,\s]+)*(?:what|how) about\s+|^(?:the )?same (?:question )?(?:for|with|about)\s+|^(?:and|or|but|then)\s+(?=(?:for|in|on|at|of|with|from|to|by|under|during|after|before|the|a|an|my|our|if|\p{Lu}|\p{N}))|^(?:thế |vậy )?còn\s+|^(?:und|aber|oder)\s+(?=(?:für|in|bei|mit|von|der|die|das|am|im|\p{Lu}|\p{N}))|^(?:und )?was ist mit\s+|^(?:et|mais)\s+(?=(?:pour|en|à|au|aux|avec|le|la|les|dans|de|\p{Lu}|\p{N}))|^qu'en est-il d[eu]\s+/u;
const closings = / (?:thì sao|thế nào|then|too|as well|instead|aussi|auch) ?$/iu;

const subjects = new Set([
  ...allWords(({ pronouns }) => pronouns?.subjects),
  ...allWords(({ pronouns }) => pronouns?.persons),
]);
const owners = allWords(({ pronouns }) => pronouns?.owners);
const phrases =
  /(?<!\p{L})(?:the (?:same|former|latter|other|others|second one|first one|last one|rest|above)|(?:this|that|these|those) (?:one|ones|case|way)|another one|mentioned above|as above|you (?:just )?(?:said|mentioned|told)|ông ấy|bà ấy|anh ấy|cô ấy|cái này|cái đó|điều này|điều đó|việc này|việc đó|ở đó|khi đó|lúc đó|chúng nó|loại đó|ça|cela|celui-ci|celle-ci|davon|dafür|damit|darin|dessen|deren)(?!\p{L})/iu;
const comparatives =
  /\b(?:cheaper|better|worse|larger|bigger|smaller|faster|slower|older|newer|higher|lower|longer|shorter|heavier|lighter|stronger|earlier|later|safer|easier|more expensive|else|instead)\b/i;
const times =
  /^(?:year|month|week|day|quarter|morning|afternoon|evening|season|summer|winter|spring|autumn|century|decade|time)s?$/i;
const beforeThat = new Set(
  "of about for in on with from to at by is was are does did do like than after before and why how what if".split(
    " ",
  ),
);

/** A word of a clause, with the context that decides whether it has an antecedent. */
interface Place {
  readonly text: string;
  readonly words: readonly string[];
  readonly index: number;
  /** The word, lower case. */
  readonly lower: string;
  readonly next: string | undefined;
  /** Whether an earlier clause names something. */
  readonly isNamed: boolean;
}

const impersonal =
  /(?<!\p{L})it\s+(?:\p{L}+\s+){1,3}?(?:to|for)(?!\p{L})|\bes\s+(?:\p{L}+\s+){1,3}?zu\b|\b(?:is|was|it's)\s+it\s+(?:\p{L}+ed(?=\s+\p{L})|true|possible|safe|legal|ok|okay|mandatory|necessary|required)\b/iu;
const impersonalVerb = /\bit\s+(?:takes?|rains?)\b|\btime is it\b/i;

const comesBeforeTime = ({ next }: Place): boolean => next !== undefined && times.test(next);

/** Number of earlier words in the clause that name something. */
const namingBefore = ({ words, index }: Place): number =>
  words.slice(0, index).filter((word) => !isFunctionWord(word)).length;

/** `it`, `they`, `these`, except impersonal uses (`is it safe to …`) and times (`these days`). */
function isDanglingSubject(place: Place): boolean {
  const { text, lower, isNamed } = place;
  if (isNamed || !subjects.has(lower)) return false;
  if ((lower === "these" || lower === "those") && comesBeforeTime(place)) return false;
  return !/^(?:it|es)$/.test(lower) || !(impersonal.test(text) || impersonalVerb.test(text));
}

const isDanglingOwner = (place: Place): boolean =>
  !place.isNamed && owners.has(place.lower) && namingBefore(place) === 0;

const isDanglingThis = (place: Place): boolean =>
  place.lower === "this" && !comesBeforeTime(place) && (!place.isNamed || place.next === undefined);

/** `there` as a place, not as in `there is`. */
const isDanglingThere = (place: Place): boolean =>
  place.lower === "there" &&
  place.next === undefined &&
  !place.isNamed &&
  !/^(?:is|are|was|were)$/i.test(place.words[place.index - 1] ?? "") &&
  namingBefore(place) <= 2;

const isDangling = (place: Place): boolean =>
  isDanglingSubject(place) || isDanglingOwner(place) || isDanglingThis(place) || isDanglingThere(place);

/** A `that` without a noun after it; null if there is none. */
function danglingThat(text: string): string | null {
  const words = splitWords(text);
  const that = words.find(
    (word, index) =>
      /^that$/i.test(word) &&
      (words[index + 1] === undefined ||
        index === 0 ||
        beforeThat.has((words[index - 1] ?? "").toLowerCase())),
  );
  return that ?? null;
}

/** The first pronoun without an antecedent in the text; null if there is none. */
function danglingPointer(text: string): string | null {
  const clauses = text.split(
    /[,;:]|(?<!\p{L})(?:and|but|if|when|while|because|before|until|unless|although|that|which|who|và|nếu|khi|und|wenn|et|si)(?!\p{L})/iu,
  );
  let isNamed = false;
  for (const clause of clauses) {
    const words = splitWords(clause);
    const dangling = words.find((word, index) =>
      isDangling({ text, words, index, lower: word.toLowerCase(), next: words[index + 1], isNamed }),
    );
    if (dangling !== undefined) return dangling;
    isNamed ||= contentWords(clause).some((word) => !isVague(word));
  }
  return danglingThat(text);
}

const phraseStart = new RegExp(`^(?:${alternatives(({ prepositions }) => prepositions)})\\s`, "iu");

/** Why a question cannot be understood without earlier turns; null if it is self-contained. */
export function detectDependence(question: string): Dependence | null {
  const text = oneLine(question.slice(0, 2000));
  const bare = trimEndOf(text, /[?.!\s]/);
  const own = contentWords(bare).filter((word) => !isVague(word));
  // Lower-cased only at the start: other names keep their capitals, which some openings require.
  const lowered = bare.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());
  const rest = lowered.replace(openings, "");
  if (
    rest.length < bare.length &&
    own.length <= 5 &&
    !/\b(?:is|are|was|were|does|do|did|can|must|has|have)\b.*\p{L}/iu.test(rest)
  ) {
    return {
      kind: "ellipsis",
      reason: "it names only what is different",
      rest: rest.replace(closings, "").trim(),
    };
  }
  const phrase = phrases.exec(bare)?.[0] ?? danglingPointer(bare);
  if (phrase !== null)
    return { kind: "pointer", reason: `"${phrase}" stands for something said before`, rest: "" };
  const compared = comparatives.exec(bare)?.[0];
  if (compared !== undefined && own.length <= 3 && !/\bthan\b|\bor\b/i.test(bare))
    return { kind: "pointer", reason: `"${compared}" compares with something said before`, rest: "" };
  if (own.length === 0) return { kind: "short", reason: "it names no subject", rest: "" };
  if (own.length <= 1 && splitWords(bare).length <= 4) {
    const starts = phraseStart.test(bare) || /^\p{N}+$/u.test(bare);
    return starts
      ? { kind: "ellipsis", reason: "it names only what is different", rest: lowered }
      : { kind: "short", reason: "it is very short", rest: "" };
  }
  return null;
}
