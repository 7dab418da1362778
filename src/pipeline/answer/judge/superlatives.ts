import { alternatives, isGerman, languageOf } from "../../../language/languages.ts";
import { contentTerms } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { aroundSource } from "./relevance.ts";
import type { Witness } from "./witness.ts";

const asks = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ superlatives }) => superlatives?.asks)})(?![\\p{L}])`,
  "iu",
);
const holds = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ superlatives }) => superlatives?.holds)})(?![\\p{L}])`,
  "iu",
);

/**
 * The word by which a question picks one of many (`highest`), where no sentence that a statement rests on says of
 * anything that it stands out; "" where one does, or what is cited is a table, was found by a tool or is in another
 * language.
 */
export function missingSuperlative(asked: Question, statement: string, cited: readonly Witness[]): string {
  const word = asks.exec(asked.text)?.[0] ?? "";
  const isFree = ({ finding, tables, text }: Witness): boolean =>
    finding ||
    tables.length > 0 ||
    languageOf(text) !== asked.language ||
    isGerman(text) !== isGerman(asked.text);
  if (word === "" || cited.some(isFree)) return "";
  const terms = contentTerms(statement);
  const isHeld = cited.some((witness) =>
    [...aroundSource(terms, witness), witness.heads].some((text) => holds.test(text)),
  );
  return isHeld ? "" : word;
}
