interface Told {
  readonly state: string;
  /** What is wrong and, after `; `, the remedy if there is one. */
  readonly reason: string;
}

/**
 * The reasons of files that were not read, one after the other. Each remedy is printed once: a folder may
 * hold hundreds of files of one kind, and repeated advice would hide the names.
 */
export function uniqueHints(): (file: Told) => string {
  const given = new Set<string>();
  return ({ state, reason }) => {
    const at = reason.indexOf("; ");
    if (at < 0 || (state !== "skipped" && state !== "failed")) return reason;
    const advice = reason.slice(at);
    if (given.has(advice)) return reason.slice(0, at);
    given.add(advice);
    return reason;
  };
}
