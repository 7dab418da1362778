import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { openSlowServer, type SlowServer } from "./slow-server.ts";
import { binary, type Ended, type Home, openHome, records, skipChain, start, until } from "./support.ts";

/** Runs `work` on the command's main thread some time after its start. */
const preloaded = (work: string): string => `
import { isMainThread } from "node:worker_threads";
if (isMainThread && process.argv[1]?.endsWith("command.js")) setTimeout(() => { ${work} }, 400).unref();
`;
/** Computes for longer than any test waits: no signal handler can run meanwhile. */
const spinning = preloaded(`
  process.stderr.write("computing\\n");
  for (const until = Date.now() + 240_000; Date.now() < until;);`);
const waiting = preloaded(`setTimeout(() => process.stderr.write("waiting\\n"), 1500)`);
/**
 * Far more than the two seconds a command has, for a machine that is busy, and far less than the computation.
 */
const deadlineMs = 60_000;

interface Interrupted extends Ended {
  readonly inTime: boolean;
}

/** Starts ragctl, sends `signal` once `ready` stands in what it printed, and waits for its end. */
async function interrupt(
  home: Home,
  parameters: readonly string[],
  signal: NodeJS.Signals,
  ready: RegExp,
  preload = "",
): Promise<Interrupted> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [binary, ...parameters], {
    cwd: home.base,
    env: {
      PATH,
      HOME,
      RAGCTL_HOME: home.path,
      NO_COLOR: "1",
      ...(preload === "" ? {} : { NODE_OPTIONS: `--import=${preload}` }),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // Every holder of the pipes has ended by then: the launcher and the command.
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (status, by) => resolve({ status, signal: by, stdout, stderr })),
  );
  if (!(await until(() => ready.test(stderr + stdout), deadlineMs))) {
    child.kill("SIGKILL");
    assert.fail(`${parameters.join(" ")} never became ready: ${stderr}${stdout}`);
  }
  let inTime = true;
  const deadline = setTimeout(() => {
    inTime = false;
    child.kill("SIGKILL");
  }, deadlineMs);
  child.kill(signal);
  const result = await ended;
  clearTimeout(deadline);
  child.stdin.destroy();
  return { ...result, inTime };
}

describe("SIGINT and SIGTERM", { skip: skipChain }, () => {
  let home: Home;
  let folder: string;
  const preload = (name: string): string => pathToFileURL(join(home.base, "scripts", name)).href;
  before(async () => {
    home = await openHome();
    folder = await home.folder("notes", {
      "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n",
    });
    await home.folder("scripts", { "spin.mjs": spinning, "wait.mjs": waiting });
    await home.json(["ingest", folder]);
  });
  after(() => home[Symbol.asyncDispose]());

  const commands: Readonly<Record<string, () => readonly string[]>> = {
    ask: () => ["ask", "How many tonnes does the crane lift?"],
    search: () => ["search", "crane"],
    ingest: () => ["ingest", folder],
    sync: () => ["sync", folder, "-c", "synced"],
    watch: () => ["watch", folder, "-c", "watched"],
    worker: () => ["worker"],
    chat: () => ["chat", "--room", "workshop"],
    doctor: () => ["doctor"],
  };
  for (const [name, parameters] of Object.entries(commands)) {
    const signal = Object.keys(commands).indexOf(name) % 2 === 0 ? "SIGTERM" : "SIGINT";
    it(`end ${name} by ${signal} while its main thread computes and hears nothing`, async () => {
      const { inTime, status, stderr } = await interrupt(
        home,
        parameters(),
        signal,
        /computing/,
        preload("spin.mjs"),
      );
      assert.deepEqual([inTime, status], [true, signal === "SIGINT" ? 130 : 143], stderr);
    });
  }

  it("end a watch and a worker that wait, with their status", async () => {
    const watch = await interrupt(home, ["watch", folder, "-c", "watched"], "SIGTERM", /watching/);
    assert.deepEqual([watch.inTime, watch.status], [true, 143], watch.stderr);
    const worker = await interrupt(home, ["worker"], "SIGINT", /waiting/, preload("wait.mjs"));
    assert.deepEqual([worker.inTime, worker.status], [true, 130], worker.stderr);
  });
});

