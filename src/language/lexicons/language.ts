import type { QuestionKind } from "../../core/answers/answer.ts";
import type { AnswerForms } from "./answer-forms.ts";
import type { ContentForms } from "./contents.ts";

/** Kinds of phrases that are no question about documents. */
export type SocialPhrase = "greeting" | "wellbeing" | "thanks" | "farewell" | "praise";

/** ISO 639-1 codes of the supported languages. */
export type LanguageCode = "en" | "vi" | "fr" | "de";

/**
 * The words of one language, in lower case. Lists have words (or syllables) separated by spaces, in one or
 * more groups, so that lists for different purposes can share a group; lists of phrases are separated by `|`
 * or line breaks. All are optional except `code`.
 */
export interface Language {
  readonly code: LanguageCode;
  /** Words of a question that carry no subject. */
  readonly functionWords?: readonly string[];
  /** Function words that unsupported languages also have, so they do not identify the language. */
  readonly sharedWords?: string;
  /** Words that are no terms when texts are compared or ranked. */
  readonly stopWords?: readonly string[];
  /** Nouns and verbs too general to be a subject, e.g. `thing`, `report`. */
  readonly vagueWords?: readonly string[];
  /** Words that refer to a thing or person named before. */
  readonly pronouns?: {
    /** Anything named before: `it`. */
    readonly subjects?: string;
    /** Only a person or thing from an earlier turn: `him`. */
    readonly persons?: string;
    /** Only something close at hand: `this`, `one`. */
    readonly pointers?: string;
    /** Belonging to it: `its`. */
    readonly owners?: string;
    /** The speaker, and possessives: `I`, `my`. */
    readonly speakers?: string;
    /** The listener, and possessives: `you`, `your`. */
    readonly hearers?: string;
  };
  /** Abbreviations whose full stop ends no sentence, without that stop and with their usual capitals. */
  readonly abbreviations?: {
    readonly everywhere?: string;
    /** Only in texts of documents and answers. */
    readonly inTexts?: string;
    /** Only in questions. */
    readonly inQuestions?: string;
  };
  /**
   * Words before an ordinal in digits, `am 3.`, whose full stop ends no sentence; alternatives of a pattern.
   */
  readonly beforeOrdinals?: string;
  /**
   * The months in order, in lower case, with their alternative names and abbreviations: `jan|januar februar`.
   */
  readonly months?: string;
  /** Numbers in words. */
  readonly numbers?: {
    /** Word → factor: `million` → 1e6. */
    readonly scales?: Readonly<Record<string, number>>;
    /** Zero to nineteen, in order. */
    readonly small?: string;
    /** Twenty to ninety, in order. */
    readonly tens?: string;
    /**
     * For languages that do not join them as in `twenty-two`. Alternative forms are separated by `|`, with
     * `_` for a space inside one.
     */
    readonly words?: {
      readonly small: string;
      readonly tens: string;
      /** Zero to nine or nineteen as used with the tens, in order. */
      readonly ones: string;
      /** The forms of ten and one combined. */
      readonly join: (ten: string, one: string) => readonly string[];
      /** Words after which they name a day or the like, as alternatives of a pattern. */
      readonly notAfter?: string;
      /** What must follow a word that is as often another: alternatives of a pattern. */
      readonly onlyBefore?: Readonly<Record<string, string>>;
    };
  };
  /** Conjunctions of clauses, as alternatives of a pattern. */
  readonly joiners?: string;
  /** Words that open a question, as alternatives of a pattern. */
  readonly questionOpenings?: string;
  /** Beginnings of requests not phrased as questions (`I need the`), as alternatives of a pattern. */
  readonly requests?: string;
  /** Words that only occur in statements with a finite verb, as alternatives of a pattern. */
  readonly statements?: string;
  /** Names of places in a document that a number follows (`section 2`), as alternatives of a pattern. */
  readonly places?: string;
  /** Words for a folder of files, and verbs for having contents; each as alternatives of a pattern. */
  readonly folders?: { readonly called: string; readonly hold: string };
  /** Pages by number; alternatives of a pattern except for `ordinals`. */
  readonly pages?: {
    /** Singular. */
    readonly one: string;
    /** Plural. */
    readonly several?: string;
    /** Abbreviations of both, with their usual capitals: `p.`. */
    readonly short?: string;
    /** Between name and number: `page no. 5`. */
    readonly numbered?: string;
    /** Before the plural, if only the first and last page follow: `between pages`. */
    readonly between?: string;
    /** Words before the name that give it another meaning: `web page`. */
    readonly others?: string;
    /** The name as part of proper names, with its capital: `Nha Trang`. */
    readonly proper?: string;
    /** Ordinal numbers from zero, in order. */
    readonly ordinals?: string;
    /** Endings that make digits an ordinal: `5th`. */
    readonly ordinalEnds?: string;
    /** Names of the first page. */
    readonly front?: string;
  };
  /** Numbered elements of a document (`Figure 7`), as alternatives of patterns. */
  readonly shown?: {
    readonly figures: string;
    readonly tables: string;
    /** Asks for the number of such elements. */
    readonly counting: string;
  };
  /** Items of a document's first page, in questions; as alternatives of a pattern. */
  readonly onFront?: string;
  /**
   * Forms of questions by kind, each as alternatives of a pattern: `starts` at the beginning of a question,
   * `holds` anywhere in it.
   */
  readonly kinds?: Readonly<
    Partial<Record<QuestionKind, { readonly starts?: string; readonly holds?: string }>>
  >;
  /**
   * Complete questions, without final punctuation, for the documents that mention something; each a pattern
   * whose only group is the subject.
   */
  readonly mentions?: readonly string[];
  /** How questions ask about the structure of a document. */
  readonly contents?: ContentForms;
  /**
   * Beginnings of headings and lines about a document's makers or the law rather than its subject, as
   * alternatives of a pattern.
   */
  readonly boilerplate?: string;
  /** Headings under which an author sums up, as alternatives of a pattern; words that ask for a summary. */
  readonly summaries?: { readonly headings: string; readonly asked: string };
  /**
   * Kinds of documents by which a question refers to one (`the minutes`), separated by spaces, with
   * alternative names separated by `|`. Excludes generic words and those that are as often a subject
   * (`policy`, `agreement`).
   */
  readonly documentKinds?: string;
  /** Words that open a sentence which continues the previous one, as alternatives of a pattern. */
  readonly continuations?: string;
  /** Interrogatives, near the beginning of a question. Separated by spaces. */
  readonly interrogatives?: string;
  /** Words by which a question asks for a number, as alternatives of a pattern. */
  readonly asksNumber?: string;
  /**
   * Values that a question may ask for: words that ask for one, and words that name one without a number; each
   * as alternatives of a pattern.
   */
  readonly values?: Readonly<
    Partial<
      Record<"date" | "number" | "color", { readonly asks: string; readonly holds: string }> & {
        readonly telephone: { readonly asks: string };
      }
    >
  >;
  /** Words that ask for a reason, as alternatives of a pattern. */
  readonly reasons?: string;
  /** Superlatives in statements, each as alternatives of a pattern: for the top, and for the bottom. */
  readonly extremes?: {
    readonly most: string;
    readonly least: string;
  };
  /** Words that negate a statement, as alternatives of a pattern. */
  readonly negations?: string;
  /** Words that make an exception (`except`), as alternatives of a pattern. */
  readonly exceptions?: string;
  /** Antonyms: `open/closed`; the forms of one word are separated by `|`. */
  readonly opposites?: string;
  /** Phrases for switching on and off (`switched off`); each as alternatives of a pattern. */
  readonly switches?: { readonly on: string; readonly off: string };
  /** Words that open an answer which says yes, and no, as alternatives of a pattern. */
  readonly yes?: string;
  readonly no?: string;
  /** Words that make an amount a limit, each as alternatives of a pattern. */
  readonly limits?: {
    /** Directly before it, excluding the limit: above, and below. */
    readonly above: string;
    readonly below: string;
    /** Directly before it, including the limit: above, and below. */
    readonly from: string;
    readonly upTo: string;
    /** Same, with the measured thing between word and amount. */
    readonly minimum: string;
    readonly maximum: string;
    /** After the amount and its unit. */
    readonly orMore: string;
    readonly orLess: string;
  };
  /** Words of refusal, as alternatives of a pattern. */
  readonly refusals?: string;
  /** Opposites of words of denial (`allowed`, of `prohibited`), as alternatives of a pattern. */
  readonly affirmations?: string;
  /**
   * Words that open another statement within a sentence (`compared with`), as alternatives of a pattern;
   * conjunctions do too.
   */
  readonly breaks?: string;
  /** Words for a figure computed from others (`total`), as alternatives of a pattern. */
  readonly aggregates?: string;
  /** Words for an increase and for a decrease, as alternatives of a pattern. */
  readonly directions?: { readonly up: string; readonly down: string };
  /** Names for the amount of a change, in a question, a row or a column; as alternatives of a pattern. */
  readonly changes?: string;
  /**
   * Differences: words by which a question asks for one, and words next to a number that make it one; each as
   * alternatives of a pattern.
   */
  readonly differences?: { readonly asks: string; readonly holds: string };
  /** Words of questions about table cells. */
  readonly cells?: {
    /** Generic words for a cell's content: `value`, `achieves`. Separated by spaces. */
    readonly neutral: string;
    /**
     * Kinds of value that all numbers of a table may have, and that its headers may omit: `accuracy`.
     * Separated by spaces.
     */
    readonly kinds: string;
    /** Words for percentages. Separated by spaces. */
    readonly shares: string;
    /** Words that distinguish otherwise identical labels: `net`, `before`. Separated by spaces. */
    readonly turning: string;
    /** Same, for labels that have them outside brackets: `from`. Separated by spaces. */
    readonly ways?: string;
    /**
     * Words by which a question selects the row with the largest, and the smallest value; as alternatives of
     * a pattern.
     */
    readonly most: string;
    readonly least: string;
    /** Interrogatives for an amount (`how long`), as alternatives of a pattern. */
    readonly asksAmount: string;
    /** Same, for a comparison of two. */
    readonly more: string;
    readonly less: string;
    /** Asks for a year, as alternatives of a pattern; words for one, separated by blanks. */
    readonly whichYear: string;
    readonly years: string;
    /**
     * Beginnings of questions for a reason or manner, which no cell answers; as alternatives of a pattern.
     */
    readonly others: string;
    /**
     * Questions for the difference between two cells, as alternatives of patterns: their beginning if the
     * first is more, or less; what separates the two; nouns for a difference, and the word before both.
     */
    readonly apart?: {
      readonly more: string;
      readonly less: string;
      readonly than: string;
      readonly distances: string;
      readonly between: string;
    };
  };
  /** Words for an approximate number, as alternatives of a pattern. */
  readonly approximations?: string;
  /** Conjunction before the last member of a list, as alternatives of a pattern. */
  readonly and?: string;
  /** Same, for alternatives. */
  readonly or?: string;
  /** Words between the first and the last year of a span, as alternatives of a pattern. */
  readonly until?: string;
  /**
   * A question with its scope first (`Among adults, what share …`): words that open the scope, and words that
   * open the question after it; each as alternatives of a pattern.
   */
  readonly openings?: { readonly phrase: string; readonly question: string };
  /** Words for a reporting period. */
  readonly periods?: {
    /** Before or after a year as a company counts it: `fiscal year`, as alternatives of a pattern. */
    readonly fiscal: string;
    /** First to fourth quarter, in order; each as alternatives of a pattern. */
    readonly quarters: readonly [string, string, string, string];
    /** First and second half, in the same form. */
    readonly halves: readonly [string, string];
    /** Periods before their end date, as alternatives of a pattern: a year, a half, a quarter. */
    readonly spans?: { readonly year: string; readonly half: string; readonly quarter: string };
    /** Between such a span and its date: `ended`. */
    readonly ended?: string;
    /** Before a date from which something is counted, which is not the count's own period. */
    readonly since?: string;
    /** Asks for the newest of several reports, as alternatives of a pattern. */
    readonly latest?: string;
  };
  readonly answerForms?: AnswerForms;
  readonly phrases?: Readonly<Partial<Record<SocialPhrase, string>>>;
  /** Words allowed between such phrases that add nothing. */
  readonly fillers?: string;
}
