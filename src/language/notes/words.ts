import type { ContentPart } from "../../core/answers/answer.ts";
import type { SocialPhrase } from "../lexicons/language.ts";

/**
 * What an answer says in addition to its quotes. One file a language, each complete.
 * Counts are whole numbers; labels and names are shown unchanged.
 */
export interface Notes {
  /** Before the last of several names. */
  readonly and: string;
  /** Names that are counted, not listed. */
  readonly others: (count: number) => string;
  /** The documents that mention a subject. */
  readonly mentions: {
    /** `documents`: all that were searched. */
    readonly none: (subject: string, documents: number) => string;
    readonly some: (documents: number, isLeast: boolean, subject: string) => string;
    /** If only a whole passage has all its words. */
    readonly apart: (documents: number, isLeast: boolean, subject: string) => string;
    /** After the name of a document: `1, 3–5`. */
    readonly pages: (pages: string, isOne: boolean) => string;
    /** Sentences and rows with the subject, two or more. */
    readonly places: (places: number) => string;
    readonly more: (documents: number) => string;
    readonly narrowed: (agent: string) => string;
  };
  /** What a document is made of. */
  readonly contents: {
    /** One of a part, and several. */
    readonly called: Readonly<Record<ContentPart, readonly [one: string, several: string]>>;
    /** Without an end, as a list or a mark follows. */
    readonly some: (name: string, count: number, called: string) => string;
    readonly none: (name: string, called: string) => string;
    /** Several documents may be meant. */
    readonly which: (documents: number) => string;
  };
  /** A question with several parts: no passage answers this one. */
  readonly partMissing: (part: string) => string;
  readonly noTotal: string;
  readonly refusals: {
    /** No passage answers. */
    readonly noPassage: string;
    /** Above the closest passages. */
    readonly nearest: string;
    /** Nothing the model wrote is supported. */
    readonly ungrounded: string;
    /** Above what the passages say instead. */
    readonly found: string;
  };
  /** What there is to search. */
  readonly holdings: {
    /** Above the titles. */
    readonly documents: (documents: number) => string;
    /** The same of one folder. */
    readonly documentsIn: (documents: number, folder: string) => string;
    readonly noFolder: (folder: string) => string;
    readonly more: (documents: number) => string;
    readonly none: string;
    /** `names`: those of the collections; "" for none. */
    readonly searched: (documents: number, collections: number, names: string) => string;
    readonly agents: (names: string) => string;
  };
  readonly about: string;
  readonly social: Readonly<Record<SocialPhrase, string>>;
  /** A question back. */
  readonly which: {
    readonly subject: string;
    /** `titles`: some of what the documents are about. */
    readonly example: (titles: string) => string;
    readonly ofOne: (title: string) => string;
    /** `titles`: all but the last. */
    readonly ofSeveral: (titles: string, last: string) => string;
  };
  /** Results from spreadsheets and databases; `column` and `rows` are names, or the result of `where`. */
  readonly sheets: {
    /** How numbers are written, as a BCP 47 tag. */
    readonly locale: string;
    /** A number with its unit, which may be a sign. */
    readonly amount: (number: string, unit: string) => string;
    /** Before a value. */
    readonly colon: string;
    /** The rows of a table that meet conditions, which are joined by `and`. */
    readonly where: (table: string, conditions: string) => string;
    readonly conditions: Readonly<
      Record<"=" | ">" | ">=" | "<" | "<=", (column: string, value: string) => string>
    >;
    /** No row meets the conditions of a question, or of a query that a model wrote. */
    readonly none: (rows: string) => string;
    readonly empty: string;
    readonly count: (rows: string) => string;
    readonly sum: (column: string, rows: string) => string;
    readonly average: (column: string, rows: string) => string;
    readonly highest: (column: string, rows: string) => string;
    readonly lowest: (column: string, rows: string) => string;
    /** Between two values. */
    readonly difference: string;
    /** After a sum or an average: the number of rows it covers. */
    readonly ofRows: (count: number) => string;
    /** The row, or the rows, with an extreme value. */
    readonly rowHighest: (column: string, rows: string, isOne: boolean) => string;
    readonly rowLowest: (column: string, rows: string, isOne: boolean) => string;
    /** A whole row, and columns of rows. */
    readonly row: (rows: string) => string;
    readonly columns: (columns: string, rows: string) => string;
    /** After a result: the number of rows. */
    readonly found: (rows: number) => string;
    /** Rows that a list omits. */
    readonly moreRows: (rows: number) => string;
    readonly leftOut: (rows: number, isExact: boolean) => string;
    readonly cut: (cells: number) => string;
    /** Above the result of a query. */
    readonly resultOf: (sql: string) => string;
    /** Names for a column of a model's query; for all rows if it names no column. */
    readonly called: Readonly<
      Record<"count" | "sum" | "average" | "lowest" | "highest", (column: string) => string>
    >;
    readonly allRows: string;
  };
  /** Why a question was refused, or its answer quoted: one line each, without a full stop. */
  readonly reasons: {
    /** The evidence is too weak; `lacks`: what is missing, or "". */
    readonly evidence: (lacks: string) => string;
    /** Names and numbers that no passage has; "" for none, never both. */
    readonly absent: (names: string, numbers: string) => string;
    /** Names that occur only next to passages; `isAlso`: follows `absent`. */
    readonly beside: (names: string, isAlso: boolean) => string;
    readonly noDocument: (name: string) => string;
    readonly onlyForms: (names: string) => string;
    readonly unsearched: (agent: string, collections: number) => string;
    readonly askAgent: (agent: string) => string;
    readonly quoted: string;
    readonly asFound: string;
    readonly wroteNothing: string;
    readonly declined: string;
    /** Of what the model wrote, and why. */
    readonly groundless: (reason: string) => string;
    /** How many sentences are supported, and how many of those partly. */
    readonly standing: (supported: number, all: number) => string;
    readonly inPart: (count: number) => string;
    /** Sentences in passages that address an assistant. */
    readonly withheld: (count: number) => string;
    readonly noTotal: string;
    /** A list or a procedure that was quoted whole. */
    readonly whole: (marker: number, isProcedure: boolean) => string;
    readonly mentioned: (mentions: number, documents: number) => string;
    readonly readOff: (chunks: number, name: string) => string;
  };
  /**
   * Why a sentence is unsupported or only partly supported: one line each, without a full stop. `where` names the passages it
   * cites: `[1][2]`.
   */
  readonly judged: {
    readonly uncited: string;
    /** No passage is related to it. */
    readonly unstated: string;
    readonly noPassage: (marker: number) => string;
    readonly opposite: (where: string) => string;
    /** A date, a name or a number. */
    readonly absent: (what: string, where: string) => string;
    /** Passages that are not cited have it. */
    readonly elsewhere: (what: string, there: string, where: string) => string;
    /** A passage has another value for the same thing. */
    readonly otherValue: (what: string, where: string) => string;
    readonly otherUnit: (number: string, where: string) => string;
    /** A second judge disagrees, with a label. */
    readonly notEntailed: (where: string, probability: number, label: string, judge: string) => string;
  };
}
