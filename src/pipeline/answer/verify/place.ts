import { hasRow } from "../../../core/documents/table-text.ts";
import { capitalizesNouns } from "../../../language/languages.ts";
import { namesIn } from "../../../language/names.ts";
import { alphanumeric, contentTerms, isNumber, words } from "../../../language/terms.ts";
import { datesIn, isAmongDates } from "../../../language/time/dates.ts";
import type { CheckedPassage } from "../check/evidence.ts";
import { placeShare } from "../check/thresholds.ts";
import { codesWritten } from "../check/values.ts";

/** Whether a text asks something. */
export const isQuestion = (text: string): boolean => /[?？]["”’')]*$/u.test(text);

/** Capitalised words inside a sentence, mostly names and weekdays; only names where all nouns have capitals. */
function namedIn(text: string): readonly string[] {
  const names = namesIn(text);
  if (capitalizesNouns(text)) return names;
  const inside = text.match(/(?<=[\p{L}\p{N},;)] )\p{Lu}\p{Ll}[\p{L}-]{0,40}/gu) ?? [];
  return [...new Set([...names, ...inside])];
}

/**
 * The sentence or row of a passage in whose place a statement's words are: with its neighbours, or its table's header and caption, and the
 * headings above. Null if no single place has them.
 */
export function placeOf(
  statement: string,
  { sentences, tables, heads, words: all, dates: allDates }: CheckedPassage,
): string | null {
  const lines = sentences().filter((line) => !isQuestion(line));
  const above = new Map(
    tables().flatMap(({ rows, header, around }) =>
      rows.map(({ text, group }) => [text, [...header, around, group].join("\n")]),
    ),
  );
  const { dates } = datesIn(statement);
  const dateWords = new Set(words(dates.map(([reading]) => reading?.text ?? "").join(" ")));
  const terms = contentTerms(statement);
  const names = namedIn(statement).map(words);
  const codes = codesWritten(statement).map(alphanumeric);
  const countIn = (text: string): number => {
    const own = new Set(words(text));
    return terms.filter((term) => own.has(term)).length;
  };
  const isHeldAt = (line: string, at: number): boolean => {
    const near = hasRow(line) ? [above.get(line) ?? "", line] : lines.slice(Math.max(0, at - 1), at + 2);
    const text = [heads, ...near].join("\n");
    const told = datesIn(text).dates.flat();
    const isDated = dates.every((readings) => isAmongDates(readings, told));
    const [own, squashed] = [new Set(words(text)), alphanumeric(text)];
    const isHere = (term: string): boolean => own.has(term) || (isDated && dateWords.has(term));
    // A rounded or computed value occurs nowhere; one that occurs elsewhere belongs to something else.
    const isElsewhere =
      terms.some((term) => isNumber(term) && !isHere(term) && all.has(term)) ||
      dates.some((readings) => isAmongDates(readings, allDates) && !isAmongDates(readings, told));
    return (
      !isElsewhere &&
      terms.filter(isHere).length >= terms.length * placeShare &&
      codes.every((code) => squashed.includes(code)) &&
      names.every((name) => name.every(isHere))
    );
  };
  const [best] = lines.filter(isHeldAt).toSorted((one, other) => countIn(other) - countIn(one));
  return best ?? null;
}
