import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, open, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ownerOf } from "../../src/lock/lock.ts";
import { hostFiles } from "../../src/resident/address.ts";
import { hostStatus } from "../../src/resident/client.ts";
import { statusShape } from "../../src/shapes/machine.ts";
import { openSlowServer, type SlowServer } from "../cli/slow-server.ts";
import {
  answerer,
  binary,
  type Ended,
  errorOf,
  type Home,
  openHome,
  record,
  records,
  root,
  skipAnswerer,
  skipChain,
  until,
} from "../cli/support.ts";

/** Far more than anything takes, for a machine that is busy. */
const deadlineMs = 120_000;
const question = "How many tonnes does the crane of the north hall lift?";
const notes = { "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n" };

/** What `ragctl status` prints to the owner, without a process of its own. */
const status = async (home: Home) => record(statusShape(await hostStatus(home.path)));
const models = async (home: Home) => records((await status(home))["models"]);
const commandsOf = async (home: Home) => records((await status(home))["commands"]);

/** Runs a command with further variables, the program at another path, its input from an open file, or all. */
function runWith(
  home: Home,
  parameters: readonly string[],
  environment: object,
  program = binary,
  input: number | "ignore" = "ignore",
  output: number | "pipe" = "pipe",
): Promise<Ended> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd: home.base,
    env: { PATH, HOME, NODE_COMPILE_CACHE, RAGCTL_HOME: home.path, NO_COLOR: "1", ...environment },
    stdio: [input, output, "pipe"],
  });
  if (!child.stderr) throw new Error("it is a pipe");
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  return new Promise((resolve) =>
    child.once("close", (code, signal) => resolve({ status: code, signal, stdout, stderr })),
  );
}

