import { type Social, socialForm } from "../../language/forms.ts";
import { hasVietnameseLetters } from "../../language/vi.ts";
import { contentWords, fold, oneLine, wordsOf } from "../../language/words.ts";

/** What is there to tell of: names the principal may see, and only those. */
export interface ReplyFacts {
  readonly agents: readonly string[];
  readonly collections: readonly string[];
  /** Documents in those collections. */
  readonly documents: number;
}

/** Most names of one kind in a reply. */
const mostNames = 8;

/** Whether a text is Vietnamese, by its letters and commonest words. */
export function isVietnamese(text: string): boolean {
  return (
    hasVietnameseLetters(text) || /(?:^|\s)(?:xin chào|chào|bạn|là gì|cái gì|cho tôi)(?:\s|$)/iu.test(text)
  );
}

/** Names as `a, b and c`, at most eight. */
export function listed(names: readonly string[], and: string): string {
  const shown = names.slice(0, mostNames);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${more} ${and === "and" ? "more" : "mục khác"}`] : shown;
  return all.length < 2 ? (all[0] ?? "") : `${all.slice(0, -1).join(", ")} ${and} ${all.at(-1)}`;
}

function holdings({ collections, documents }: ReplyFacts, vietnamese: boolean): string {
  if (vietnamese) {
    if (documents === 0) return "Hiện chưa có tài liệu nào để tìm.";
    return `Tôi có thể tìm trong ${documents} tài liệu thuộc ${collections.length === 1 ? "bộ sưu tập" : `${collections.length} bộ sưu tập:`} ${listed(collections, "và")}.`;
  }
  if (documents === 0) return "There are no documents to search yet: `ragctl ingest FOLDER` adds some.";
  const where =
    collections.length === 0
      ? ""
      : ` in ${collections.length === 1 ? "the collection" : `${collections.length} collections:`} ${listed(collections, "and")}`;
  return `I can search ${documents} ${documents === 1 ? "document" : "documents"}${where}.`;
}

function about(facts: ReplyFacts, vietnamese: boolean): string {
  const agents =
    facts.agents.length === 0
      ? ""
      : vietnamese
        ? ` Các trợ lý: ${listed(facts.agents, "và")}.`
        : ` Agents: ${listed(facts.agents, "and")}.`;
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

/** The reply to a greeting or a question about the assistant, in English or Vietnamese: by rule, so that it takes no time and invents nothing. */
export function directReply(question: string, facts: ReplyFacts): string {
  const vietnamese = isVietnamese(question);
  const forms = socialForm(question);
  const kind =
    (["meta", "farewell", "thanks", "wellbeing", "greeting", "praise"] as const).find((form) =>
      forms.includes(form),
    ) ?? "meta";
  if (kind !== "meta") return phrases[kind][vietnamese ? 1 : 0];
  if (!asksHoldings.test(question)) return about(facts, vietnamese);
  const agents =
    /\bagents?\b|trợ lý/iu.test(question) && facts.agents.length > 0
      ? ` ${vietnamese ? "Các trợ lý" : "Agents"}: ${listed(facts.agents, vietnamese ? "và" : "and")}.`
      : "";
  return `${holdings(facts, vietnamese)}${agents}`;
}

/** Share of the wanted words that a name has, word starts counting half. */
function likeness(name: string, wanted: readonly string[]): number {
  const own = wordsOf(name).map(fold);
  const hits = wanted.map((word) =>
    own.includes(word)
      ? 1
      : own.some((other) => word.length >= 4 && (other.startsWith(word) || word.startsWith(other)))
        ? 0.5
        : 0,
  );
  return wanted.length === 0 ? 0 : hits.reduce<number>((sum, hit) => sum + hit, 0) / wanted.length;
}

/** One question back, made of the titles nearest to what was said, else of the first ones; `titles` are those the principal may see. */
export function clarifyingQuestion(question: string, titles: readonly string[]): string {
  const vietnamese = isVietnamese(question);
  const wanted = contentWords(question).map(fold);
  const tidy = (names: readonly string[]): string[] =>
    [...new Set(names.map((name) => oneLine(name).slice(0, 80)))].filter((name) => /\p{L}/u.test(name));
  const near = tidy(titles)
    .map((name) => ({ name, score: likeness(name, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => `“${name}”`);
  if (near.length > 0) {
    if (near.length === 1)
      return vietnamese
        ? `Bạn muốn biết gì cụ thể trong ${near[0]}?`
        : `What exactly would you like to know about ${near[0]}?`;
    return vietnamese
      ? `Bạn muốn nói đến ${near.join(" hay ")}?`
      : `Do you mean ${near.slice(0, -1).join(", ")} or ${near.at(-1)}?`;
  }
  const some = tidy(titles)
    .slice(0, 3)
    .map((name) => `“${name}”`);
  if (some.length === 0)
    return vietnamese
      ? "Bạn muốn hỏi về chủ đề nào?"
      : "Which subject do you mean? Name a product, a person, a place or a date.";
  return vietnamese
    ? `Bạn muốn hỏi về chủ đề nào, ví dụ ${some.join(", ")}?`
    : `Which subject do you mean? The documents are for example about ${listed(some, "and")}.`;
}
