import assert from "node:assert/strict";
import { test } from "node:test";
import type { IngestEvent, IngestReport } from "../../src/core/app.ts";
import type { ParsedDocument, SourceFile } from "../../src/core/document.ts";
import { RagctlError } from "../../src/core/errors.ts";
import type { Failure } from "../../src/core/flow.ts";
import { type IngestDrivers, ingest, type Ledger } from "../../src/pipeline/ingest.ts";
import { fakeEmbedder, memoryCache, type Stored } from "./fakes.ts";
import { countWords, runOf } from "./fixtures.ts";

const request = { paths: ["x"], collection: "library", instance: "public" as const, department: "" };
const fileOf = (name: string): SourceFile => ({ path: `/in/${name}`, name, format: "text", sizeBytes: 1, sha256: name });
const parsed = (file: SourceFile, words: number): ParsedDocument => ({
  file,
  method: "fake",
  content: {
    title: "",
    blocks: Array.from({ length: words }, (_, i) => ({ kind: "paragraph" as const, text: `${file.name} ${i}`, pages: [] })),
    pageCount: words === 0 ? 2 : 0,
    pagesWithoutText: words === 0 ? [1, 2] : [],
    warnings: [],
  },
});

interface Bench {
  readonly drivers: IngestDrivers;
  readonly stored: Stored;
  readonly ledgerCalls: string[];
}

/** Ingest drivers over memory; `parse` decides what each file becomes. */
function bench(files: readonly (SourceFile | Failure)[], parse: IngestDrivers["parse"], known: readonly string[] = []): Bench {
  const stored: Stored = new Map();
  const ledgerCalls: string[] = [];
  const stale = new Set<string>();
  const ledger: Ledger = {
    begin: (file) => ({
      documentId: file.name,
      versionId: `v-${file.name.replaceAll(".", "-")}`,
      collection: "library",
      department: "",
      version: 1,
      state: known.includes(file.name) ? "unchanged" : "added",
    }),
    ready: (id) => void ledgerCalls.push(`ready ${id}`),
    failed: (id) => {
      ledgerCalls.push(`failed ${id}`);
      stale.add(id);
    },
    stale: () => [...stale],
    removed: (ids) => {
      for (const id of ids) stale.delete(id);
      ledgerCalls.push(`removed ${ids.join(" ")}`);
    },
  };
  const unused = () => assert.fail("ingest does not need this");
  const vectors: IngestDrivers["vectors"] = {
    id: "memory",
    version: unused,
    collections: unused,
    ensure: unused,
    drop: unused,
    search: unused,
    count: unused,
    list: unused,
    async write(_, chunks) {
      for (const { chunk } of chunks) stored.set(chunk.id, chunk);
    },
    async delete(_, filter) {
      assert.ok("field" in filter && filter.field === "versionId");
      for (const [id, chunk] of stored) if (filter.in.includes(chunk.versionId)) stored.delete(id);
    },
    async [Symbol.asyncDispose]() {},
  };
  const drivers: IngestDrivers = {
    files: async () => ({
      total: files.length,
      flow: (async function* () {
        yield* files;
      })(),
    }),
    parse,
    parseAhead: 2,
    chunker: {
      id: "line",
      chunk: ({ content }) =>
        content.blocks.map(({ text }) => ({ text, headings: [], pages: [], contentType: "paragraph", tokenCount: countWords(text) })),
    },
    embedder: fakeEmbedder(),
    cache: memoryCache(),
    vectors,
    ledger,
  };
  return { drivers, stored, ledgerCalls };
}

async function runAll({ drivers }: Bench, run = runOf()): Promise<{ events: readonly IngestEvent[]; report: IngestReport }> {
  const events = await Array.fromAsync(ingest(request, drivers, run));
  const last = events.at(-1);
  assert.ok(last?.type === "ingest-end");
  return { events, report: last.report };
}

test("every file ends once, in the report and as an event, and its chunks are stored before it becomes visible", async () => {
  const files = Array.from({ length: 7 }, (_, i) => fileOf(`f${i}.txt`));
  const made = bench(files, async (file) => parsed(file, 50));
  const { events, report } = await runAll(made);
  assert.equal(events.length, 8);
  assert.deepEqual([report.counts.added, report.counts.chunks, made.stored.size], [7, 350, 350]);
  assert.equal(made.ledgerCalls.filter((call) => call.startsWith("ready")).length, 7);
  assert.deepEqual(
    report.files.map((file) => file.name),
    files.map((file) => file.name),
  );
});

test("a failing document is reported and given up; the others are stored", async () => {
  const bad = new RagctlError("SOURCE_ENCRYPTED", "locked", { hint: "unlock it" });
  const made = bench([fileOf("a.txt"), fileOf("bad.pdf"), fileOf("c.txt")], async (file) => {
    if (file.name === "bad.pdf") throw bad;
    return parsed(file, 2);
  });
  const { report } = await runAll(made);
  assert.deepEqual([report.counts.added, report.counts.failed], [2, 1]);
  assert.deepEqual(report.files.find((file) => file.state === "failed")?.reason, "locked; unlock it");
  assert.ok(made.ledgerCalls.includes("failed v-bad-pdf"));
  assert.ok(made.ledgerCalls.includes("removed v-bad-pdf"));
  assert.equal(made.stored.size, 4);
});

test("a document of images alone needs OCR and its pages are counted", async () => {
  const made = bench([fileOf("scan.pdf")], async (file) => parsed(file, 0));
  const { report } = await runAll(made);
  assert.deepEqual([report.counts.failed, report.counts.pagesNeedingOcr, report.counts.pages], [1, 2, 2]);
  assert.equal(report.files[0]?.code, "SOURCE_NEEDS_OCR");
  assert.ok(made.ledgerCalls.includes("failed v-scan-pdf"));
});

test("an unchanged file is neither parsed nor stored", async () => {
  const made = bench([fileOf("same.txt")], () => assert.fail("parsed"), ["same.txt"]);
  const { report } = await runAll(made);
  assert.deepEqual([report.counts.unchanged, made.stored.size], [1, 0]);
});

test("an error of the whole run ends it, and nothing unfinished becomes visible", async () => {
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => {
    if (file.name === "b.txt") throw new RagctlError("DISK_FULL", "full");
    return parsed(file, 1);
  });
  await assert.rejects(runAll(made), { code: "DISK_FULL" });
  assert.deepEqual(made.ledgerCalls, []);
});

test("an aborted run stops with the signal's reason and makes nothing visible", async () => {
  const abort = new AbortController();
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => {
    abort.abort(new Error("stopped"));
    return parsed(file, 1);
  });
  await assert.rejects(runAll(made, runOf(abort.signal)), /stopped/);
  assert.deepEqual(made.ledgerCalls, []);
});
