import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openParserPool } from "../../../src/drivers/parsers/process/pool.ts";
import { source } from "./make.ts";
import { bomb, heavy, line, packed, type RawStream, rawPdf } from "./pdf-hostile.ts";
import { appended, scannedPdf } from "./pdf-make.ts";

const folder = await mkdtemp(join(tmpdir(), "ragctl-limits-"));
after(() => rm(folder, { recursive: true, force: true }));
const limits = { workers: 1, timeoutMs: 6000, memoryMb: 512, maxBytes: 1024 ** 3 };
const signal = new AbortController().signal;
const write = (name: string, bytes: Uint8Array) => source(join(folder, name), name, "pdf", bytes);
const children = (parent = process.pid): number[] => {
  try {
    return execFileSync("pgrep", ["-P", String(parent), "-f", "parse-worker"], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    return [];
  }
};

test("a page that takes too much processor time is left out and named, and the fifty others are read", async () => {
  const pages = Array.from({ length: 51 }, (_, index) => [
    index === 20 ? heavy(1_000_000) : line(`Light page ${index + 1}`),
  ]);
  await using pool = openParserPool(limits);
  const { content } = await pool.parse(await write("heavy.pdf", rawPdf(pages)), signal);
  const text = content.blocks.map((block) => block.text).join(" ");
  for (const number of [1, 20, 22, 51]) assert.match(text, new RegExp(`Light page ${number}\\b`));
  assert.doesNotMatch(text, /A heavy page/);
  assert.deepEqual(content.warnings, ["skipped page 21: more than 1.5 s of CPU time"]);
  assert.equal(content.omitted, "page 21");
  assert.equal(content.pageCount, 51);
  assert.equal(pool.counts.workersLost, 1);
});

test("when too many pages take too much, those before them are kept and the rest is named", async () => {
  const page = heavy(1_000_000);
  const pages = Array.from({ length: 12 }, (_, index) => [
    index < 4 ? line(`Light page ${index + 1}`) : page,
  ]);
  await using pool = openParserPool({ ...limits, timeoutMs: 2000 });
  const { content } = await pool.parse(await write("many.pdf", rawPdf(pages)), signal);
  assert.match(content.blocks.map((block) => block.text).join(" "), /Light page 4/);
  assert.match(
    content.warnings.join("; "),
    /skipped pages? 5.*: more than 0.5 s of CPU time; skipped pages? .*12: the document's time limit was reached/,
  );
  assert.equal(content.omitted, "pages 5, 6, 7, 8, 9, 10, 11, 12");
});

test("a document of one page that takes too much is given up", async () => {
  await using pool = openParserPool({ ...limits, timeoutMs: 2000 });
  await assert.rejects(pool.parse(await write("one.pdf", rawPdf([[heavy(1_000_000)]])), signal), {
    code: "PARSER_TIMEOUT",
  });
});

test("a page whose content unpacks to gigabytes is left out before any library sees it", async () => {
  const bombs = Array<RawStream>(8).fill(bomb(100_000_000));
  await using pool = openParserPool(limits);
  const { content } = await pool.parse(
    await write("flate.pdf", rawPdf([[line("Before it")], bombs, [line("After it")]])),
    signal,
  );
  assert.match(content.blocks.map((block) => block.text).join(" "), /Before it.*After it/);
  assert.deepEqual(content.warnings, ["skipped page 2: content unpacks to more than 64 MiB"]);
  assert.equal(content.omitted, undefined);
  assert.equal(pool.counts.workersLost, 0);
  await assert.rejects(pool.parse(await write("only.pdf", rawPdf([bombs])), signal), {
    code: "SOURCE_TOO_LARGE",
  });
});

test("a page that fills the memory is left out and named, and the others are read", async () => {
  const forms = Array<RawStream>(4).fill(bomb(300_000_000));
  const draws = packed("/F0 Do /F1 Do /F2 Do /F3 Do");
  await using pool = openParserPool({ ...limits, timeoutMs: 120_000, memoryMb: 256 });
  const { content } = await pool.parse(
    await write("forms.pdf", rawPdf([[line("Before it")], [draws], [line("After it")]], forms)),
    signal,
  );
  assert.match(content.blocks.map((block) => block.text).join(" "), /Before it.*After it/);
  assert.deepEqual(content.warnings, ["skipped page 2: more than 256 MiB"]);
  assert.equal(content.omitted, "page 2");
});

const ocr = {
  mode: "auto",
  languages: ["eng"],
  folder: "",
  pageTimeoutMs: 60_000,
  workers: 1,
  cacheFolder: "",
} as const;

test("a scanned page of 35 million pixels is read in the memory that a smaller one takes", async () => {
  const scan = await scannedPdf(["The harbour master closed the northern gate"], [4960, 7016], 2);
  await using pool = openParserPool({ ...limits, timeoutMs: 120_000, ocr });
  const { content } = await pool.parse(await write("large.pdf", scan), signal);
  assert.deepEqual([content.warnings, content.pagesByOcr, pool.counts.workersLost], [[], [1, 2], 0]);
});

test("the time that OCR takes is not held against the pages behind one that is left out", async () => {
  const scan = await scannedPdf(
    Array(30).fill("The harbour master closed the northern gate"),
    [1700, 2200],
    2,
  );
  const forms = Array<RawStream>(4).fill(bomb(300_000_000));
  const draws = packed("/F0 Do /F1 Do /F2 Do /F3 Do");
  const bomber = rawPdf([[draws], [line("After it")]], forms);
  await using pool = openParserPool({ ...limits, timeoutMs: 4000, memoryMb: 640, ocr });
  const { content } = await pool.parse(await write("mixed.pdf", await appended(scan, bomber)), signal);
  // On a busy machine it meets its own limit of time before that of memory.
  assert.match(content.warnings?.join("|") ?? "", /^skipped page 3: more than (?:640 MiB|1 s of CPU time)$/);
  assert.match(content.blocks.at(-1)?.text ?? "", /After it/);
});

test("a document whose parser is killed from outside is parsed again, and fails alone when that is killed too", async () => {
  await using pool = openParserPool({ ...limits, timeoutMs: 120_000 });
  const kill = async () => {
    while (children().length === 0) await wait(50);
    await wait(300);
    const running = children();
    for (const pid of running) process.kill(pid, "SIGKILL");
    while (children().some((pid) => running.includes(pid))) await wait(50);
  };
  const slow = await write("killed.pdf", rawPdf([[line("A light page")], [heavy(300_000)]]));
  const failed = assert.rejects(pool.parse(slow, signal), {
    code: "SOURCE_UNREADABLE",
    message: /killed.pdf crashed its parser.*SIGKILL/,
  });
  const next = pool.parse(await write("next.pdf", rawPdf([[line("The next one")]])), signal);
  await kill();
  await kill();
  await failed;
  assert.match((await next).content.blocks[0]?.text ?? "", /The next one/);
  const again = pool.parse(slow, signal);
  await kill();
  assert.match((await again).content.blocks[0]?.text ?? "", /A light page/);
  assert.equal(pool.counts.workersLost, 3);
});

test("a command that is killed leaves no parser behind, though it is lost in a page", async () => {
  const file = await write("orphan.pdf", rawPdf([[heavy(1_000_000)]]));
  const script = `const { openParserPool } = await import(${JSON.stringify(new URL("../../../src/drivers/parsers/process/pool.ts", import.meta.url).href)});
    await openParserPool(${JSON.stringify({ ...limits, timeoutMs: 120_000 })}).parse(${JSON.stringify(file)}, new AbortController().signal);`;
  const command = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "ignore" });
  let parsers: number[] = [];
  for (let turn = 0; turn < 200 && parsers.length === 0; turn++) {
    await wait(50);
    parsers = children(command.pid);
  }
  assert.equal(parsers.length, 1);
  await wait(500);
  command.kill("SIGKILL");
  const runs = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  for (let turn = 0; turn < 100 && parsers.some(runs); turn++) await wait(50);
  assert.deepEqual(parsers.filter(runs), []);
});

