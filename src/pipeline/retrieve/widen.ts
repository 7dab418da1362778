import type { Chunk } from "../../core/documents/chunk.ts";
import type { Hit } from "../../core/retrieval.ts";

const sectionOf = ({ versionId, headings }: Chunk): string => JSON.stringify([versionId, headings]);

/** Ids of the chunks that stand within `reach` places of a hit, those of the hits themselves left out. */
export function neighbourIds(hits: readonly Hit[], reach: number): readonly string[] {
  const own = new Set(hits.map(({ chunk }) => chunk.id));
  const near = hits.flatMap(({ chunk: { id, ordinal } }) => {
    const stem = id.slice(0, id.lastIndexOf("-") + 1);
    return Array.from({ length: 2 * reach + 1 }, (_, at) => ordinal - reach + at)
      .filter((place) => place >= 0 && place !== ordinal)
      .map((place) => `${stem}${place}`);
  });
  return [...new Set(near)].filter((id) => !own.has(id));
}

/**
 * Small to big: a hit takes in the neighbours that belong to its section, in reading order and without a gap,
 * so that what was found by a sentence is read with what stands around it. Its id, and with it the citation,
 * stays. A chunk goes to the best hit that reaches it.
 */
export function widen(hits: readonly Hit[], neighbours: readonly Chunk[]): readonly Hit[] {
  const free = new Map(neighbours.map((chunk) => [`${sectionOf(chunk)}/${chunk.ordinal}`, chunk]));
  return hits.map((hit) => {
    const taken: Chunk[] = [hit.chunk];
    for (const step of [-1, 1]) {
      for (let place = hit.chunk.ordinal + step; ; place += step) {
        const key = `${sectionOf(hit.chunk)}/${place}`;
        const chunk = free.get(key);
        if (chunk === undefined) break;
        free.delete(key);
        if (step < 0) taken.unshift(chunk);
        else taken.push(chunk);
      }
    }
    if (taken.length === 1) return hit;
    const pages = [...new Set(taken.flatMap((chunk) => chunk.pages))].sort((a, b) => a - b);
    return { ...hit, chunk: { ...hit.chunk, text: taken.map((chunk) => chunk.text).join("\n\n"), pages } };
  });
}