describe("the resident process", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    await home.json(["ingest", await home.folder("notes", notes)]);
  });
  after(() => home[Symbol.asyncDispose]());

  const full = "/dev/full";
  it("says that the output cannot be written, as a command of its own does", {
    skip: !existsSync(full),
  }, async () => {
    await using file = await open(full, "w");
    for (const parameters of [["search", "crane"], ["--no-resident", "search", "crane"], ["list"]]) {
      const { status, stderr } = await runWith(home, parameters, {}, binary, "ignore", file.fd);
      assert.equal(status, 1, parameters.join(" "));
      assert.match(stderr, /error DISK_FULL: cannot write the output: ENOSPC/);
      assert.doesNotMatch(stderr, /\n\s+at |throw error/);
    }
  });

  it("loads a model once for any number of commands, and says what it holds", async () => {
    const found = await Promise.all([1, 2, 3].map(() => home.json(["search", "crane"])));
    assert.deepEqual(
      found.map(({ hits }) => records(hits).length),
      [1, 1, 1],
    );
    const { running, clients, rss_bytes: memory } = await status(home);
    assert.deepEqual([running, clients], [true, 0]);
    assert.ok(Number(memory) > 1e7);
    assert.deepEqual(
      (await models(home)).map(({ task, users, waiting }) => [task, users, waiting]),
      [["embed", 0, 0]],
    );
  });

  it("tells its process and databases to the owner alone", async () => {
    await home.json(["search", question]);
    await home.json(["principals", "add", "guest"]);
    const own = await home.json(["status"]);
    assert.ok(Number(own["pid"]) > 0 && records(own["instances"]).length > 0);
    const seen = await home.json(["status", "--as", "guest"]);
    assert.deepEqual([seen["running"], seen["pid"], seen["instances"]], [true, undefined, []]);
    const { stdout } = await home.run(["status", "--as", "guest"]);
    assert.match(stdout, /^running: up /);
    assert.doesNotMatch(stdout, /pid|unix:|\.sock/);
  });

  it("prints the same, ends with the same status and takes the same input as a command of its own", async () => {
    await writeFile(join(home.base, "batch.jsonl"), '{"id":1,"query":"crane"}\nno json\n');
    const commands: readonly (readonly [readonly string[], string?])[] = [
      [["search", "crane", "-q"]],
      [["search", "crane", "--format", "jsonl", "-q"]],
      [["search", "-", "-q"], "crane"],
      [["search", "--batch", "batch.jsonl", "--json"]],
      [["search", "crane", "-c", "none", "--json"]],
      [["search", "crane", "--as", "bob"]],
      [["search", "--mode", "psychic", "crane"]],
      [["search", "crane", "--set", "retrieve.topK=0"]],
      [["search", "crane", "--log-file", "nowhere/x.log"]],
      [["ask", "hello", "-q"]],
      [["ingest", "notes", "-q", "--json", "missing.txt"]],
      [["sync", "nowhere"]],
      [["chat", "history", "none"]],
    ];
    const tidy = ({ status: code, stdout, stderr }: Ended) => ({
      code,
      // Times and sizes differ between any two runs.
      stdout: stdout.replace(/"(\w*_ms|run_id|peak_rss_bytes|duration_ms)": ?("[^"]*"|[\d.]+)/g, ""),
      stderr: stderr.replace(/[\d.]+ m?s\b/g, ""),
    });
    for (const [parameters, input] of commands) {
      const resident = await home.run(parameters, input);
      const own = await home.run([...parameters, "--no-resident"], input);
      assert.deepEqual(tidy(resident), tidy(own), parameters.join(" "));
    }
  });

  it("takes its input from a file as from a pipe, and nothing from /dev/null", async () => {
    const path = join(home.base, "question.txt");
    await writeFile(path, "crane\n");
    await using file = await open(path);
    const fromFile = await runWith(home, ["search", "-", "-q"], {}, binary, file.fd);
    assert.deepEqual([fromFile.status, fromFile.stderr], [0, ""]);
    assert.match(fromFile.stdout, /crane\.md/);
    const fromNothing = await runWith(home, ["search"], {});
    assert.equal(fromNothing.status, 2);
    assert.match(fromNothing.stderr, /^error USAGE_INVALID: no question given\n {2}→ [^\n]*\n$/);
  });

  it("is not used where the flag, a setting or the environment says so, and never mixes two settings", async () => {
    await home.json(["stop"]);
    await home.json(["search", "crane", "--no-resident"]);
    await home.json(["search", "crane", "--set", "resident.mode=off"]);
    assert.equal((await runWith(home, ["search", "crane"], { NODE_OPTIONS: "--no-warnings" })).status, 0);
    await home.json(["search", "crane"]);
    assert.equal((await runWith(home, ["search", "crane"], { LC_ALL: "de_DE.UTF-8" })).status, 0);
    assert.equal((await models(home)).length, 1);
    const two = await home.json([
      "search",
      "crane",
      "--set",
      "embed.threads=1",
      "--set",
      "embed.maxTokens=64",
    ]);
    assert.equal(records(two["hits"]).length, 1);
    // What nobody holds made room for the other one.
    assert.equal((await models(home)).length, 1);
  });

  it("lets its owner alone connect, and reads no command of anyone who sends something else", async () => {
    await home.json(["search", "crane"]);
    const { control } = JSON.parse(await readFile(join(home.path, "host/host.json"), "utf8"));
    assert.equal((await stat(dirname(control))).mode & 0o777, 0o700);
    assert.equal((await stat(control)).mode & 0o777, 0o600);
    const socket = createConnection(control);
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write('{"request":"run","argv":["stop"]}\n');
    assert.match(await answer, /"ok":false/);
    socket.destroy();
    assert.equal(records((await home.json(["search", "crane"]))["hits"]).length, 1);
  });

  it("makes way for another build of the program, which it runs no command of", async () => {
    const other = join(home.base, "other");
    for (const part of ["bin", "dist", "config", "models", "fixtures", "package.json"])
      await cp(join(root, part), join(other, part), { recursive: true, preserveTimestamps: true });
    await symlink(join(root, "node_modules"), join(other, "node_modules"));
    const { pid } = await status(home);
    const found = await runWith(home, ["search", "crane", "--json"], {}, join(other, "bin/ragctl.js"));
    assert.equal(found.status, 0, found.stderr);
    assert.ok(await until(async () => (await status(home))["pid"] !== pid, deadlineMs));
    assert.equal((await home.run(["search", "crane"])).status, 0);
  });

  it("ends when nothing is loaded or used any more", async () => {
    await home.json(["stop"]);
    const idle = ["--set", "resident.idleMs=100", "--set", "milvus.idleMs=100"];
    await home.json(["search", "crane", ...idle]);
    // Whoever asks it for its status uses it.
    const { folder } = hostFiles(home.path);
    assert.ok(await until(async () => (await ownerOf(folder)) === undefined, deadlineMs));
  });
});

