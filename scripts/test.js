// Builds, fetches the small models the tests use (once), and runs every test with Node's own runner.
// Usage: node scripts/test.js [files…]; RAGCTL_TEST_HOME names the folder the models are kept in.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = process.env["RAGCTL_TEST_HOME"] ?? join(root, "node_modules", ".cache", "ragctl-test-home");
// A hundred tests and the programs they start load the same source: it is compiled once.
const compiled = join(root, "node_modules", ".cache", "compiled");
// Threads of a language model spin while they wait for each other: where tests run side by side, one is faster.
const environment = {
  NODE_COMPILE_CACHE: compiled,
  RAGCTL_ANSWER_THREADS: "1",
  ...process.env,
  RAGCTL_TEST_HOME: home,
};

/** @param {readonly string[]} parameters @param {NodeJS.ProcessEnv} env */
const node = (parameters, env = environment) =>
  spawnSync(process.execPath, parameters, { cwd: root, stdio: "inherit", env }).status ?? 1;

if (node(["scripts/build.js"]) !== 0) process.exit(1);
if (
  node([
    "bin/ragctl.js",
    "models",
    "pull",
    "milvus-lite-2.5.1",
    "bge-small-en-v1.5-int8",
    "smollm2-135m-instruct-q4_1",
    "--home",
    home,
  ]) !== 0
) {
  process.stderr.write("the test models could not be fetched: tests that need them are skipped and say so\n");
}
const files =
  process.argv.length > 2 ? process.argv.slice(2) : globSync("test/**/*.test.ts", { cwd: root }).sort();
process.exitCode = node(["--test", "--test-concurrency=2", "--test-timeout=300000", ...files]);
