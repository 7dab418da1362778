import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { schemaFiles } from "../../scripts/schemas.ts";
import type { Answer } from "../../src/core/answers/answer.ts";
import type { DocumentSummary, FileReport, IngestReport, SearchResult } from "../../src/core/app.ts";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import { type ErrorCode, errorTable, RagctlError } from "../../src/core/errors.ts";
import { z } from "../../src/core/schema.ts";
import { commands } from "../../src/operations/command-list.ts";
import { askShape, runDetailShape } from "../../src/shapes/answer.ts";
import { chatMessagesShape, chatRoomsShape } from "../../src/shapes/chat.ts";
import { documentsShape, ingestShape, showShape } from "../../src/shapes/documents.ts";
import { errorShape } from "../../src/shapes/error.ts";
import { doctorShape, modelsShape, probeShape, statusShape } from "../../src/shapes/machine.ts";
import { collectionListShape } from "../../src/shapes/registry.ts";
import { logsShape } from "../../src/shapes/runs.ts";
import { searchShape } from "../../src/shapes/search.ts";
import { schemaVersion } from "../../src/shapes/shape.ts";

const folder = new URL("../../config/schemas/", import.meta.url);
const validators = new Map<string, ValidateFunction>();

before(async () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  for (const name of await readdir(folder)) {
    const schema = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(await readFile(new URL(name, folder), "utf8")));
    validators.set(name.replace(".schema.json", ""), ajv.compile(schema));
  }
});

