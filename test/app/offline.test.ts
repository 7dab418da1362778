import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { binary, documents, errorOf, type Home, openHome, record, skipChain, start } from "../cli/support.ts";

/** Why `command` cannot be used here, or false. */
function skipWithout(command: readonly [string, ...string[]], reason: string): string | false {
  try {
    const [program, ...parameters] = command;
    execFileSync(program, parameters, { stdio: "ignore" });
    return skipChain;
  } catch {
    return reason;
  }
}

const skipUnshare = skipWithout(
  ["unshare", "-n", "true"],
  "no namespace without a network can be made here (needs Linux and root)",
);
const skipTrace = skipWithout(
  ["strace", "-V"],
  "strace is not installed: the connections a run opens are not watched",
);
const ragctl = (...parameters: readonly string[]) => [
  process.execPath,
  binary,
  ...parameters,
  "--format",
  "json",
];
const inHome = (home: Home, ...command: readonly string[]) => start(home.path, home.base, command).ended;

describe("without a network", () => {
  it("ingests, searches and answers in a namespace that has no interface", {
    skip: skipUnshare,
  }, async () => {
    await using home = await openHome();
    // One shell, so that the resident process lives in the same namespace as the commands.
    const quoted = [
      ragctl("ingest", join(documents, "policy_handbook.pdf")),
      ragctl("search", "annual leave"),
      ragctl("ask", "How many days of annual leave may I carry over into the next year?"),
      ragctl("stop"),
    ].map((command) => command.map((word) => `'${word}'`).join(" "));
    const { status, stdout, stderr } = await inHome(home, "unshare", "-n", "sh", "-c", quoted.join(" && "));
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /policy_handbook\.pdf/);
  });

  it("shows the demo on the models that are here, and says which could not be fetched", {
    skip: skipUnshare,
  }, async () => {
    await using home = await openHome();
    const demo = [ragctl("demo"), ragctl("stop")]
      .map((command) => command.map((word) => `'${word}'`).join(" "))
      .join(" && ");
    const { status, stdout, stderr } = await inHome(home, "unshare", "-n", "sh", "-c", demo);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /cannot download.*\n.*installed models/);
    assert.match(stdout, /"answers"/);
  });

  it("says at once that a missing model cannot be fetched", { skip: skipUnshare }, async () => {
    await using home = await openHome("", []);
    const ended = await inHome(home, "unshare", "-n", ...ragctl("models", "pull", "bge-m3"));
    assert.equal(ended.status, 7);
    const { code, message } = errorOf(ended);
    assert.equal(code, "NETWORK_UNAVAILABLE");
    // Told from the interfaces: an attempt would name what it asked, after those that follow it.
    assert.match(String(message), /this machine has no network/);
  });

  // ONNX Runtime 1.29 and later keeps an id of the device beside what it is going to send.
  it("lets no library keep or send what it measures", { skip: skipChain }, async () => {
    await using home = await openHome();
    const user = await home.folder("user", { "notes.txt": "The pump is in hall 4." });
    for (const parameters of [["ingest", join(user, "notes.txt")], ["search", "pump"], ["stop"]]) {
      const ended = await inHome(home, "env", `HOME=${user}`, ...ragctl(...parameters));
      assert.equal(ended.status, 0, ended.stderr);
    }
    assert.deepEqual(readdirSync(user), ["notes.txt"]);
  });

  it("opens no internet connection while it ingests and searches", { skip: skipTrace }, async () => {
    await using home = await openHome("milvus:\n  idleMs: 300\nresident:\n  idleMs: 300\n"); // strace waits for the resident process too
    const trace = join(home.base, "trace");
    for (const parameters of [
      ["ingest", join(documents, "shift_log.txt")],
      ["search", "compressor"],
    ]) {
      const ended = await inHome(
        home,
        "strace",
        "-f",
        "-ff",
        "-qq",
        "-o",
        trace,
        "-e",
        "trace=connect",
        "-e",
        "signal=none",
        ...ragctl(...parameters),
      );
      assert.equal(ended.status, 0, ended.stderr);
      assert.equal(record(JSON.parse(ended.stdout))["schema_version"], 1);
    }
    const traces = readdirSync(home.base).filter((name) => name.startsWith("trace"));
    assert.ok(traces.length > 0 && existsSync(join(home.base, traces[0] ?? "")));
    const connects = traces.flatMap((name) => readFileSync(join(home.base, name), "utf8").split("\n"));
    assert.ok(connects.some((line) => line.includes("AF_UNIX")));
    assert.deepEqual(
      connects.filter((line) => line.includes("AF_INET")),
      [],
    );
  });
});
