/** Edits (insert, delete, replace a character) that turn `left` into `right`. Source: Levenshtein 1966, one row kept at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The candidate most like `name`, ignoring case; undefined when none is near enough to be a slip of the hand. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 128).toLowerCase();
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  if (
    best === undefined ||
    best.edits > Math.max(1, Math.floor(Math.max(wanted.length, best.candidate.length) / 3))
  )
    return undefined;
  return best.candidate;
}
