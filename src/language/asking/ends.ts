import { alternatives } from "../languages.ts";

const questionEnd = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ questionEnds }) => questionEnds)})\\s{0,2}[?？]*\\s*$`,
  "iu",
);

/** A question without a final particle that only marks it as one: `không`. */
export const withoutQuestionEnd = (question: string): string =>
  question.normalize("NFC").replace(questionEnd, "");
