/**
 * What workers on one queue do a second, and whether anything is lost or done twice when workers, database and
 * broker are killed.
 *
 *   npm run build && node scripts/bench/queue.ts --models HOME [--servers FOLDER] [--queue postgres|kafka]
 *     [--documents 1000] [--workers 1,2,4 | --workers 4 --kills 20]
 *
 * HOME has the models; FOLDER holds Kafka, as `scripts/servers.ts start kafka --folder F` leaves it in F/programs.
 * Each document is one small Markdown file and one job of a registry in PostgreSQL. An ingest that nothing
 * disturbs, into a home in SQLite, makes the embeddings; every trial begins with them in its cache, so that the
 * queue is measured and not the model. There is one trial for each number of workers, or with `--kills` one in
 * which every few seconds a worker, PostgreSQL or the broker is ended by SIGKILL and started again. Documents and
 * all chunks of the store must be those of the undisturbed ingest. Processor time is that of the workers with
 * their parsers: unlike the seconds it does not depend on what else the machine does. Rows read are those of the
 * tables of PostgreSQL, for each document; they must not grow with the number of documents.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { matchAllFilter } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import open from "../../src/drivers/stores/milvus.ts";
import { startKafka } from "../servers/kafka.ts";
import { startPostgres } from "../servers/postgres.ts";
import type { RunningServer } from "../servers/server.ts";
import { report, seeded } from "./support.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string" },
    servers: { type: "string", default: "" },
    queue: { type: "string", default: "postgres" },
    documents: { type: "string", default: "1000" },
    workers: { type: "string", default: "1,2,4" },
    kills: { type: "string", default: "0" },
    program: { type: "string", default: join(import.meta.dirname, "../../bin/ragctl.js") },
  },
});
const isKafka = values.queue === "kafka";
if (values.models === undefined || (isKafka && values.servers === ""))
  throw new Error(
    "name a home that has models, and for Kafka the folder of the servers: --models, --servers",
  );
const [models, program] = [join(values.models, "models"), resolve(values.program)];
const documentCount = Number(values.documents);
const crews = values.workers.split(",").map(Number);
/** Clock ticks a second of Linux, in which it counts processor time. */
const ticks = 100;
/** Shortest and longest pause between two kills, ms: long enough for a worker to load and to take a job. */
const pauses = { shortest: 1000, longest: 4000 };
/** How long a server stays away, ms. */
const awayMs = 3000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const textOf = (file: number): string =>
  `# Pump station ${file}\n\n${Array.from({ length: 3 + (file % 9) }, (_, line) => `Valve ${file * 31 + line} of station ${file} opens at ${line + 3} bar and is checked by crew ${file % 13}.`).join("\n\n")}\n`;

const base = await mkdtemp(join(tmpdir(), "ragctl-queue-"));
// PostgreSQL has a user of its own, who must get to its folder.
await chmod(base, 0o711);
const folder = join(base, "documents");
await mkdir(folder);
const paths = Array.from({ length: documentCount }, (_, file) =>
  join(folder, `station-${String(file).padStart(5, "0")}.md`),
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
    path: home,
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
const jobList = z.array(z.object({ state: z.string(), attempts: z.number(), document_path: z.string() }));

/** Documents with hash, chunks and version; and every chunk of the store, visible or not. */
async function contents(home: Home) {
  const documents = documentList.parse((await home.json(["list"]))["documents"]);
  await home.json(["search", "valve"]); // makes sure that the store's server runs
  const instances = z.array(z.object({ uri: z.string() })).parse((await home.json(["status"]))["instances"]);
  await using store = open({ id: "public", uri: instances[0]?.uri ?? "", indexKind: "flat" });
  const chunks = await Array.fromAsync(store.list("general_knowledge", matchAllFilter));
  return {
    documents: documents.map((each) => Object.values(each).join(" ")).sort(),
    chunks: chunks.map((chunk) => `${chunk.sourceName} ${chunk.ordinal} ${chunk.contentHash}`).sort(),
  };
}

/** Processor time of the processes of a group, and of those that ended below them, seconds. */
async function processorSeconds(group: number): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  const seconds = stats.map((stat) => {
    // After the name in brackets: the state is field 3, the group 5, ticks of its own and its children's 14 to
    // 17.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(fields[5 - 3]) !== group) return 0;
    return fields.slice(14 - 3, 18 - 3).reduce((sum, field) => sum + Number(field), 0) / ticks;
  });
  return seconds.reduce((sum, each) => sum + each, 0);
}

/** A server that can be killed and comes back under the same address. */
interface Mortal {
  readonly name: string;
  readonly server: () => RunningServer;
  killAndRevive(): Promise<void>;
  stop(): Promise<void>;
}

async function mortal(name: string, start: (port?: number) => Promise<RunningServer>): Promise<Mortal> {
  let server = await start();
  const port = Number(/:(\d+)(?:\/|$)/.exec(Object.values(server.variables)[0] ?? "")?.[1]);
  return {
    name,
    server: () => server,
    async killAndRevive() {
      await server.stop("SIGKILL");
      await sleep(awayMs);
      for (let attempt = 1; ; attempt++) {
        try {
          server = await start(port);
          return;
        } catch (error) {
          // What is left of a killed PostgreSQL takes a moment to end.
          if (attempt === 20) throw error;
          await sleep(1000);
        }
      }
    },
    stop: () => server.stop(),
  };
}

const postgres = await mortal("PostgreSQL", (port) =>
  startPostgres(join(base, "postgres"), { ...(port === undefined ? {} : { port }) }),
);
const databaseUrl = postgres.server().variables["DATABASE_URL"] ?? "";
const kafka = isKafka
  ? await mortal("Kafka", (port) =>
      startKafka(values.servers, join(base, "kafka"), port === undefined ? {} : { port }),
    )
  : undefined;

