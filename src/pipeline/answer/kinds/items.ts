import { sectionsOf } from "../../../core/documents/sections.ts";
import type { Context } from "../../../core/retrieval.ts";
import { withoutSpreadsheetRows } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import { addressesAssistant, withoutInstructions } from "../orders/orders.ts";
import { type Question, sharedTerms } from "../question.ts";

/** A list in a passage. */
export interface ItemList {
  /** The line above it, otherwise its section. */
  readonly lead: string;
  /** In order, each with its number or bullet. */
  readonly items: readonly string[];
  readonly marker: number;
}

const mark = /^\s{0,12}(?:[-*•–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)/;

/**
 * Whether a line is a list item. Table rows are not, although a first cell may look like a number in
 * parentheses.
 */
const isItem = (line: string): boolean =>
  mark.test(line) && !line.includes(" | ") && /\p{L}/u.test(line.replace(mark, ""));

/** Whether an item is a question, which answers nothing. */
const asks = (line: string): boolean => /[?？]["”’')]*$/.test(line);

/**
 * Share of a question's terms in a list's lead and section from which the list answers it, in [0, 1]. Items
 * do not count, because long ones share words with any question.
 */
const answeringShare = 0.5;
/** Share of an item's terms from which an answer names it, in [0, 1]. */
const namedShare = 0.5;

/** Lists of at least two items; an unmarked line continues the item before it. */
function listsIn(text: string, section: string, marker: number): ItemList[] {
  const lists: { lead: string; items: string[] }[] = [];
  let before = "";
  let isOpen = false;
  for (const line of text.split("\n").map((part) => part.trim())) {
    if (line === "") continue;
    const open = lists.at(-1);
    if (isItem(line)) {
      if (isOpen && open !== undefined) open.items.push(line);
      else lists.push({ lead: before, items: [line] });
      isOpen = true;
    } else {
      isOpen = false;
      before = line;
    }
  }
  // The lines below a rule are a table's footnotes.
  return lists
    .filter(({ lead, items }) => items.length > 1 && (lead === "" || /[\p{L}\p{N}]/u.test(lead)))
    .map(({ lead, items }) => ({ lead: lead === "" ? section : lead, items, marker }));
}

/**
 * Whether the words above a list mention the action that a how-to question asks for: `replacing`,
 * `replacement` for “How do I replace …?”. True for other questions.
 */
function speaksOfDeed({ kind, asksHowTo, alternatives }: Question, above: readonly string[]): boolean {
  const [deed = []] = alternatives;
  if (kind !== "procedure" || !asksHowTo) return true;
  return above.some((word) => deed.some((form) => word.startsWith(form)));
}

/** Shortest and longest unmarked procedure, in steps. */
const steps = { least: 2, most: 12 } as const;

/**
 * Sentences of an unmarked section as steps, if its heading mentions the action asked for and it has no list
 * or table; none otherwise.
 */
function stepsIn(text: string, heading: string, question: Question, marker: number): ItemList[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && line.trim() !== heading.trim());
  const isPlain = question.kind === "procedure" && question.asksHowTo && heading !== "";
  if (!isPlain || !speaksOfDeed(question, words(heading))) return [];
  if (lines.some((line) => line.includes(" | ") || isItem(line))) return [];
  const items = sentences(lines.join("\n"));
  return items.length >= steps.least && items.length <= steps.most ? [{ lead: heading, items, marker }] : [];
}

/** The list that answers a question; null if no passage has one. */
export function answeringList(question: Question, { passages }: Context): ItemList | null {
  const sections = passages.flatMap(({ chunk, marker }) =>
    sectionsOf(chunk).map((section) => ({ ...section, marker })),
  );
  // Names identify the document rather than the listed things.
  const named = new Set(question.names.flatMap(words));
  const unnamed = question.alternatives.filter(([term = ""]) => !named.has(term));
  const terms = unnamed.length === 0 ? question.alternatives : unnamed;
  const lists = sections.flatMap(({ headings, title, text: whole, marker }) => {
    const section = [...headings, title].filter((part) => part !== "").join(" › ");
    const { text } = withoutInstructions(whole, question.asksAboutOrders);
    const shareOf = (own: readonly string[]): number =>
      sharedTerms({ alternatives: terms }, new Set(own)) / Math.max(1, terms.length);
    const listed = listsIn(withoutSpreadsheetRows(text), section, marker).map((list) => {
      const own = words([section, list.lead].join("\n"));
      return { list, share: speaksOfDeed(question, own) ? shareOf(own) : 0 };
    });
    // Unmarked steps are accepted only if their headings have every term of the question.
    const unmarked = stepsIn(text, headings.at(-1) ?? "", question, marker)
      .map((list) => ({ list, share: shareOf(words(section)) }))
      .filter(({ share }) => share === 1);
    return [...listed, ...unmarked];
  });
  const [best] = lists
    .filter(
      ({ share, list }) =>
        share >= answeringShare && !list.items.some((line) => addressesAssistant(line) || asks(line)),
    )
    .toSorted((left, right) => right.share - left.share);
  return best?.list ?? null;
}

/** Position of each item in an answer; -1 if it is not named. */
function placesOf(list: ItemList, answer: string): readonly number[] {
  const said = words(answer);
  const held = new Set(said);
  return list.items.map((text) => {
    const terms = contentTerms(text).filter((term) => !isNumber(term));
    const own = terms.filter((term) => held.has(term));
    if (terms.length === 0 || own.length < terms.length * namedShare) return -1;
    return Math.min(...own.map((term) => said.indexOf(term)));
  });
}

/** Whether an answer names an item of a list. */
export const namesItem = (list: ItemList, answer: string): boolean =>
  placesOf(list, answer).some((place) => place >= 0);

/** Whether an answer names every item of a list, and its steps in their order. */
export function isComplete(list: ItemList, answer: string, isOrdered: boolean): boolean {
  const places = placesOf(list, answer);
  return (
    places.every((place) => place >= 0) &&
    (!isOrdered || places.every((place, at) => at === 0 || place >= (places[at - 1] ?? 0)))
  );
}

/** A list as an answer, each item cited. */
export const listAnswer = ({ lead, items, marker }: ItemList): string =>
  [...(lead === "" ? [] : [lead]), ...items].map((line) => `${line} [${marker}]`).join("\n");
