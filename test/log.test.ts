import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RagctlError } from "../src/core/errors.ts";
import { z } from "../src/core/schema.ts";
import { type LogOptions, openLog } from "../src/log.ts";

const line = z.record(z.string(), z.unknown());

function captured(options: Partial<LogOptions> = {}) {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const log = openLog({ jsonLogs: true, level: "info", runId: "r1", stderr, ...options });
  return { log, written, lines: () => written.map((text) => line.parse(JSON.parse(text))) };
}

test("a phase is one JSON line with time, level, run and the published names", () => {
  const { log, lines } = captured();
  log.event("phase", { phase: "embed", duration_ms: 12, chunks: 3, tokens: 90, bytes: 7, fromCache: 2 });
  log.event("phase", { phase: "retrieve", duration_ms: 5, hits: 4, errors: 1 });
  const [embed, retrieve] = lines();
  const { time, ...rest } = embed ?? {};
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, {
    level: "info",
    run: "r1",
    event: "phase",
    phase: "embed",
    duration_ms: 12,
    latency_ms: 12,
    input_size: 7,
    errors: 0,
    chunk_count: 3,
    token_count: 90,
    input_size_bytes: 7,
    from_cache: 2,
  });
  assert.deepEqual(
    [
      retrieve?.["retrieval_latency_ms"],
      retrieve?.["hit_count"],
      retrieve?.["errors"],
      retrieve?.["input_size"],
    ],
    [5, 4, 1, 4],
  );
});

test("without JSON only warnings reach stderr, as one line that cannot steer a terminal", () => {
  const { log, written } = captured({ jsonLogs: false });
  log.event("phase", { phase: "embed", duration_ms: 1 });
  log.warn("cannot read \u001b[31mevil\nname\u202e.txt");
  assert.deepEqual(written, ["warning: cannot read  [31mevil name .txt\n"]);
});

test("secrets are covered by the last word of their key and in addresses; counts of tokens are not", () => {
  const { log, written } = captured();
  log.event("e", {
    token: "s1",
    milvusToken: "s2",
    nested: { api_key: "s3", list: [{ Authorization: "s4" }] },
    uri: "http://u:s5@h/x",
    token_count: 7,
    tokens: 8,
    key: "k",
  });
  log.warn("no answer from http://u:s6@h", { password: "s7" });
  assert.doesNotMatch(written.join(""), /s[1-7]/);
  assert.match(written[0] ?? "", /"token_count":7,"tokens":8,"key":"k"/);
});

test("values that JSON has no form for do not end a run", () => {
  const { log, lines } = captured();
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  log.event("e", {
    cycle,
    vector: new Float32Array(4),
    big: 7n,
    error: new Error("why"),
    undefined,
    set: new Set([1]),
  });
  const [entry] = lines();
  assert.deepEqual(
    [entry?.["vector"], entry?.["big"], entry?.["error"], entry?.["set"]],
    ["[16 bytes]", 7, { message: "why" }, [1]],
  );
});

test("a level holds back what is less severe", () => {
  const warnings = captured({ level: "warn" });
  warnings.log.event("e");
  warnings.log.warn("w");
  assert.deepEqual(
    warnings.lines().map((entry) => entry["message"]),
    ["w"],
  );
  const silent = captured({ level: "silent", jsonLogs: false });
  silent.log.warn("w");
  assert.deepEqual(silent.written, []);
});

test("a log file takes every line, is for its owner only and is appended to by the next run", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-log-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "run.jsonl");
  for (const runId of ["r1", "r2"]) {
    const { log, written } = captured({ jsonLogs: false, file, runId });
    log.event("phase", { phase: "embed", duration_ms: 1 });
    log.close();
    log.close();
    log.event("late");
    assert.deepEqual(written, []);
  }
  const runs = readFileSync(file, "utf8").trimEnd().split("\n");
  assert.deepEqual(
    runs.map((text) => line.parse(JSON.parse(text))["run"]),
    ["r1", "r2"],
  );
  if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.throws(() => captured({ file: join(folder, "none", "run.jsonl") }), { code: "CONFIG_INVALID" });
});

test("a log file that cannot be written is refused in words, without those of the system", () => {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-log-"));
  const refusal = (file: string) => {
    try {
      openLog({ jsonLogs: false, level: "info", runId: "r", file })[Symbol.dispose]();
    } catch (error) {
      return error instanceof RagctlError ? error.message : String(error);
    }
    return "none";
  };
  assert.equal(refusal(folder), `cannot write the log file ${folder}: is a folder`);
  const lost = join(folder, "none/x.log");
  assert.equal(refusal(lost), `cannot write the log file ${lost}: its folder does not exist`);
  rmSync(folder, { recursive: true });
});
