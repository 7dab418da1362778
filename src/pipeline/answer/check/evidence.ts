import { isFinding } from "../../../core/answers/tool.ts";
import { lazy } from "../../../core/lazy.ts";
import type { Passage } from "../../../core/retrieval.ts";
import { omission } from "../../../core/text.ts";
import { declaredScales, type Quantity, quantitiesIn } from "../../../language/quantities.ts";
import { tableLines } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { alphanumeric, normalize, superscriptsToPowers, words } from "../../../language/terms.ts";
import { type CalendarDate, datesIn, monthsIn } from "../../../language/time/dates.ts";
import type { TextTable } from "../../tables/read.ts";
import { stripInjections } from "../injection/injection.ts";
import type { Question } from "../question.ts";
import { figuresOf, type StatedFigure, tablesOf } from "./figures.ts";

/** A passage as statements are held against it: its text, title, headings and file name. */
export interface CheckedPassage {
  readonly passage: Passage;
  readonly marker: number;
  /** Without records written as `name: value`, which are tables. */
  readonly text: string;
  /** Title, file name and headings, a line each. */
  readonly heads: string;
  /** All its words, normalised. */
  readonly words: ReadonlySet<string>;
  /** As written, to find the words that an acronym abbreviates. */
  readonly raw: readonly string[];
  readonly squashed: string;
  readonly quantities: readonly Quantity[];
  readonly dates: readonly CalendarDate[];
  /** Months that it mentions, 1–12, with or without a day or a year. */
  readonly months: ReadonlySet<number>;
  /** Scales that its tables declare: `in thousands`. */
  readonly declared: readonly number[];
  readonly sentences: () => readonly string[];
  readonly tables: () => readonly TextTable[];
  /** Numbers of its text, each with what it is said of. */
  readonly figures: () => readonly StatedFigure[];
}

const plainOf = (text: string): string => superscriptsToPowers(text).normalize("NFKC").replace(/\s+/g, " ");

/** The whole text of a passage: its chunk's, and lines that were shown in addition. */
function wholeText({ chunk, text }: Passage): string {
  const lines = new Set(chunk.text.split("\n"));
  const added = text.split("\n").filter((line) => line.trim() !== omission && !lines.has(line));
  return [chunk.text, ...added].filter((line) => line !== "").join("\n");
}

/** Reads a passage once for all statements that cite it. Sentences that address an assistant support nothing. */
export function evidenceOf(
  passage: Passage,
  { asksAboutOrders }: Pick<Question, "asksAboutOrders">,
): CheckedPassage {
  const { chunk, around = [chunk] } = passage;
  const inner = around.flatMap(({ innerHeadings = [] }) => innerHeadings.map(({ text }) => text));
  const paths = around.flatMap(({ headings }) => headings);
  const titles = [chunk.title, chunk.sourceName, ...paths, ...inner, ...(passage.headings ?? [])];
  const heads = [...new Set(titles.map((title) => title.trim()))].filter((title) => title !== "").join("\n");
  const own = stripInjections(wholeText(passage), asksAboutOrders).text;
  const text = tableLines(own)
    .map((line) => line.text)
    .join("\n");
  const all = plainOf(`${heads}\n${text}`);
  // File names often join numbers to letters: `ACME_2023Q4.pdf`, `procedure rev5.docx`.
  const joined = heads.match(/\d{1,9}/g) ?? [];
  return {
    passage,
    marker: passage.marker,
    text,
    heads,
    words: new Set(words(`${all} ${joined.join(" ")}`)),
    raw: all.match(/[\p{L}\p{M}\p{N}&]+/gu) ?? [],
    squashed: alphanumeric(all),
    quantities: quantitiesIn(normalize(`${all} ; ${joined.join(" ; ")}`)),
    dates: datesIn(all).dates.flat(),
    months: monthsIn(all),
    declared: declaredScales(all.toLowerCase()),
    sentences: lazy(() => sentences(text)),
    tables: lazy(() => tablesOf(text, chunk)),
    figures: lazy(() => (isFinding(chunk) ? [] : figuresOf(text.split("\n"), chunk))),
  };
}
