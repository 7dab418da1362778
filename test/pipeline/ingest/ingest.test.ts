import assert from "node:assert/strict";
import { test } from "node:test";
import type { IngestEvent, IngestReport } from "../../../src/core/app.ts";
import type { ParsedDocument, SourceFile } from "../../../src/core/documents/document.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import type { Failure } from "../../../src/core/flow.ts";
import type { VectorStore } from "../../../src/core/retrieval.ts";
import { type IngestDrivers, ingest } from "../../../src/pipeline/ingest/ingest.ts";
import type { Ledger } from "../../../src/pipeline/ingest/ledger.ts";
import { fakeEmbedder, memoryCache, type Stored, storeThat } from "../fakes.ts";
import { countWords, runOf } from "../fixtures.ts";

const request = { paths: ["x"], collection: "library", instance: "public" as const, department: "" };
const fileOf = (name: string): SourceFile => ({
  path: `/in/${name}`,
  name,
  format: "text",
  sizeBytes: 1,
  sha256: name,
});
const parsed = (file: SourceFile, words: number): ParsedDocument => ({
  file,
  method: "fake",
  content: {
    title: "",
    blocks: Array.from({ length: words }, (_, i) => ({
      kind: "paragraph" as const,
      text: `${file.name} ${i}`,
      pages: [],
    })),
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
function bench(
  files: readonly (SourceFile | Failure)[],
  parse: IngestDrivers["parse"],
  known: readonly string[] = [],
): Bench {
  const stored: Stored = new Map();
  const ledgerCalls: string[] = [];
  const stale = new Set<string>();
  const contents = new Map<string, string>();
  const ledger: Ledger = {
    async begin(file) {
      const versionId = `v-${file.name.replaceAll(".", "-")}`;
      const holder = contents.get(file.sha256);
      if (holder === undefined) contents.set(file.sha256, versionId);
      const place = {
        documentId: file.name,
        versionId,
        contentId: holder ?? versionId,
        collection: "library",
        department: "",
      };
      return {
        ...place,
        state: known.includes(file.name) ? "unchanged" : "added",
        shared: holder !== undefined,
      };
    },
    async ready(id) {
      ledgerCalls.push(`ready ${id}`);
      return "visible";
    },
    async share(id) {
      if (!ledgerCalls.some((call) => call.startsWith("ready"))) return undefined;
      ledgerCalls.push(`share ${id}`);
      return { title: "", pages: 0, chunks: 2, tokens: 4 };
    },
    failed: async (id) => {
      ledgerCalls.push(`failed ${id}`);
      stale.add(id);
    },
    stale: async () => [...stale],
    removed: async (ids) => {
      for (const id of ids) stale.delete(id);
      ledgerCalls.push(`removed ${ids.join(" ")}`);
    },
  };
  const vectors = storeThat({
    async write(_, chunks) {
      for (const { chunk } of chunks) stored.set(chunk.id, chunk);
    },
  });
  const embedder = fakeEmbedder();
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
        content.blocks.map(({ text }) => ({
          text,
          headings: [],
          pages: [],
          contentType: "paragraph",
          tokenCount: countWords(text),
        })),
    },
    fingerprint: `${embedder.fingerprint}/line`,
    model: embedder,
    embedder: async () => {
      ledgerCalls.push("open model");
      return embedder;
    },
    cache: memoryCache(),
    vectors: async () => {
      ledgerCalls.push("open store");
      return vectors;
    },
    discard: async (contentIds) => {
      for (const [id, chunk] of stored) if (contentIds.includes(chunk.versionId)) stored.delete(id);
    },
    ledger,
  };
  return { drivers, stored, ledgerCalls };
}

async function runAll(
  { drivers }: Bench,
  run = runOf(),
): Promise<{ events: readonly IngestEvent[]; report: IngestReport }> {
  const events = await Array.fromAsync(ingest(request, drivers, run));
  const last = events.at(-1);
  assert.ok(last?.type === "ingest-end");
  return { events, report: last.report };
}

test("every file ends once, in the report and as an event, and its chunks are stored before it becomes visible", async () => {
  const files = Array.from({ length: 7 }, (_, i) => fileOf(`f${i}.txt`));
  const made = bench(files, async (file) => parsed(file, 50));
  const { events, report } = await runAll(made);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["files-found", ...files.map(() => "file-end"), "ingest-end"],
  );
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
  assert.match(report.files[0]?.reason ?? "", /; set parse\.ocr to auto, and parse\.ocrLanguages/);
  assert.ok(made.ledgerCalls.includes("failed v-scan-pdf"));
});

