import { isFinding } from "../../../core/answers/tool.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { placePattern } from "../../../language/asking/places.ts";
import { declaredScales, type Quantity, quantitiesIn } from "../../../language/quantities.ts";
import { recordsAsTables } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { withStates } from "../../../language/states.ts";
import { normalize, squash, withPowers, words } from "../../../language/terms.ts";
import { type CalendarDate, datesIn } from "../../../language/time/dates.ts";
import { isCurrency } from "../../../language/units.ts";
import { type Figure, figuresOf } from "../check/figures.ts";
import { withoutInstructions } from "../orders/orders.ts";
import type { Question } from "../question.ts";

/** A sentence, or a table row with its header. */
export interface Unit {
  readonly words: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
}

/**
 * What a passage can support: its text without sentences that address an assistant, its title, headings and
 * file name.
 */
export interface Witness {
  /** Id of its document. */
  readonly document: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly raw: readonly string[];
  readonly squashed: string;
  /** Numbers of the text, except those that only number its sections, items, pages, tables or sources. */
  readonly quantities: readonly Quantity[];
  /**
   * Numbers of the title, headings and file name, without section numbers. They are part of a name, not
   * values.
   */
  readonly naming: readonly Quantity[];
  /** Its pages in the document, as shown to the model; [] if it has none. */
  readonly pages: readonly number[];
  /** All numbers, for statements about a section, page or table. */
  readonly places: readonly Quantity[];
  readonly dates: readonly CalendarDate[];
  readonly declared: readonly number[];
  readonly sentences: readonly string[];
  readonly units: readonly Unit[];
  /** Numbers of the text, each with what it is said of. */
  readonly figures: readonly Figure[];
  readonly heads: string;
  readonly headWords: ReadonlySet<string>;
  /** A tool produced it for this question. */
  readonly finding: boolean;
}

const citation = /\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,8}\]/g;
const itemNumber = /^\s{0,12}(?:[-*•>]\s{0,3})?\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)][ \t]{1,4}(?=\S)/;
const sectionNumber =
  /^\s{0,12}\d{1,3}(?:\.\d{1,3}){1,4}[ \t]{1,4}(?=\p{Lu}\p{Ll}{2})(?!Million|Billion|Trillion|Thousand|Percent)/u;
const headingNumber = /^\s{0,12}(?:#{1,6}\s{1,4})?\(?\d{1,3}(?:\.\d{1,3}){0,4}[.):]?\s{1,4}(?=\p{L})/u;
/** Lines this long, in characters, may continue on the next one. */
const fullLine = 60;

/**
 * A statement without the source numbers that its passages have in brackets; the model sees those in
 * parentheses, so that they do not pass for markers.
 */
export const withoutSources = (statement: string, witnesses: readonly Witness[]): string =>
  statement.replace(/\((\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,8})\)/g, (whole, numbers: string) =>
    witnesses.some(({ text }) => text.includes(`[${numbers}]`)) ? "" : whole,
  );

const plainOf = (text: string): string => withPowers(text).normalize("NFKC").replace(/\s+/g, " ");

