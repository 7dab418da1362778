import { type ContentPart, structureParts } from "../../../core/answers/answer.ts";
import { partsOf } from "../../clauses.ts";
import { alternation, alternatives, languages } from "../../languages.ts";
import { coreRequest, withoutArticles } from "./request.ts";

/** Longest question considered, in characters. */
const longestForm = 200;

/** A question about the structure of a document. */
export interface ContentRequest {
  readonly part: ContentPart;
  /** How the question refers to the document: `the equipment manual`. */
  readonly document: string;
  /** Whether any document may be called that: `this report`. */
  readonly isGeneral: boolean;
}

const named = "(?<document>[^,;:]{1,100})";

/** A form in one language for one part, and whether it must contain a word for a document. */
const forms = languages.flatMap(({ contents }) => {
  if (contents === undefined) return [];
  const { parts, parted, long = [], whole } = contents;
  const compile = (part: ContentPart, patterns: readonly string[], isLong = false) =>
    patterns.map((pattern) => {
      const source = pattern.replace("<document>", named).replaceAll("<part>", `(?:${parts[part]})`);
      return { part, isLong, pattern: new RegExp(`^${source}$`, "iu") };
    });
  return [
    ...structureParts.flatMap((part) => compile(part, parted)),
    ...compile("pages", long, true),
    ...compile("headings", whole),
  ];
});

const nouns = alternatives(({ contents }) => contents?.documents);
const hasNoun = alternation(nouns);
const isNoun = new RegExp(`^(?:${nouns})$`, "iu");

const section = alternation(
  alternatives(({ headed }) => [headed?.chapters, headed?.sections].filter(Boolean).join("|")),
);

/** Whether a text mentions a chapter or a section. */
export const namesSection = (text: string): boolean => section.test(text);

/** A part of a document by location, or a clause that narrows the question. */
const narrowing =
  /(?<![\p{L}])(?:that|which|who|about|with|from|between|related|pages?|sections?|chapters?|appendix|appendices|figures?|tables?|part|for|and|or|seiten?|kapitels?|abschnitte?s?|anhangs?|trang|chương|mục|phần|phụ lục)(?![\p{L}])/iu;

/**
 * What a question asks about the structure of a document: `How many tables are in the manual?`, `the table of
 * contents of manual.pdf`. Null for other questions, including those about a part of a document and those
 * that also ask something else.
 */
export function parseStructureQuestion(question: string): ContentRequest | null {
  const text = coreRequest(question).replace(
    / (?:in total|altogether|in all|overall|insgesamt|tổng cộng)$/iu,
    "",
  );
  if (text.length > longestForm || partsOf(question).parts.length > 1) return null;
  for (const { part, isLong, pattern } of forms) {
    const name = withoutArticles(pattern.exec(text)?.groups?.["document"] ?? "");
    if (name === "" || narrowing.test(name) || (isLong && !hasNoun.test(name))) continue;
    return { part, document: name, isGeneral: isNoun.test(name) };
  }
  return null;
}