test("an unchanged file is neither parsed nor stored", async () => {
  const made = bench([fileOf("same.txt")], () => assert.fail("parsed"), ["same.txt"]);
  const { report } = await runAll(made);
  assert.deepEqual([report.counts.unchanged, made.stored.size], [1, 0]);
  assert.deepEqual(made.ledgerCalls, [], "neither the model nor the store is opened");
});

test("files of one content are parsed once; the others become visible with the first, and fail with it", async () => {
  const copies = ["a.txt", "b.txt", "c.txt"].map((name) => ({ ...fileOf(name), sha256: "same" }));
  const parsedNames: string[] = [];
  const made = bench(copies, async (file) => {
    parsedNames.push(file.name);
    return parsed(file, 2);
  });
  const { report } = await runAll(made);
  assert.deepEqual([parsedNames, report.counts.added, made.stored.size], [["a.txt"], 3, 2]);
  assert.deepEqual(
    made.ledgerCalls.filter((call) => !call.startsWith("open")),
    ["ready v-a-txt", "share v-b-txt", "share v-c-txt"],
  );
  const broken = bench(copies, async () => {
    throw new RagctlError("SOURCE_ENCRYPTED", "locked");
  });
  const failed = (await runAll(broken)).report;
  assert.deepEqual(
    failed.files.map((file) => [file.name, file.code]),
    copies.map((file) => [file.name, "SOURCE_ENCRYPTED"]),
  );
});

test("what every file came to is told however the run ends", async () => {
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => {
    if (file.name === "b.txt") throw new RagctlError("DISK_FULL", "full");
    throw new RagctlError("SOURCE_ENCRYPTED", "locked");
  });
  let told: readonly string[] = [];
  const events = ingest(request, made.drivers, runOf(), ({ files }) => {
    told = files.map((file) => `${file.name} ${file.state}`);
  });
  await assert.rejects(Array.fromAsync(events), { code: "DISK_FULL" });
  assert.deepEqual(told, ["a.txt failed"]);
});

test("an error of the whole run ends it, and nothing unfinished becomes visible", async () => {
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => {
    if (file.name === "b.txt") throw new RagctlError("DISK_FULL", "full");
    return parsed(file, 1);
  });
  await assert.rejects(runAll(made), { code: "DISK_FULL" });
  assert.deepEqual(
    made.ledgerCalls.filter((call) => call !== "open model"),
    ["failed v-a-txt", "failed v-b-txt"],
  );
});

test("an aborted run stops with the signal's reason and makes nothing visible", async () => {
  const abort = new AbortController();
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => {
    abort.abort(new Error("stopped"));
    return parsed(file, 1);
  });
  await assert.rejects(runAll(made, runOf(abort.signal)), /stopped/);
  assert.deepEqual(made.ledgerCalls.toSorted(), ["failed v-a-txt", "failed v-b-txt"]);
});

for (const phase of ["parse", "load", "embed", "store", "sweep"] as const) {
  test(`a run stopped while it is at ${phase} ends with the signal's reason, and every version it began is given up or visible`, async () => {
    const abort = new AbortController();
    const files = Array.from({ length: 6 }, (_, at) => fileOf(`f${at}.txt`));
    const made = bench(files, async (file) => {
      if (phase === "parse" && file.name === "f3.txt") abort.abort(new Error("stopped"));
      return parsed(file, 40);
    });
    const embedder = fakeEmbedder();
    const stop = <T>(value: T): T => {
      abort.abort(new Error("stopped"));
      return value;
    };
    const drivers: IngestDrivers = {
      ...made.drivers,
      embedder: async () => {
        if (phase === "load") stop(undefined);
        return {
          ...embedder,
          async embed(texts, options, signal) {
            if (phase === "embed") stop(undefined);
            signal.throwIfAborted();
            return embedder.embed(texts, options, signal);
          },
        };
      },
      vectors: async () => {
        const store = await made.drivers.vectors();
        return {
          ...store,
          write: async (name, chunks) =>
            phase === "store" ? stop(store.write(name, chunks)) : store.write(name, chunks),
        };
      },
      ledger: {
        ...made.drivers.ledger,
        stale: async () => (phase === "sweep" && made.stored.size > 200 ? stop([]) : []),
      },
    };
    const done = Array.fromAsync(ingest(request, drivers, runOf(abort.signal)));
    if (phase === "sweep") await done;
    else await assert.rejects(done, /stopped/);
    const ended = made.ledgerCalls
      .filter((call) => /^(ready|failed)/.test(call))
      .map((call) => call.split(" ")[1]);
    const begun = new Set(ended);
    assert.equal(begun.size, ended.length, "each once");
    if (phase === "sweep")
      assert.equal(made.ledgerCalls.filter((call) => call.startsWith("ready")).length, 6);
  });
}

