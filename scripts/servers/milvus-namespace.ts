/**
 * Runs a Milvus standalone where only a Unix socket leads to it. Milvus 2.3.5 listens on every interface
 * whatever its settings say, so `milvus.ts` starts this file in a network namespace of its own.
 * `node milvus-namespace.ts PROGRAM SOCKET`, in the server's folder. Prints `pid N`, `listening` and `healthy`;
 * ends with the server, and ends the server when its own stdin closes.
 */
import { spawn, spawnSync } from "node:child_process";
import { createConnection, createServer } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isListening } from "./server.ts";

const [program = "", socket = ""] = process.argv.slice(2);
const grpcPort = 19_530;
const healthUrl = "http://127.0.0.1:9091/healthz";

const loopback = spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" });
if (loopback.status !== 0) throw new Error("the loopback interface of the namespace cannot be switched on");

const server = spawn(program, ["run", "standalone"], {
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...process.env,
    LD_LIBRARY_PATH: dirname(program),
    DEPLOY_MODE: "STANDALONE",
    METRICS_PORT: "9091",
    MILVUS_RUN_DIR: "run",
  },
});
const say = (line: string): void => void process.stderr.write(`@${line}\n`);
server.once("exit", () => process.exit());
server.once("spawn", () => say(`pid ${server.pid}`));
process.stdin.resume().once("end", () => server.kill("SIGKILL"));

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check().catch(() => false))) await sleep(50);
}

await until(() => isListening(grpcPort));
createServer((client) => {
  const upstream = createConnection(grpcPort, "127.0.0.1");
  client.pipe(upstream).pipe(client);
  client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
  upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
}).listen(socket, () => say("listening"));
await until(async () => (await (await fetch(healthUrl)).text()).includes("OK"));
say("healthy");
