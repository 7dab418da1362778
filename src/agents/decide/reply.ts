import { type Social, socialForm } from "../../language/forms.ts";
import { hasVietnameseLetters } from "../../language/lexicons/vi.ts";
import { contentWords, fold, oneLine, wordsOf } from "../../language/words.ts";

/** What a reply may mention: names the principal may see, and only those. */
export interface ReplyFacts {
  readonly agents: readonly string[];
  readonly collections: readonly string[];
  /** Documents in those collections. */
  readonly documents: number;
}

/** Most names of one kind in a reply. */
const maxNames = 8;

/** Whether a text is Vietnamese, by its letters and commonest words. */
function isVietnamese(text: string): boolean {
  return (
    hasVietnameseLetters(text) || /(?:^|\s)(?:xin chào|chào|bạn|là gì|cái gì|cho tôi)(?:\s|$)/iu.test(text)
  );
}

/** Names as `a, b and c`, at most eight; the others are counted. */
function enumerate(names: readonly string[], vietnamese: boolean): string {
  const items = names.slice(0, maxNames);
  const rest = names.length - items.length;
  if (rest > 0) items.push(`${rest} ${vietnamese ? "mục khác" : "more"}`);
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${vietnamese ? "và" : "and"} ${items.at(-1)}`;
}

function holdings({ collections, documents }: ReplyFacts, vietnamese: boolean): string {
  if (vietnamese) {
    if (documents === 0) return "Hiện chưa có tài liệu nào để tìm.";
    return `Tôi có thể tìm trong ${documents} tài liệu thuộc ${collections.length === 1 ? "bộ sưu tập" : `${collections.length} bộ sưu tập:`} ${enumerate(collections, true)}.`;
  }
  if (documents === 0) return "There are no documents to search yet: `ragctl ingest FOLDER` adds some.";
  const where =
    collections.length === 0
      ? ""
      : ` in ${collections.length === 1 ? "the collection" : `${collections.length} collections:`} ${enumerate(collections, false)}`;
  return `I can search ${documents} ${documents === 1 ? "document" : "documents"}${where}.`;
}

/** The agents by name, after a space; empty where there are none. */
function agentsSentence({ agents }: ReplyFacts, vietnamese: boolean): string {
  if (agents.length === 0) return "";
  return ` ${vietnamese ? "Các trợ lý" : "Agents"}: ${enumerate(agents, vietnamese)}.`;
}

function about(facts: ReplyFacts, vietnamese: boolean): string {
  const agents = agentsSentence(facts, vietnamese);
  return vietnamese
    ? `Tôi là ragctl, một chương trình trả lời câu hỏi từ tài liệu của bạn và trích dẫn nguồn. ${holdings(facts, true)}${agents}`
    : `I am ragctl, a program that answers questions from your documents and cites the passages. ${holdings(facts, false)}${agents}`;
}

const phrases: Readonly<Record<Exclude<Social, "meta">, readonly [english: string, vietnamese: string]>> = {
  greeting: [
    "Hello! What would you like to know from the documents?",
    "Xin chào! Bạn muốn biết điều gì trong tài liệu?",
  ],
  wellbeing: [
    "All systems work, thank you. What would you like to know from the documents?",
    "Mọi thứ đều ổn, cảm ơn bạn. Bạn muốn biết điều gì trong tài liệu?",
  ],
  thanks: ["You are welcome.", "Không có gì ạ."],
  farewell: ["Goodbye.", "Tạm biệt."],
  praise: ["Good. Ask on whenever you like.", "Vâng. Bạn cứ hỏi tiếp nhé."],
};

const asksHoldings =
  /\b(?:documents?|files?|collections?|sources?|agents?|texts|topics|data|fichiers|dokumente|dateien|sammlungen)\b|tài liệu|bộ sưu tập|tệp/iu;

/**
 * Replies to a greeting or a question about the assistant, in English or Vietnamese: by rule, so that it
 * takes no time and invents nothing.
 */
export function directReply(question: string, facts: ReplyFacts): string {
  const vietnamese = isVietnamese(question);
  const forms = socialForm(question);
  const kind =
    (["meta", "farewell", "thanks", "wellbeing", "greeting", "praise"] as const).find((form) =>
      forms.includes(form),
    ) ?? "meta";
  if (kind !== "meta") return phrases[kind][vietnamese ? 1 : 0];
  if (!asksHoldings.test(question)) return about(facts, vietnamese);
  const agents = /\bagents?\b|trợ lý/iu.test(question) ? agentsSentence(facts, vietnamese) : "";
  return `${holdings(facts, vietnamese)}${agents}`;
}

/**
 * Share of the words that a name has; a word of at least four letters that shares its beginning with one of
 * the name's counts half.
 */
function likeness(name: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const nameWords = wordsOf(name).map(fold);
  let sum = 0;
  for (const word of words) {
    if (nameWords.includes(word)) sum += 1;
    else if (word.length >= 4 && nameWords.some((other) => other.startsWith(word) || word.startsWith(other)))
      sum += 0.5;
  }
  return sum / words.length;
}

/** Titles fit to be quoted: each once, on one line of at most 80 characters. */
const quotable = (titles: readonly string[]): readonly string[] =>
  [...new Set(titles.map((title) => oneLine(title).slice(0, 80)))].filter((title) => /\p{L}/u.test(title));

/**
 * One question back, made of the titles nearest to the question, or of the first ones. `titles` are those the
 * principal may see.
 */
export function clarifyingQuestion(question: string, titles: readonly string[]): string {
  const vietnamese = isVietnamese(question);
  const words = contentWords(question).map(fold);
  const candidates = quotable(titles);
  const nearest = candidates
    .map((title) => ({ title, score: likeness(title, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ title }) => `“${title}”`);
  if (nearest.length > 0) return whichOf(nearest, vietnamese);
  const examples = candidates.slice(0, 3).map((title) => `“${title}”`);
  if (examples.length === 0)
    return vietnamese
      ? "Bạn muốn hỏi về chủ đề nào?"
      : "Which subject do you mean? Name a product, a person, a place or a date.";
  return vietnamese
    ? `Bạn muốn hỏi về chủ đề nào, ví dụ ${examples.join(", ")}?`
    : `Which subject do you mean? The documents are for example about ${enumerate(examples, false)}.`;
}

function whichOf(titles: readonly string[], vietnamese: boolean): string {
  if (titles.length === 1)
    return vietnamese
      ? `Bạn muốn biết gì cụ thể trong ${titles[0]}?`
      : `What exactly would you like to know about ${titles[0]}?`;
  return vietnamese
    ? `Bạn muốn nói đến ${titles.join(" hay ")}?`
    : `Do you mean ${titles.slice(0, -1).join(", ")} or ${titles.at(-1)}?`;
}
