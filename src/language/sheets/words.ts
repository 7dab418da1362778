/** A figure to compute from a column or rows. */
export type Figure = "avg" | "sum" | "max" | "min" | "count";

/**
 * Words of questions about spreadsheets and databases; one complete file per language. Words for extremes and
 * comparisons are in its lexicon (`cells`, `limits`). Lower case; lists have words separated by spaces, the
 * rest are alternatives of a pattern.
 */
export interface SheetWords {
  /** Decimal separator; the other one of the two groups digits. */
  readonly decimal: "." | ",";
  /** Splits a text into words and numbers for matching: `Gesamtbetrag` into two words, `1 000` into one. */
  readonly apart: (text: string) => string;
  /** Whether words form compounds whose last part is the head: `Einzelpreis` is a `Preis`. */
  readonly hasCompounds: boolean;
  /** The root of a lower-case word, for comparing names and questions. */
  readonly rootOf: (word: string) => string;
  /** Lists of words that name neither a column nor a value. */
  readonly silent: readonly string[];
  /** Words that ask for a figure; for extremes, in addition to those of the lexicon. */
  readonly figures: Readonly<Record<Figure, string>>;
  /** Directly before the thing counted: `how many`. */
  readonly counting: string;
  /** Before the first amount of a range. */
  readonly between: string;
  /** Directly before a location of rows rather than their name: `in`. */
  readonly placing: string;
  /** In questions that need more than one selection: `without`, `per`. */
  readonly beyond: string;
  /**
   * Before a superlative that selects a row, about which something else is asked: `the population of the
   * largest`.
   */
  readonly beforeRanked: string;
  /**
   * The beginning of a question up to the superlative of the requested column: `what is the largest order`.
   */
  readonly asksExtreme: string;
  /** Headings of columns of names, and of mere row numbers. */
  readonly names: string;
  readonly identifiers: string;
  /** Word of a question → words that may be a column's heading. */
  readonly meanings: Readonly<Record<string, string>>;
}
