/**
 * What an answer says in addition to its quotes: the arguments of each text, in order. Counts are whole
 * numbers; labels and names are shown unchanged; arguments that begin with `is` are true or false.
 */
export const texts = {
  /** Before the last of several names. */
  and: [],
  /** Names that are counted, not listed. */
  others: ["count"],
  /** The documents that mention a subject. */
  mentions: {
    /** `documents`: all that were searched. */
    none: ["subject", "documents"],
    some: ["documents", "isLeast", "subject"],
    /** If only a whole passage has all its words. */
    apart: ["documents", "isLeast", "subject"],
    /** After the name of a document: `1, 3–5`. */
    pages: ["pages", "isOne"],
    /** Sentences and rows with the subject, two or more. */
    places: ["places"],
    more: ["documents"],
    narrowed: ["agent"],
  },
  /** What a document is made of. */
  contents: {
    /** What a number of parts are called; 0 for several. */
    called: {
      pages: ["count"],
      slides: ["count"],
      headings: ["count"],
      chapters: ["count"],
      sections: ["count"],
      appendices: ["count"],
      tables: ["count"],
      figures: ["count"],
    },
    /** Without an end, as a list or a mark follows. */
    some: ["name", "count", "called"],
    none: ["name", "called"],
    /** Several documents may be meant. */
    which: ["documents"],
  },
  /** A question with several parts: no passage answers this one. */
  partMissing: ["part"],
  noTotal: [],
  refusals: {
    /** No passage answers. */
    noPassage: [],
    /** Above the closest passages. */
    nearest: [],
    /** Nothing the model wrote is supported. */
    ungrounded: [],
    /** Above what the passages say instead. */
    found: [],
  },
  /** What there is to search. */
  holdings: {
    /** Above the titles. */
    documents: ["documents"],
    /** The same of one folder. */
    documentsIn: ["documents", "folder"],
    noFolder: ["folder"],
    more: ["documents"],
    none: [],
    /** `names`: those of the collections; "" for none. */
    searched: ["documents", "collections", "names"],
    agents: ["names"],
  },
  about: [],
  social: { greeting: [], wellbeing: [], thanks: [], farewell: [], praise: [] },
  /** A question back. */
  which: {
    subject: [],
    /** `titles`: some of what the documents are about. */
    example: ["titles"],
    ofOne: ["title"],
    /** `titles`: all but the last. */
    ofSeveral: ["titles", "last"],
  },
  /** Results from spreadsheets and databases; `column` and `rows` are names, or the result of `where`. */
  sheets: {
    /** How numbers are written, as a BCP 47 tag. */
    locale: [],
    /** A number with its unit. `kind`: `currency` for a sign of one, `percent` for `%`, else `other`. */
    amount: ["sign", "digits", "unit", "kind"],
    /** Before a value. */
    colon: [],
    /** The rows of a table that meet conditions, which are joined by `and`. */
    where: ["table", "conditions"],
    conditions: {
      "=": ["column", "value"],
      ">": ["column", "value"],
      ">=": ["column", "value"],
      "<": ["column", "value"],
      "<=": ["column", "value"],
    },
    /** No row meets the conditions of a question, or of a query that a model wrote. */
    none: ["rows"],
    empty: [],
    count: ["rows"],
    sum: ["column", "rows"],
    average: ["column", "rows"],
    highest: ["column", "rows"],
    lowest: ["column", "rows"],
    /** Between two values. */
    difference: [],
    /** After a sum or an average: the number of rows it covers. */
    ofRows: ["count"],
    /** The row, or the rows, with an extreme value. */
    rowHighest: ["column", "rows", "isOne"],
    rowLowest: ["column", "rows", "isOne"],
    /** A whole row, and columns of rows. */
    row: ["rows"],
    columns: ["columns", "rows"],
    /** After a result: the number of rows. */
    found: ["rows"],
    /** Rows that a list omits. */
    moreRows: ["rows"],
    leftOut: ["rows", "isExact"],
    cut: ["cells"],
    /** Above the result of a query. */
    resultOf: ["sql"],
    /** Names for a column of a model's query; for all rows if it names no column. */
    called: {
      count: ["column"],
      sum: ["column"],
      average: ["column"],
      lowest: ["column"],
      highest: ["column"],
    },
    allRows: [],
  },
  /** Why a question was refused, or its answer quoted: one line each, without a full stop. */
  reasons: {
    /** The evidence is too weak; `lacks`: what is missing. */
    evidence: [],
    evidenceLacking: ["lacks"],
    /** Names and numbers that no passage has. */
    absent: { names: ["names"], numbers: ["numbers"], both: ["names", "numbers"] },
    /** Names that occur only next to passages; `isAlso`: follows `absent`. */
    beside: ["names", "isAlso"],
    noDocument: ["name"],
    onlyForms: ["names"],
    unsearched: ["agent", "collections"],
    askAgent: ["agent"],
    quoted: [],
    asFound: [],
    wroteNothing: [],
    declined: [],
    /** Of what the model wrote, and why. */
    groundless: ["reason"],
    /** How many sentences are supported, and how many of those partly. */
    standing: ["supported", "all"],
    inPart: ["count"],
    /** Sentences in passages that address an assistant. */
    withheld: ["count"],
    noTotal: [],
    /** A list or a procedure that was quoted whole. */
    whole: ["marker", "isProcedure"],
    mentioned: ["mentions", "documents"],
    readOff: ["chunks", "name"],
  },
  /**
   * Why a sentence is unsupported or only partly supported: one line each, without a full stop. `where` names the passages it
   * cites: `[1][2]`.
   */
  judged: {
    uncited: [],
    /** No passage is related to it. */
    unstated: [],
    noPassage: ["marker"],
    opposite: ["where"],
    /** A date, a name or a number. */
    absent: ["what", "where"],
    /** Passages that are not cited have it. */
    elsewhere: ["what", "there", "where"],
    /** A passage has another value for the same thing. */
    otherValue: ["what", "where"],
    otherUnit: ["number", "where"],
    /** A second judge disagrees, with a label. */
    notEntailed: ["where", "probability", "label", "judge"],
  },
} as const;

/** The arguments of a text, or a table of texts. */
export type Shape = readonly string[] | { readonly [name: string]: Shape };

/** The texts of a language as its file has them: ICU messages. */
export type Messages<Of = typeof texts> = Of extends readonly string[]
  ? string
  : { readonly [Name in keyof Of]: Messages<Of[Name]> };

type Values<Arguments extends readonly string[]> = { [At in keyof Arguments]: string | number | boolean };

/** The texts of a language: a text without arguments as it is, another as a function of them. */
export type Notes<Of = typeof texts> = Of extends readonly []
  ? string
  : Of extends readonly string[]
    ? (...values: Values<Of>) => string
    : { readonly [Name in keyof Of]: Notes<Of[Name]> };
