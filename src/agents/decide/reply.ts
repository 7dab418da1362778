import { socialPhraseKinds } from "../../language/forms.ts";
import { alternation, alternatives } from "../../language/languages.ts";
import { notesFor } from "../../language/notes/notes.ts";
import type { Notes } from "../../language/schema/notes.ts";
import { contentWords, foldWord, oneLine, splitWords } from "../../language/words.ts";

/** What a reply may mention: names the principal may see, and only those. */
export interface ReplyFacts {
  readonly agents: readonly string[];
  readonly collections: readonly string[];
  /** Documents in those collections. */
  readonly documents: number;
}

/** Most names of one kind in a reply. */
const maxNames = 8;

/** Names as `a, b and c`, at most eight; the rest are counted. */
function enumerate(names: readonly string[], { and, others }: Notes): string {
  const items = names.slice(0, maxNames);
  const rest = names.length - items.length;
  if (rest > 0) items.push(others(rest));
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${and} ${items.at(-1)}`;
}

const holdings = ({ collections, documents }: ReplyFacts, notes: Notes): string =>
  documents === 0
    ? notes.holdings.none
    : notes.holdings.searched(documents, collections.length, enumerate(collections, notes));

/** The agents by name, after a space; empty if there are none. */
const agentsSentence = ({ agents }: ReplyFacts, notes: Notes): string =>
  agents.length === 0 ? "" : ` ${notes.holdings.agents(enumerate(agents, notes))}`;

const asksHoldings = alternation(alternatives(({ inventory }) => inventory.documents));
const asksAgents = alternation(alternatives(({ inventory }) => inventory.agents));

/**
 * Replies to a greeting or a question about the assistant, in its language: by rule, so that it is fast and
 * invents nothing.
 */
export function directReply(question: string, facts: ReplyFacts): string {
  const notes = notesFor(question);
  const forms = socialPhraseKinds(question);
  const kind =
    (["meta", "farewell", "thanks", "wellbeing", "greeting", "praise"] as const).find((form) =>
      forms.includes(form),
    ) ?? "meta";
  if (kind !== "meta") return notes.social[kind];
  const isOfHoldings = asksHoldings.test(question);
  const agents = !isOfHoldings || asksAgents.test(question) ? agentsSentence(facts, notes) : "";
  return `${isOfHoldings ? "" : `${notes.about} `}${holdings(facts, notes)}${agents}`;
}

/**
 * Share of the words that a name has; a word of at least four letters with the same beginning as one of the
 * name's counts half.
 */
function likeness(name: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const nameWords = splitWords(name).map(foldWord);
  let sum = 0;
  for (const word of words) {
    if (nameWords.includes(word)) sum += 1;
    else if (word.length >= 4 && nameWords.some((other) => other.startsWith(word) || word.startsWith(other)))
      sum += 0.5;
  }
  return sum / words.length;
}

/** Titles fit for quoting: distinct, on one line of at most 80 characters. */
const quotable = (titles: readonly string[]): readonly string[] =>
  [...new Set(titles.map((title) => oneLine(title).slice(0, 80)))].filter((title) => /\p{L}/u.test(title));

/**
 * A clarifying question with the titles nearest to the question, or the first ones. `titles` are those the
 * principal may see.
 */
export function clarifyingQuestion(question: string, titles: readonly string[]): string {
  const notes = notesFor(question);
  const words = contentWords(question).map(foldWord);
  const candidates = quotable(titles);
  const nearest = candidates
    .map((title) => ({ title, score: likeness(title, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ title }) => `“${title}”`);
  const last = nearest.at(-1);
  if (last !== undefined)
    return nearest.length === 1
      ? notes.which.ofOne(last)
      : notes.which.ofSeveral(nearest.slice(0, -1).join(", "), last);
  const examples = candidates.slice(0, 3).map((title) => `“${title}”`);
  return examples.length === 0 ? notes.which.subject : notes.which.example(enumerate(examples, notes));
}
