import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { subjects } from "./subjects.ts";

/** Processor time one subject may take for all its texts, seconds; a linear one takes a few. */
const cpuSeconds = 120;

/** One thread for all subjects, for it takes a second to load them; another one after a subject that does not end. */
const held: { worker?: Worker } = {};
after(() => held.worker?.terminate());

/** What the worker says of a subject: "" when its time grows with the text, else a counterexample. */
async function report(name: string): Promise<string> {
  held.worker ??= new Worker(new URL("./worker.ts", import.meta.url));
  const { worker } = held;
  let before: number | undefined;
  const watch = setInterval(async () => {
    // Not known before it runs and after it has ended.
    const used = (await worker.cpuUsage().catch(() => undefined))?.user;
    before ??= used;
    if (used !== undefined && before !== undefined && used - before > cpuSeconds * 1e6)
      await worker.terminate();
  }, 500);
  const stopped = new AbortController();
  try {
    worker.postMessage(name);
    // Rejected where the thread fails.
    const told = once(worker, "message", stopped);
    const ended = once(worker, "exit", stopped);
    const [message] = await Promise.race([told, ended.then(() => [])]);
    if (message !== undefined) return String(message);
    delete held.worker;
    return `does not end within ${cpuSeconds} s of processor time`;
  } catch (error) {
    delete held.worker;
    throw error;
  } finally {
    clearInterval(watch);
    stopped.abort();
  }
}

for (const name of Object.keys(subjects)) {
  test(`${name} takes time in proportion to the text, whatever it repeats`, async () =>
    assert.equal(await report(name), ""));
}
