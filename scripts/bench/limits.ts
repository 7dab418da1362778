/**
 * What the default limits keep out of real documents, and the memory it takes to read them.
 *   limits.ts --shapes           reads and cuts data of hard shapes, each of three sizes: processor time of both, and how long nothing else had a turn while it was cut
 *   limits.ts [--no-ocr] DIR…    reads every file below the folders; names what limits left out, and the highest memory of all processes together
 * Run it on a quiet machine and beside two programs that compute (`yes > /dev/null`): processor time is what
 * counts, so both read the same.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { open, readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatOfExtension } from "../../src/core/documents/formats.ts";
import { asRagctlError } from "../../src/core/errors.ts";
import { createChunker } from "../../src/drivers/chunkers/by-preset.ts";
import { loadParser } from "../../src/drivers/parsers/by-format.ts";
import { openParserPool } from "../../src/drivers/parsers/process/pool.ts";
import { openTokenizer } from "../../src/drivers/runtime/tokenizer.ts";
import { chunk } from "../../src/pipeline/ingest/chunk.ts";
import { detectFormat } from "../../src/pipeline/ingest/detect.ts";
import { report } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "no-ocr": { type: "boolean", default: false }, shapes: { type: "boolean", default: false } },
});

/** Resident memory of this process and its descendants, bytes. */
function treeBytes(): number {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const inside = new Set([process.pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid = 0, parent = 0] of rows) {
      if (!inside.has(parent) || inside.has(pid)) continue;
      inside.add(pid);
      grown = true;
    }
  }
  return rows.reduce((sum, [pid = 0, , rss = 0]) => sum + (inside.has(pid) ? rss * 1024 : 0), 0);
}

const many = (count: number, make: (at: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(between);
/** Files whose reading or cutting took minutes; `size` in about 100 kB. */
const shapes: Readonly<Record<string, (size: number) => string>> = {
  "one-line.json": (size) =>
    `[${many(1_100 * size, (at) => `{"id":${at},"note":"Valve ${at} opens"}`, ",")}]`,
  "keys.json": (size) =>
    `{\n${many(2_000 * size, (at) => ` "key_${at}": {\n  "value": ${at}\n }`, ",\n")}\n}`,
  "attributes.xml": (size) =>
    `<a>\n${many(size, (at) => `<b x${at}="${"long value ".repeat(9_000)}"/>`)}\n</a>`,
  "base64.xml": (size) => `<a>${"QUJDREVG".repeat(12_500 * size)}</a>`,
  "functions.py": (size) => many(1_700 * size, (at) => `def stop_${at}(a, b):\n    return a + b * ${at}\n`),
  "comments.py": (size) => many(4_000 * size, (at) => `# What valve ${at} does`),
  "nested.js": (size) => `${"f(() => {\n".repeat(9_000 * size)}${"})\n".repeat(9_000 * size)}`,
  "brackets.js": (size) => many(3 * size, () => `x = ${"[".repeat(17_000)}${"]".repeat(17_000)}`),
};

async function measureShapes(): Promise<void> {
  const folder = fileURLToPath(new URL("../../fixtures/models/bge-m3-tiny/", import.meta.url));
  const tokenizer = await openTokenizer(join(folder, "tokenizer.json"));
  const options = { maxTokens: 512, minTokens: 64, titleOf: () => "" };
  const chunker = await createChunker("hybrid", { size: 0, overlap: -1 }, options);
  const place = { documentId: "d", versionId: "v", collection: "c", department: "" };
  const seconds = (since: NodeJS.CpuUsage): number => process.threadCpuUsage(since).user / 1e6;
  const rows: [string, number, number, number, number][] = [];
  for (const [name, make] of Object.entries(shapes))
    for (const size of [1, 4, 16]) {
      const bytes = Buffer.from(make(size));
      const format = formatOfExtension(extname(name)) ?? "text";
      const parser = await loadParser(format);
      let since = process.threadCpuUsage();
      const content = await parser.parse(bytes, { name });
      const parse = seconds(since);
      const delays = monitorEventLoopDelay({ resolution: 5 });
      delays.enable();
      since = process.threadCpuUsage();
      const file = { path: name, name, format, sha256: "", sizeBytes: bytes.length };
      await chunk({ file, content, method: "bench" }, place, chunker, tokenizer);
      delays.disable();
      rows.push([name, bytes.length / 1e6, parse, seconds(since), delays.max / 1e9]);
    }
  report(["file", "MB", "read, CPU s", "cut, CPU s", "longest turn, s"], rows, { bench: "shapes", rows });
}

if (values.shapes) {
  await measureShapes();
  process.exit();
}

const ocr = {
  mode: "auto",
  languages: ["eng"],
  folder: "",
  pageTimeoutMs: 60_000,
  workers: 1,
  cacheFolder: "",
} as const;
await using pool = openParserPool({
  workers: 2,
  timeoutMs: 120_000,
  memoryMb: 640,
  maxBytes: 200_000_000,
  ...(values["no-ocr"] ? {} : { ocr }),
});

/** Reads one file; a line of why where something of it was kept out or it failed. */
async function read(path: string): Promise<string | undefined> {
  const name = basename(path);
  try {
    await using handle = await open(path);
    const format = await detectFormat(handle, name);
    const bytes = await readFile(path);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const file = { path, name, format, sha256, sizeBytes: bytes.length };
    const { content } = await pool.parse(file, AbortSignal.timeout(3_600_000));
    return content.omitted === undefined ? undefined : `left out   ${name}: ${content.omitted}`;
  } catch (error) {
    const { code, message } = asRagctlError(error);
    return `${code.padEnd(18)} ${name}: ${message.slice(0, 100)}`;
  }
}

const files: string[] = [];
for (const folder of positionals) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
}
let peakBytes = 0;
const sampling = setInterval(() => {
  peakBytes = Math.max(peakBytes, treeBytes());
}, 300);
const started = performance.now();
const lines = await Promise.all(files.sort().map(read));
clearInterval(sampling);
for (const line of lines) if (line !== undefined) process.stdout.write(`${line}\n`);
const seconds = (performance.now() - started) / 1000;
process.stdout.write(
  `${files.length} files in ${seconds.toFixed(0)} s, peak of all processes ${Math.round(peakBytes / 1024 ** 2)} MiB, ` +
    `processes ended by limits: ${pool.counts.workersLost}\n`,
);
