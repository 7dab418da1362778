import { asksVietnamese, opensQuestion, opensSurely } from "../clauses.ts";
import { socialForm, withoutOpening } from "../forms.ts";
import { alternatives, isGerman, languages, listed } from "../languages.ts";
import { oneLine, wordsOf } from "../words.ts";
import { kindBegun } from "./kinds/kinds.ts";

/** What a message among people is by its form: it asks the assistant something, or only tells. */
export type MessageForm = "request" | "remark";

/** Longest message whose form is looked at, in characters: a longer one is material. */
const longestMessage = 2000;

const wordEnd = "(?![\\p{L}\\p{N}])";
const requests = new RegExp(`^(?:${alternatives((language) => language.requests)})${wordEnd}`, "iu");
const statements = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${alternatives((language) => language.statements)})${wordEnd}`,
  "iu",
);

/** Called by its name, or spoken to by what it is: `assistant, …`. */
const named =
  /(?<![\p{L}\p{N}])ragctl(?![\p{L}\p{N}])|^(?:\p{L}+ ){0,2}(?:assistant|bot|chatbot|assistent|trợ lý)[,:]/iu;

/** Spoken to somebody else, as chats have it: `@bob`. */
const toOther = /^@(?!ragctl(?![\p{L}\p{N}]))[\p{L}\p{N}]/iu;

/** Opens a clause, an exclamation or a remark all the same: `When I came in, …`, `What a day`, `Can't come`. */
const opensClause =
  /^(?:(?:what|where|when|how|why|was|wo|wie|warum) (?:i|we|you|he|she|it|they|the|my|our|your|an?|ich|wir|ihr|du|sie|er|es|der|die|das|ein|eine)|was für|(?:when|where) (?!(?:is|are|was|were|do|does|did|can|could|should|must|may|will|would|has|have|had)(?!\p{L}))\p{L}+|\p{L}+['’]t)(?!\p{L})/iu;

const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?？…])\s+|\n+/u)
    .map(oneLine)
    .filter((sentence) => sentence !== "");

/** Whether a sentence surely asks or requests. */
function asks(sentence: string): boolean {
  if (/[?？]["'”’)\s]*$/u.test(sentence) || asksVietnamese.test(sentence)) return true;
  const bare = withoutOpening(sentence);
  if (requests.test(bare)) return true;
  if (wordsOf(bare).length < 3 || opensClause.test(bare) || /!$/.test(bare)) return false;
  // An auxiliary may open a remark too: `Will do.`
  return opensSurely(bare) || ![null, "yes_no"].includes(kindBegun(bare));
}

/** Whether a sentence may ask something in another form: indirectly, or by a verb that may be a noun. */
function mayAsk(sentence: string): boolean {
  const words = new Set(wordsOf(sentence).map((word) => word.toLowerCase()));
  const spoken = languages.filter(({ code }) => code !== "de" || isGerman(sentence));
  const interrogatives = spoken.flatMap((language) => listed(language.interrogatives));
  const bare = withoutOpening(sentence);
  return (
    opensQuestion(bare) ||
    kindBegun(bare) !== null ||
    ["please", "bitte", "if", "whether", ...interrogatives].some((word) => words.has(word))
  );
}

/** Says what somebody lacks to go on, which may be meant for the assistant. */
const lacks =
  /(?<!\p{L})(?:can(?:no|['’])t (?:find|see|open|log)|(?:a|one) question|(?:don['’]t|do not|didn['’]t) (?:know|understand|see|find)|forgot|frage|finde|weiß nicht|verstehe)(?!\p{L})/iu;

/** Whether a sentence is a whole statement: it has a verb of one, or is a greeting or the like. */
const tells = (sentence: string): boolean =>
  (statements.test(sentence) && !lacks.test(sentence)) || socialForm(sentence).length > 0;

/** Whether a message begins like a question or a request; that may mislead. */
export const beginsLikeQuestion = (text: string): boolean => {
  const bare = withoutOpening(oneLine(text.slice(0, longestMessage)));
  return opensQuestion(bare) || requests.test(bare);
};

/**
 * What a message among people is:
 * 1. a request where it calls the assistant by its name, or one of its sentences asks or requests;
 * 2. a remark where it is a greeting, thanks or the like, or consists of statements none of which may ask;
 * 3. null where its form does not tell, e.g. a phrase without a verb.
 */
export function messageForm(text: string): MessageForm | null {
  const sentences = sentencesOf(text.slice(0, longestMessage).normalize("NFC"));
  const line = oneLine(text);
  if (toOther.test(line)) return null;
  if (named.test(line) || sentences.some(asks)) return "request";
  if (socialForm(text).length > 0) return "remark";
  return sentences.every(tells) && !sentences.some(mayAsk) ? "remark" : null;
}
