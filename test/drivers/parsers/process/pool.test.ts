import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { RagctlError } from "../../../../src/core/errors.ts";
import { startParserProcess } from "../../../../src/drivers/parsers/process/parser-process.ts";
import { openParserPool } from "../../../../src/drivers/parsers/process/pool.ts";
import { encryptedPdf, pdf, source } from "../make.ts";

const folder = await mkdtemp(join(tmpdir(), "ragctl-pool-"));
after(() => rm(folder, { recursive: true, force: true }));
const limits = { workers: 2, timeoutMs: 20_000, memoryMb: 256, maxBytes: 1024 ** 3 };
const signal = new AbortController().signal;
const text = (name: string, content: string) =>
  source(join(folder, name), name, "text", new TextEncoder().encode(content));

test("documents are parsed in processes that never exceed the pool and are replaced after their share", async () => {
  await using pool = openParserPool({ ...limits, documentsPerWorker: 2 });
  const files = await Promise.all(
    Array.from({ length: 6 }, (_, index) => text(`n${index}.txt`, `text ${index}`)),
  );
  const parsed = await Promise.all(files.map((file) => pool.parse(file, signal)));
  assert.deepEqual(
    parsed.map((document) => document.content.blocks[0]?.text),
    files.map((_, index) => `text ${index}`),
  );
  assert.equal(parsed[0]?.method, "text");
  assert.equal(pool.counts.peakActive, 2);
  assert.equal(pool.counts.workersLost, 0);
  assert.ok(pool.counts.workersReplaced >= 2);
});

test("a process that holds on to much memory after a document is replaced", async () => {
  await using pool = openParserPool({ ...limits, workers: 1, memoryMb: 128 });
  const rows = Array.from({ length: 40_000 }, (_, index) => `${index},value ${index},${index * 7}`).join(
    "\n",
  );
  const large = await source(
    join(folder, "large.csv"),
    "large.csv",
    "csv",
    new TextEncoder().encode(`id,name,amount\n${rows}\n`),
  );
  // What a process holds after a document depends on when its garbage was last collected.
  for (let turn = 0; turn < 20 && pool.counts.workersReplaced === 0; turn += 1)
    await pool.parse(large, signal);
  assert.deepEqual([pool.counts.workersReplaced, pool.counts.workersLost], [1, 0]);
  await pool.parse(await text("small.txt", "small"), signal);
  assert.equal(pool.counts.workersReplaced, 1);
});

test("a process holds on to little of the pages it has read", async () => {
  const pages = Array.from({ length: 120 }, (_, page) =>
    Array.from({ length: 60 }, (_, line) => ({
      ...{ x: 50, y: 40 + line * 12, size: 9 },
      text: `Line ${line} of page ${page} says that the pump of hall ${line * page} moves ${page} litres of water`,
    })),
  );
  const bytes = await pdf(pages);
  const file = await source(join(folder, "long.pdf"), "long.pdf", "pdf", bytes);
  const limit = { documentMs: 100_000, pageMs: 100_000, memoryBytes: 640 * 1024 ** 2 };
  const request = { file, maxBytes: bytes.length, limits: limit, history: { stops: [], spentMs: 0 } };
  const parser = startParserProcess({ heapMb: 480, lowPriority: false, silenceMs: 200_000 });
  let heldMb = 0;
  for (let turn = 0; turn < 3; turn += 1) heldMb = (await parser.ask(request, signal)).heldBytes / 1024 ** 2;
  await parser.end();
  assert.ok(heldMb < 160, `${heldMb} MiB`);
});

test("a file that changed or vanished since it was hashed is told apart", async () => {
  await using pool = openParserPool(limits);
  const changed = await text("changed.txt", "before");
  await writeFile(changed.path, "after!");
  await assert.rejects(pool.parse(changed, signal), { code: "SOURCE_CHANGED" });
  const gone = await text("gone.txt", "x");
  await rm(gone.path);
  await assert.rejects(pool.parse(gone, signal), { code: "SOURCE_MISSING" });
});

test("an error crosses the processes with its code, message and hint, and its neighbour is parsed", async () => {
  await using pool = openParserPool({ ...limits, workers: 1 });
  const locked = await source(join(folder, "locked.pdf"), "locked.pdf", "pdf", encryptedPdf());
  const fine = await source(
    join(folder, "fine.pdf"),
    "fine.pdf",
    "pdf",
    await pdf([[{ x: 72, y: 100, text: "Hello from a page." }]]),
  );
  const results = await Promise.allSettled([pool.parse(locked, signal), pool.parse(fine, signal)]);
  assert.equal(results[1]?.status, "fulfilled");
  assert.ok(results[0].status === "rejected" && results[0].reason instanceof RagctlError);
  assert.equal(results[0].reason.code, "SOURCE_ENCRYPTED");
  assert.match(results[0].reason.hint ?? "", /password/);
});

test("a document over its processor time fails alone and its process is replaced", async () => {
  const slow = await source(
    join(folder, "slow.md"),
    "slow.md",
    "markdown",
    new TextEncoder().encode(`${"> ".repeat(3000)}x\n`),
  );
  const quick = await text("quick.txt", "quick");
  await using pool = openParserPool({ ...limits, workers: 1, timeoutMs: 1 });
  await assert.rejects(pool.parse(slow, signal), { code: "PARSER_TIMEOUT" });
  assert.equal(pool.counts.workersLost, 1);
  await using patient = openParserPool({ ...limits, workers: 1 });
  assert.equal((await patient.parse(quick, signal)).content.blocks[0]?.text, "quick");
});

test("a document over its memory fails alone", async () => {
  const rows = Array.from({ length: 400_000 }, (_, index) => `${index},value ${index},other ${index}`).join(
    "\n",
  );
  const huge = await source(
    join(folder, "huge.csv"),
    "huge.csv",
    "csv",
    new TextEncoder().encode(`a,b,c\n${rows}`),
  );
  const small = await text("small.txt", "small");
  await using pool = openParserPool({ ...limits, workers: 1, memoryMb: 48 });
  const results = await Promise.allSettled([pool.parse(huge, signal), pool.parse(small, signal)]);
  assert.ok(results[0].status === "rejected" && results[0].reason instanceof RagctlError);
  assert.equal(results[0].reason.code, "PARSER_MEMORY");
  assert.equal(results[1]?.status, "fulfilled");
});

test("cancelling rejects with the signal's reason", async () => {
  await using pool = openParserPool({ ...limits, workers: 1 });
  const controller = new AbortController();
  const file = await text("cancel.txt", "x");
  const rejected = [1, 2].map(() => assert.rejects(pool.parse(file, controller.signal), /stopped/));
  controller.abort(new Error("stopped"));
  await Promise.all(rejected);
});

test("a process that parses many documents gathers no listeners", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  try {
    await using pool = openParserPool({ ...limits, workers: 1 });
    for (let index = 0; index < 14; index++)
      await pool.parse(await text("same.txt", "the same process"), signal);
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("warning", onWarning);
  }
  assert.deepEqual(warnings, []);
});