/** Lines of a text without numbers that only refer to places in it; headings separately. */
function statedLines(
  body: string,
  titles: ReadonlySet<string>,
): { readonly lines: readonly string[]; readonly headings: readonly string[] } {
  const lines: string[] = [];
  const headings: string[] = [];
  let before = "";
  for (const line of body.split("\n")) {
    const trimmed = line.trim();
    const runsOver = before.length > fullLine && !/[.!?:;]$/.test(before);
    if (titles.has(trimmed) || /^#{1,6}\s/.test(trimmed)) headings.push(trimmed);
    else {
      const counted = line.replace(citation, " ").replace(placePattern, " ");
      lines.push(runsOver ? counted : counted.replace(itemNumber, "").replace(sectionNumber, ""));
    }
    before = trimmed;
  }
  return { lines, headings };
}

/**
 * Sentences and rows with their words and numbers; a line too short to say anything includes its neighbours.
 */
function unitsOf(lines: readonly string[]): Unit[] {
  const unit = (text: string): Unit => ({
    words: new Set(words(text)),
    quantities: quantitiesIn(normalize(plainOf(text))),
  });
  const parts = lines.flatMap((line) => (line.includes(" | ") ? [line] : sentences(line)));
  let header = "";
  return parts.map((part, at) => {
    const row = part.includes(" | ");
    if (!row) {
      header = "";
      const short = (part.match(/\p{L}+/gu) ?? []).length < 3;
      return unit(short ? parts.slice(Math.max(0, at - 1), at + 2).join("\n") : part);
    }
    const own = unit(`${header}\n${part}`);
    if (header === "") header = part;
    return own;
  });
}

/** What a passage supports in the answer to a question. */
export function witnessOf(
  { chunk, text }: Passage,
  { asksAboutOrders }: Pick<Question, "asksAboutOrders">,
): Witness {
  const titles = [chunk.sourceName, chunk.title, ...chunk.headings].filter((title) => title.trim() !== "");
  const own = withoutInstructions(chunk.text === "" ? text : chunk.text, asksAboutOrders).text;
  const body = withStates(recordsAsTables(own));
  const finding = isFinding(chunk);
  const stated = finding
    ? { lines: body.split("\n"), headings: [] }
    : statedLines(body, new Set(titles.map((title) => title.trim())));
  const statedText = plainOf(stated.lines.join("\n"));
  const heads = titles.join("\n");
  const all = `${heads}\n${body}`;
  const plain = plainOf(all);
  const bag = words(all);
  const told = sentences(body);
  const names = [...titles, ...stated.headings].map((title) =>
    title.replace(headingNumber, "").replace(placePattern, " "),
  );
  // File names often join a year to letters: `ACME_2023Q4.pdf`.
  const years = heads.match(/(?<!\d)(?:19|20)\d\d(?!\d)/g) ?? [];
  return {
    document: chunk.documentId,
    text: body,
    words: new Set(bag),
    raw: plain.match(/[\p{L}\p{M}\p{N}&]+/gu) ?? [],
    squashed: squash(all),
    quantities: quantitiesIn(normalize(statedText)),
    naming: quantitiesIn(normalize(plainOf([...names, ...years].join(" ; ")))),
    pages: chunk.pages,
    places: quantitiesIn(normalize(plain)),
    dates: datesIn(plain).dates.flat(),
    declared: declaredScales(plain.toLowerCase()),
    sentences: told,
    units: unitsOf(stated.lines),
    figures: finding ? [] : figuresOf(stated.lines, chunk),
    heads,
    headWords: new Set(words([...titles, ...stated.headings].join("\n"))),
    finding,
  };
}

/** Whether a passage has amounts of money but declares no scale. */
const isUnscaled = ({ declared, quantities, finding }: Witness): boolean =>
  !finding &&
  declared.length === 0 &&
  quantities.some(({ unit }) => isCurrency(unit)) &&
  quantities.every(({ scale }) => scale === 1);

/**
 * Gives passages without a scale the one that others of their document declare: a filing states only
 * occasionally that its amounts are in millions.
 */
export function withSharedScales(witnesses: readonly Witness[]): readonly Witness[] {
  return witnesses.map((witness) => {
    if (!isUnscaled(witness)) return witness;
    const beside = witnesses.filter(({ document, finding }) => document === witness.document && !finding);
    const [scale, ...others] = new Set(beside.flatMap(({ declared }) => declared));
    return scale === undefined || others.length > 0 ? witness : { ...witness, declared: [scale] };
  });
}

/** The witnesses that a statement cites, and all witnesses. */
interface Sides {
  readonly cited: readonly Witness[];
  readonly everywhere: readonly Witness[];
}

/** Passages of the cited documents, and those of other documents. */
export function byDocument({ cited, everywhere }: Sides): {
  readonly own: readonly Witness[];
  readonly others: readonly Witness[];
} {
  const documents = new Set(cited.map(({ document }) => document));
  const { own = [], others = [] } = Object.groupBy(everywhere, ({ document }) =>
    documents.has(document) ? "own" : "others",
  );
  return { own, others };
}

/**
 * The cited passages plus any retrieved first pages of the same documents, which say who and what a document
 * is about.
 */
export function withFirstPages(sides: Sides): readonly Witness[] {
  const first = byDocument(sides).own.filter(({ pages }) => pages.includes(1));
  return [...new Set([...sides.cited, ...first])];
}