test("a document the store refuses fails alone, its queued chunks are dropped and what was stored of it is swept", async () => {
  const files = [fileOf("a.txt"), fileOf("bad.txt"), fileOf("c.txt")];
  const made = bench(files, async (file) => parsed(file, file.name === "bad.txt" ? 300 : 50));
  const vectors = async (): Promise<VectorStore> => {
    const store = await made.drivers.vectors();
    return {
      ...store,
      async write(name, chunks) {
        if (chunks.some(({ chunk }) => chunk.sourceName === "bad.txt" && chunk.ordinal === 150))
          throw new RagctlError("SOURCE_TOO_LARGE", "a chunk of bad.txt is too large for the store");
        await store.write(name, chunks);
      },
    };
  };
  const { report } = await runAll({ ...made, drivers: { ...made.drivers, vectors } });
  assert.deepEqual(
    report.files.map(({ name, state, code }) => [name, state, code]),
    [
      ["a.txt", "added", ""],
      ["bad.txt", "failed", "SOURCE_TOO_LARGE"],
      ["c.txt", "added", ""],
    ],
  );
  assert.deepEqual(
    new Set([...made.stored.values()].map((chunk) => chunk.sourceName)),
    new Set(["a.txt", "c.txt"]),
  );
});

test("a document that is forgotten meanwhile is left out by name; the others are stored", async () => {
  const made = bench([fileOf("a.txt"), fileOf("gone.txt"), fileOf("c.txt")], async (file) => parsed(file, 2));
  const ledger: Ledger = {
    ...made.drivers.ledger,
    ready: async (id, facts) =>
      id === "v-gone-txt" ? "forgotten" : await made.drivers.ledger.ready(id, facts),
  };
  const { report } = await runAll({ ...made, drivers: { ...made.drivers, ledger } });
  assert.deepEqual(
    report.files.map(({ name, state, code, reason }) => [name, state, code, reason]),
    [
      ["a.txt", "added", "", ""],
      ["gone.txt", "skipped", "NOT_FOUND", "it was removed during the ingest; ingest it again to keep it"],
      ["c.txt", "added", "", ""],
    ],
  );
});

test("a copy that is forgotten while its content is made is left out, and copies of a forgotten one say what to do", {
  timeout: 60_000,
}, async () => {
  const copies = ["a.txt", "b.txt", "c.txt"].map((name) => ({ ...fileOf(name), sha256: "same" }));
  const outcomes = async (forgotten: string): Promise<readonly string[]> => {
    const made = bench(copies, async (file) => parsed(file, 2));
    const ledger: Ledger = {
      ...made.drivers.ledger,
      ready: async (id, facts) =>
        id === forgotten ? "forgotten" : await made.drivers.ledger.ready(id, facts),
      share: async (id) => (id === forgotten ? "forgotten" : await made.drivers.ledger.share(id)),
    };
    const { report } = await runAll({ ...made, drivers: { ...made.drivers, ledger } });
    return report.files.map(({ name, state, code }) => `${name} ${state} ${code}`.trim()).sort();
  };
  assert.deepEqual(await outcomes("v-b-txt"), ["a.txt added", "b.txt skipped NOT_FOUND", "c.txt added"]);
  assert.deepEqual(await outcomes("v-a-txt"), [
    "a.txt skipped NOT_FOUND",
    "b.txt failed REGISTRY_BUSY",
    "c.txt failed REGISTRY_BUSY",
  ]);
});