test("an aborted document ends its parser at once, and a closed pool leaves none behind", async () => {
  const pool = openParserPool({ ...limits, timeoutMs: 120_000 });
  const controller = new AbortController();
  const rejected = assert.rejects(
    pool.parse(await write("aborted.pdf", rawPdf([[heavy(1_000_000)]])), controller.signal),
    /stopped/,
  );
  await wait(300);
  assert.equal(children().length, 1);
  controller.abort(new Error("stopped"));
  await rejected;
  assert.deepEqual(children(), []);
  await pool.parse(await write("after.pdf", rawPdf([[line("After it")]])), signal);
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(children(), []);
});

test("a document that is stopped between two attempts at it is not attempted again", async () => {
  const pages = [[line("Light page")], [heavy(1_000_000)], [line("Light page")]];
  const controller = new AbortController();
  let attempts = 0;
  await using pool = openParserPool({
    ...limits,
    timeoutMs: 2000,
    // Looked at when an attempt begins.
    get lowPriority() {
      attempts += 1;
      if (attempts === 2) controller.abort(new Error("stopped"));
      return true;
    },
  });
  await assert.rejects(pool.parse(await write("stopped.pdf", rawPdf(pages)), controller.signal), /stopped/);
  assert.deepEqual([attempts, children()], [2, []]);
});
