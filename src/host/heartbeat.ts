import { Worker } from "node:worker_threads";

/** How often each side notes that it lives, ms. */
const beatMs = 1_000;
/**
 * Beats that the main thread may miss: no step of a command computes nearly as long, and a native call or a
 * dead file system never ends.
 */
const mostMissed = 30;

/**
 * Runs in a thread of its own. It counts its own beats, so that a machine that sleeps or is busy is not taken
 * for a main thread that is stuck.
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
 * Kills this process when its main thread has been stuck for half a minute: then it answers nobody, and only
 * its end gives the home to the next one.
 */
export function endWhenStuck(most = mostMissed): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatMs / 2).unref();
  new Worker(watch, { eval: true, workerData: [beats, beatMs, most], env: {} }).unref();
}
