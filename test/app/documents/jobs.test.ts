import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runWorkerLoop } from "../../../src/app/documents/jobs.ts";
import type { Queue } from "../../../src/core/documents/queue.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { createJobRepository } from "../../../src/registry/history/jobs.ts";
import { openWorld } from "../world.ts";

const away = () => Promise.reject(new RagctlError("REGISTRY_UNAVAILABLE", "the registry does not answer"));

test("a worker waits for a registry that restarts, warns once each time, and ends with it where it is to end anyway", async (context) => {
  const { core, registry } = await openWorld(context);
  const jobs = createJobRepository(registry);
  const stop = new AbortController();
  const warnings: string[] = [];
  const log = { event: () => undefined, warn: (message: string) => void warnings.push(message) };
  const run = { id: "worker-run", principal: "owner", signal: stop.signal, log };
  // Two restarts, and no job in between.
  const claims: readonly Queue["claim"][] = [away, away, jobs.claim, away, jobs.claim];
  let claimed = 0;
  const queue: Queue = {
    ...jobs,
    claim(...given) {
      const claim = claims[claimed++];
      if (claim !== undefined) return claim(...given);
      stop.abort();
      return jobs.claim(...given);
    },
  };
  const worked = Array.fromAsync(runWorkerLoop(queue, { once: false, pollMs: 1 }, core, run));
  await assert.rejects(worked, { name: "AbortError" });
  const expected = "the registry does not answer; the worker is waiting";
  assert.deepEqual(warnings, [expected, expected]);
  const once = Array.fromAsync(
    runWorkerLoop({ ...jobs, claim: away }, { once: true }, core, {
      ...run,
      signal: new AbortController().signal,
    }),
  );
  await assert.rejects(once, { code: "REGISTRY_UNAVAILABLE" });
});

/** Processes of parsers that this process has started, by their ids. */
function parserProcesses(): readonly string[] {
  const isParser = (id: string): boolean => {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1];
      return (
        Number(parent) === process.pid && readFileSync(`/proc/${id}/cmdline`, "utf8").includes("/parsers/")
      );
    } catch {
      return false; // it has ended meanwhile
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isParser(name));
}

test("a worker parses the documents of its jobs in one process, and leaves none behind", {
  skip: process.platform === "linux" ? false : "processes are told by /proc",
}, async (context) => {
  const { core, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-jobs-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const paths = ["one", "two", "three"].map((name) => join(folder, `${name}.md`));
  for (const path of paths) await writeFile(path, `# ${path}\n\nA note.\n`);
  const target = { collection: "general_knowledge", instance: "public", department: "" } as const;
  await core.app.background.enqueue({ paths, ...target, priority: 0 }, run("owner"));
  const processes = new Set<string>();
  const states: string[] = [];
  for await (const event of core.app.background.work({ once: true }, run("owner"))) {
    if (event.type !== "job-end") continue;
    states.push(event.job.state);
    for (const id of parserProcesses()) processes.add(id);
  }
  assert.deepEqual([states, processes.size], [["done", "done", "done"], 1]);
  assert.deepEqual(parserProcesses(), []);
});

test("a job says how many files it has before the first of them is stored", async (context) => {
  const { core, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-jobs-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["one", "two"]) await writeFile(join(folder, `${name}.md`), `# ${name}\n\nA note.\n`);
  const target = { collection: "general_knowledge", instance: "public", department: "" } as const;
  await core.app.background.enqueue({ paths: [folder], ...target, priority: 0 }, run("owner"));
  const seen: unknown[] = [];
  for await (const event of core.app.background.work({ once: true }, run("owner")))
    if (event.type === "job-progress") seen.push([event.progress.files, event.progress.totalFiles]);
  assert.deepEqual(seen[0], [0, 2]);
});

test("a path where nothing is, is named when it is queued, and a pattern is not", async (context) => {
  const { core, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-jobs-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const warned: string[] = [];
  const owner = {
    ...run("owner"),
    log: { event: () => undefined, warn: (text: string) => void warned.push(text) },
  };
  const target = { collection: "general_knowledge", instance: "public", department: "" } as const;
  const paths = [folder, join(folder, "none.md"), join(folder, "*.md")];
  const jobs = await core.app.background.enqueue({ paths, ...target, priority: 0 }, owner);
  assert.equal(jobs.length, 3);
  assert.deepEqual(warned, [`${paths[1]} does not exist; its job will fail unless the file appears first`]);
});

test("a job that finds nothing but what is not read fails with the reason, one with something beside it does not", async (context) => {
  const { core, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-jobs-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "disk.img.unknown"), Buffer.from([0, 1, 2, 3, 0, 255]));
  await writeFile(join(folder, "note.md"), "# Note\n\nA note.\n");
  const target = { collection: "general_knowledge", instance: "public", department: "" } as const;
  const paths = [join(folder, "disk.img.unknown"), folder];
  await core.app.background.enqueue({ paths, ...target, priority: 0 }, run("owner"));
  const ended: unknown[] = [];
  for await (const event of core.app.background.work({ once: true }, run("owner")))
    if (event.type === "job-end") ended.push([event.job.state, event.job.error?.code, event.job.attempts]);
  assert.deepEqual(ended, [
    ["dead", "SOURCE_UNSUPPORTED", 1],
    ["done", undefined, 1],
  ]);
});
