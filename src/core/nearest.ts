import { distance } from "fastest-levenshtein";

/** The candidate most like `name`, ignoring case; undefined when none is near enough for a slip in typing. */
export function closestMatch(name: string, candidates: Iterable<string>): string | undefined {
  const typed = name.slice(0, 128).toLowerCase();
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  if (best === undefined) return undefined;
  const most = Math.max(1, Math.floor(Math.max(typed.length, best.candidate.length) / 3));
  return best.edits > most ? undefined : best.candidate;
}

/**
 * End of a message about an unknown name: `; did you mean "hr_docs"?`, or "" where no candidate is near
 * enough.
 */
export function didYouMean(name: string, candidates: Iterable<string>, quote = '"'): string {
  const near = closestMatch(name, candidates);
  return near === undefined ? "" : `; did you mean ${quote}${near}${quote}?`;
}
