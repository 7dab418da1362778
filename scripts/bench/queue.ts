// Whether a queue carried by Kafka loses or repeats anything when its workers and its broker are killed: jobs
// are worked on by several processes that are killed with SIGKILL one after the other, the broker once, and the
// documents and chunks are compared with those of an ingest that nothing disturbed.
// Usage: node scripts/bench/queue.ts --models HOME --servers FOLDER [--documents 120] [--workers 3] [--kills 6]
// HOME is a ragctl home whose models are linked into the temporary ones; FOLDER holds Kafka, as
// `scripts/servers.ts start kafka --folder F` leaves it in F/programs. Build before.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { everything } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import open from "../../src/drivers/stores/milvus.ts";
import { startKafka } from "../servers/kafka.ts";
import { seeded } from "./support.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string" },
    servers: { type: "string" },
    documents: { type: "string", default: "120" },
    workers: { type: "string", default: "3" },
    kills: { type: "string", default: "6" },
    program: { type: "string", default: join(import.meta.dirname, "../../bin/ragctl.js") },
  },
});
if (values.models === undefined || values.servers === undefined)
  throw new Error(
    "name a home that has models and the folder of the servers: --models HOME --servers FOLDER",
  );
const [models, servers, program] = [join(values.models, "models"), values.servers, resolve(values.program)];
const count = {
  documents: Number(values.documents),
  workers: Number(values.workers),
  kills: Number(values.kills),
};
/** Pause between two kills: long enough for a worker to load its model and take a job on a busy machine, ms. */
const pauseMs = 8000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const textOf = (file: number): string =>
  `# Pump station ${file}\n\n${Array.from({ length: 10 + (file % 30) }, (_, line) => `Valve ${file * 31 + line} of station ${file} opens at ${line + 3} bar and is checked by crew ${file % 13}.`).join("\n\n")}\n`;

const base = await mkdtemp(join(tmpdir(), "ragctl-queue-"));
const folder = join(base, "documents");
await mkdir(folder);
const paths = Array.from({ length: count.documents }, (_, file) =>
  join(folder, `station-${String(file).padStart(4, "0")}.md`),
);
for (const [file, path] of paths.entries()) await writeFile(path, textOf(file));

/** Commands in a home of their own. */
async function openHome(name: string, variables: Readonly<Record<string, string>>) {
  const home = join(base, name);
  await mkdir(join(home, "models"), { recursive: true, mode: 0o700 });
  for (const id of await readdir(models)) await symlink(join(models, id), join(home, "models", id));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, RAGCTL_HOME: home, RAGCTL_QUEUE_LEASE_MS: "10000", ...variables };
  return {
    /** A command in a process group of its own, which can be killed whole. */
    start: (args: readonly string[]): ChildProcess =>
      spawn(process.execPath, [program, ...args], {
        cwd: base,
        env,
        detached: true,
        stdio: ["ignore", "ignore", "inherit"],
      }),
    async json(args: readonly string[]): Promise<Record<string, unknown>> {
      const child = spawn(process.execPath, [program, ...args, "--format", "json"], { cwd: base, env });
      const output = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const)
        child[stream].on("data", (part: Buffer) => {
          output[stream] += part.toString();
        });
      await once(child, "close");
      assert.equal(child.exitCode, 0, `${args.slice(0, 3).join(" ")}: ${output.stderr}`);
      return z.record(z.string(), z.unknown()).parse(JSON.parse(output.stdout));
    },
  };
}
type Home = Awaited<ReturnType<typeof openHome>>;

const documentList = z.array(
  z.object({ name: z.string(), sha256: z.string(), chunks: z.number(), version: z.number() }),
);
const jobList = z.array(z.object({ state: z.string(), attempts: z.number() }));
const queueStatus = z.object({
  states: z.record(z.string(), z.number()),
  lag: z.number().nullable(),
  unsent: z.number(),
});

/** Documents with hash, chunks and version; and every chunk of the store, visible or not. */
async function contents(home: Home) {
  const documents = documentList.parse((await home.json(["list"]))["documents"]);
  await home.json(["search", "valve"]); // makes sure that the store's server runs
  const instances = z.array(z.object({ uri: z.string() })).parse((await home.json(["status"]))["instances"]);
  await using store = open({ id: "public", uri: instances[0]?.uri ?? "", indexKind: "flat" });
  const chunks = await Array.fromAsync(store.list("general_knowledge", everything));
  return {
    documents: documents.map((each) => Object.values(each).join(" ")).sort(),
    chunks: chunks.map((chunk) => `${chunk.sourceName} ${chunk.ordinal} ${chunk.contentHash}`).sort(),
  };
}

const undisturbed = await openHome("undisturbed", {});
await undisturbed.json(["ingest", folder]);
const expected = await contents(undisturbed);
await undisturbed.json(["stop"]);
say(`undisturbed: ${expected.documents.length} documents, ${expected.chunks.length} chunks`);

let broker = await startKafka(servers, join(base, "kafka"));
const brokers = broker.variables["KAFKA_BROKERS"] ?? "";
const home = await openHome("disturbed", { KAFKA_BROKERS: brokers });
const startedMs = performance.now();
await home.json(["ingest", ...paths, "--background"]);
const status = async () => queueStatus.parse(await home.json(["queue", "status"]));
const left = async (): Promise<number> => {
  const { states } = await status();
  return (states["waiting"] ?? 0) + (states["running"] ?? 0);
};

const running: ChildProcess[] = [];
const hire = (): void => void running.push(home.start(["worker", "--quiet"]));
for (let hired = 0; hired < count.workers; hired++) hire();
const chance = seeded(7);
const leftAtKills: number[] = [];
for (let kill = 1; kill <= count.kills; kill++) {
  await sleep(pauseMs);
  const [victim] = running.splice(Math.floor(chance() * running.length), 1);
  if (victim?.pid !== undefined) process.kill(-victim.pid, "SIGKILL");
  hire();
  if (kill === Math.ceil(count.kills / 2)) {
    await broker.stop("SIGKILL");
    await sleep(pauseMs);
    broker = await startKafka(servers, join(base, "kafka"), { port: Number(brokers.split(":")[1]) });
    say("the broker was killed and started again");
  }
  leftAtKills.push(await left());
  say(`killed ${kill} workers; ${leftAtKills.at(-1)} of ${count.documents} jobs left`);
}
while ((await left()) > 0) await sleep(2000);
const tookMs = performance.now() - startedMs;
// Messages of jobs that were done without them are still to be settled.
for (let waited = 0; ((await status()).lag ?? 1) > 0 && waited < 60; waited++) await sleep(1000);
const { lag, unsent } = await status();
for (const worker of running) {
  const ended = once(worker, "exit");
  worker.kill("SIGTERM");
  await ended;
}
const jobs = jobList.parse((await home.json(["queue", "list", "--limit", "100000"]))["jobs"]);
const found = await contents(home);
await home.json(["stop"]);
await broker.stop("SIGKILL");
const result = {
  ...count,
  chunks: found.chunks.length,
  done: jobs.filter(({ state }) => state === "done").length,
  begunTwice: jobs.filter(({ attempts }) => attempts > 1).length,
  leftAtKills,
  seconds: Math.round(tookMs / 1000),
  lag,
  unsent,
};
say(JSON.stringify({ ...result, cpu: cpus()[0]?.model, cores: cpus().length, node: process.version }));
await rm(base, { recursive: true, force: true });
assert.deepEqual(found, expected);
assert.equal(result.done, count.documents);
say("documents and chunks are those of the undisturbed ingest");
