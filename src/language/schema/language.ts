import { questionKinds, structureParts } from "../../core/answers/answer.ts";
import { z } from "../../core/schema.ts";
import { type Messages, type Shape, texts } from "./notes.ts";
import {
  answerForms,
  asksAndHolds,
  contentForms,
  list,
  meanings,
  optional,
  sheetWords,
  text,
} from "./questions.ts";

/** Kinds of phrases that are no question about documents. */
const socialPhrases = ["greeting", "wellbeing", "thanks", "farewell", "praise"] as const;
export type SocialPhrase = (typeof socialPhrases)[number];

/** A text for each that has arguments or none, in tables of the same names. */
const messages = (shape: Shape): z.ZodType =>
  Array.isArray(shape)
    ? text.min(1)
    : z.strictObject(
        Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, messages(inner)])),
      );

/**
 * The words of one language, in lower case: a file `CODE.yaml` of `config/languages/`. Lists have words (or
 * syllables) separated by spaces, in one or more groups, so that lists for different purposes can share a
 * group. Where a member is missing, the language has nothing of the kind.
 */
export const languageSchema = z.strictObject({
  /**
   * Pieces of patterns by name: `<name>` in the patterns below, and in later pieces, stands for one.
   */
  parts: z.record(z.string(), text).optional(),
  /** A character that no other language here has, as a pattern. */
  letters: text.optional(),
  /**
   * Whether words consist of syllables that stand apart, each a word elsewhere. Its `letters` tell its texts
   * from those of others, and a noun comes before what describes it.
   */
  syllables: z.boolean().optional(),
  /** Whether every noun is capitalised, so that a capital makes no name. */
  capitalizesNouns: z.boolean().optional(),
  /** Whether function words are other words elsewhere: `die`. */
  falseFriends: z.boolean().optional(),
  /** Whether one letter often makes another word, so that misspellings are not corrected. */
  closeWords: z.boolean().optional(),
  /** Endings of words that may be left out or replaced, and vowels that may change; words form compounds. */
  inflection: optional({ endings: text, umlauts: z.record(text, text) }),
  /** Words of a question that carry no subject. */
  functionWords: list,
  /** Irregular forms, a word a line: the base, then its other forms. */
  irregular: text.optional(),
  /** Function words that unsupported languages also have, so they do not identify the language. */
  sharedWords: text.optional(),
  /** Words that are no terms when texts are compared or ranked. */
  stopWords: list,
  /** Nouns and verbs too general to be a subject, e.g. `thing`, `report`. */
  vagueWords: list,
  /** Words that refer to a thing or person named before. */
  pronouns: optional({
    /** Anything named before: `it`. */
    subjects: text.optional(),
    /** Only a person or thing from an earlier turn: `him`. */
    persons: text.optional(),
    /** Only something close at hand: `this`, `one`. */
    pointers: text.optional(),
    /** Belonging to it: `its`. */
    owners: text.optional(),
    /** The speaker, and possessives: `I`, `my`. */
    speakers: text.optional(),
    /** The listener, and possessives: `you`, `your`. */
    hearers: text.optional(),
  }),
  /** Abbreviations whose full stop ends no sentence, without that stop and with their usual capitals. */
  abbreviations: optional({
    everywhere: text.optional(),
    /** Only in texts of documents and answers. */
    inTexts: text.optional(),
    /** Only in questions. */
    inQuestions: text.optional(),
  }),
  /**
   * Words before an ordinal in digits, `am 3.`, whose full stop ends no sentence; alternatives of a pattern.
   */
  beforeOrdinals: text.optional(),
  /**
   * The months in order, in lower case, with their alternative names and abbreviations: `jan|januar februar`.
   */
  months: text.optional(),
  /** Ways to write a date, as patterns: `<day>`, `<month>` and `<year>` in digits, `<name>` of the month. */
  dates: list.optional(),
  /** Numbers in words. */
  numbers: optional({
    /** Word → factor: `million` → 1e6. */
    scales: z.record(z.string(), z.number()).optional(),
    /** Zero to nineteen, in order. */
    small: text.optional(),
    /** Twenty to ninety, in order. */
    tens: text.optional(),
    /**
     * For languages that do not join them as in `twenty-two`. Alternative forms are separated by `|`, with
     * `_` for a space inside one.
     */
    words: optional({
      small: text,
      tens: text,
      /** Zero to nine or nineteen as used with the tens, in order. */
      ones: text,
      /** The forms of ten and one combined: `{one}und{ten}`. */
      join: list,
      /** Words after which they name a day or the like, as alternatives of a pattern. */
      notAfter: text.optional(),
      /** What must follow a word that is as often another: alternatives of a pattern. */
      onlyBefore: z.record(z.string(), text).optional(),
    }),
  }),
  /** Canonical unit → its names, separated by spaces, with `_` for a space inside one. */
  units: z.record(text, text).optional(),
  /** Articles and the like before a noun, as alternatives of a pattern. */
  articles: text,
  /** Prepositions that open a part of a question which another may replace; alternatives of a pattern. */
  prepositions: text,
  /** Between a limit and its amount, `a minimum of 5`; as alternatives of a pattern. */
  of: text,
  /** Words of courtesy before a request, as alternatives of a pattern. */
  courtesies: text.optional(),
  /** Conjunctions of clauses, as alternatives of a pattern. */
  joiners: text.optional(),
  /** Words that make a sentence a question wherever they stand, as alternatives of a pattern. */
  asks: text.optional(),
  /** Words that open a question, as alternatives of a pattern. */
  questionOpenings: text.optional(),
  /** Beginnings of requests not phrased as questions (`I need the`), as alternatives of a pattern. */
  requests: text.optional(),
  /** Words that only occur in statements with a finite verb, as alternatives of a pattern. */
  statements: text.optional(),
  /** Names of places in a document that a number follows (`section 2`), as alternatives of a pattern. */
  places: text.optional(),
  /** Words for a folder of files, and verbs for having contents; each as alternatives of a pattern. */
  folders: optional({ called: text, hold: text }),
  /** Pages by number; alternatives of a pattern except for `ordinals`. */
  pages: optional({
    /** Singular. */
    one: text,
    /** Plural. */
    several: text.optional(),
    /** Abbreviations of both, with their usual capitals: `p.`. */
    short: text.optional(),
    /** Between name and number: `page no. 5`. */
    numbered: text.optional(),
    /** Before the plural, if only the first and last page follow: `between pages`. */
    between: text.optional(),
    /** Words before the name that give it another meaning: `web page`. */
    others: text.optional(),
    /** The name as part of proper names, with its capital: `Nha Trang`. */
    proper: text.optional(),
    /** Ordinal numbers from zero, in order. */
    ordinals: text.optional(),
    /** Endings that make digits an ordinal: `5th`. */
    ordinalEnds: text.optional(),
    /** Names of the first page. */
    front: text.optional(),
  }),
  /** Numbered elements of a document (`Figure 7`), as alternatives of patterns. */
  shown: optional({
    figures: text,
    tables: text,
    /** Asks for the number of such elements. */
    counting: text,
  }),
  /** Items of a document's first page, in questions; as alternatives of a pattern. */
  onFront: text.optional(),
  /**
   * Forms of questions by kind, each as alternatives of a pattern: `starts` at the beginning of a question,
   * `holds` anywhere in it.
   */
  kinds: z
    .partialRecord(z.enum(questionKinds), z.strictObject({ starts: text.optional(), holds: text.optional() }))
    .optional(),
  /**
   * Complete questions, without final punctuation, for the documents that mention something; each a pattern
   * whose only group is the subject.
   */
  mentions: list.optional(),
  /** How questions ask about the structure of a document. */
  contents: contentForms.optional(),
  /**
   * Beginnings of headings and lines about a document's makers or the law rather than its subject, as
   * alternatives of a pattern.
   */
  boilerplate: text.optional(),
  /** Headings under which an author sums up, as alternatives of a pattern; words that ask for a summary. */
  summaries: optional({ headings: text, asked: text }),
  /**
   * Kinds of documents by which a question refers to one (`the minutes`), separated by spaces, with
   * alternative names separated by `|`. Excludes generic words and those that are as often a subject
   * (`policy`, `agreement`).
   */
  documentKinds: text.optional(),
  /** Words that open a sentence which continues the previous one, as alternatives of a pattern. */
  continuations: text.optional(),
  /** Interrogatives, near the beginning of a question. Separated by spaces. */
  interrogatives: text.optional(),
  /** Words by which a question asks for a number, as alternatives of a pattern. */
  asksNumber: text.optional(),
  /**
   * Values that a question may ask for: words that ask for one, and words that name one without a number; each
   * as alternatives of a pattern.
   */
  values: optional({
    date: asksAndHolds,
    number: asksAndHolds,
    color: asksAndHolds,
    telephone: optional({ asks: text }),
  }),
  /** Words that ask for a reason, as alternatives of a pattern. */
  reasons: text.optional(),
  /** Superlatives in statements, each as alternatives of a pattern: for the top, and for the bottom. */
  extremes: optional({
    most: text,
    least: text,
  }),
  /** Words that negate a statement, as alternatives of a pattern. */
  negations: text.optional(),
  /** Words that make an exception (`except`), as alternatives of a pattern. */
  exceptions: text.optional(),
  /** Antonyms: `open/closed`; the forms of one word are separated by `|`. */
  opposites: text.optional(),
  /** Phrases for switching on and off (`switched off`); each as alternatives of a pattern. */
  switches: optional({ on: text, off: text }),
  /** Words that open an answer which says yes, and no, as alternatives of a pattern. */
  yes: text.optional(),
  no: text.optional(),
  /** Words that make an amount a limit, each as alternatives of a pattern. */
  limits: optional({
    /** Directly before it, excluding the limit: above, and below. */
    above: text,
    below: text,
    /** Directly before it, including the limit: above, and below. */
    from: text,
    upTo: text,
    /** Same, with the measured thing between word and amount. */
    minimum: text,
    maximum: text,
    /** After the amount and its unit. */
    orMore: text,
    orLess: text,
  }),
  /** Words of refusal, as alternatives of a pattern. */
  refusals: text.optional(),
  /** Opposites of words of denial (`allowed`, of `prohibited`), as alternatives of a pattern. */
  affirmations: text.optional(),
  /**
   * Words that open another statement within a sentence (`compared with`), as alternatives of a pattern;
   * conjunctions do too.
   */
  breaks: text.optional(),
  /** Words for a figure computed from others (`total`), as alternatives of a pattern. */
  aggregates: text.optional(),
  /** Words for an increase and for a decrease, as alternatives of a pattern. */
  directions: optional({ up: text, down: text }),
  /** Names for the amount of a change, in a question, a row or a column; as alternatives of a pattern. */
  changes: text.optional(),
  /**
   * Differences: words by which a question asks for one, and words next to a number that make it one; each as
   * alternatives of a pattern.
   */
  differences: asksAndHolds,
  /** Words of questions about table cells. */
  cells: optional({
    /** Generic words for a cell's content: `value`, `achieves`. Separated by spaces. */
    neutral: text,
    /**
     * Kinds of value that all numbers of a table may have, and that its headers may omit: `accuracy`.
     * Separated by spaces.
     */
    kinds: text,
    /** Words for percentages. Separated by spaces. */
    shares: text,
    /** Words that distinguish otherwise identical labels: `net`, `before`. Separated by spaces. */
    turning: text,
    /** Same, for labels that have them outside brackets: `from`. Separated by spaces. */
    ways: text.optional(),
    /**
     * Words by which a question selects the row with the largest, and the smallest value; as alternatives of
     * a pattern.
     */
    most: text,
    least: text,
    /** Interrogatives for an amount (`how long`), as alternatives of a pattern. */
    asksAmount: text,
    /** Same, for a comparison of two. */
    more: text,
    less: text,
    /** Asks for a year, as alternatives of a pattern; words for one, separated by blanks. */
    whichYear: text,
    years: text,
    /**
     * Beginnings of questions for a reason or manner, which no cell answers; as alternatives of a pattern.
     */
    others: text,
    /**
     * Questions for the difference between two cells, as alternatives of patterns: their beginning if the
     * first is more, or less; what separates the two; nouns for a difference, and the word before both.
     */
    apart: optional({
      more: text,
      less: text,
      than: text,
      distances: text,
      between: text,
    }),
  }),
  /** Words for an approximate number, as alternatives of a pattern. */
  approximations: text.optional(),
  /** Conjunction before the last member of a list, as alternatives of a pattern. */
  and: text.optional(),
  /** Same, for alternatives. */
  or: text.optional(),
  /** Words between the first and the last year of a span, as alternatives of a pattern. */
  until: text.optional(),
  /**
   * A question with its scope first (`Among adults, what share …`): words that open the scope, and words that
   * open the question after it; each as alternatives of a pattern.
   */
  openings: optional({ phrase: text, question: text }),
  /** Words for a reporting period. */
  periods: optional({
    /** Before or after a year as a company counts it: `fiscal year`, as alternatives of a pattern. */
    fiscal: text,
    /** First to fourth quarter, in order; each as alternatives of a pattern. */
    quarters: z.tuple([text, text, text, text]),
    /** First and second half, in the same form. */
    halves: z.tuple([text, text]),
    /** Periods before their end date, as alternatives of a pattern: a year, a half, a quarter. */
    spans: optional({ year: text, half: text, quarter: text }),
    /** Between such a span and its date: `ended`. */
    ended: text.optional(),
    /** Before a date from which something is counted, which is not the count's own period. */
    since: text.optional(),
    /** Asks for the newest of several reports, as alternatives of a pattern. */
    latest: text.optional(),
  }),
  answerForms: answerForms.optional(),
  /** Greetings, thanks and the like; phrases are separated by `|`. */
  phrases: z.partialRecord(z.enum(socialPhrases), text).optional(),
  /** Words allowed between such phrases that add nothing. */
  fillers: text.optional(),
  /** Names of parts before their number, in headings and captions; each as alternatives of a pattern. */
  headed: z.partialRecord(z.enum(structureParts), text).optional(),
  /**
   * Questions about what there is to search: words for documents and for agents, and what opens a subject,
   * which titles do not answer; each as alternatives of a pattern.
   */
  inventory: z.strictObject({ documents: text, agents: text.optional(), about: text }),
  /** Questions for which injected sentences may be the answer, as patterns. */
  aboutInjections: list,
  /** Questions about the assistant: patterns of a whole text in lower case without punctuation. */
  aboutAssistant: list,
  /**
   * Sentences that address the assistant rather than the reader, as patterns; `<start>` and `<end>` are word
   * boundaries. Every repetition is bounded.
   */
  injections: list,
  ...meanings,
  sheets: sheetWords,
  /** What answers say, as ICU messages. */
  notes: messages(texts),
});

/** ISO 639-1 code of a supported language: the name of its file. */
export type LanguageCode = string;

export type Language = z.output<typeof languageSchema> & {
  readonly code: LanguageCode;
  readonly notes: Messages;
};