test("a document that cannot be begun fails alone", async () => {
  const made = bench([fileOf("a.txt"), fileOf("bad.txt"), fileOf("c.txt")], async (file) => parsed(file, 2));
  const ledger: Ledger = {
    ...made.drivers.ledger,
    async begin(file, asked, fingerprint) {
      if (file.name === "bad.txt") throw new RagctlError("SOURCE_CHANGED", "it is being removed");
      return made.drivers.ledger.begin(file, asked, fingerprint);
    },
  };
  const { report } = await runAll({ ...made, drivers: { ...made.drivers, ledger } });
  assert.deepEqual(
    report.files.map(({ name, state, code }) => [name, state, code]),
    [
      ["bad.txt", "failed", "SOURCE_CHANGED"],
      ["a.txt", "added", ""],
      ["c.txt", "added", ""],
    ],
  );
});

test("an error of the store that is not about a document ends the run", async () => {
  const made = bench([fileOf("a.txt"), fileOf("b.txt")], async (file) => parsed(file, 5));
  const vectors = async (): Promise<VectorStore> => ({
    ...(await made.drivers.vectors()),
    write: () => Promise.reject(new RagctlError("STORE_FAILED", "the store is broken")),
  });
  await assert.rejects(runAll({ ...made, drivers: { ...made.drivers, vectors } }), { code: "STORE_FAILED" });
});

test("an attempt that reads less than what is visible by then gives up nothing of it", async () => {
  const warnings = ["skipped pages 2, 3: more than 30 s of CPU time"];
  const made = bench([fileOf("less.pdf"), fileOf("more.pdf")], async (file) => {
    const document = parsed(file, file.name === "less.pdf" ? 1 : 3);
    return { ...document, content: { ...document.content, warnings, omitted: "pages 2, 3" } };
  });
  const { ledger } = made.drivers;
  const begin: Ledger["begin"] = async (...of) => ({
    ...(await ledger.begin(...of)),
    state: "updated",
    again: "page 3",
    visibleTokens: 4,
  });
  const { report } = await runAll({ ...made, drivers: { ...made.drivers, ledger: { ...ledger, begin } } });
  const told = "retried: page 3 had been skipped";
  assert.deepEqual(
    report.files.map(({ name, state, reason }) => `${name} ${state} ${reason}`),
    [
      `less.pdf unchanged ${told}; ${warnings[0]}; the text read before is longer and was kept`,
      `more.pdf updated ${told}; ${warnings[0]}`,
    ],
  );
  assert.ok(made.ledgerCalls.includes("failed v-less-pdf"));
  assert.ok([...made.stored.values()].every(({ documentId }) => documentId === "more.pdf"));
});

test("what limits kept out is tried again, and the report says so; an attempt that brings nothing changes nothing", async () => {
  const warnings = ["skipped page 3: more than 30 s of CPU time"];
  const parse = async (file: SourceFile): Promise<ParsedDocument> => {
    const document = parsed(file, 2);
    if (file.name === "better.pdf") return document;
    if (file.name === "failed.pdf") throw new RagctlError("PARSER_TIMEOUT", "too slow");
    return { ...document, content: { ...document.content, warnings, omitted: "page 3" } };
  };
  const same = fileOf("same.pdf");
  const made = bench(
    [fileOf("better.pdf"), same, { ...same, name: "twin.pdf", path: "/in/twin.pdf" }, fileOf("failed.pdf")],
    parse,
  );
  const { ledger } = made.drivers;
  const begin: Ledger["begin"] = async (...of) => ({
    ...(await ledger.begin(...of)),
    state: "updated",
    again: "page 3",
  });
  const share: Ledger["share"] = async () => undefined;
  const { report } = await runAll({
    ...made,
    drivers: { ...made.drivers, ledger: { ...ledger, begin, share } },
  });
  const told = "retried: page 3 had been skipped";
  assert.deepEqual(report.files.map(({ name, state, reason }) => `${name} ${state} ${reason}`).sort(), [
    `better.pdf updated ${told}`,
    `failed.pdf failed ${told}; too slow`,
    `same.pdf unchanged ${told}; ${warnings[0]}`,
    `twin.pdf unchanged ${told}; ${warnings[0]}`,
  ]);
  assert.ok(made.ledgerCalls.includes("ready v-better-pdf"));
  assert.ok(made.ledgerCalls.includes("failed v-same-pdf"));
  assert.ok(!made.ledgerCalls.includes("ready v-same-pdf"));
});
