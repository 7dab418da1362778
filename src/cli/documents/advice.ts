interface Told {
  readonly state: string;
  /** What is wrong; where something can be done about it, `; ` and that. */
  readonly reason: string;
}

/**
 * The reasons of files that were not read, one file after the other. What can be done about it is said once: a folder
 * may hold hundreds of files of one kind, and the same advice behind each name hides the names.
 */
export function adviceOnce(): (file: Told) => string {
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
