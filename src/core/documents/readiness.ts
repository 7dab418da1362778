/**
 * Why a version that was begun no longer exists; `gone`: another command dropped it, or it was forgotten and
 * is already removed.
 */
export type Absence = "forgotten" | "gone";

/** What became of a version that is whole: a newer one may be visible already. */
export type Readiness = "visible" | "outdated" | Absence;
