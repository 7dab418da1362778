import { itemAsked } from "../../../../language/asking/items.ts";
import { contentTerms, words } from "../../../../language/terms.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";

/** An item of a list: its number where that can be read surely, else null. */
interface Item {
  readonly number: number | null;
  readonly words: ReadonlySet<string>;
}

const bullet = /^\s{0,12}([-*•▪●◦–])\s/u;
const numbered = /^\s{0,12}\(?(\d{1,2})[.)]\s/u;
const isItem = (line: string): boolean => bullet.test(line) || numbered.test(line);

/** Ends what leads to a list. */
const leadEnd = /[:：]\s*$/u;

/** The items of a paragraph that is one list; lines without a mark belong to the item before them. */
function itemsOf(paragraph: string): readonly string[] {
  const items: string[] = [];
  for (const line of paragraph.split("\n"))
    if (isItem(line)) items.push(line);
    else items.push(`${items.pop() ?? ""}\n${line}`);
  return items;
}

/** Numbers of the items of one list: as they are written, or counted where its beginning is seen. */
function numbersOf(items: readonly string[], isWhole: boolean): readonly (number | null)[] {
  const written = items.map((item) => Number(numbered.exec(item)?.[1] ?? 0));
  if (written.every((number, at) => number > 0 && (at === 0 || number === (written[at - 1] ?? 0) + 1)))
    return written;
  const marks = new Set(items.map((item) => bullet.exec(item)?.[1]));
  const isEven = marks.size === 1 && !marks.has(undefined) && isWhole;
  return items.map((_, at) => (isEven ? at + 1 : null));
}

/**
 * Items of the lists of a text. One without numbers is seen from its beginning where something leads to it, and
 * no earlier list may go on in it: a page may end in the middle of a list.
 */
function itemsIn(text: string, headings: ReadonlySet<string>): readonly Item[] {
  const found: Item[] = [];
  let open: string[] = [];
  let isWhole = false;
  let before = "";
  const close = (): void => {
    const numbers = numbersOf(open, isWhole);
    open.forEach((item, at) => {
      found.push({ number: numbers[at] ?? null, words: new Set(words(item)) });
    });
    open = [];
  };
  for (const paragraph of [...text.split(/\n\s*\n/u), ""]) {
    if (isItem(paragraph)) {
      const last = before.split("\n").at(-1)?.trim() ?? "";
      if (open.length === 0)
        isWhole = last !== "" && (found.length === 0 || leadEnd.test(last) || headings.has(last));
      open.push(...itemsOf(paragraph));
    } else close();
    before = paragraph;
  }
  return found;
}

/** Share of the words that a statement adds to its question that an item must have to be the one it gives. */
const givenShare = 0.8;
/** Fewest such words by which an item is told. */
const leastWords = 2;

/**
 * The number of the item of a list that a statement gives, where the question asks for another one by its number
 * (`the tenth bullet point`); null where it is that one, or where nothing tells.
 */
export function otherItem(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
): { readonly asked: number; readonly given: number } | null {
  const wanted = itemAsked(asked.text);
  if (wanted === null || cited.some(({ finding }) => finding)) return null;
  const added = contentTerms(statement).filter((term) => !asked.known.has(term));
  if (added.length < leastWords) return null;
  const items = cited.flatMap(({ text, headings }) => itemsIn(text, headings));
  const given = items.filter(
    (item) => added.filter((term) => item.words.has(term)).length >= added.length * givenShare,
  );
  const [first] = given;
  const isOther = given.every(({ number }) => number !== null && number !== wanted);
  return isOther && first?.number !== undefined && first.number !== null
    ? { asked: wanted, given: first.number }
    : null;
}
