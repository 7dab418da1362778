import { allWords, alternatives, languages } from "./languages.ts";
import type { SocialPhrase } from "./schema/language.ts";
import { contentWords, isFunctionWord, isVague, oneLine, splitWords } from "./words.ts";

/** Something said that is no question about documents. */
export type Social = SocialPhrase | "meta";

/** Longest text considered, in characters: nothing longer is a greeting. */
const longestForm = 160;

/** Greetings, thanks and the like in languages without a lexicon: Spanish, Italian, Portuguese. */
const elsewhere: Readonly<Record<SocialPhrase, string>> = {
  greeting: "hola|buenos días|buenas tardes|ciao|buongiorno|olá",
  wellbeing: "qué tal",
  thanks: "gracias|grazie|obrigado",
  farewell: "adiós|hasta luego|arrivederci",
  praise: "vale",
};

const fillers = allWords((language) => language.fillers);

const meta = [
  // Who it is.
  /^(?:so )?(?:who|what|which)(?: kind of| sort of| type of)? ?(?:assistant|bot|program|software|model|tool|ai|llm)? ?(?:exactly )?(?:are|r) (?:you|u)(?: exactly| called| anyway| again| then| based on| running on| made of)?$/,
  /^(?:who|what) am i (?:talking|speaking|chatting) (?:to|with)$/,
  /^(?:what(?:'s| is) your (?:name|purpose|job|role|function|task|age)|do you have a name|how old are you|where are you from|where do you (?:live|come from))$/,
  /^(?:are|r) (?:you|u) (?:(?:a|an|really|just|actually|some|kind of|sort of) )*(?:ai|bot|robot|human|person|machine|computer|program|chatbot|chatgpt|gpt|llm|real|alive|artificial intelligence|language model)(?: being)?(?: or .{1,40})?$/,
  /^(?:who|what company) (?:made|built|created|wrote|developed|trained|programmed) you$/,
  /^(?:please )?(?:introduce|describe) yourself$|^tell me (?:something )?about (?:yourself|you)$/,
  // What it can do.
  /^(?:please )?(?:(?:can|could) you )?(?:tell me |show me |explain )?(?:what|which) (?:all )?(?:else )?(?:(?:kinds? of |sorts? of )?(?:things|tasks|questions|stuff) )?(?:can|could|do|are|may|should) (?:you|i) (?:able to |possibly )?(?:do|help(?: me)?(?: with)?|offer|ask|answer|ask you|search|search here|ask here|ask about|do with you|do here|capable of|put to you)(?: for me| here)?$/,
  /^(?:please )?(?:tell|show) me what you (?:can do|are able to do|do|are capable of|know)(?: for me)?$/,
  /^(?:how|what) (?:can|could|do|does|may) (?:you|i|this) (?:help|assist|work|use you|use this|talk to you|use it|help me|assist me|help us)(?: out)?(?: today| here)?$/,
  /^(?:help|\/?help|instructions|usage|commands|menu|what are your (?:capabilities|abilities|features|skills|functions|limits|limitations))$/,
  /^(?:do|can) you (?:speak|understand|know|write|answer in) (?:\p{L}+|other languages|more than one language)$/u,
  /^(?:what|which) languages (?:do|can) you (?:speak|understand|know|answer in)$/,
  // What it can search.
  /^(?:what|which)(?: kinds? of| sorts? of)? (?:documents?|files?|collections?|sources?|data|texts|books|material|agents?|topics|subjects|information|knowledge) (?:do|can|are|have) (?:you|there|i|we|available)(?: (?:have|know|search|read|see|hold|cover|use|access|ask|got|available|about|access to|have access to|know about|in here|here|to|ask about|ask you|loaded|indexed))*$/,
  /^(?:please )?(?:list|show|show me|give me|name)(?: all)?(?: the| your| my| of the| of your)? (?:documents?|files?|collections?|sources?|agents?)(?: (?:you|i) (?:have|know|can (?:search|read|access)|have access to))?$/,
  /^(?:show|tell) me (?:what|which) (?:documents|files|collections|sources) (?:you|i|there) (?:have|are|know|can (?:search|read|access)|have access to)$/,
  /^how many (?:documents|files|collections|agents|sources) (?:are there|do you have|do you know|can you search|are (?:available|indexed|loaded|here))(?: in total| here)?$|^(?:what|which) (?:agents|collections|documents) (?:are (?:there|available|here)|exist)$/,
  /^where (?:do|does) your (?:answers?|knowledge|information|data) come from$|^(?:do|can) you (?:remember|store|keep|make|have|feel|think|learn|lie|get|love|dream) (?:mistakes|feelings|emotions|me|hobbies|pets|tired|errors|what i (?:said|wrote|write|say)(?: yesterday| before| earlier)?|my (?:questions|messages|data)|a (?:soul|body|memory))$/,
  /^(?:please )?tell me (?:a joke|something funny|another joke|a story)$|^make me laugh$/,
  // Vietnamese, French, German.
  /^(?:bạn|mày|cậu|em) (?:là (?:ai|gì|robot|người|máy|bot)|tên (?:là )?gì|(?:có thể )?(?:làm|giúp)(?: được| tôi){0,2}(?: những)?(?: gì| việc gì| được gì)|(?:có|biết|đọc được)(?: những)? (?:tài liệu|bộ sưu tập|tệp) (?:nào|gì)|bao nhiêu tuổi)(?: (?:vậy|thế|không|hay máy|cho tôi|à)){0,3}$/,
  /^(?:tên (?:của )?bạn là gì|ai (?:đã )?tạo ra bạn|trợ giúp|giúp đỡ|giới thiệu (?:về )?bản thân|có (?:những|bao nhiêu) (?:tài liệu|bộ sưu tập)(?: nào)?)$/,
  /^(?:qui (?:es-tu|êtes-vous|es tu|êtes vous)|tu es qui|vous êtes qui|(?:que|qu'est-ce que|qu est-ce que) (?:peux-tu|pouvez-vous|tu peux|vous pouvez|sais-tu|savez-vous) faire(?: pour moi)?|(?:comment (?:peux-tu|pouvez-vous) m'aider)|quel est (?:ton|votre) nom|(?:quels|quelles) (?:documents|collections|fichiers) (?:as-tu|avez-vous|connais-tu))$/,
  /^(?:wer (?:bist du|sind sie)|wie (?:heißt du|heißen sie|ist dein name)|was (?:kannst du|können sie)(?: alles)?(?: für mich)?(?: tun| machen)?|(?:bist du|sind sie) (?:ein|eine) (?:mensch|maschine|roboter|bot|ki)|(?:welche|was für) (?:dokumente|dateien|sammlungen) (?:hast du|haben sie|kennst du|gibt es)|wie (?:kannst du|können sie) mir helfen)$/,
];

const phraseTable: ReadonlyMap<string, SocialPhrase> = new Map(
  // The keys of the literal above are exactly these kinds.
  (Object.keys(elsewhere) as SocialPhrase[]).flatMap((kind) =>
    [...languages.map(({ phrases }) => phrases?.[kind]), elsewhere[kind]]
      .flatMap((list) => list?.split(/[|\n]/) ?? [])
      .map((phrase) => [splitWords(phrase.replaceAll("’", "'")).join(" ").toLowerCase(), kind] as const),
  ),
);
const longestPhrase = Math.max(...[...phraseTable.keys()].map((phrase) => phrase.split(" ").length));
const contractions: readonly (readonly [RegExp, string])[] = [
  [/\b(?:pls|plz)\b/g, "please"],
  [/\bwho's\b/g, "who is"],
  [/\bur\b/g, "your"],
];

function plain(text: string): string {
  const lower = oneLine(text).toLowerCase().replaceAll("’", "'");
  return contractions.reduce(
    (current, [pattern, full]) => current.replace(pattern, full),
    splitWords(lower).join(" "),
  );
}

/**
 * The kinds of social phrases that make up the entire text, in order; empty if it says anything else.
 * Drawn-out letters count once (`heyyy`); a question about the assistant may follow a greeting.
 */
export function socialPhraseKinds(text: string): readonly Social[] {
  if (text.length > longestForm) return [];
  const tokens = plain(text)
    .replace(/(\p{L})\1{2,}/gu, "$1")
    .split(" ")
    .filter((token) => token !== "");
  const found: Social[] = [];
  for (let at = 0; at < tokens.length; ) {
    const rest = tokens.slice(at);
    if (meta.some((pattern) => pattern.test(rest.join(" ")))) return [...found, "meta"];
    const length = Array.from(
      { length: Math.min(longestPhrase, rest.length) },
      (_, i) => Math.min(longestPhrase, rest.length) - i,
    ).find((count) => phraseTable.has(rest.slice(0, count).join(" ")));
    const kind = length === undefined ? undefined : phraseTable.get(rest.slice(0, length).join(" "));
    if (length !== undefined && kind !== undefined) {
      found.push(kind);
      at += length;
    } else if (fillers.has(rest[0] ?? "")) at += 1;
    else return [];
  }
  return found;
}

/** Longest greeting or thanks that opens a question, in characters. */
const longestOpening = 40;

/** A question without an opening greeting or thanks: `Hi, when is payday?` → `when is payday?`. */
export function stripGreeting(text: string): string {
  const [match = "", opening = ""] = /^\s*([\p{L}'’][\p{L}'’\s]*)[,.!:–-]+\s+(?=\S)/u.exec(text) ?? [];
  if (opening.trimEnd().length > longestOpening || socialPhraseKinds(opening).length === 0) return text;
  return text.slice(match.length).replace(/^(?:and|und|et|và)\s+/i, "");
}

const numberWords = new RegExp(
  `(?<![\\p{L}])(?:${alternatives((language) => language.asksNumber)})(?![\\p{L}])`,
  "iu",
);
/** Whether a question explicitly asks for a number. */
export const asksForExplicitNumber = (question: string): boolean =>
  numberWords.test(question.normalize("NFC"));

const pointers = new Set([
  ...allWords(({ pronouns }) => pronouns?.subjects),
  ...allWords(({ pronouns }) => pronouns?.pointers),
]);

/** Longest text that may lack a subject, in words: more words narrow it down even if each is general. */
const longestVague = 8;

/**
 * A question without a subject, followed by the names of the documents that the request is restricted to,
 * which are its subject. Null if it has a subject, or no document is given.
 */
export function withDocumentNames(question: string, names: readonly string[]): string | null {
  if (names.length === 0 || vaguenessReason(question) === null) return null;
  return `${question.replace(/[?.!]{1,3}$/, "")} (${names.slice(0, 3).join(", ")})`;
}

/**
 * Why a text is too vague to search for: no word names a subject. Null if one does. A single content word
 * with a bare `it` or `that` is still too vague (`How does it start?`).
 */
export function vaguenessReason(text: string): string | null {
  const clipped = oneLine(text.slice(0, 2000));
  if (!/[\p{L}\p{N}]/u.test(clipped)) return "there is no word in it";
  const words = splitWords(clipped);
  const subjects = contentWords(clipped).filter((word) => !isVague(word));
  if (words.length > longestVague) return null;
  const bare = words.find(
    (word, index) =>
      pointers.has(word.toLowerCase()) &&
      (words[index + 1] === undefined || isFunctionWord(words[index + 1] ?? "")),
  );
  if (subjects.length === 0) {
    // `in this report` refers to an ingested document.
    return bare === undefined && words.length > 4 && contentWords(clipped).length > 2
      ? null
      : "no word names a subject";
  }
  const impersonal = /\b(?:it|this|that|es) \p{L}+ (?:to|that|zu)\b/iu.test(clipped);
  const named = /\p{Lu}|\p{N}/u.test(subjects[0] ?? "");
  return subjects.length === 1 && bare !== undefined && !impersonal && !named
    ? `"${bare}" points at nothing that was said`
    : null;
}