describe("the launcher", { skip: skipChain }, () => {
  it("takes the command with it when it is killed itself", async () => {
    await using home = await openHome();
    const folder = await home.folder("notes", { "a.md": "A crane.\n" });
    const { inTime, signal } = await interrupt(home, ["watch", folder], "SIGKILL", /watching/);
    assert.deepEqual([inTime, signal], [true, "SIGKILL"]);
  });
});

/** Why there is no terminal to test with, or false. */
const skipTerminal =
  skipChain !== false
    ? skipChain
    : spawnSync("script", ["--version"]).status === 0
      ? false
      : "there is no script(1) to make a terminal";

describe("an answer that takes long", { skip: skipChain }, () => {
  let home: Home;
  let server: SlowServer;
  const question = "How many tonnes does the crane of the north hall lift?";
  before(async () => {
    [home, server] = [await openHome(), await openSlowServer()];
    await home.json([
      "ingest",
      await home.folder("notes", { "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n" }),
    ]);
    await home.json([
      "providers",
      "add",
      "llm/openai-compatible",
      "--option",
      `base_url=${server.address}`,
      "--option",
      "model=m",
    ]);
  });
  after(async () => {
    await home[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const cancelled = async () =>
    records((await home.json(["logs"]))["runs"]).filter(({ summary }) =>
      /^cancelled: How many tonnes/.test(String(summary)),
    ).length;

  it("leaves, interrupted, a run of state cancelled, and says nothing untrue about going on", async () => {
    const { child, ended } = home.start(["ask", question]);
    assert.ok(await until(() => server.waiting() === 1, deadlineMs));
    child.kill("SIGINT");
    const { status, stdout, stderr } = await ended;
    assert.deepEqual([status, stdout, stderr], [130, "", "stopping\n"]);
    assert.equal(await cancelled(), 1);
    const batch = home.start(["ask", "--batch", "-"], JSON.stringify({ id: 1, query: question }));
    assert.ok(await until(() => server.waiting() === 1, deadlineMs));
    // As timeout(1) does, which signals the process and then its group.
    batch.child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 3));
    batch.child.kill("SIGTERM");
    const stopped = await batch.ended;
    assert.equal(stopped.status, 143);
    assert.match(stopped.stderr, /starts from the first question/);
    assert.equal(await cancelled(), 2);
  });

  it("is ended in a chat by Ctrl-C, which at the prompt ends the chat with 130", {
    skip: skipTerminal,
  }, async () => {
    const before = await cancelled();
    const command = `stty cols 100; ${process.execPath} ${binary} chat --room workshop`;
    const { child, ended } = start(home.path, home.base, ["script", "-qefc", command, "/dev/null"], null);
    let screen = "";
    child.stdout?.on("data", (text: string) => {
      screen += text;
    });
    const type = (text: string) => child.stdin?.write(text);
    assert.ok(await until(() => screen.includes("workshop> "), deadlineMs), screen);
    type(`${question}\r`);
    assert.ok(await until(() => server.waiting() === 1, deadlineMs), screen);
    assert.ok(await until(() => /1 passage found:\s+\[1\] crane\.md/.test(screen), deadlineMs), screen);
    screen = "";
    type("\u0003");
    assert.ok(await until(() => /stopped[\s\S]*workshop> /.test(screen), deadlineMs), screen);
    type("/rooms\r");
    assert.ok(await until(() => screen.includes("workshop (1)"), deadlineMs), screen);
    assert.ok(
      await until(() => screen.endsWith("workshop> ") || /workshop> [^w]*$/.test(screen), deadlineMs),
      screen,
    );
    type("\u0003");
    const { status, stdout } = await ended;
    assert.deepEqual([status, /INTERNAL/.test(stdout)], [130, false], stdout);
    assert.equal(await cancelled(), before + 1);
  });
});

it("a command ends where nobody reads on, here or in the resident process", {
  skip: skipChain,
}, async () => {
  await using home = await openHome();
  await home.json([
    "ingest",
    await home.folder("notes", { "crane.md": "# Crane\n\nThe crane lifts 40 tonnes.\n" }),
  ]);
  const lines = Array.from({ length: 5_000 }, (_, id) =>
    JSON.stringify({ id, query: "What does the crane lift?" }),
  );
  for (const where of [[], ["--no-resident"]]) {
    const { child, ended } = home.start(["ask", "--batch", "-", ...where], lines.join("\n"));
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.stdout?.destroy();
    const { status, stderr } = await ended;
    assert.deepEqual([status, stderr], [0, ""], where.join(" "));
  }
});
