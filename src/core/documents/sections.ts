import { sheetRowsIn } from "./cells.ts";
import type { Chunk } from "./chunk.ts";

type Sectioned = Pick<Chunk, "headings" | "innerHeadings" | "text" | "sheetParts">;

/**
 * The text of a chunk section by section, each under its own headings. A chunk that was stored before inner
 * headings were kept is one section.
 */
export function sectionsOf<T extends Sectioned>(chunk: T): readonly T[] {
  const { headings, innerHeadings = [], text } = chunk;
  if (innerHeadings.length === 0) return [chunk];
  const paths = new Map([[0, headings]]);
  let path = headings;
  for (const inner of innerHeadings) {
    path = [...path.slice(0, inner.depth), inner.text];
    paths.set(inner.start, path);
  }
  const places = [...paths];
  return places.map(([start, own], at) => {
    const end = places[at + 1]?.[0];
    return {
      ...chunk,
      headings: own,
      innerHeadings: [],
      sheetParts: [],
      ...sheetRowsIn(chunk, start, end ?? text.length),
      text: text.slice(start, end),
    };
  });
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The headings above a quote; those of the chunk where the quote is not in its text. */
export function headingsAbove(quote: string, chunk: Sectioned): readonly string[] {
  const sections = sectionsOf(chunk);
  const sought = inOneLine(quote.endsWith("…") ? quote.slice(0, -1) : quote);
  if (sections.length === 1 || sought === "") return sections[0]?.headings ?? chunk.headings;
  return sections.find(({ text }) => inOneLine(text).includes(sought))?.headings ?? chunk.headings;
}
