/**
 * `serve` over a registry in SQLite, and over one in PostgreSQL that a round trip takes a millisecond longer to
 * reach: times of searches and of answers without a model while clients ask at once, and messages to the server.
 *
 *   npm run build && node scripts/bench/registry.ts HOME FOLDER [--clients 16] [--seconds 10] [--rounds 3] [--delay 1]
 *
 * HOME has an embedding model and no language model, FOLDER the documents that are asked about. Each client is a principal with a key of its own
 * and waits for one answer before it sends the next request. The registries take turns, so that other load on
 * the machine meets both. Prints a table, then one JSON line; the ratios are of the medians over the rounds.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { type DelayingProxy, startDelayingProxy } from "../servers/delay.ts";
import { startPostgres } from "../servers/postgres.ts";
import { median, quantile, report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: "string", default: "16" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    delay: { type: "string", default: "1" },
    question: { type: "string", default: "How many days of parental leave do employees get?" },
  },
});
const [models, folder] = positionals;
if (models === undefined || folder === undefined)
  throw new Error(
    "usage: node scripts/bench/registry.ts HOME FOLDER [--clients N] [--seconds N] [--rounds N]",
  );
const clients = Number(values.clients);
const collection = "general_knowledge";
const program = fileURLToPath(new URL("../../bin/command.js", import.meta.url));
const run = promisify(execFile);

const kinds = ["search", "ask"] as const;
type Kind = (typeof kinds)[number];

/** A home with a server of its own, and the keys of its clients. */
interface Serving {
  readonly url: string;
  readonly keys: readonly string[];
  readonly child: ChildProcess;
}

async function serve(home: string, variables: Readonly<Record<string, string>>): Promise<Serving> {
  const env = { ...process.env, ...variables, RAGCTL_HOME: home };
  const ragctl = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [program, ...args], { env })).stdout;
  await ragctl("ingest", folder ?? "", "--collection", collection);
  const keys: string[] = [];
  for (let index = 0; index < clients; index++) {
    await ragctl("principals", "add", `client${index}`);
    await ragctl("permissions", "grant", "read", collection, "--principal", `client${index}`);
    keys.push((await ragctl("principals", "key", "add", `client${index}`, "-q")).trim());
  }
  const child = spawn(process.execPath, [program, "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (text: Buffer) => resolve(new URL(text.toString().trim()).origin));
    child.once("exit", () => reject(new Error("the server did not start")));
  });
  return { url, keys, child };
}

const bodies: Readonly<Record<Kind, (round: number) => object>> = {
  search: (round) => ({ query: `${values.question} ${round % 7}`, top_k: 5 }),
  ask: () => ({ query: values.question }),
};

async function post({ url }: Serving, key: string, kind: Kind, round: number): Promise<number> {
  const since = performance.now();
  const response = await fetch(`${url}/v1/${kind}`, {
    method: "POST",
    body: JSON.stringify(bodies[kind](round)),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${kind}: ${response.status} ${text}`);
  return performance.now() - since;
}

/** Times of one kind of request, ms, while all clients ask for so long. */
async function load(serving: Serving, kind: Kind, seconds: number): Promise<readonly number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const client = async (key: string, index: number): Promise<void> => {
    for (let round = index; performance.now() < end; round++)
      times.push(await post(serving, key, kind, round));
  };
  await Promise.all(serving.keys.map(client));
  return times;
}

/** Messages to the server for one request of a client that asked before. */
async function messages(serving: Serving, kind: Kind, proxy: DelayingProxy): Promise<number> {
  const before = proxy.sent();
  for (let round = 0; round < 10; round++) await post(serving, serving.keys[0] ?? "", kind, round);
  return (proxy.sent() - before) / 10;
}

const postgresFolder = await mkdtemp(join(tmpdir(), "ragctl-bench-postgres-"));
const postgres = await startPostgres(postgresFolder);
const address = new URL(postgres.variables["DATABASE_URL"] ?? "");
const proxy = await startDelayingProxy(Number(address.port), Number(values.delay));
address.port = String(proxy.port);
await using homes = new AsyncDisposableStack();
homes.defer(async () => {
  await proxy.close();
  await postgres.stop();
  await rm(postgresFolder, { recursive: true });
});
const servings: (readonly [registry: string, Serving])[] = [];
for (const [registry, variables] of [
  ["SQLite", {}],
  ["PostgreSQL", { DATABASE_URL: address.href }],
] as const) {
  const home = homes.use(await temporaryHome(models));
  const serving = await serve(home.path, variables);
  servings.push([registry, serving]);
  homes.defer(async () => {
    serving.child.kill("SIGTERM");
    await new Promise((resolve) => serving.child.once("exit", resolve));
    await run(process.execPath, [program, "stop"], {
      env: { ...process.env, ...variables, RAGCTL_HOME: home.path },
    });
  });
}

const rows: (readonly [string, number, number, number, number])[] = [];
const ratios: Record<string, number> = {};
for (const kind of kinds) {
  const p95s = new Map<string, number[]>();
  const p50s = new Map<string, number[]>();
  const counts = new Map<string, number>();
  for (const [, serving] of servings) await load(serving, kind, 2);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [registry, serving] of servings) {
      const times = await load(serving, kind, Number(values.seconds));
      p50s.set(registry, [...(p50s.get(registry) ?? []), median(times)]);
      p95s.set(registry, [...(p95s.get(registry) ?? []), quantile(times, 0.95)]);
      counts.set(registry, (counts.get(registry) ?? 0) + times.length);
    }
  }
  for (const [registry, serving] of servings)
    rows.push([
      `${kind}, ${registry}`,
      counts.get(registry) ?? 0,
      median(p50s.get(registry) ?? []),
      median(p95s.get(registry) ?? []),
      registry === "SQLite" ? 0 : await messages(serving, kind, proxy),
    ]);
  ratios[kind] = median(p95s.get("PostgreSQL") ?? []) / median(p95s.get("SQLite") ?? []);
}
report(["request", "number", "p50 ms", "p95 ms", "messages"], rows, {
  bench: "registry",
  clients,
  delay_ms: Number(values.delay),
  p95_ratio: ratios,
});
