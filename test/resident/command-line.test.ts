import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildProgram } from "../../src/cli/program.ts";
import { processEnvironment, residentCommands } from "../../src/core/remote.ts";
import {
  flagsWithValue,
  inferCommand,
  readCommandLine,
  readFormat,
  readWords,
  switches,
} from "../../src/resident/command-line.ts";

const read = (argv: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  readCommandLine(argv, environment, "/srv");

const none = () => Promise.reject(new Error("not started here"));

test("the launcher knows the global flags that take a word, and the resident commands exist", async () => {
  const program = await buildProgram("0", { mcp: none, server: none, serveCopy: none }, undefined);
  const taking = program.options.filter(({ required }) => required).map(({ long }) => long);
  assert.deepEqual([...flagsWithValue].sort(), taking.sort());
  const others = program.options.filter(({ required }) => !required);
  const words = others.flatMap(({ short, long }) => [short, long]).filter((word) => word != null);
  assert.deepEqual([...switches].sort(), [...words, "-h", "--help"].sort());
  const names = program.commands.map((command) => command.name());
  assert.deepEqual(
    residentCommands.filter((name) => !names.includes(name)),
    [],
  );
});

test("a line that names no command but asks by flags is one of ask", () => {
  const asks = (...argv: readonly string[]) => inferCommand(argv).length > argv.length;
  assert.ok(asks("--pdf", "list", "--question", "serve?"));
  assert.ok(asks("--json", "--home", "h", "--set=a.b=1", "--top-k", "4", "--question=What?"));
  assert.ok(asks("--milvus-uri", "./m.db", "--pdf", "f.pdf", "--question", "q"));
  for (const argv of [
    ["ask", "--pdf", "f"],
    ["--home", "h", "ask", "--question", "q"],
    ["search", "--pdf"],
  ])
    assert.ok(!asks(...argv), argv.join(" "));
  assert.ok(!asks("--version") && !asks("--top-k", "4") && !asks());
});

test("a global flag has its value after = or in the next word, and the last of several counts", () => {
  const words = readWords([
    "--as",
    "bob",
    "ask",
    "--as=ada",
    "--json",
    "--format",
    "text",
    "--",
    "--as",
    "eve",
  ]);
  assert.equal(words.flags.get("--as"), "ada");
  assert.deepEqual(words.operands, ["ask"]);
  assert.deepEqual(readFormat(words), { format: "text", quiet: false });
  assert.deepEqual(readFormat(readWords(["--format=jsonl", "ask", "-q"])), { format: "json", quiet: true });
});

test("the home is the flag's, before or after the command, else the environment's, else the platform's", () => {
  assert.equal(read(["--home", "h", "search", "x"]).home, "/srv/h");
  assert.equal(read(["search", "x", "--home=/h"], { RAGCTL_HOME: "/other" }).home, "/h");
  assert.equal(read(["search", "x"], { RAGCTL_HOME: "~/r" }).home, join(homedir(), "r"));
  assert.equal(read(["search", "--", "--home", "/h"], { RAGCTL_HOME: "/other" }).home, "/other");
  assert.match(read(["search", "x"], { RAGCTL_HOME: "" }).home, /ragctl$/);
  assert.equal(read(["search", "x", "--home", ""]).mayBeResident, false, "an empty one is refused");
});

const isRoot = process.getuid?.() === 0;
test("a user without a name and a home folder names the home, and libraries find the root folder", {
  skip: isRoot ? false : "only root can run a program as another user",
}, () => {
  const module = new URL("../../src/resident/command-line.ts", import.meta.url).href;
  const source = `import { readCommandLine } from ${JSON.stringify(module)};
import { homedir } from "node:os";
for (const home of [["--home", "/data"], []])
  process.stdout.write(readCommandLine([...home, "list"], {}, "/").home + " ");
process.stdout.write(homedir());`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    ...{ encoding: "utf8", env: {}, uid: 54_321, gid: 54_321 },
  });
  assert.equal(stdout, "/data /.local/share/ragctl /", stderr);
});

test("only commands that use models go to the resident process, and none that is told not to", () => {
  assert.equal(read(["--as", "ask", "list"]).mayBeResident, false);
  assert.equal(read(["--as", "list", "ask", "x"]).mayBeResident, true);
  for (const argv of [
    ["setup"],
    ["ask", "x", "--help"],
    ["ask", "x", "--no-resident"],
    ["--no-resident", "ask"],
    [],
  ])
    assert.equal(read(argv).mayBeResident, false, argv.join(" "));
  assert.equal(read(["ask", "--", "--no-resident"]).mayBeResident, true);
  assert.equal(read(["mcp", "--as", "ada"]).mayBeResident, true);
  assert.equal(read(["mcp", "install", "cursor"]).mayBeResident, false);
  assert.equal(read(["ask", "x"], { RAGCTL_RESIDENT_MODE: "off" }).mayBeResident, false);
});

test("what holds for a whole process is compared, what a shell has of its own is not", () => {
  const shell = { PATH: "/bin", PWD: "/", TERM: "xterm", RAGCTL_HOME: "/h", API_KEY: "k" };
  assert.deepEqual(processEnvironment(shell), {});
  const wide = { HOME: "/u", LD_PRELOAD: "x.so", NODE_OPTIONS: "--x", CUDA_VISIBLE_DEVICES: "1", TZ: "UTC" };
  assert.deepEqual(processEnvironment({ ...shell, ...wide }), wide);
});
