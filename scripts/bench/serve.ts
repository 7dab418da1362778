/**
 * A server under load on loopback: errors, times and memory while clients search, ask and upload, then what
 * they see and what is lost when it is killed with -9.
 *
 *   npm run build && node scripts/bench/serve.ts HOME FOLDER [--minutes 5] [--clients 16] [--question "…"]
 *
 * HOME has models, FOLDER the documents that are asked about. Each client is a principal with a key of its own
 * and waits for one answer before it sends the next request: eight searches, then a streamed answer, then one
 * that it leaves after the first event, then an upload. Prints tables, then one JSON line.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { z } from "../../src/core/schema.ts";
import { residentBytes } from "../../src/resident/servers.ts";
import { median, quantile, report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "5" },
    clients: { type: "string", default: "16" },
    question: { type: "string", default: "How many days of parental leave do employees get?" },
  },
});
const [models, folder] = positionals;
if (models === undefined || folder === undefined)
  throw new Error("usage: node scripts/bench/serve.ts HOME FOLDER [--minutes N] [--clients N]");
const [minutes, clients] = [Number(values.minutes), Number(values.clients)];
const collection = "general_knowledge";
/** The program itself: its launcher would be another process. */
const program = fileURLToPath(new URL("../../bin/command.js", import.meta.url));
await using home = await temporaryHome(models);
const env = { ...process.env, RAGCTL_HOME: home.path };
const run = promisify(execFile);
const ragctl = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [program, ...args], { env })).stdout;

/** A server that listens, and how its process is addressed. */
interface Serving {
  readonly url: string;
  readonly key: string;
  readonly child: ChildProcess;
}

async function serve(): Promise<Serving> {
  const child = spawn(process.execPath, [program, "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const link = await new Promise<URL>((resolve, reject) => {
    child.stdout.once("data", (text: Buffer) => resolve(new URL(text.toString().trim())));
    child.once("exit", () => reject(new Error("the server did not start")));
  });
  return { url: link.origin, key: link.searchParams.get("key") ?? "", child };
}

/** Resident memory of a process, MiB. */
const residentMib = async ({ pid = 0 }: ChildProcess): Promise<number> =>
  (await residentBytes(pid)) / 2 ** 20;

const uploadShape = z.looseObject({ job_id: z.string() });
const jobShape = z.looseObject({ state: z.string() });
const listShape = z.looseObject({ documents: z.array(z.looseObject({ name: z.string() })) });

type Kind = "search" | "ask" | "cancel" | "upload";
const times: Record<Kind, number[]> = { search: [], ask: [], cancel: [], upload: [] };
const errors = new Map<string, number>();
/** Uploads that the server said it keeps. */
const accepted: { readonly name: string; readonly job: string }[] = [];
const killed = { yes: false };
/** What clients saw when the server was killed. */
const seen = new Map<string, number>();
const count = (counts: Map<string, number>, what: string): void =>
  void counts.set(what, (counts.get(what) ?? 0) + 1);

/** One client until the server is gone. */
async function client(index: number, { url }: Serving, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = async (path: string, body: object | string, rest: RequestInit = {}): Promise<Response> => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method: "POST", body: text, headers, ...rest });
    if (!response.ok) count(errors, `${path.split("?")[0]} ${response.status}`);
    return response;
  };
  const streaming = { ...headers, accept: "text/event-stream" };
  const work: Record<Kind, (round: number) => Promise<void>> = {
    async search(round) {
      await (await post("/v1/search", { query: `${values.question} ${round % 7}`, top_k: 5 })).text();
    },
    async ask() {
      const text = await (await post("/v1/ask", { query: values.question }, { headers: streaming })).text();
      if (text.includes("event: answer-end")) return;
      count(killed.yes ? seen : errors, "a stream without its end");
    },
    /** Leaves after the first event, and waits until the server has recorded that. */
    async cancel() {
      const leaving = new AbortController();
      const init = { headers: streaming, signal: leaving.signal };
      const response = await post("/v1/ask", { query: values.question }, init);
      await response.body?.getReader().read();
      leaving.abort();
      const address = `${url}/v1/runs/${response.headers.get("x-run-id")}`;
      while ((await fetch(address, { headers })).status === 404) await sleep(5);
    },
    async upload(round) {
      const name = `client-${index}-${round}.md`;
      const path = `/v1/documents?name=${name}&collection=${collection}`;
      const response = await post(path, `# Note ${round}\n\nClient ${index} wrote note ${round}.\n`);
      if (response.ok) accepted.push({ name, job: uploadShape.parse(await response.json()).job_id });
    },
  };
  for (let round = 0; !killed.yes; round++) {
    const kinds = { 8: "ask", 9: "cancel", 10: "upload" } as const;
    const kind: Kind = kinds[(round % 11) as keyof typeof kinds] ?? "search";
    const since = performance.now();
    try {
      await work[kind](round);
      times[kind].push(performance.now() - since);
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: string } };
      count(killed.yes ? seen : errors, `${kind}: ${cause?.code ?? String(error)}`);
    }
  }
}

