import { partsOf } from "../clauses.ts";
import { comparePeriods, periodsIn } from "../time/periods.ts";
import { contentWords, foldWord, namesAndNumbers, splitWords } from "../words.ts";
import { stripFormat } from "./answer-form.ts";
import { classify } from "./kinds/kinds.ts";

/** One of the two things that a question compares. */
export interface Side {
  /** As written in the question, e.g. `Amcor` or `FY2022`. */
  readonly label: string;
  /** Search query: the question without the other side. */
  readonly query: string;
}

const year = /^(?:fy\s?)?(?:19|20)\d\d$/i;
/** A limit (`more than 23 %`) is not a side. */
const bareNumber = /^\p{N}[\p{N}.,]*%?$/u;

/** The two labels in a question; none unless there are exactly two. */
function labelsOf(question: string): readonly string[] {
  const periods = periodsIn(question);
  const [first, second] = periods;
  if (
    periods.length === 2 &&
    first !== undefined &&
    second !== undefined &&
    comparePeriods(first, second) === "different"
  )
    return [first.text, second.text];
  const { parts, reason } = partsOf(question);
  const isTime = (name: string): boolean =>
    year.test(name) || periods.some(({ text }) => text.split(" ").includes(name.toLowerCase()));
  const names = namesAndNumbers(question).filter((name) => !isTime(name));
  if (names.length === 2 && !names.some((name) => bareNumber.test(name))) return names;
  return reason === "two things are compared" && parts.length === 2 ? parts : [];
}

/** The two sides of a comparison, in the order of the question; none for other questions. */
export function comparisonSides(asked: string): readonly Side[] {
  const question = stripFormat(asked);
  if (classify(question) !== "comparison") return [];
  const labels = labelsOf(question);
  return labels.map((label, at) => {
    const own = new Set(splitWords(label).map(foldWord));
    const other = new Set(splitWords(labels[1 - at] ?? "").map(foldWord));
    const words = contentWords(question).filter(
      (word) => own.has(foldWord(word)) || !other.has(foldWord(word)),
    );
    return { label, query: words.join(" ") };
  });
}
