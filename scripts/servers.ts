/**
 * Starts real servers for tests and trials, on 127.0.0.1 and with their data in a folder:
 * `node scripts/servers.ts start|stop|status|fetch [postgres redis kafka milvus milvus-lite] --folder F`; all of
 * them without a name. `start` prints one line of environment for each server on stdout, `stop` ends by process id.
 * Kafka and Milvus are fetched into F/programs with the first start, or by `fetch`: by Maven, and by pip.
 */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { getKafka, startKafka } from "./servers/kafka.ts";
import { getMilvus, type MilvusKind } from "./servers/milvus.ts";
import { startPostgres } from "./servers/postgres.ts";
import { startRedis } from "./servers/redis.ts";
import { ready, spawnServer } from "./servers/server.ts";

/** What is kept of a server that was started. */
interface Started {
  readonly pid: number;
  /** Clock ticks after boot at which the process began: another process may have its id later. */
  readonly began: string;
  readonly variables: Readonly<Record<string, string>>;
}

type Start = (folder: string) => Promise<Omit<Started, "began">>;

const detached = { detached: true };

/** `milvus.ts` runs its servers as long as itself, and prints the address when they are healthy. */
const milvus =
  (kind: MilvusKind, name: string): Start =>
  async (folder) => {
    const program = fileURLToPath(new URL("servers/milvus.ts", import.meta.url));
    const programs = join(folder, "programs");
    await getMilvus(programs, kind);
    const logPath = join(folder, `${name}.log`);
    await rm(logPath, { force: true });
    const args = [program, "run", kind, programs, join(folder, name)];
    const spawned = spawnServer(process.execPath, args, { cwd: folder, logPath, detached: true });
    const address = (): string => /^https?:\/\/\S+$/m.exec(readFileSync(logPath, "utf8"))?.[0] ?? "";
    const pid = await ready(spawned, async () => address() !== "");
    return { pid, variables: { MILVUS_PUBLIC_URI: address(), MILVUS_PRIVATE_URI: address() } };
  };

const starts: Readonly<Record<string, Start>> = {
  postgres: (folder) => startPostgres(join(folder, "postgres"), detached),
  redis: (folder) => startRedis(join(folder, "redis"), detached),
  async kafka(folder) {
    const programs = join(folder, "programs");
    await getKafka(programs);
    return startKafka(programs, join(folder, "kafka"), detached);
  },
  milvus: milvus("standalone", "milvus"),
  "milvus-lite": milvus("lite", "milvus-lite"),
};

/** Fetches the programs of servers that the system does not have. */
const fetches: Readonly<Record<string, (programs: string) => Promise<void>>> = {
  kafka: getKafka,
  milvus: (programs) => getMilvus(programs, "standalone"),
  "milvus-lite": (programs) => getMilvus(programs, "lite"),
};

/** When a process began; "" for one that is not there, or has ended and was not collected. */
async function beginningOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may hold spaces. Fields are counted from 1; the state is the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? "" : (fields[22 - 3] ?? "");
}

const recordOf = (folder: string, name: string): string => join(folder, `${name}.json`);

/** The server of this name that runs; undefined for none. */
async function running(folder: string, name: string): Promise<Started | undefined> {
  const path = recordOf(folder, name);
  if (!existsSync(path)) return undefined;
  // Only `start` writes these files.
  const started = JSON.parse(await readFile(path, "utf8")) as Started;
  return (await beginningOf(started.pid)) === started.began ? started : undefined;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const lines = ({ variables }: Pick<Started, "variables">): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

async function start(folder: string, name: string): Promise<void> {
  const known = await running(folder, name);
  if (known !== undefined) return say(lines(known));
  const { pid, variables } = (await starts[name]?.(folder)) ?? { pid: 0, variables: {} };
  const record: Started = { pid, variables, began: await beginningOf(pid) };
  await writeFile(recordOf(folder, name), JSON.stringify(record), { mode: 0o600 });
  say(lines(record));
}

async function stop(folder: string, name: string): Promise<void> {
  const known = await running(folder, name);
  if (known !== undefined) {
    process.kill(known.pid, name === "postgres" ? "SIGINT" : "SIGTERM");
    for (let waited = 0; (await running(folder, name)) !== undefined; waited++) {
      if (waited === 200) process.kill(known.pid, "SIGKILL");
      await sleep(100);
    }
  }
  await rm(recordOf(folder, name), { force: true });
  say(`${name} ${known === undefined ? "was not running" : "stopped"}`);
}

async function status(folder: string, name: string): Promise<void> {
  const known = await running(folder, name);
  say(known === undefined ? `${name} is not running` : `${name} runs as ${known.pid}: ${lines(known)}`);
}

/** One that cannot be had is named, and the others are fetched all the same. */
async function fetch(folder: string, name: string): Promise<void> {
  const get = fetches[name];
  if (get === undefined) return;
  try {
    await get(join(folder, "programs"));
    say(`${name} is in ${join(folder, "programs")}`);
  } catch (error) {
    process.stderr.write(`${name} cannot be fetched: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

const usage = `use: node scripts/servers.ts start|stop|status|fetch [${Object.keys(starts).join(" ")}] --folder F\n`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { folder: { type: "string", default: "" } },
  });
  const [verb = "", ...names] = positionals;
  const act = { start, stop, status, fetch }[verb];
  const unknown = names.filter((name) => !Object.hasOwn(starts, name));
  if (act === undefined || unknown.length > 0 || values.folder === "") {
    process.stderr.write(unknown.length > 0 ? `no such server: ${unknown.join(", ")}\n${usage}` : usage);
    process.exitCode = 2;
    return;
  }
  const folder = resolve(values.folder);
  await mkdir(folder, { recursive: true });
  for (const name of names.length > 0 ? names : Object.keys(starts)) await act(folder, name);
}

await main();
