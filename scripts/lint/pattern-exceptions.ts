import type { StandIns } from "./pattern-list.ts";

/** Values of the kind that stand in a pattern at run time. */
export const standIns: StandIns = {
  "src/agents/decide/reflect.ts": { preposition: "for" },
  "src/drivers/parsers/office/xml.ts": { prefix: "ns0" },
  "src/language/asking/kinds/contents.ts": {
    source:
      "how many (?:pages) (?:(?:are|is) )?(?:there |available )?(?:are |is )?(?:in|of) (?<document>[^,;:]{1,100})(?: have| contain)?",
  },
  "src/language/time/dates.ts": { source: "ngày (\\d{1,2}) tháng (\\d{1,2})(?: năm (\\d{4}))?" },
  "src/language/languages.ts": { letters: "[ăđơưạ-ỹ]", source: "^who are you$", flags: "iu" },
  "src/language/asking/kinds/kinds.ts": { kind: "number" },
  "src/language/quantities.ts": {
    syllabicForms: "(?<!(?<!\\p{L})(?:tháng|thứ)\\s)(?:hai mươi|hai|năm(?=\\s(?:tuần|ngày)(?!\\p{L})))",
    otherForms: "(?:twenty-two|twenty|two)|(?:zweiundzwanzig|zwei)",
  },
  "src/language/time/periods.ts": { words: "first quarter|1st quarter|q1" },
  "src/models/archive.ts": { pattern: "milvus_lite/lib/*.so" },
  "src/tables/query/match.ts": { phrase: "north west" },
  "src/tables/query/select.ts": {
    beforeRanked: "(?:của|ở|tại|trong)(?: \\p{L}+){1,4} ",
    asksExtreme: "(?:(?!của )\\p{L}{1,12} ){1,6}",
    extremes: "(?:nhiều|cao|lớn|dài|nặng) nhất|(?:ít|thấp|nhỏ|ngắn|nhẹ|rẻ) nhất",
  },
  "src/language/replacer.ts": { pattern: "(?<=..)aux$" },
  "src/tables/query/read.ts": {
    pattern: "(?<![\\p{L}\\p{N}])pump[\\s._-]{1,3}data(?:\\.xlsx)?(?![\\p{L}\\p{N}])",
  },
};

/** A pattern that is not checked, and why the time it takes is bounded all the same. */
export interface Exception {
  readonly file: string;
  /** How the pattern begins. */
  readonly start: string;
  readonly reason: string;
}

const comparison = "comparedThings is given one line of at most 300 characters (longestComparison)";
const sum = "arithmeticIn looks at questions of at most 300 characters";
const reach = "limitOf reads at most 60 characters before an amount (reach)";
const distance =
  "it starts at the beginning of a word, and its words are at most 80 characters apart: a bounded number of steps for each word";

const statement = "statementOf passes on a statement of at most 4,000 characters (maxCharacters)";

export const exceptions: readonly Exception[] = [
  {
    file: "src/pipeline/answer/check/values.ts",
    start: "(?<![\\p{L}\\p{N}-])(?=[\\p{Lu}])",
    reason: "it starts at the beginning of a word, looks at most 40 characters ahead and reads the word once",
  },
  { file: "src/tools/database/statement.ts", start: "('(?:[^']|'')*'", reason: statement },
  { file: "src/tools/database/statement.ts", start: "([\\p{L}_][\\p{L}\\p{N}_]*)\\s*", reason: statement },
  { file: "src/tools/database/statement.ts", start: ";\\s*$", reason: statement },
  { file: "src/language/limits.ts", start: "(?<![\\p{L}])(?:maximum|", reason: reach },
  { file: "src/language/limits.ts", start: "(?<![\\p{L}])(?:minimum|", reason: reach },
  { file: "src/language/clauses.ts", start: "\\b(?:compare|contrast|", reason: comparison },
  { file: "src/language/clauses.ts", start: "\\b(?:differences?|differ|", reason: comparison },
  { file: "src/language/clauses.ts", start: "^(?:which|who|what|welche", reason: comparison },
  { file: "src/language/clauses.ts", start: "^how\\s+(?:do|does|did)", reason: comparison },
  { file: "src/language/clauses.ts", start: "^(?<subject>.+?)\\s+(?<link>", reason: comparison },
  { file: "src/tools/calculator/arithmetic.ts", start: "(?: ?(?:=|\\?|", reason: sum },
  {
    file: "src/tools/calculator/arithmetic.ts",
    start: "(\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|\\.\\d+)\\s*%",
    reason: sum,
  },
  { file: "src/tools/calculator/arithmetic.ts", start: "[\\d)%!]\\s*[-+*/^]", reason: sum },
  { file: "src/tools/calculator/arithmetic.ts", start: "^(-?(?:\\d+(?:\\.\\d+)?", reason: sum },
  { file: "src/tools/calculator/arithmetic.ts", start: "^(?:how many\\s+)?(\\D", reason: sum },
  { file: "config/languages/en.yaml", start: "\\b(?:add|append|include|", reason: distance },
  { file: "config/languages/en.yaml", start: "\\b(?:ignor\\p{L}*|", reason: distance },
  {
    file: "config/languages/en.yaml",
    start: "\\b(?:system|developer) (?:prompt",
    reason: distance,
  },
  { file: "config/languages/en.yaml", start: "\\b(?:when|if|whenever)\\b", reason: distance },
];
