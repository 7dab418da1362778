// A thread of the parser's process: it alone still runs while the main thread is lost in a page.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { PageLimit } from "../pages.ts";
import { processMs } from "../processor-time.ts";
import { noticeDescriptor, type ParseNotice } from "./messages.ts";
import { gaugeAt } from "./watchdog.ts";

/** Between two looks, ms. At a gigabyte a second, the fastest a decoder fills memory here, 20 MB go by. */
const lookMs = 20;

const numbers = workerData as Int32Array; // given by parse-gauge.ts
const at = (place: number) => Atomics.load(numbers, place);
const parent = process.ppid;

/**
 * Processor time of the parser since its work began: that of the process is shared among it and OCR. 0
 * without a limit.
 */
const workMs = () =>
  at(gaugeAt.limitMs) === 0 ? 0 : (processMs() - at(gaugeAt.sinceMs)) / (1 + at(gaugeAt.ocr));

function end(limit: PageLimit): void {
  const notice: ParseNotice = { limit, spentMs: at(gaugeAt.spentMs) + workMs() };
  try {
    writeSync(noticeDescriptor, `${JSON.stringify(notice)}\n`);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}

setInterval(() => {
  // A process whose parent was killed belongs to another one.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  const memoryKb = at(gaugeAt.memoryKb);
  if (memoryKb > 0 && process.memoryUsage.rss() / 1024 > memoryKb) end("memory");
  const limitMs = at(gaugeAt.limitMs);
  if (limitMs > 0 && workMs() > limitMs && at(gaugeAt.limitMs) === limitMs) end("time");
}, lookMs);
