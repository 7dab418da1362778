import type { Hit } from "../../core/retrieval.ts";

/** The page of a hit; a hit without pages is its own page. */
export function pageOf({ chunk: { id, versionId, pages } }: Hit): string {
  const [page] = pages;
  return page === undefined ? id : `${versionId}/${page}`;
}

/**
 * The best hit of each page, in order; if these are fewer than `limit`, the others follow. A second passage
 * of a page is less informative than another page, and passages of one page overlap.
 */
export function distinctPages(hits: readonly Hit[], limit: number): readonly Hit[] {
  const seen = new Set<string>();
  const firsts: Hit[] = [];
  const others: Hit[] = [];
  for (const hit of hits) {
    const page = pageOf(hit);
    (seen.has(page) ? others : firsts).push(hit);
    seen.add(page);
  }
  return firsts.length >= limit ? firsts : [...firsts, ...others];
}

/** A hit without its page's text, which was only needed for ranking; includes score parts if requested. */
export function toDisplayHit({ parts, ...hit }: Hit, isExplained: boolean): Hit {
  const { window: _, ...chunk } = hit.chunk;
  return { ...hit, chunk, ...(isExplained ? { parts: parts ?? { [hit.via]: hit.score } } : {}) };
}
