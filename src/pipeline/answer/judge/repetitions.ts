import { alternatives } from "../../../language/languages.ts";
import { contentTerms, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

const saidAs = (name: "twice" | "thrice") =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${alternatives(({ repetitions: said }) => said?.[name])})(?![\\p{L}\\p{N}])`,
    "iu",
  );

const patterns = [saidAs("twice"), saidAs("thrice")];

/**
 * How often something is done that is asked about (`twice`), where the rows that a statement rests on do not say it:
 * what a button does at two presses stands beside what it does at one. "" where one says it, or no row is cited.
 */
export function otherRepetition(asked: Question, statement: string, cited: readonly Witness[]): string {
  const pattern = patterns.find((each) => each.test(asked.text));
  const added = contentTerms(statement).filter((term) => !asked.known.has(term));
  if (pattern === undefined || added.length === 0 || cited.some(({ finding }) => finding)) return "";
  const lines = cited
    .flatMap(({ text }) => text.split("\n"))
    .map((text) => ({ text, own: new Set(words(text)) }));
  const shared = lines.map(({ own }) => added.filter((term) => own.has(term)).length);
  const most = Math.max(0, ...shared);
  const sources = lines.filter((_, at) => most > 0 && shared[at] === most);
  const isOfRows = sources.length > 0 && sources.every(({ text }) => text.includes(" | "));
  return isOfRows && !sources.some(({ text }) => pattern.test(text))
    ? (pattern.exec(asked.text)?.[0] ?? "")
    : "";
}
