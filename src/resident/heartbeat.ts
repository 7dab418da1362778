import { Worker } from "node:worker_threads";

/** Interval of heartbeats, ms. */
const beatMs = 1_000;

const limits = {
  /** Beats without one of the main thread and without work of it, after which it counts as hung. */
  silentBeats: 30,
  /** Processor time that it may take for one step, ms: longer ones never end. */
  busyMs: 600_000,
};

/**
 * Runs in a separate thread and counts its own beats, so that a sleeping or busy machine is not mistaken for
 * a stuck main thread. Its processor time tells long work from a hung native call or a dead file system.
 */
const watch = `
const { readFileSync } = require("node:fs");
const { workerData: { beats, beatMs, silentBeats, busyMs } } = require("node:worker_threads");
/** Processor time, ms: of the main thread on Linux, in ticks of 10 ms (proc(5), fields 14 and 15), else of all. */
const spent = () => {
  try {
    const status = readFileSync("/proc/self/task/" + process.pid + "/stat", "utf8");
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
};
const seen = { beat: -1, since: 0, spent: 0, silent: 0 };
setInterval(() => {
  const [beat, now] = [Atomics.load(beats, 0), spent()];
  if (beat !== seen.beat) seen.since = now;
  seen.silent = beat === seen.beat && now === seen.spent ? seen.silent + 1 : 0;
  seen.beat = beat;
  seen.spent = now;
  if (seen.silent >= silentBeats || now - seen.since > busyMs) process.kill(process.pid, "SIGKILL");
}, beatMs);`;

/**
 * Kills this process when its main thread hangs for half a minute, or computes for ten without a pause: it
 * cannot answer, and its home stays locked until it ends.
 */
export function startMainThreadWatchdog(own: Partial<typeof limits> = {}): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatMs / 2).unref();
  new Worker(watch, { eval: true, workerData: { beats, beatMs, ...limits, ...own }, env: {} }).unref();
}
