/**
 * Ingest beside the plain chain of Python (plain_chain.py), as whole processes in turns: tokens a second of
 * wall time, processor time, and the memory that all processes of each hold.
 *
 *   npm run build && node scripts/bench/plain.ts HOME FOLDER [--python PATH] [--rounds 1]
 *
 * HOME has the models; FOLDER holds PDFs; PATH has onnxruntime, tokenizers, numpy and pymupdf; without it the
 * ingest runs alone. Linux only. Prints a table, then one JSON line.
 */
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { median, report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { python: { type: "string" }, rounds: { type: "string", default: "1" } },
});
const [from, folder] = positionals;
if (from === undefined || folder === undefined)
  throw new Error("usage: node scripts/bench/plain.ts HOME FOLDER [--python PATH] [--rounds N]");
const launcher = fileURLToPath(new URL("../../bin/ragctl.js", import.meta.url));
const model = join(resolve(from), "models", "bge-small-en-v1.5-int8");
/** Clock ticks a second of Linux, in which it counts processor time. */
const ticks = 100;
const sampleMs = 1000;

interface Cost {
  readonly pages: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Highest sum over all processes, each page of memory counted once. */
  readonly peakMiB: number;
  /** The same by what the processes run, at that moment. */
  readonly parts: Readonly<Record<string, number>>;
  /** Sum over all processes at each tenth of the time. */
  readonly memoryMiB: readonly number[];
}

interface Sample {
  readonly totalMiB: number;
  readonly parts: Readonly<Record<string, number>>;
}

/** What a process is, from its command line: its program, or the file it runs. */
function nameOf(commandLine: string): string {
  const words = commandLine.split("\0").filter((word) => word !== "" && !word.startsWith("-"));
  return (words.find((word) => /\.(js|ts|py)$/.test(word)) ?? words[0] ?? "").split("/").at(-1) ?? "";
}

/** Follows a process and everything started below it. */
function follow(root: number) {
  const known = new Set([root]);
  const processor = new Map<number, number>();
  const samples: Sample[] = [];
  const look = async (): Promise<void> => {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const stats = await Promise.all(
      ids.map(async (id) => ({ id, stat: await readFile(`/proc/${id}/stat`, "utf8").catch(() => "") })),
    );
    const parts: Record<string, number> = {};
    for (const { id, stat } of stats.sort((one, two) => one.id - two.id)) {
      // After the name in brackets: the state is field 3, the parent 4, ticks of user and system 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (known.has(Number(fields[4 - 3]))) known.add(id);
      if (!known.has(id) || stat === "") continue;
      processor.set(id, (Number(fields[14 - 3]) + Number(fields[15 - 3])) / ticks);
      const memory = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
      const name = nameOf(await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""));
      parts[name] = (parts[name] ?? 0) + Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024;
    }
    samples.push({ totalMiB: Object.values(parts).reduce((sum, each) => sum + each, 0), parts });
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, sampleMs);
  return async (): Promise<Pick<Cost, "processorSeconds" | "peakMiB" | "parts" | "memoryMiB">> => {
    clearInterval(timer);
    await looking;
    const peak = samples.reduce((most, each) => (each.totalMiB > most.totalMiB ? each : most));
    return {
      processorSeconds: [...processor.values()].reduce((sum, each) => sum + each, 0),
      peakMiB: peak.totalMiB,
      parts: peak.parts,
      memoryMiB: Array.from({ length: 10 }, (_, tenth) =>
        Math.round(samples[Math.floor(((tenth + 0.5) * samples.length) / 10)]?.totalMiB ?? 0),
      ),
    };
  };
}

async function measure(program: string, args: readonly string[], home = ""): Promise<[string, Cost]> {
  const started = performance.now();
  const env = { ...process.env, ...(home !== "" && { RAGCTL_HOME: home }) };
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const stop = follow(child.pid ?? 0);
  let printed = "";
  for await (const piece of child.stdout) printed += String(piece);
  const seconds = (performance.now() - started) / 1000;
  return [printed, { pages: 0, tokens: 0, seconds, ...(await stop()) }];
}

const counts = z.object({ pages: z.number(), tokens: z.number() });

async function ours(): Promise<Cost> {
  await using home = await temporaryHome(from ?? "");
  const args = [launcher, "ingest", folder ?? "", "--collection", "bench", "--format", "json"];
  const [printed, cost] = await measure(process.execPath, args, home.path);
  await measure(process.execPath, [launcher, "stop"], home.path);
  const { counts: read } = z.object({ counts }).parse(JSON.parse(printed));
  if (read.pages === 0) throw new Error(`nothing of ${folder} was ingested; links are not followed`);
  return { ...cost, ...read };
}

async function plain(python: string): Promise<Cost> {
  const script = fileURLToPath(new URL("./plain_chain.py", import.meta.url));
  const files = [join(model, "model.onnx"), join(model, "tokenizer.json")];
  const args = [script, ...files, folder ?? "", String(availableParallelism())];
  const [printed, cost] = await measure(python, args);
  const said = JSON.parse(printed);
  process.stderr.write(printed);
  return { ...cost, ...counts.parse(said) };
}

const rows: Record<string, Cost[]> = { ragctl: [], plain: [] };
for (let round = 0; round < Number(values.rounds); round += 1) {
  if (values.python !== undefined) rows["plain"]?.push(await plain(values.python));
  rows["ragctl"]?.push(await ours());
}
const speedOf = (all: readonly Cost[]): number => median(all.map(({ tokens, seconds }) => tokens / seconds));
const table = Object.entries(rows).flatMap(([name, all]) =>
  all.map(({ pages, tokens, seconds, processorSeconds, peakMiB }) => [
    name,
    ...[pages, tokens, seconds, processorSeconds, tokens / seconds, peakMiB],
  ]),
);
report(["", "pages", "tokens", "s", "processor s", "tokens/s", "peak MiB"], table, {
  bench: "plain",
  ratio: speedOf(rows["ragctl"] ?? []) / speedOf(rows["plain"] ?? []),
  rows,
});
