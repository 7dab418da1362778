import type { QuestionKind } from "../../core/answers/answer.ts";
import type { AnswerForms } from "./answer-forms.ts";
import type { ContentForms } from "./contents.ts";

/** Kinds of phrases that say something without asking for anything that documents hold. */
export type SocialPhrase = "greeting" | "wellbeing" | "thanks" | "farewell" | "praise";

/** ISO 639-1 codes of the languages whose words are known. */
export type LanguageCode = "en" | "vi" | "fr" | "de";

/**
 * The words of one language, lower case. Lists hold words (or syllables) separated by blanks, one or more
 * groups to a list, so that lists of different purpose can share a group; lists of phrases are separated by
 * `|` or line breaks. All are optional but `code`.
 */
export interface Language {
  readonly code: LanguageCode;
  /** Words of a question that carry no subject. */
  readonly functionWords?: readonly string[];
  /** Those of them that languages without a file of their own have as well: they do not tell the language. */
  readonly sharedWords?: string;
  /** Words that are no terms when texts are compared or ranked. */
  readonly stopWords?: readonly string[];
  /** Nouns and verbs that name no subject of their own, e.g. `thing`, `report`. */
  readonly vagueWords?: readonly string[];
  /** Words that stand for a thing or a person named before. */
  readonly pronouns?: {
    /** Anything named before: `it`. */
    readonly subjects?: string;
    /** Only somebody or something spoken of in an earlier turn: `him`. */
    readonly persons?: string;
    /** Only what lies at hand: `this`, `one`. */
    readonly pointers?: string;
    /** At the beginning of a sentence, with a noun or without: what was said in the one before. */
    readonly demonstratives?: string;
    /** Belonging to it: `its`. */
    readonly owners?: string;
    /** Whoever speaks, and theirs: `I`, `my`. */
    readonly speakers?: string;
    /** Whoever is spoken to, and theirs: `you`, `your`. */
    readonly hearers?: string;
  };
  /** Written with a full stop that ends no sentence, without that stop, as they are capitalised. */
  readonly abbreviations?: {
    readonly everywhere?: string;
    /** Only in texts of documents and answers. */
    readonly inTexts?: string;
    /** Only in questions. */
    readonly inQuestions?: string;
  };
  /** Words before an ordinal number in digits, `am 3.`, whose full stop ends no sentence; alternatives of a pattern. */
  readonly beforeOrdinals?: string;
  /** The months in order, lower case, each with its other names and abbreviations: `jan|januar februar`. */
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
     * The same where they are not joined as in `twenty-two`. Several forms of one are separated by `|`, `_` is a blank
     * within one.
     */
    readonly words?: {
      readonly small: string;
      readonly tens: string;
      /** Zero to nine or nineteen as they stand beside the tens, in order. */
      readonly ones: string;
      /** The forms of both together. */
      readonly join: (ten: string, one: string) => readonly string[];
      /** Words behind which they are the name of a day or the like, as alternatives of a pattern. */
      readonly notAfter?: string;
      /** What must stand behind a word that is as often another: alternatives of a pattern. */
      readonly onlyBefore?: Readonly<Record<string, string>>;
    };
  };
  /** Words that join two clauses, as alternatives of a pattern. */
  readonly joiners?: string;
  /** Words that open a question, as alternatives of a pattern. */
  readonly questionOpenings?: string;
  /** What a request begins with that is no question by its form (`I need the`), as alternatives of a pattern. */
  readonly requests?: string;
  /** Words that only a sentence with its verb has, as alternatives of a pattern. */
  readonly statements?: string;
  /** Names of places in a document that a number follows (`section 2`), as alternatives of a pattern. */
  readonly places?: string;
  /** What a folder of files is called, and verbs that say what it has; each as alternatives of a pattern. */
  readonly folders?: { readonly called: string; readonly hold: string };
  /** Pages by their number; alternatives of a pattern but for `ordinals`. */
  readonly pages?: {
    /** What one is called. */
    readonly one: string;
    /** What several are called. */
    readonly several?: string;
    /** Abbreviations of both, as they are capitalised: `p.`. */
    readonly short?: string;
    /** Stand between name and number: `page no. 5`. */
    readonly numbered?: string;
    /** Before the name of several, of which the first and the last are told: `between pages`. */
    readonly between?: string;
    /** Words before a name that make another thing of it: `web page`. */
    readonly others?: string;
    /** The name as a part of other names, with its capital: `Nha Trang`. */
    readonly proper?: string;
    /** Ordinal numbers from zero, in order. */
    readonly ordinals?: string;
    /** What makes an ordinal of digits: `5th`. */
    readonly ordinalEnds?: string;
    /** What the first is called. */
    readonly front?: string;
  };
  /** What is shown in a document under a number of its own (`Figure 7`), as alternatives of patterns. */
  readonly shown?: {
    readonly figures: string;
    readonly tables: string;
    /** Asks how many things are shown. */
    readonly counting: string;
  };
  /**
   * How something looks on its page: words by which a question asks for that, and words by which a text tells it; each
   * as alternatives of a pattern.
   */
  readonly looks?: {
    /** What is underlined, or written in some other style. */
    readonly writing: { readonly asks: string; readonly holds: string };
    /** What is drawn or written in some colour; a text tells it as it tells any colour. */
    readonly color: { readonly asks: string };
    /** What a picture shows, or how many pictures there are; a text names the picture beside a number or a place. */
    readonly pictures: { readonly asks: string; readonly holds: string; readonly places: string };
  };
  /** What stands on the first page of a document, in questions; as alternatives of a pattern. */
  readonly onFront?: string;
  /**
   * Forms of questions by kind, each as alternatives of a pattern: `starts` at the beginning of a question,
   * `holds` anywhere in it.
   */
  readonly kinds?: Readonly<
    Partial<Record<QuestionKind, { readonly starts?: string; readonly holds?: string }>>
  >;
  /**
   * Questions for the documents that speak of something, whole and without their mark, each a pattern whose
   * only group is the subject.
   */
  readonly mentions?: readonly string[];
  /** How questions ask what a document is made of. */
  readonly contents?: ContentForms;
  /**
   * Beginnings of headings and lines that tell of a document's makers or of the law, not of its subject, as
   * alternatives of a pattern.
   */
  readonly boilerplate?: string;
  /** Headings under which an author sums up, alternatives of a pattern; words by which one asks for a summary. */
  readonly summaries?: { readonly headings: string; readonly asked: string };
  /**
   * Kinds of documents that a question means one by (`the minutes`), separated by blanks; names of one kind by `|`.
   * None that any document may be called, or that is as often its subject (`policy`, `agreement`).
   */
  readonly documentKinds?: string;
  /** Words that open a sentence which goes on about the one before, as alternatives of a pattern. */
  readonly continuations?: string;
  /** Words that stand for what is asked, near the beginning of a question. Separated by blanks. */
  readonly interrogatives?: string;
  /** Words by which a question asks for a number, as alternatives of a pattern. */
  readonly asksNumber?: string;
  /**
   * Values that a question asks for: words it asks by, and words that name such a value without a number;
   * for numbers, forms of an answer that is one; each as alternatives of a pattern.
   */
  readonly values?: Readonly<
    Partial<
      Record<"date" | "number" | "color", { readonly asks: string; readonly holds: string }> & {
        readonly number: { readonly forms: string };
        readonly telephone: { readonly asks: string };
      }
    >
  >;
  /** Words that a question asks for a reason by, as alternatives of a pattern. */
  readonly reasons?: string;
  /**
   * By which a statement puts one thing before all others of its kind, each as alternatives of a pattern: above them,
   * and below them.
   */
  readonly extremes?: {
    readonly most: string;
    readonly least: string;
  };
  /**
   * Words that say that something is demanded, of whatever subject: what shares nothing else with a question is
   * not about it. Separated by blanks.
   */
  readonly obligations?: string;
  /** What is counted by many other words too (`people`): an answer need not repeat it. Separated by blanks. */
  readonly general?: string;
  /** Words that turn what is said into its opposite, as alternatives of a pattern. */
  readonly negations?: string;
  /** Words that leave little of what is said (`only`), as alternatives of a pattern. */
  readonly restrictions?: string;
  /** Words that turn it for what they name (`except`), as alternatives of a pattern. */
  readonly exceptions?: string;
  /** Pairs of words that say the opposite of each other: `open/closed`; the forms of one are separated by `|`. */
  readonly opposites?: string;
  /** How something is set going, and stopped, in several words (`switched off`); each as alternatives of a pattern. */
  readonly switches?: { readonly on: string; readonly off: string };
  /** Words that open an answer which says yes, and no, as alternatives of a pattern. */
  readonly yes?: string;
  readonly no?: string;
  /** Words by which an amount marks off others, each as alternatives of a pattern. */
  readonly limits?: {
    /** Directly before it, for those above and those below it. */
    readonly above: string;
    readonly below: string;
    /** Directly before it, for it and those above, and for it and those below. */
    readonly from: string;
    readonly upTo: string;
    /** The same with what is measured between word and amount. */
    readonly minimum: string;
    readonly maximum: string;
    /** Behind it and its unit. */
    readonly orMore: string;
    readonly orLess: string;
  };
  /** Words by which something is refused, as alternatives of a pattern. */
  readonly refusals?: string;
  /** Words that end a question for a yes or no and deny nothing, as alternatives of a pattern. */
  readonly questionEnds?: string;
  /** Words of which such a word says the opposite (`allowed`, of `prohibited`), as alternatives of a pattern. */
  readonly affirmations?: string;
  /**
   * Words that open another statement within a sentence (`compared with`), as alternatives of a pattern;
   * joining words do too.
   */
  readonly breaks?: string;
  /** Words that say a figure is put together from others (`total`), as alternatives of a pattern. */
  readonly aggregates?: string;
  /** Words that say that something went up, and that it went down, as alternatives of a pattern. */
  readonly directions?: { readonly up: string; readonly down: string };
  /** Words that name how much something changed, in a question, a row or a column; as alternatives of a pattern. */
  readonly changes?: string;
  /**
   * How far two things lie apart: words by which a question asks for it, and words beside a number that is such a
   * distance; each as alternatives of a pattern.
   */
  readonly differences?: { readonly asks: string; readonly holds: string };
  /** Words of questions for cells of tables. */
  readonly cells?: {
    /** Say of a cell that it is one, or that something has it: `value`, `achieves`. Separated by blanks. */
    readonly neutral: string;
    /** What all numbers of a table may be of, which its headers need not say: `accuracy`. Separated by blanks. */
    readonly kinds: string;
    /** Words for shares of a hundred. Separated by blanks. */
    readonly shares: string;
    /** Make another row of one that is called alike otherwise: `net`, `before`. Separated by blanks. */
    readonly turning: string;
    /** The same where a label has them outside brackets: `from`. Separated by blanks. */
    readonly ways?: string;
    /** Words by which a question picks the row with the most, and the least; as alternatives of a pattern. */
    readonly most: string;
    readonly least: string;
    /** By which a question asks for an amount (`how long`), as alternatives of a pattern. */
    readonly asksAmount: string;
    /** Say that all columns count together: `total`. Separated by blanks. */
    readonly sums: string;
    /** The same of two things that are compared. */
    readonly more: string;
    readonly less: string;
    /** Asks for a year, as alternatives of a pattern; words for one, separated by blanks. */
    readonly whichYear: string;
    readonly years: string;
    /** Beginnings of questions for a reason or a manner, which no cell answers; as alternatives of a pattern. */
    readonly others: string;
    /**
     * Questions for how far two cells lie apart, as alternatives of patterns: what they begin with where the first is
     * more, and less; what stands between the two; what such a distance is called, and what stands before both.
     */
    readonly apart?: {
      readonly more: string;
      readonly less: string;
      readonly than: string;
      readonly distances: string;
      readonly between: string;
    };
  };
  /** Words that say that a number is not meant exactly, as alternatives of a pattern. */
  readonly approximations?: string;
  /** The word before the last of a series, as alternatives of a pattern. */
  readonly and?: string;
  /** The same where one of them is meant. */
  readonly or?: string;
  /** Words between the first and the last year of a span, as alternatives of a pattern. */
  readonly until?: string;
  /** Words before or behind a year that opens a span of years, as alternatives of a pattern. */
  readonly opensSpan?: string;
  /** Words before a year that tell it from another number, as alternatives of a pattern. */
  readonly datedBy?: string;
  /**
   * A question that names first what it is asked of (`Among adults, what share …`): words that open such a
   * phrase, and words that open the question behind it; each as alternatives of a pattern.
   */
  readonly openings?: { readonly phrase: string; readonly question: string };
  /** Words that name a span of time a report is about. */
  readonly periods?: {
    /**
     * Before or behind a year that a company counts for itself: `fiscal year`, as alternatives of a pattern.
     */
    readonly fiscal: string;
    /** First to fourth quarter, in order; each as alternatives of a pattern. */
    readonly quarters: readonly [string, string, string, string];
    /** First and second half, likewise. */
    readonly halves: readonly [string, string];
    /** Spans before a date they end on, as alternatives of a pattern: a year, a half, a quarter. */
    readonly spans?: { readonly year: string; readonly half: string; readonly quarter: string };
    /** Between such a span and its date: `ended`. */
    readonly ended?: string;
    /** Before a date from which on something is counted: it is no period of the count. */
    readonly since?: string;
    /** Asks for the newest of several reports, as alternatives of a pattern. */
    readonly latest?: string;
  };
  readonly answerForms?: AnswerForms;
  readonly phrases?: Readonly<Partial<Record<SocialPhrase, string>>>;
  /** Words that may stand between such phrases and add nothing. */
  readonly fillers?: string;
}
