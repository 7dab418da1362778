import { Worker } from "node:worker_threads";

/** Interval of heartbeats, ms. */
const beatMs = 1_000;
/**
 * Missed beats after which the main thread counts as stuck. No step computes that long; a hung native call or
 * a dead file system never returns.
 */
const mostMissed = 30;

/**
 * Runs in a separate thread and counts its own beats, so that a sleeping or busy machine is not mistaken for
 * a stuck main thread.
 */
const watch = `
const { workerData: [beats, beatMs, most] } = require("node:worker_threads");
const seen = { last: -1, missed: 0 };
setInterval(() => {
  const now = Atomics.load(beats, 0);
  seen.missed = now === seen.last ? seen.missed + 1 : 0;
  seen.last = now;
  if (seen.missed >= most) process.kill(process.pid, "SIGKILL");
}, beatMs);`;

/**
 * Kills this process when its main thread has been stuck for half a minute: it cannot answer, and its home
 * stays locked until it ends.
 */
export function endWhenStuck(most = mostMissed): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatMs / 2).unref();
  new Worker(watch, { eval: true, workerData: [beats, beatMs, most], env: {} }).unref();
}
