import { alternatives } from "../../../../language/languages.ts";

const item = /^\s{0,12}(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-h][.)])\s|^\s{0,4}\|/;

/** Lengths of the lists of an answer: runs of items or of table rows, and all its statements with citations. */
export function listsOf(text: string): readonly number[] {
  const lengths: number[] = [];
  let run = 0;
  for (const line of [...text.split("\n"), ""]) {
    if (item.test(line)) run += 1;
    else if (line.trim() !== "" || run === 0) {
      if (run > 1) lengths.push(run);
      run = 0;
    }
  }
  if (run > 1) lengths.push(run);
  return lengths;
}

const listBreak = new RegExp(`[,;]|\\s\\+\\s|\\s(?:${alternatives(({ and }) => and)})\\s`, "iu");
/** Longest list in a sentence that is counted, in items. */
const mostItems = 30;

/** Lengths of the lists and sums in a sentence, in parentheses or after a colon, from two items on. */
export function listsIn(statement: string): readonly number[] {
  const behind = statement.slice(statement.lastIndexOf(": ") + 1);
  const inside = Array.from(statement.matchAll(/\(([^()]{1,1000})\)/gu), ([, list = ""]) => list);
  return [behind, ...inside]
    .map((list) => list.split(listBreak).filter((each) => /[\p{L}\p{N}]/u.test(each)).length)
    .filter((count) => count >= 2 && count <= mostItems);
}