describe("an answer in the resident process", { skip: skipChain }, () => {
  let home: Home;
  let server: SlowServer;
  before(async () => {
    [home, server] = [await openHome(), await openSlowServer()];
    await home.json(["ingest", await home.folder("notes", notes)]);
    const options = ["--option", `base_url=${server.address}`, "--option", "model=m"];
    await home.json(["providers", "add", "llm/openai-compatible", ...options]);
  });
  after(async () => {
    await home[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const waitingAnswer = async () => {
    const started = home.start(["ask", question, "--json"]);
    assert.ok(await until(() => server.waiting() === 1, deadlineMs));
    return started;
  };

  it("is stopped when its caller is killed, and recorded so", async () => {
    const { child, ended } = await waitingAnswer();
    assert.deepEqual(
      (await commandsOf(home)).map(({ command, principal }) => [command, principal]),
      [["ask", "owner"]],
    );
    child.kill("SIGKILL");
    await ended;
    assert.ok(await until(() => server.waiting() === 0, deadlineMs));
    assert.ok(await until(async () => (await commandsOf(home)).length === 0, deadlineMs));
    const [last] = records((await home.json(["logs"]))["runs"]);
    assert.match(String(last?.["summary"]), /^cancelled: /);
  });

  it("costs one clear error when that process is killed, and the next command starts another", async () => {
    const { ended } = await waitingAnswer();
    const { pid } = await status(home);
    process.kill(Number(pid), "SIGKILL");
    const lost = await ended;
    assert.deepEqual([lost.status, lost.stdout], [1, ""]);
    const { code, hint } = errorOf(lost);
    assert.equal(code, "HOST_UNAVAILABLE");
    assert.match(String(hint), /run the command again/);
    assert.equal(records((await home.json(["search", "crane"]))["hits"]).length, 1);
    assert.notEqual((await status(home))["pid"], pid);
  });

  it("ends with an error when that process is told to stop", async () => {
    const { ended } = await waitingAnswer();
    await home.json(["stop"]);
    const stopped = await ended;
    assert.equal(stopped.status, 1);
    assert.equal(errorOf(stopped)["code"], "HOST_UNAVAILABLE");
  });
});

describe("a language model in the resident process", { skip: skipAnswerer }, () => {
  it("answers eight questions at once, each rightly, one after the other, from one copy", async () => {
    await using home = await openHome("answer:\n  write: always\n  maxTokens: 16\n  temperature: 0\n", [
      "bge-small-en-v1.5-int8",
      "milvus-lite-2.5.1",
      answerer,
    ]);
    await home.json(["ingest", await home.folder("notes", notes)]);
    const first = await home.json(["ask", question], [0, 5, 6]);
    let most = 0;
    let done = false;
    const watching = (async () => {
      while (!done) {
        const loaded = await models(home);
        assert.equal(loaded.filter(({ task }) => task === "generate").length, 1);
        most = Math.max(most, ...loaded.map(({ waiting }) => Number(waiting)));
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    })();
    const asking = Array.from({ length: 8 }, () => home.json(["ask", question], [0, 5, 6]));
    const answers = await Promise.all(asking).finally(() => {
      done = true;
    });
    await watching;
    assert.ok(most > 0, "nobody waited for a turn");
    for (const { response } of [first, ...answers]) assert.match(String(response), /40/);
  });
});
