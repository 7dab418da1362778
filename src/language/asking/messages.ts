import { asksAnywhere, startsAsQuestion, startsUnambiguouslyAsQuestion } from "../clauses.ts";
import { socialPhraseKinds, stripGreeting } from "../forms.ts";
import { alternatives, detectLanguage, languages, parseWords } from "../languages.ts";
import { oneLine, splitWords } from "../words.ts";
import { kindFromOpening } from "./kinds/kinds.ts";

/** The form of a message in a chat room: a request to the assistant, or a remark. */
export type MessageForm = "request" | "remark";

/** Characters of a message considered: the rest of a longer one is material. */
const longestMessage = 2000;

const wordEnd = "(?![\\p{L}\\p{N}])";
const requests = new RegExp(`^(?:${alternatives((language) => language.requests)})${wordEnd}`, "iu");
const statements = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${alternatives((language) => language.statements)})${wordEnd}`,
  "iu",
);

/** Addresses the assistant by name or kind: `assistant, …`. */
const named =
  /(?<![\p{L}\p{N}])ragctl(?![\p{L}\p{N}])|^(?:\p{L}+ ){0,2}(?:assistant|bot|chatbot|assistent|trợ lý)[,:]/iu;

/** Addresses somebody else: `@bob`. */
const toOther = /^@(?!ragctl(?![\p{L}\p{N}]))[\p{L}\p{N}]/iu;

/**
 * Opens a clause, an exclamation or a remark rather than a question: `When I came in, …`, `What a day`,
 * `Can't come`.
 */
const opensClause =
  /^(?:(?:what|where|when|how|why|was|wo|wie|warum) (?:i|we|you|he|she|it|they|the|my|our|your|an?|ich|wir|ihr|du|sie|er|es|der|die|das|ein|eine)|was für|(?:when|where) (?!(?:is|are|was|were|do|does|did|can|could|should|must|may|will|would|has|have|had)(?!\p{L}))\p{L}+|\p{L}+['’]t)(?!\p{L})/iu;

const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?？…])\s+|\n+/u)
    .map(oneLine)
    .filter((sentence) => sentence !== "");

/** Whether a sentence is certainly a question or request. */
function asks(sentence: string): boolean {
  if (/[?？]["'”’)\s]*$/u.test(sentence) || asksAnywhere(sentence)) return true;
  const bare = stripGreeting(sentence);
  if (requests.test(bare)) return true;
  if (splitWords(bare).length < 3 || opensClause.test(bare) || /!$/.test(bare)) return false;
  // An auxiliary may also open a remark: `Will do.`
  return startsUnambiguouslyAsQuestion(bare) || ![null, "yes_no"].includes(kindFromOpening(bare));
}

/** Whether a sentence may be an indirect question, or a request by a verb that may be a noun. */
function mayAsk(sentence: string): boolean {
  const words = new Set(splitWords(sentence).map((word) => word.toLowerCase()));
  const told = detectLanguage(sentence);
  const spoken = languages.filter(({ code, falseFriends }) => falseFriends !== true || code === told);
  const interrogatives = spoken.flatMap((language) => parseWords(language.interrogatives));
  const bare = stripGreeting(sentence);
  return (
    startsAsQuestion(bare) ||
    kindFromOpening(bare) !== null ||
    ["please", "bitte", "if", "whether", ...interrogatives].some((word) => words.has(word))
  );
}

/** States that information is missing, which may be a request to the assistant. */
const lacks =
  /(?<!\p{L})(?:can(?:no|['’])t (?:find|see|open|log)|(?:a|one) question|(?:don['’]t|do not|didn['’]t) (?:know|understand|see|find)|forgot|frage|finde|weiß nicht|verstehe)(?!\p{L})/iu;

/** Whether a sentence is a complete statement: it has a finite verb, or is a greeting or the like. */
const tells = (sentence: string): boolean =>
  (statements.test(sentence) && !lacks.test(sentence)) || socialPhraseKinds(sentence).length > 0;

/** Whether a message begins like a question or a request, which is not conclusive. */
export const looksLikeQuestion = (text: string): boolean => {
  const bare = stripGreeting(oneLine(text.slice(0, longestMessage)));
  return startsAsQuestion(bare) || requests.test(bare);
};

/**
 * The form of a message in a chat room:
 * 1. a request if it calls the assistant by name, or one of its sentences is a question or request;
 * 2. a remark if it is a greeting, thanks or the like, or consists of statements of which none may be a
 *    request;
 * 3. null if the form is inconclusive, e.g. a phrase without a verb.
 */
export function classifyMessage(text: string): MessageForm | null {
  const sentences = sentencesOf(text.slice(0, longestMessage).normalize("NFC"));
  const line = oneLine(text);
  if (toOther.test(line)) return null;
  if (named.test(line) || sentences.some(asks)) return "request";
  if (socialPhraseKinds(text).length > 0) return "remark";
  return sentences.every(tells) && !sentences.some(mayAsk) ? "remark" : null;
}
