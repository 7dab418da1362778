import { alternatives } from "../../../language/languages.ts";
import { quantitiesIn, stands } from "../../../language/quantities.ts";
import { formsOfPeople } from "../../../language/synonyms.ts";
import { normalize } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

const persons = alternatives((language) => language.persons);
const among = alternatives(({ amongPeople }) => amongPeople);
/** `Germans`, `German respondents`. */
const asPeople = new RegExp(
  `(?<!\\p{L})(\\p{Lu}\\p{Ll}+)(?:(?<=s)(?!\\p{L})|(?=\\s(?:${persons})(?!\\p{L})))`,
  "gu",
);
/** A country whose people are meant: behind `in`, or as the label of a row of figures. */
const asPlace = new RegExp(`(?<!\\p{L})(?:${among})\\s(\\p{Lu}\\p{L}+)`, "gu");
const asLabel = /^\s?(\p{Lu}\p{L}+)(?=\s(?:\||\p{N}))/gu;

/** All forms of the people, or the country, that a name is one form of; "" for another name. */
function peopleOf(name: string): string {
  const others = formsOfPeople(name);
  const form = name.toLowerCase();
  const own = others.includes(form.replace(/s$/, "")) ? [] : [form];
  return others.length === 0 ? "" : [...others, ...own].toSorted().join(" ");
}

/** The peoples that a pattern finds in a text. */
const peoplesBy = (pattern: RegExp, text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.matchAll(pattern), ([, name = ""]) => peopleOf(name)).filter((each) => each !== ""),
  );

/** Whether a text that has a figure speaks of other people than these, and not of them. */
function isOfOthers(text: string, people: string): boolean {
  const told = [asPeople, asLabel].flatMap((pattern) => [...peoplesBy(pattern, text)]);
  return told.length > 0 && !told.includes(people) && !peoplesBy(asPlace, text).has(people);
}

/**
 * The figure that a statement gives to a people (`53% of Chinese respondents`), where every sentence that has it
 * speaks of another people (`half of Germans name China (53%)`); "" where none does so.
 */
export function figureOfOthers(asked: Question, statement: string, cited: readonly Witness[]): string {
  const [people, ...others] = peoplesBy(asPeople, statement);
  if (people === undefined || others.length > 0 || cited.some(({ finding }) => finding)) return "";
  // A row of a chart without a label does not say whose numbers it has.
  const lines = cited.flatMap(({ sentences }) => sentences).filter((line) => /\p{L}/u.test(line));
  const wrong = quantitiesIn(normalize(statement)).find((quantity) => {
    if (quantity.word || asked.numbers.has(quantity.text)) return false;
    const holding = lines.filter(
      (line) => stands(quantity, quantitiesIn(normalize(line)), [], false) !== "no",
    );
    return holding.length > 0 && holding.every((line) => isOfOthers(line, people));
  });
  return wrong?.text ?? "";
}
