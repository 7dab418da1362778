import { writeSync } from "node:fs";
import type { OcrEngine } from "../options.ts";
import {
  allowanceMs,
  type PageLimit,
  type PageTurns,
  type ParseHistory,
  type ParseLimits,
  type SkippedPages,
} from "../pages.ts";
import { threadMs } from "../processor-time.ts";
import { noticeDescriptor, type ParseNotice } from "./messages.ts";
import type { Gauge } from "./watchdog.ts";

/** Pages of one document, taken in turns, with what each may use. */
export interface ParseTurns extends PageTurns {
  /** The engine, during whose work another page has its turn. */
  beside(engine: OcrEngine): OcrEngine;
  end(): void;
}

/**
 * Pages that are not begun: those that met a limit before, and the rest once the document's time is used up.
 */
function pagesLeftOut(limits: ParseLimits, history: ParseHistory, spentMs: () => number) {
  const stops = new Map(history.stops.map(({ page, limit }) => [page, limit]));
  return (page: number, pages: number): SkippedPages | undefined => {
    const limit: PageLimit | undefined = stops.get(page);
    if (limit !== undefined) return { leftOut: limit, page };
    const { until } = history;
    if (until !== undefined)
      return page < until.page ? undefined : { leftOut: until.limit === "memory" ? "memory" : "rest", page };
    const isSpent = history.spentMs + spentMs() > allowanceMs(limits, pages);
    return isSpent ? { leftOut: "rest", page } : undefined;
  };
}

/** Measures the processor time of each page at work, and has the gauge hold it to its limit. */
function openPageClock(limits: ParseLimits, gauge: Gauge, spentMs: () => number) {
  /** Processor time of pages that are not at their end, milliseconds; 0: of none. */
  const spent = new Map<number, number>([[0, 0]]);
  const state = { page: 0, sinceMs: threadMs(), ocr: 0 };
  const limitOf = (page: number) => (page === 0 ? limits.documentMs : limits.pageMs);
  return {
    /** From now on time is this page's; 0: no page's. */
    begin(page: number): void {
      const now = threadMs();
      spent.set(state.page, (spent.get(state.page) ?? 0) + now - state.sinceMs);
      Object.assign(state, { page, sinceMs: now });
      // While only OCR runs there is no parser to be measured.
      if (page === 0 && state.ocr > 0) gauge.begin(0, spentMs());
      else gauge.begin(Math.max(1, limitOf(page) - (spent.get(page) ?? 0)), spentMs());
    },
    forget: (page: number) => void spent.delete(page),
    beginOcr: () => gauge.ocr(++state.ocr),
    endOcr: () => gauge.ocr(--state.ocr),
  };
}

/** Reports the document's progress to the parent. */
function notify(notice: ParseNotice): void {
  writeSync(noticeDescriptor, `${JSON.stringify(notice)}\n`);
}

/** Admits one page at a time; `begin` and `tell` receive the page whose turn it is, 0 for none. */
function openTurnstile(begin: (page: number) => void, tell: (page: number) => void) {
  const waiting: (() => void)[] = [];
  /** −1: the turn of the page that was woken. */
  let holder = 0;
  const change = (page: number): void => {
    holder = page;
    begin(page);
  };
  return {
    holder: () => holder,
    async enter(page: number): Promise<void> {
      if (holder !== 0) await new Promise<void>((resolve) => waiting.push(resolve));
      change(page);
      tell(page);
    },
    leave(): void {
      const next = waiting.shift();
      change(0);
      if (next === undefined) tell(0);
      else {
        // Reserved for the page that was woken: no other may enter before it runs.
        holder = -1;
        next();
      }
    },
  };
}

/**
 * Creates the turns of a document. Only one page works at a time, so that the time used can be attributed to
 * it; what OCR takes in its own threads does not count for the page.
 */
export function createPageScheduler(
  limits: ParseLimits,
  history: ParseHistory,
  gauge: Gauge,
  idleBytes: number,
): ParseTurns {
  const startMs = threadMs();
  const spentMs = () => threadMs() - startMs;
  const leftOut = pagesLeftOut(limits, history, spentMs);
  const clock = openPageClock(limits, gauge, spentMs);
  let pages = 0;
  const tell = (page: number): void =>
    notify({ page, pages, heldBytes: process.memoryUsage.rss() - idleBytes, spentMs: spentMs() });
  const { holder, enter, leave } = openTurnstile(clock.begin, tell);

  gauge.document(idleBytes + limits.memoryBytes);
  clock.begin(0);
  tell(0);
  return {
    limits,
    expect(count) {
      pages = count;
    },
    async run(page, work) {
      const none = leftOut(page, pages);
      if (none !== undefined) return none;
      await enter(page);
      try {
        return await work();
      } finally {
        leave();
        clock.forget(page);
      }
    },
    beside: (engine) => ({
      ...engine,
      async recognize(image) {
        const page = holder();
        clock.beginOcr();
        leave();
        try {
          return await engine.recognize(image);
        } finally {
          clock.endOcr();
          await enter(page);
        }
      },
    }),
    end() {
      gauge.begin(0, 0);
      gauge.document(0);
    },
  };
}
