/**
 * Cold start: wall time of whole processes, and what eight of them at once hold in memory.
 *
 *   npm run build && node scripts/bench/start.ts HOME [--rounds 9]
 *
 * HOME has models and at least one ingested collection. Prints a table, then one JSON line.
 */
import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { median, quantile, report } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" } },
});
const [home] = positionals;
if (home === undefined) throw new Error("usage: node scripts/bench/start.ts HOME [--rounds N]");
const launcher = fileURLToPath(new URL("../../bin/ragctl.js", import.meta.url));
const env = { ...process.env, RAGCTL_HOME: home };
const run = promisify(execFile);

async function wall(args: readonly string[]): Promise<number> {
  const started = performance.now();
  await run(process.execPath, [...args], { env });
  return performance.now() - started;
}

const question = "how are losses recognised";
const commands: readonly (readonly [string, readonly string[]])[] = [
  ["node alone", ["-e", "0"]],
  ["--help", [launcher, "--help"]],
  ["list", [launcher, "list", "--format", "json"]],
  ["search, store started", [launcher, "search", question, "--top-k", "3"]],
];
await run(process.execPath, [launcher, "stop"], { env });
const cold = await wall([launcher, "search", question]);
const rows: (string | number)[][] = [["search, store not started", 1, cold, cold, cold]];
for (const [name, args] of commands) {
  const times: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) times.push(await wall(args));
  rows.push([name, times.length, Math.min(...times), median(times), quantile(times, 0.95)]);
}

/** Highest resident memory of one of eight searches at once, and of the store's server, MiB. */
async function memory(): Promise<{
  readonly search: number;
  readonly servers: number;
  readonly serverMiB: number;
}> {
  const children = Array.from({ length: 8 }, () =>
    spawn(process.execPath, [launcher, "search", question], { env, stdio: "ignore" }),
  );
  let [search, servers, serverMiB] = [0, 0, 0];
  const sample = setInterval(async () => {
    const all = (await run("ps", ["-eo", "pid,rss,args"])).stdout
      .split("\n")
      .map((line) => line.trim().split(/\s+/));
    const own = new Set(children.map((child) => String(child.pid)));
    for (const [pid = "", rss = "0"] of all) if (own.has(pid)) search = Math.max(search, Number(rss) / 1024);
    const milvus = all.filter(
      ([, , program = "", first = ""]) => program.endsWith("/milvus") && first.startsWith(home ?? ""),
    );
    servers = Math.max(servers, milvus.length);
    serverMiB = Math.max(serverMiB, ...milvus.map(([, rss = "0"]) => Number(rss) / 1024));
  }, 100);
  await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
  clearInterval(sample);
  return { search, servers, serverMiB };
}
const eight = process.platform === "linux" ? await memory() : null;
const cpu = process.platform === "linux" ? (await readFile("/proc/loadavg", "utf8")).split(" ")[0] : "";
report(["command", "runs", "min ms", "p50 ms", "p95 ms"], rows, {
  bench: "start",
  load: cpu,
  eight_searches: eight,
  ms: Object.fromEntries(rows.map(([name, , min, p50, p95]) => [name, { min, p50, p95 }])),
});
