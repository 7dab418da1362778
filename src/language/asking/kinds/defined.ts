import { namesIn } from "../../names.ts";
import { periodsIn } from "../../time/periods.ts";
import { contentWords, oneLine } from "../../words.ts";

/** Between a figure and its definition. */
const defines =
  /(?:(?:is|are) (?:defined|calculated|computed|measured|given) (?:as|by)|defined as|calculated as|equals|(?:wird|ist) (?:definiert|berechnet) als|được (?:tính|định nghĩa) (?:bằng|là))[:\s]{1,3}([^?.;]{3,200})/iu;

const operators =
  /\s?[/÷×*+−]\s?|\s[-–x]\s|\s(?:divided by|over|minus|plus|times|less|geteilt durch|chia cho)\s|[()]/iu;

/** Most inputs to search for. */
const maxParts = 4;

/**
 * The inputs of a figure that a question defines, each with the question's names and periods, for separate
 * searches: `quick ratio, defined as (cash + receivables) / current liabilities, of Acme in FY2022`. Empty if
 * it defines nothing.
 */
export function formulaInputs(question: string): readonly string[] {
  const line = oneLine(question.slice(0, 1000));
  const formula = defines.exec(line)?.[1];
  if (formula === undefined || !operators.test(formula)) return [];
  const figures = formula
    .split(operators)
    .map((part) => part.trim())
    .filter((part) => contentWords(part).length > 0);
  const context = [...namesIn(line), ...periodsIn(line).map(({ text }) => text)];
  const around = [...new Set(context)].filter((name) => !figures.some((figure) => figure.includes(name)));
  return [...new Set(figures)].slice(0, maxParts).map((figure) => [figure, ...around].join(" "));
}