await ragctl("ingest", folder, "--collection", collection);
const keys: string[] = [];
for (let index = 0; index < clients; index++) {
  await ragctl("principals", "add", `client${index}`);
  await ragctl("permissions", "grant", "write", collection, "--principal", `client${index}`);
  keys.push((await ragctl("principals", "key", "add", `client${index}`, "-q")).trim());
}
const server = await serve();
const working = keys.map((key, index) => client(index, server, key));
const memory: number[] = [];
const end = performance.now() + minutes * 60_000;
while (performance.now() < end) {
  await sleep(Math.min(10_000, minutes * 6_000));
  memory.push(await residentMib(server.child));
}
killed.yes = true;
server.child.kill("SIGKILL");
await Promise.all(working);

// What was accepted must be there, and its jobs must end, once a server runs again.
const again = await serve();
const headers = { authorization: `Bearer ${again.key}` };
const read = async (path: string): Promise<unknown> =>
  (await fetch(`${again.url}${path}`, { headers })).json();
const jobOf = async ({ job }: { readonly job: string }): Promise<string> =>
  jobShape.parse(await read(`/v1/jobs/${job}`)).state;
const deadline = performance.now() + 300_000;
let states: readonly string[] = [];
do {
  await sleep(2000);
  states = await Promise.all(accepted.map(jobOf));
} while (performance.now() < deadline && states.some((state) => state === "waiting" || state === "running"));
const { documents } = listShape.parse(await read("/v1/documents?limit=5000"));
const names = new Set(documents.map(({ name }) => name));
const lost = accepted.filter(({ name }) => !names.has(name)).length;
const drafts = await readdir(join(home.path, "uploads", "incoming")).catch(() => []);
again.child.kill("SIGTERM");
await new Promise((resolve) => again.child.once("exit", resolve));
await ragctl("stop");

const rows = (Object.keys(times) as Kind[]).map(
  (kind) => [kind, times[kind].length, median(times[kind]), quantile(times[kind], 0.95)] as const,
);
const lines = (counts: Map<string, number>): string =>
  [...counts].map(([what, number]) => `${number} × ${what}`).join(", ") || "none";
process.stdout.write(`errors under load: ${lines(errors)}\nseen at the kill: ${lines(seen)}\n`);
process.stdout.write(
  `${accepted.length} uploads accepted, ${lost} lost, ${states.filter((state) => state === "done").length} ingested, ${drafts.length} drafts left\n`,
);
const at = (share: number): number => memory[Math.floor((memory.length - 1) * share)] ?? 0;
process.stdout.write(
  `memory, MiB: ${[0, 0.25, 0.5, 0.75, 1].map((share) => at(share).toFixed(0)).join(" ")}\n`,
);
report(["request", "number", "p50 ms", "p95 ms"], rows, {
  bench: "serve",
  clients,
  minutes,
  load: loadavg()[0],
  errors: Object.fromEntries(errors),
  seen: Object.fromEntries(seen),
  uploads: { accepted: accepted.length, lost, drafts: drafts.length },
  memory_mib: memory,
});
