import { bytes, plural } from "../../operations/text.ts";
import type { Output } from "./output.ts";

/** Time for a glance: `8 s`, `3 min`, `2 h`. */
export function roughDuration(ms: number): string {
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** Shows the progress of a command at a terminal; nothing elsewhere or with -q. */
export interface Progress extends Disposable {
  /**
   * Work of unknown length: shown at once, with the seconds it takes and, where known, those it usually
   * takes.
   */
  stage(what: string, usualMs?: number): void;
  /**
   * Items done of a total; the time left is shown once it can be estimated. `etaMs` where the work itself
   * knows it.
   */
  set(done: number, total: number, detail?: string, etaMs?: number | null): void;
  close(): void;
}

/** Least time and work for an estimate of the time left, ms and items: one from less fluctuates. */
const tellable = { elapsedMs: 3000, done: 2 };
/** A stage shows how long it has taken from this time on, ms. */
const longStageMs = 2000;

/** Time left from the pace so far, ms; null while too little is done for an estimate. */
function estimateMs(elapsedMs: number, done: number, total: number): number | null {
  if (elapsedMs < tellable.elapsedMs || done < tellable.done) return null;
  return (elapsedMs / done) * (total - done);
}

/**
 * Creates the progress of one piece of work; `label` and `unit` name the counted items, e.g. `ingest`, `file`;
 * the unit `byte` has large counts.
 */
export function createProgress(
  label: string,
  unit: string,
  output: Pick<Output, "interactive" | "status">,
): Progress {
  const started = performance.now();
  let since = started;
  let stage = "";
  let text = (): string => "";
  const show = (): void => output.status(text());
  const timer = output.interactive ? setInterval(show, 1000).unref() : undefined;
  const close = (): void => {
    clearInterval(timer);
    output.status("");
  };
  return {
    stage(what, usualMs) {
      if (what !== stage) since = performance.now();
      stage = what;
      text = () => {
        const elapsedMs = performance.now() - since;
        const usual = usualMs === undefined ? "" : `; usually ${roughDuration(Math.max(1000, usualMs))}`;
        return `${what} …${elapsedMs < longStageMs ? "" : ` ${roughDuration(elapsedMs)}${usual}`}`;
      };
      show();
    },
    set(done, total, detail = "", etaMs) {
      stage = "";
      const at = performance.now();
      text = () => {
        const leftMs = etaMs === undefined ? estimateMs(at - started, done, total) : etaMs;
        // The time left shrinks while the next item is in progress.
        const left =
          leftMs === null || done >= total
            ? []
            : [`${roughDuration(Math.max(0, leftMs - (performance.now() - at)))} left`];
        const sum =
          unit === "byte" ? `${bytes(done)} of ${bytes(total)}` : `${done} of ${plural(total, unit)}`;
        return [`${label} ${sum}`, ...left, ...(detail === "" ? [] : [detail])].join(" · ");
      };
      show();
    },
    close,
    [Symbol.dispose]: close,
  };
}
