import { sentenceSegments } from "../core/text.ts";
import { alternatives, languages, parseWords } from "./languages.ts";

/** Abbreviations as alternatives of a pattern, for texts or for questions. */
const abbreviations = (where: "inTexts" | "inQuestions"): string =>
  languages
    .flatMap(({ abbreviations: { everywhere, [where]: there } = {} }) => [
      ...parseWords(everywhere),
      ...parseWords(there),
    ])
    .map((word) => word.replaceAll(".", "\\."))
    .join("|");

/**
 * A word whose full stop ends no sentence: an initial or letters with stops between them (`K.`, `S.V.`,
 * `z.B.`, but not `5 p.m.`), a measure that describes what follows (`19-in.`), or one of the abbreviations.
 */
const openWord = (words: string, flags = "u"): RegExp =>
  new RegExp(
    `(?:^|[\\s(])(?:\\p{Lu}|(?<!\\d\\s)(?:\\p{L}\\.){1,4}\\p{L}|\\d{1,4}-\\p{Ll}{1,4}|${words})\\.$`,
    flags,
  );

/** Whether a piece of a question ends with an abbreviation or an initial. */
export const endsInAbbreviation = openWord(abbreviations("inQuestions"));
/** Same for a text, which has its own abbreviations. */
const abbreviatedText = openWord(abbreviations("inTexts"));
/** Before a number in any capitals: `no. 5`. */
const abbreviatedNumber = openWord(abbreviations("inTexts"), "iu");

/** An ordinal before its noun: `im 19.`; or any number before the name of a month. */
const ordinal = new RegExp(
  `(?:^|[\\s(])(?:${alternatives(({ beforeOrdinals }) => beforeOrdinals)})\\s\\d{1,3}\\.$`,
  "iu",
);
const number = /(?:^|[\s(–-])\d{1,2}\.$/u;
const month = new RegExp(
  `^(?:${alternatives(({ months }) => months?.replaceAll(" ", "|"))})(?![\\p{L}\\p{M}])`,
  "iu",
);
/** Longest name of a month with its ending, in characters. */
const longestMonth = 12;

/** Whether a full stop here belongs to an abbreviation or a number. */
const isOpen = (end: string, next: string): boolean =>
  abbreviatedText.test(end) ||
  (/^\d/u.test(next) && abbreviatedNumber.test(end)) ||
  ordinal.test(end) ||
  (number.test(end) && month.test(next));

/** Longest abbreviation with its context, in characters. */
const longestAbbreviation = 12;

/**
 * Possible ends of a sentence: without one, a line is a single sentence. Source: Unicode Standard Annex #29,
 * SB4 to SB11.
 */
const ending = /[\p{Sentence_Terminal}\u2024\u0085\u2028\u2029\r]/u;

function sentencesOfLine(line: string): string[] {
  if (!ending.test(line)) return [line.trim()];
  const all: string[] = [];
  let pending = "";
  let end = "";
  for (const { segment, index } of sentenceSegments(line)) {
    pending += segment;
    // Only the end is tested, because a text of nothing but abbreviations would be read again for each.
    const seen = end + segment;
    const last = seen.trimEnd().slice(-longestAbbreviation);
    end = `${last}${seen.length > seen.trimEnd().length ? " " : ""}`;
    const next = index + segment.length;
    if (isOpen(last, line.slice(next, next + longestMonth))) continue;
    all.push(pending.trim());
    pending = "";
    end = "";
  }
  all.push(pending.trim());
  return all.filter((sentence) => sentence !== "");
}

/** Trimmed, non-empty sentences of a text; a line break ends one, an abbreviation does not. */
export const sentences = (text: string): string[] =>
  text.split(/\n+/).flatMap((line) => (line.trim() === "" ? [] : sentencesOfLine(line)));
