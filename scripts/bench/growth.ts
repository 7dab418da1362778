/**
 * How the work of an ingest grows with the number of documents: processor time of the command with its parsers,
 * and of the store, for folders each ten times as large as the last; then that of the same ingest, of a sync that
 * finds nothing changed, of a list and of a search.
 *
 *   npm run build && node scripts/bench/growth.ts HOME [--sizes 100,1000,10000] [--tiny]
 *
 * HOME has the models; each folder of small Markdown files goes into a home of its own. With `--tiny` the tiny
 * encoder of fixtures/ makes the vectors, so that hardly anything but the rest is measured: encoding takes as long
 * for each text however many there are. Processor time does not depend on what else the machine does, seconds do.
 * Prints two tables, then one JSON line. Linux.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "100,1000,10000" },
    tiny: { type: "boolean", default: false },
  },
});
const [from] = positionals;
if (from === undefined) throw new Error("usage: node scripts/bench/growth.ts HOME [--sizes N,N] [--tiny]");
const launcher = fileURLToPath(new URL("../../bin/ragctl.js", import.meta.url));
/** Clock ticks a second of Linux, in which it counts processor time. */
const ticks = 100;
const tinyEncoder = fileURLToPath(new URL("../../fixtures/models/bge-m3-tiny/", import.meta.url));
/** What `embed.yaml` says of it. */
const tinyFacts = {
  architecture: "bge-m3",
  precision: "fp32",
  language: "multilingual",
  dimensions: 32,
  pooling: "cls",
  queryPrefix: "",
  passagePrefix: "",
  maxTokens: 256,
};

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
  /** Most memory of the command itself, MB. */
  readonly megabytes: number;
  /** Times the total of the size before. */
  readonly growth: number;
}

/** Processor time of commands on what was ingested, seconds. */
interface Commands {
  readonly again: number;
  readonly sync: number;
  readonly list: number;
  readonly search: number;
}

const ingested = z.object({
  counts: z.object({ added: z.number(), failed: z.number(), chunks: z.number() }),
  peak_rss_bytes: z.number(),
});
const status = z.object({ instances: z.array(z.object({ pid: z.number() })) });

/** Puts the tiny encoder into a folder of its own. */
async function describeEncoder(folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of ["model.onnx", "tokenizer.json"])
    await copyFile(join(tinyEncoder, name), join(folder, name));
  await writeFile(join(folder, "embed.yaml"), JSON.stringify(tinyFacts));
  return folder;
}

/** Commands in a home: what one prints, and the processor time that it and its parsers took, seconds. */
function openCommands(home: string, environment: NodeJS.ProcessEnv) {
  return async (...words: readonly string[]): Promise<{ printed: unknown; command: number }> => {
    const before = await processorSeconds("self");
    const args = [launcher, "--home", home, "--no-resident", ...words, "--json"];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...environment },
    });
    let text = "";
    child.stdout.on("data", (part: Buffer) => {
      text += part.toString();
    });
    await once(child, "close");
    assert.equal(child.exitCode, 0, words.join(" "));
    const command = (await processorSeconds("self")).children - before.children;
    return { printed: JSON.parse(text), command };
  };
}

async function measure(size: number): Promise<Omit<Growth, "growth"> & { readonly commands: Commands }> {
  await using home = await temporaryHome(from ?? "");
  // Nothing is ingested from a home.
  const folder = await mkdtemp(join(tmpdir(), "ragctl-growth-"));
  for (let file = 0; file < size; file++) await writeFile(join(folder, `station-${file}.md`), textOf(file));
  const encoder = values.tiny
    ? { RAGCTL_EMBED_MODEL: await describeEncoder(join(home.path, "encoder")) }
    : {};
  const ragctl = openCommands(home.path, encoder);
  const began = performance.now();
  const { printed, command } = await ragctl("ingest", folder);
  const seconds = (performance.now() - began) / 1000;
  const { counts: done, peak_rss_bytes: peakBytes } = ingested.parse(printed);
  assert.deepEqual([done.added, done.failed], [size, 0]);
  const [instance] = status.parse((await ragctl("status")).printed).instances;
  const store = instance === undefined ? Number.NaN : (await processorSeconds(instance.pid)).own;
  const again = (await ragctl("ingest", folder)).command;
  await ragctl("sync", folder);
  const sync = (await ragctl("sync", folder)).command;
  const list = (await ragctl("list")).command;
  const search = (await ragctl("search", "valve")).command;
  await ragctl("stop");
  await rm(folder, { recursive: true, force: true });
  return {
    documents: size,
    chunks: done.chunks,
    command,
    store,
    total: command + store,
    seconds,
    megabytes: peakBytes / 1e6,
    commands: { again, sync, list, search },
  };
}

const textOf = (file: number): string =>
  `# Pump station ${file}\n\n${Array.from({ length: 3 }, (_, line) => `Valve ${file * 31 + line} of station ${file} opens at ${line + 3} bar and is checked by crew ${file % 13}.`).join("\n\n")}\n`;

const results: (Growth & { readonly commands: Commands })[] = [];
for (const size of values.sizes.split(",").map(Number)) {
  const last = results.at(-1);
  const result = await measure(size);
  results.push({ ...result, growth: last === undefined ? Number.NaN : result.total / last.total });
}
report(
  ["documents", "ingest again, CPU s", "sync", "list", "search"],
  results.map(({ documents, commands }) => [documents, ...Object.values(commands)]),
  {},
);
report(
  ["documents", "chunks", "CPU s", "store CPU s", "both", "s", "MB", "× the last"],
  results.map(({ commands: _, ...growth }) => Object.values(growth)),
  { bench: "growth", ...values, results },
);