/** Jobs that have not ended; undefined while the database does not answer. */
async function jobsLeft(schema: string): Promise<number | undefined> {
  const client = new Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ left: string }>(
      `SELECT count(*) AS left FROM ${schema}.jobs WHERE state IN ('waiting', 'running')`,
    );
    return Number(rows[0]?.left);
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Rows that the server has read from the tables of a schema, found by an index or not, by table. */
async function rowsRead(schema: string): Promise<ReadonlyMap<string, number>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ relname: string; rows: string }>(
    `SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_user_tables WHERE schemaname = $1`,
    [schema],
  );
  await client.end();
  return new Map(rows.map(({ relname, rows: read }) => [relname, Number(read)]));
}

const undisturbed = await openHome("undisturbed", {});
await undisturbed.json(["ingest", folder]);
const expected = await contents(undisturbed);
await undisturbed.json(["stop"]);
say(`undisturbed: ${expected.documents.length} documents, ${expected.chunks.length} chunks`);

/** Workers that are hired again when they end, as a service manager does. */
function openCrew(home: Home, size: number) {
  const running = new Set<ChildProcess>();
  let endedByThemselves = 0;
  let isOpen = true;
  const hire = (): void => {
    const worker = home.start(["worker", "--quiet"]);
    running.add(worker);
    worker.once("exit", () => {
      if (!running.delete(worker) || !isOpen) return;
      endedByThemselves++;
      hire();
    });
  };
  for (let hired = 0; hired < size; hired++) hire();
  return {
    kill(chance: number): void {
      const victim = [...running][Math.floor(chance * running.size)];
      if (victim?.pid === undefined) return;
      running.delete(victim);
      process.kill(-victim.pid, "SIGKILL");
      hire();
    },
    processorSeconds: async () => {
      const seconds = await Promise.all([...running].map(({ pid = 0 }) => processorSeconds(pid)));
      return seconds.reduce((sum, each) => sum + each, 0);
    },
    endedByThemselves: () => endedByThemselves,
    async dismiss(): Promise<void> {
      isOpen = false;
      for (const worker of running) {
        const ended = once(worker, "exit");
        worker.kill("SIGTERM");
        await ended;
      }
    },
  };
}

async function trial(workers: number, kills: number) {
  const name = `trial_${workers}_${kills}`;
  const home = await openHome(name, {
    DATABASE_URL: `${databaseUrl}?schema=${name}`,
    ...(kafka === undefined
      ? {}
      : { ...kafka.server().variables, RAGCTL_KAFKA_TOPIC: name, RAGCTL_KAFKA_GROUP: name }),
  });
  await cp(join(undisturbed.path, "cache"), join(home.path, "cache"), { recursive: true });
  await home.json(["ingest", ...paths, "--background"]);
  const before = await rowsRead(name);
  const startedMs = performance.now();
  const crew = openCrew(home, workers);
  const chance = seeded(7);
  const killed: Record<string, number> = {};
  const leftAtKills: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(pauses.shortest + chance() * (pauses.longest - pauses.shortest));
    const left = await jobsLeft(name);
    leftAtKills.push(left ?? Number.NaN);
    // Three of five are workers; the servers share the rest.
    const server = chance() < 0.6 ? undefined : chance() < 0.5 ? (kafka ?? postgres) : postgres;
    const victim = server?.name ?? "worker";
    killed[victim] = (killed[victim] ?? 0) + 1;
    say(`${left} jobs left: killing ${victim}`);
    await (server === undefined ? crew.kill(chance()) : server.killAndRevive());
  }
  for (let left = await jobsLeft(name); left !== 0; left = await jobsLeft(name)) await sleep(250);
  const seconds = (performance.now() - startedMs) / 1000;
  const processor = await crew.processorSeconds();
  await crew.dismiss();
  const read = [...(await rowsRead(name))].map(
    ([table, rows]) => [table, (rows - (before.get(table) ?? 0)) / documentCount] as const,
  );
  const jobs = jobList.parse((await home.json(["queue", "list", "--limit", "1000000"]))["jobs"]);
  const actual = await contents(home);
  await home.json(["stop"]);
  const result = {
    workers,
    kills,
    done: jobs.filter(({ state }) => state === "done").length,
    begunTwice: jobs.filter(({ attempts }) => attempts > 1).length,
    documents: actual.documents.length,
    chunks: actual.chunks.length,
    seconds,
    documentsPerSecond: documentCount / seconds,
    // Of workers that were killed nothing is known.
    processorMs: kills === 0 ? (processor / documentCount) * 1000 : Number.NaN,
    rowsRead: read.reduce((sum, [, rows]) => sum + rows, 0),
    endedByThemselves: crew.endedByThemselves(),
  };
  say(JSON.stringify({ ...result, killed, leftAtKills, read: Object.fromEntries(read) }));
  assert.deepEqual(
    jobs.filter(({ state }) => state !== "done"),
    [],
  );
  assert.deepEqual(actual, expected);
  return result;
}

try {
  const results = [];
  const kills = Number(values.kills);
  for (const workers of kills === 0 ? crews : [Math.max(...crews)]) results.push(await trial(workers, kills));
  report(
    [
      "workers",
      "kills",
      "done",
      "begun twice",
      "documents",
      "chunks",
      "s",
      "documents/s",
      "CPU ms",
      "rows read",
      "ended",
    ],
    results.map((each) => Object.values(each)),
    { ...values, models: undefined, program: undefined, results },
  );
  say("documents and chunks are those of the undisturbed ingest");
} finally {
  await postgres.stop();
  await kafka?.stop();
  await rm(base, { recursive: true, force: true });
}
