import { structureParts } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";

export const text = z.string();
export const list = z.array(text);
export const optional = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).optional();
export const asksAndHolds = optional({ asks: text, holds: text });
/** Patterns and what they are replaced by, in order. */
export const replacements = z.array(z.tuple([text, text]));

/**
 * How questions specify the form of the answer. Lists of words separated by spaces, with `_` for a space
 * inside one; `examples` and `manners` are alternatives of a pattern.
 */
export const answerForms = z.strictObject({
  /** Before the verb of a request. */
  leads: text,
  /** Open a sentence about how to answer, whatever follows: `round`. */
  answering: text,
  /** Open one in combination with a word for the answer or a form: `give`. */
  giving: text,
  /** Words for the answer or the question. */
  answers: text,
  /** Names of forms: `integer`. */
  forms: text,
  /** In brackets, show that the remark is about the form: `rounded`. */
  remarks: text.optional(),
  /** Accompany such names without adding anything: `order`. */
  beside: text,
  /** `Assume that you are an analyst`: the verb, and the person addressed. */
  supposing: text.optional(),
  hearers: text.optional(),
  /** `If that is not a useful metric, then state that`: the words of such a sentence. */
  conditions: text.optional(),
  denials: text.optional(),
  stating: text.optional(),
  inapplicable: text.optional(),
  /** Before a sample answer: `e.g. ["1"]`. */
  examples: text.optional(),
  /** How to answer, at the end of a question: `in one sentence`. */
  manners: text.optional(),
});

/**
 * How questions ask about the structure of a document: patterns of the whole question without its final
 * punctuation. `<part>` matches the names of a part, `<document>` a reference to the document.
 */
export const contentForms = z.strictObject({
  /** Names of each part, as alternatives of a pattern. */
  parts: z.record(z.enum(structureParts), text),
  /** Questions for a count, or for a count or a list. */
  parted: list,
  /** Questions for the number of pages. */
  long: list.optional(),
  /** Questions for the whole table of contents. */
  whole: list,
  /** Generic words for any document. */
  documents: text,
});

/** What words mean; a group of words a line, with `_` for a space inside one. */
export const meanings = {
  /** Everyday synonyms: a question with one of them may be answered, and is retried, with another. */
  synonyms: text.optional(),
  /** Abbreviation → its words; alternatives are separated by a slash. */
  longForms: z.record(text, text).optional(),
  /** Words of long forms that are too common: alone they do not indicate the same subject. */
  generalWords: text.optional(),
  /** Word → words before and after it that give it a special meaning, for which its synonyms do not apply. */
  specialMeanings: z
    .record(text, z.strictObject({ before: text.optional(), behind: text.optional() }))
    .optional(),
  /**
   * Countries with the names of their people and products. Some other languages write these in lower case, so
   * they are not found as names.
   */
  peoples: text.optional(),
  /** Codes of states after the name of a place, `Madison, WI`. */
  states: z.record(text, text).optional(),
};

/** A figure to compute from a column or rows. */
export type Figure = "avg" | "sum" | "max" | "min" | "count";

/**
 * Words of questions about spreadsheets and databases. Words for extremes and
 * comparisons are in `cells` and `limits`. Lower case; lists have words separated by spaces, the
 * rest are alternatives of a pattern.
 */
export const sheetWords = z.strictObject({
  /** Decimal separator; the other one of the two groups digits. */
  decimal: z.enum([".", ","]),
  /** Splits a text into words and numbers for matching: `Gesamtbetrag` into two words, `1 000` into one. */
  apart: replacements.optional(),
  /** Whether words form compounds whose last part is the head: `Einzelpreis` is a `Preis`. */
  hasCompounds: z.boolean().optional(),
  /**
   * What takes the endings off a lower-case word, in order, for comparing names and questions; without it, the
   * rules for English do.
   */
  roots: replacements.optional(),
  /** Lists of words that name neither a column nor a value. */
  silent: list,
  /** Words that ask for a figure; for extremes, in addition to those of `cells`. */
  figures: z.strictObject({ avg: text, sum: text, max: text, min: text, count: text }),
  /** Directly before the thing counted: `how many`. */
  counting: text,
  /** Before the first amount of a range. */
  between: text,
  /** Directly before a location of rows rather than their name: `in`. */
  placing: text,
  /** In questions that need more than one selection: `without`, `per`. */
  beyond: text,
  /**
   * Before a superlative that selects a row, about which something else is asked: `the population of the
   * largest`.
   */
  beforeRanked: text,
  /**
   * The beginning of a question up to the superlative of the requested column: `what is the largest order`.
   */
  asksExtreme: text,
  /** Headings of columns of names, and of mere row numbers. */
  names: text,
  identifiers: text,
  /** Word of a question → words that may be a column's heading. */
  meanings: z.record(z.string(), text),
});
