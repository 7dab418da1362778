import { Worker } from "node:worker_threads";
import { processMs } from "../processor-time.ts";
import { resolveSiblingModule } from "./sibling.ts";

/** What the parsing thread reports to the thread that watches it. */
export interface Gauge {
  /**
   * Starts work that may take this much processor time, milliseconds; 0: no limit. `spentMs` is what the
   * document has taken so far, without its OCR.
   */
  begin(limitMs: number, spentMs: number): void;
  /** Number of OCR threads running; they and the parser share the processor time of the process. */
  ocr(running: number): void;
  /** Starts a document that may take up to this much resident memory, bytes; 0: no document. */
  document(memoryBytes: number): void;
}

/** Places of the shared numbers. */
export const gaugeAt = { sinceMs: 0, limitMs: 1, ocr: 2, memoryKb: 3, spentMs: 4, length: 5 } as const;

/** Starts the thread that ends this process when a limit is exceeded, whatever the main thread is doing. */
export function startWatchdog(): Gauge {
  const numbers = new Int32Array(new SharedArrayBuffer(4 * gaugeAt.length));
  const set = (place: number, value: number) => Atomics.store(numbers, place, Math.round(value));
  new Worker(resolveSiblingModule("parse-watch"), { workerData: numbers }).unref();
  return {
    begin(limitMs, spentMs) {
      // Nothing is measured between the two, so that no old time is held against the new limit.
      set(gaugeAt.limitMs, 0);
      set(gaugeAt.sinceMs, processMs());
      set(gaugeAt.spentMs, spentMs);
      set(gaugeAt.limitMs, limitMs === 0 ? 0 : Math.max(1, limitMs));
    },
    ocr: (running) => set(gaugeAt.ocr, running),
    document: (memoryBytes) => set(gaugeAt.memoryKb, memoryBytes / 1024),
  };
}
