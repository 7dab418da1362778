/**
 * What the default limits keep out of real documents, and the memory it takes to read them.
 *   limits.ts [--no-ocr] DIR…    reads every file below the folders; names what limits left out, and the highest memory of all processes together
 * Run it on a quiet machine and beside two programs that compute (`yes > /dev/null`): processor time is what
 * counts, so both read the same.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { open, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { asRagctlError } from "../../src/core/errors.ts";
import { openParserPool } from "../../src/drivers/parsers/process/pool.ts";
import { detectFormat } from "../../src/pipeline/ingest/detect.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "no-ocr": { type: "boolean", default: false } },
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
    `processes ended by limits: ${pool.workersLost}\n`,
);
