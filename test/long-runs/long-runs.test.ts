import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { subjects } from "./subjects.ts";

/** Processor time one subject may take for all its texts, seconds; a linear one takes a few. */
const cpuSeconds = 120;

/** What the worker of a subject reports: "" when its time grows with the text, else a counterexample. */
async function report(name: string): Promise<string> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: name });
  const watch = setInterval(async () => {
    // Not known before it runs and after it has ended.
    const used = await worker.cpuUsage().catch(() => undefined);
    if (used !== undefined && used.user > cpuSeconds * 1e6) await worker.terminate();
  }, 500);
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.once("message", (message) => resolve(String(message)));
      worker.once("error", reject);
      worker.once("exit", () => resolve(`does not end within ${cpuSeconds} s of processor time`));
    });
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}

for (const name of Object.keys(subjects)) {
  test(`${name} takes time in proportion to the text, whatever it repeats`, async () =>
    assert.equal(await report(name), ""));
}
