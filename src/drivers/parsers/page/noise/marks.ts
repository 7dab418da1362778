import type { Line, PageRegion } from "../lines.ts";

/** Marks in lines that follow each other that are a run of them, at least. */
const leastMarks = 12;

/** Whether a word is a mark: a character or two that spell nothing, and no leader of dots or dashes. */
const isMark = (word: string): boolean =>
  word.length <= 2 && !/\p{L}{2}|\p{Lo}/u.test(word) && !/^[._·…\-–—]+$/.test(word);

const wordsOf = ({ text, table }: Line): readonly string[] =>
  table === undefined ? text.split(" ").filter((word) => word !== "") : [];

/** Whether marks are those of a map or a chart: many, of a few kinds or symbols for the most part. */
function areNoise(marks: readonly string[]): boolean {
  const symbols = marks.filter((mark) => !/[\p{L}\p{N}]/u.test(mark)).length;
  return (
    marks.length >= leastMarks && (new Set(marks).size * 4 <= marks.length || symbols * 2 > marks.length)
  );
}

/** The regions without lines of nothing but the marks that a map or a chart repeats. */
export function withoutMarks(regions: readonly PageRegion[]): PageRegion[] {
  return regions
    .map((region) => {
      const runs: { readonly isMarks: boolean; readonly lines: Line[]; readonly words: string[] }[] = [];
      for (const line of region) {
        const words = wordsOf(line);
        const isMarks = words.length > 0 && words.every(isMark);
        if (runs.at(-1)?.isMarks !== isMarks) runs.push({ isMarks, lines: [], words: [] });
        runs.at(-1)?.lines.push(line);
        runs.at(-1)?.words.push(...words);
      }
      return runs.flatMap(({ isMarks, lines, words }) => (isMarks && areNoise(words) ? [] : lines));
    })
    .filter((region) => region.length > 0);
}
