import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import open, { filledArguments } from "../../src/tools/generic.ts";
import { callOf, drivers, run } from "./support.ts";

const programs: Record<string, string> = {
  echo: "let input = ''; process.stdin.on('data', (d) => (input += d)); process.stdin.on('end', () => console.log(JSON.stringify({ argv: process.argv.slice(2), input: JSON.parse(input), env: Object.keys(process.env).sort() })));",
  hang: "setInterval(() => {}, 1000);",
  flood:
    "const more = () => { while (process.stdout.write('x'.repeat(65536))); process.stdout.once('drain', more); }; more();",
  fail: "process.stderr.write('disk on fire'); process.exit(3);",
  garbage: "process.stdout.write(Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 37) % 256)));",
  child:
    "const { spawn } = require('node:child_process'); const c = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); require('node:fs').writeFileSync(process.argv[2], String(c.pid)); setInterval(() => {}, 1000);",
};

/** Whether a process runs; one that has ended but was not collected yet does not. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
  } catch {
    return false;
  }
}

describe("the arguments of an operator's program", () => {
  it("begin with a dash only where the operator, or a number alone, says so", () => {
    for (const [part, given] of [
      ["{s}", { s: "-rf" }],
      ["{n}{s}", { n: -1, s: "rf /" }],
      ["{s}{n}", { s: "-", n: 1 }],
      ["{empty}{n}{s}", { empty: "", n: -5, s: "x" }],
      ["{n}{b}{s}", { n: -1, b: true, s: "x" }],
    ] as const)
      assert.throws(
        () => filledArguments([part], given),
        { code: "TOOL_REFUSED", message: /may not begin with "-"/ },
        part,
      );
    assert.deepEqual(filledArguments(["{n}", "-{s}", "x{n}{s}", "--", "{n}{s}"], { n: -1, s: "y" }), [
      "-1",
      "-y",
      "x-1y",
      "--",
      "-1y",
    ]);
  });
});

describe("an operator's program", {
  skip: process.platform === "win32" ? "process groups are POSIX" : false,
}, () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ragctl-generic-"));
    for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, `${name}.cjs`), text);
  });
  after(() => rm(folder, { recursive: true }));

  const parameters = {
    type: "object",
    properties: { text: { type: "string" }, count: { type: "integer", default: 2 } },
    required: [],
    additionalProperties: false,
  };
  const tool = (name: string, more: Record<string, unknown> = {}, rest: readonly string[] = []) =>
    open(
      {
        name: "Program",
        type: "generic",
        config: {
          description: "a program",
          argv: [process.execPath, join(folder, `${name}.cjs`), ...rest],
          parameters,
          timeout_ms: 5000,
          ...more,
        },
        permissions: {},
      },
      drivers({ environment: { LANG: "C" } }),
    );
  const call = (given: Record<string, unknown> = {}) => callOf("Program", "generic", given);

  it("gets its arguments as arguments and as JSON, no shell, and only the environment it is given", async () => {
    await using echo = await tool("echo", { output: "json" }, ["--", "{text}", "n={count}"]);
    const { data } = await echo.call(call({ text: '$(rm -rf /); `id` && "x" > y' }), "why?", run());
    assert.deepEqual(data["output"], {
      argv: ["--", '$(rm -rf /); `id` && "x" > y', "n=2"],
      input: { arguments: { text: '$(rm -rf /); `id` && "x" > y', count: 2 }, question: "why?" },
      env: ["LANG", "PATH"],
    });
  });

  it("takes no argument for an option, and no argument that does not fit", async () => {
    assert.throws(() => filledArguments(["{text}"], { text: "--delete" }), { code: "TOOL_REFUSED" });
    assert.throws(() => filledArguments(["{empty}{text}"], { empty: "", text: "--delete" }), {
      code: "TOOL_REFUSED",
    });
    assert.throws(() => filledArguments(["{text}"], { text: "a\0b" }), { code: "TOOL_REFUSED" });
    assert.deepEqual(filledArguments(["--", "{text}", "x{none}"], { text: "--delete" }), [
      "--",
      "--delete",
      "x",
    ]);
    assert.deepEqual(filledArguments(["{n}"], { n: -3 }), ["-3"]);
    await using echo = await tool("echo");
    for (const given of [{ text: 7 }, { other: "x" }, { count: "many" }])
      await assert.rejects(echo.call(call(given), "", run()), { code: "TOOL_INVALID" });
  });

  it("is ended with all it started when it hangs", async () => {
    await using hang = await tool("hang", { timeout_ms: 400 });
    await assert.rejects(hang.call(call(), "", run()), { code: "TOOL_TIMEOUT", message: /400 ms/ });
    const note = join(folder, "pid");
    // On a busy machine a program may take long to start another.
    let started = 0;
    for (let timeoutMs = 1500; started === 0; timeoutMs *= 2) {
      await using child = await tool("child", { timeout_ms: timeoutMs }, [note]);
      await assert.rejects(child.call(call(), "", run()), { code: "TOOL_TIMEOUT" });
      started = Number(await readFile(note, "utf8").catch(() => ""));
    }
    const deadline = Date.now() + 30_000;
    while ((await isRunning(started)) && Date.now() < deadline) await sleep(20);
    assert.equal(await isRunning(started), false);
  });

  it("fails alone when it floods, exits with a status, writes garbage or is not there", async () => {
    await using flood = await tool("flood", { max_bytes: 10_000 });
    await assert.rejects(flood.call(call(), "", run()), {
      code: "TOOL_FAILED",
      message: /more than 10000 bytes/,
    });
    await using fail = await tool("fail");
    await assert.rejects(fail.call(call(), "", run()), {
      code: "TOOL_FAILED",
      message: /status 3: disk on fire/,
    });
    await using garbage = await tool("garbage");
    await assert.rejects(garbage.call(call(), "", run()), { code: "TOOL_FAILED", message: /not text/ });
    await using noJson = await tool("garbage", { output: "json" });
    await assert.rejects(noJson.call(call(), "", run()), { code: "TOOL_FAILED", message: /not write JSON/ });
    await using absent = await open(
      {
        name: "Program",
        type: "generic",
        config: { description: "x", argv: ["/no/such/program"] },
        permissions: {},
      },
      drivers(),
    );
    await assert.rejects(absent.call(call(), "", run()), {
      code: "TOOL_FAILED",
      message: /cannot start the program/,
    });
  });

  it("is ended when the run is aborted", async () => {
    await using hang = await tool("hang", { timeout_ms: 60_000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 300);
    await assert.rejects(hang.call(call(), "", run(controller.signal)), /enough/);
  });

  it("needs a program that is no argument, and a schema", async () => {
    const made = (config: Record<string, unknown>) =>
      open({ name: "Program", type: "generic", config, permissions: {} }, drivers());
    await assert.rejects(made({ description: "x", argv: ["{text}"] }), {
      code: "CONFIG_INVALID",
      message: /config\.argv/,
    });
    await assert.rejects(made({ description: "x", argv: [] }), {
      code: "CONFIG_INVALID",
      message: /config\.argv/,
    });
    await assert.rejects(made({ argv: ["x"] }), { code: "CONFIG_INVALID", message: /config\.description/ });
  });
});
