/**
 * How the work of an ingest grows with the number of documents: processor time of the command with its parsers,
 * and of the store, for folders each ten times as large as the last.
 *
 *   npm run build && node scripts/bench/growth.ts HOME [--sizes 100,1000,10000]
 *
 * HOME has the models; each folder of small Markdown files goes into a home of its own. Processor time does not
 * depend on what else the machine does, seconds do. Prints a table, then one JSON line. Linux.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: "string", default: "100,1000,10000" } },
});
const [from] = positionals;
if (from === undefined) throw new Error("usage: node scripts/bench/growth.ts HOME [--sizes N,N]");
const launcher = fileURLToPath(new URL("../../bin/ragctl.js", import.meta.url));
/** Clock ticks a second of Linux, in which it counts processor time. */
const ticks = 100;

/** Fields of `/proc/PID/stat`: processor time of a process, and of its children that have ended; seconds. */
async function processorSeconds(pid: number | "self"): Promise<{ own: number; children: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // After the name in brackets: the state is field 3; ticks of its own and its children's are 14 to 17.
  const [user = 0, system = 0, theirUser = 0, theirSystem = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(14 - 3, 18 - 3)
    .map(Number);
  return { own: (user + system) / ticks, children: (theirUser + theirSystem) / ticks };
}

interface Growth {
  readonly documents: number;
  readonly chunks: number;
  /** Processor time of the command, of the store and of both, seconds. */
  readonly command: number;
  readonly store: number;
  readonly total: number;
  readonly seconds: number;
  /** Times the total of the size before. */
  readonly growth: number;
}

const counts = z.object({ counts: z.object({ added: z.number(), failed: z.number(), chunks: z.number() }) });
const status = z.object({ instances: z.array(z.object({ pid: z.number() })) });

async function measure(size: number): Promise<Omit<Growth, "growth">> {
  await using home = await temporaryHome(from ?? "");
  // Nothing is ingested from a home.
  const folder = await mkdtemp(join(tmpdir(), "ragctl-growth-"));
  for (let file = 0; file < size; file++) await writeFile(join(folder, `station-${file}.md`), textOf(file));
  const ragctl = async (...words: readonly string[]): Promise<unknown> => {
    const child = spawn(
      process.execPath,
      [launcher, "--home", home.path, "--no-resident", ...words, "--json"],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let text = "";
    child.stdout.on("data", (part: Buffer) => {
      text += part.toString();
    });
    await once(child, "close");
    assert.equal(child.exitCode, 0, words.join(" "));
    return JSON.parse(text);
  };
  const before = await processorSeconds("self");
  const began = performance.now();
  const { counts: done } = counts.parse(await ragctl("ingest", folder));
  const seconds = (performance.now() - began) / 1000;
  const command = (await processorSeconds("self")).children - before.children;
  assert.deepEqual([done.added, done.failed], [size, 0]);
  const [instance] = status.parse(await ragctl("status")).instances;
  const store = instance === undefined ? Number.NaN : (await processorSeconds(instance.pid)).own;
  await ragctl("stop");
  await rm(folder, { recursive: true, force: true });
  return { documents: size, chunks: done.chunks, command, store, total: command + store, seconds };
}

const textOf = (file: number): string =>
  `# Pump station ${file}\n\n${Array.from({ length: 3 }, (_, line) => `Valve ${file * 31 + line} of station ${file} opens at ${line + 3} bar and is checked by crew ${file % 13}.`).join("\n\n")}\n`;

const results: Growth[] = [];
for (const size of values.sizes.split(",").map(Number)) {
  const last = results.at(-1);
  const result = await measure(size);
  results.push({ ...result, growth: last === undefined ? Number.NaN : result.total / last.total });
}
report(
  ["documents", "chunks", "CPU s", "store CPU s", "both", "s", "× the last"],
  results.map((each) => Object.values(each)),
  { bench: "growth", results },
);
