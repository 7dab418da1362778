/** Aborts when `until`, a `performance.now()`, has come; never without one. */
export const deadlineSignal = (until = Number.POSITIVE_INFINITY): AbortSignal =>
  Number.isFinite(until)
    ? AbortSignal.timeout(Math.max(0, Math.round(until - performance.now())))
    : new AbortController().signal;
