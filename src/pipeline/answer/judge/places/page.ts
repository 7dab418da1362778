import { pagesNamed } from "../../../../language/asking/pages.ts";
import { searchText } from "../../../../language/asking/search-text.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";

/**
 * The page that a question is about, where nothing cited is of it, by its place in the file or by the number printed
 * on it; null where something is, or the pages of what is cited are not known.
 */
export function otherPage({ text }: Question, cited: readonly Witness[]): number | null {
  const asked = pagesNamed(searchText(text));
  const [first] = asked;
  const pages = cited.map(({ finding, pageNumbers }) => (finding ? undefined : pageNumbers));
  const isOther = pages.every(
    (numbers) => numbers !== undefined && !asked.some((at) => numbers.includes(at)),
  );
  return first !== undefined && isOther ? first : null;
}
