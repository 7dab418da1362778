/**
 * Why a version that was begun is not there any more; `gone`: another command gave it up, or what was forgotten is
 * removed already.
 */
export type Absence = "forgotten" | "gone";

/** What became of a version that is whole: a newer one may be visible already. */
export type Readiness = "visible" | "outdated" | Absence;
