/** What a question wants of a column, or of rows. */
export type Figure = "avg" | "sum" | "max" | "min" | "count";

/**
 * Words of questions over spreadsheets and databases, in one language: one file a language, all of them complete.
 * Words of the highest and the lowest, and of amounts that are compared, are those of its lexicon (`cells`, `limits`).
 * Lower case; lists hold words separated by blanks, the rest are alternatives of a pattern.
 */
export interface SheetWords {
  /** What stands before decimals; the other of the two groups digits. */
  readonly decimal: "." | ",";
  /** A text with its words and numbers as they are looked for: `Gesamtbetrag` as two words, `1 000` as one. */
  readonly apart: (text: string) => string;
  /** Whether words are joined to longer ones of which the last says what they are: `Einzelpreis` is a `Preis`. */
  readonly hasCompounds: boolean;
  /** A word in lower case as names and questions are compared. */
  readonly rootOf: (word: string) => string;
  /** Lists of what names neither a column nor a value. */
  readonly silent: readonly string[];
  /** Ask for a figure; for the largest and the smallest, beside what the lexicon has. */
  readonly figures: Readonly<Record<Figure, string>>;
  /** Directly before what is counted: `how many`. */
  readonly counting: string;
  /** Before the first of two amounts that other amounts lie between. */
  readonly between: string;
  /** Directly before what tells where a row belongs, and not what it is called: `in`. */
  readonly placing: string;
  /** Of a question that is more than one selection: `without`, `per`. */
  readonly beyond: string;
  /** Before a superlative that picks a row, of which something else is asked: `the population of the largest`. */
  readonly beforeRanked: string;
  /** The beginning of a question up to the superlative of a column that it asks for: `what is the largest order`. */
  readonly asksExtreme: string;
  /** What a column of names is called, and one that only numbers the rows. */
  readonly names: string;
  readonly identifiers: string;
  /** Word of a question → words that a column may be called by. */
  readonly meanings: Readonly<Record<string, string>>;
}