/** Checks `value` as a reader of the JSON text would see it. */
function problems(name: string, value: unknown): readonly string[] {
  const validate = validators.get(name);
  assert.ok(validate, `there is no schema ${name}`);
  const valid = validate(JSON.parse(JSON.stringify(value)));
  return valid
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const fits = (name: string, value: unknown): void => assert.deepEqual(problems(name, value), []);

const chunk: Chunk = {
  id: "a1b2-0",
  documentId: "a1",
  versionId: "a1b2",
  ordinal: 0,
  text: "Casing cover bolts: 125 Nm.",
  title: "Manual",
  headings: ["3 Tightening torques", "3.1 Order"],
  pages: [4, 5],
  contentType: "table",
  tokenCount: 12,
  sourcePath: "/documents/manual.pdf",
  sourceName: "manual.pdf",
  format: "pdf",
  collection: "manuals",
  department: "",
  method: "pdfjs",
  contentHash: "0".repeat(64),
};
const phases = [{ phase: "retrieve", durationMs: 12.5, counts: { candidates: 40, pagesNeedingOcr: 1 } }];
const unavailable = [
  { collection: "plant", code: "STORE_UNAVAILABLE", reason: "it is down", hint: "start it" },
] satisfies SearchResult["unavailable"];
const result: SearchResult = {
  query: "torque?",
  hits: [{ chunk, score: 0.03, via: "fused" }],
  named: ["manual.pdf"],
  phases,
  unavailable,
};
const answer: Answer = {
  query: "torque?",
  intent: "retrieval",
  response: "125 Nm [1].",
  citations: [
    {
      marker: 1,
      chunkId: "a1b2-0",
      sourceFile: "notes.txt",
      sourcePath: "/documents/notes.txt",
      pages: [],
      section: "",
      collection: "manuals",
      quote: "125 Nm.",
      quotes: ["125 Nm."],
    },
  ],
  verdict: {
    status: "answered",
    reason: "1 of 1 sentences supported",
    evidence: 0.71,
    threshold: 0.45,
    grounded: "strict",
    sentences: [{ text: "125 Nm [1].", markers: [1], support: "supported", reason: "", rule: "number" }],
    removed: 0,
  },
  context: { question: "torque?", passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  model: "small",
  agent: null,
  tools: [
    {
      call: {
        tool: "Calculator",
        type: "calculator",
        arguments: { expression: "1+1" },
        reason: "arithmetic",
      },
      ...{ status: "ok", code: "", message: "2", findings: [], data: { value: "2" }, durationMs: 1 },
    },
  ],
  trace: [{ node: "route", decided: "no agent", durationMs: 1, details: {} }],
  phases,
  unavailable,
};
const file: FileReport = {
  path: "/documents/scan.pdf",
  name: "scan.pdf",
  state: "failed",
  code: "SOURCE_NEEDS_OCR",
  reason: "the page holds no text",
  pages: 1,
  chunks: 0,
  tokens: 0,
  pagesWithoutText: [1],
};
const report: IngestReport = {
  runId: "r1",
  collection: "manuals",
  files: [file],
  counts: {
    added: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 1,
    chunks: 0,
    tokens: 0,
    embeddedFromCache: 0,
    pages: 1,
    pagesNeedingOcr: 1,
  },
  phases,
  peakRssBytes: 1e8,
  model: "bge-small",
  provider: "cpu",
};
const document: DocumentSummary = {
  id: "a1",
  version: 1,
  collection: "manuals",
  instance: "public",
  department: "",
  name: "manual.pdf",
  path: "/documents/manual.pdf",
  format: "pdf",
  title: "Manual",
  sizeBytes: 15_352,
  sha256: "a".repeat(64),
  pages: 8,
  chunks: 20,
  metadata: { author: "A. Smith", tags: ["pump"] },
  ingestedAt: "2026-03-02T08:00:00.000Z",
};

test("the published schemas are those that `npm run schemas` writes", async () => {
  const written = schemaFiles();
  assert.deepEqual((await readdir(folder)).sort(), [...written.keys()].sort());
  for (const [name, text] of written)
    assert.equal(await readFile(new URL(name, folder), "utf8"), text, `${name}: run \`npm run schemas\``);
});

test("a search result fits its schema, alone and as a line of a batch", () => {
  fits("search", searchShape(result));
  fits("search", { id: "q01", ...searchShape({ ...result, hits: [] }) });
});

test("a hit names the first page and the heading path, and null where the format has no pages", () => {
  const [hit] = searchShape(result).hits;
  assert.equal(hit?.page_number, 4);
  assert.equal(hit?.section, "3 Tightening torques › 3.1 Order");
  assert.equal(askShape(answer).citations[0]?.page_number, null);
});

test("a phase is flat, in snake case, and no count can replace its name or time", () => {
  const odd = [{ phase: "embed", durationMs: 3, counts: { phase: 9, pagesNeedingOcr: 2 } }];
  assert.deepEqual(searchShape({ ...result, phases: odd }).phases, [
    { phase: "embed", duration_ms: 3, pages_needing_ocr: 2 },
  ]);
});

test("an answer fits its schema, and says it was refused exactly when the verdict does", () => {
  fits("ask", askShape(answer));
  const refused = askShape({ ...answer, citations: [], verdict: { ...answer.verdict, status: "refused" } });
  fits("ask", { id: 7, ...refused });
  assert.equal(refused.refused, true);
  assert.equal(askShape({ ...answer, verdict: { ...answer.verdict, status: "extractive" } }).refused, false);
});

test("rooms and what was said in them fit their schemas", () => {
  const room = {
    id: "1",
    name: "lobby",
    visibility: "public" as const,
    createdAt: "2026-03-02T08:00:00.000Z",
    messages: 1,
  };
  fits("chat-rooms", chatRoomsShape([room]));
  const message = {
    id: "2",
    position: 0,
    author: "owner",
    type: "user" as const,
    content: "Hello",
    citations: [],
    sources: [],
    createdAt: room.createdAt,
  };
  fits("chat-history", chatMessagesShape("lobby", [message]));
});

test("an ingest report fits its schema", () => {
  fits("ingest", ingestShape.report(report));
  assert.deepEqual(ingestShape.report(report).files, [ingestShape.file(file)]);
});

test("documents, one document and collections fit their schemas", () => {
  fits("list", documentsShape([document]));
  fits("show", showShape(document, [chunk]));
  fits(
    "collections",
    collectionListShape([
      {
        name: "manuals",
        summary: {
          name: "manuals",
          instance: "public",
          documents: 1,
          chunks: 20,
          embedder: "bge-small",
          dimensions: 384,
          lexical: "bm25",
        },
        profile: null,
        grants: [],
      },
    ]),
  );
});

test("status, models, doctor and logs fit their schemas", () => {
  fits("status", statusShape(null));
  fits(
    "status",
    statusShape({
      pid: 7,
      uptimeMs: 1200,
      clients: 1,
      instances: [{ name: "public", pid: 8, rssBytes: 5e7, uri: "unix:/run/x.sock" }],
    }),
  );
  const files = [{ name: "model.onnx", state: "present" as const, sizeBytes: 34_014_426 }];
  fits(
    "models",
    modelsShape([
      {
        id: "bge-small",
        task: "embedding",
        licence: "MIT",
        state: "ready",
        folder: "/models/bge-small",
        downloadBytes: null,
        files,
        reader: { level: "small", why: "a model file of 1.1 GB" },
      },
    ]),
  );
  fits(
    "probe",
    probeShape({
      ...{ model: "mine", provider: "cpu", revision: 1, level: "small", why: "31 of 60", durationMs: 90_000 },
      figures: [{ figure: "score", count: 31, of: 60, share: 31 / 60, low: 0.39, high: 0.64 }],
      questions: [
        {
          ...{ language: "en", kind: "fact", question: "Torque?", answer: "125 Nm [1]." },
          ...{ outcome: "right", cited: true },
        },
      ],
    }),
  );
  const failed = doctorShape([
    { name: "node", status: "failed", message: "Node 20 is too old", hint: "install 22.13 or newer" },
  ]);
  fits("doctor", failed);
  assert.equal(failed.ok, false);
  const asked = { question: answer.query, ...answer };
  const run = {
    id: "r1",
    kind: "ask" as const,
    principal: "owner",
    startedAt: "2026-03-02T08:00:00Z",
    durationMs: 40,
    summary: "torque?",
    phases,
  };
  fits("logs", logsShape([{ ...run, state: "completed" }]));
  fits("run", runDetailShape({ ...run, state: "completed", error: null, answer: asked }));
  fits(
    "run",
    runDetailShape({ ...run, state: "cancelled", error: null, answer: { ...asked, verdict: null } }),
  );
  fits(
    "run",
    runDetailShape({
      ...run,
      state: "failed",
      error: { code: "INTERNAL", message: "it failed" },
      answer: null,
    }),
  );
});

test("an answer says the status that the command ends with", () => {
  const statuses = (["answered", "extractive", "direct", "refused", "unverified", "clarify"] as const).map(
    (status) => askShape({ ...answer, verdict: { ...answer.verdict, status } }).exit_status,
  );
  assert.deepEqual(statuses, [0, 0, 0, 5, 6, 9]);
});

test("an error of any code fits its schema", () => {
  // Object.keys widens to string; the table's keys are the codes.
  for (const code of Object.keys(errorTable) as ErrorCode[])
    fits("error", errorShape(new RagctlError(code, "it failed")));
  assert.equal(errorShape(new RagctlError("NOT_FOUND", "x", { hint: "look" })).error.hint, "look");
});

test("every schema refuses another version and a document without its members", () => {
  for (const name of validators.keys()) {
    assert.ok(problems(name, { schema_version: schemaVersion }).length > 0, name);
    assert.ok(
      problems(name, { schema_version: schemaVersion + 1 }).some((problem) =>
        problem.startsWith("/schema_version"),
      ),
      name,
    );
  }
  assert.ok(problems("search", { ...searchShape(result), extra: 1 }).length > 0);
});

test("docs/reference/errors.md lists every error code under its scope, with its exit status and HTTP status", async () => {
  const text = await readFile(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
  const [run = "", document = ""] = text.split("\n## Errors of one document\n");
  const rows = Object.entries({ run, document }).flatMap(([scope, part]) =>
    [...part.matchAll(/^\| `([A-Z_]+)` \| (\d+), (\d+) \|/gm)].map(([, code, exit, http]) => [
      code,
      scope,
      Number(exit),
      Number(http),
    ]),
  );
  assert.deepEqual(
    rows.sort(),
    Object.entries(errorTable)
      .map(([code, { scope, exit, http }]) => [code, scope, exit, http])
      .sort(),
  );
});

test("docs/reference/formats.md names every schema file that is not named by the first word of its command", async () => {
  const text = await readFile(new URL("../../docs/reference/formats.md", import.meta.url), "utf8");
  const words = new Set(Object.values(commands).flatMap(Object.keys));
  for (const name of validators.keys()) assert.ok(words.has(name) || text.includes(`\`${name}\``), name);
});

test("every document that a command prints has a shape, and so a schema", async () => {
  const commands = new URL("../../src/cli/", import.meta.url);
  for (const name of await readdir(commands, { recursive: true })) {
    if (!name.endsWith(".ts")) continue;
    const text = await readFile(new URL(name, commands), "utf8");
    assert.doesNotMatch(text, /schema_version: \d/, `${name} writes a document without a shape`);
  }
});
