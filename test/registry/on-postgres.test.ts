import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";

/** Tests of the engine, which is another one there. */
const ofSqlite = ["database.test.ts", "on-postgres.test.ts", "postgres.test.ts", "move.test.ts"];

test("what holds for a registry in SQLite holds for one in PostgreSQL", {
  skip: postgresMissing,
  timeout: 1_200_000,
}, async (context) => {
  const server = await startPostgres(context);
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".test.ts") && !ofSqlite.includes(name),
  );
  const address = server.address("unused").replace("?schema=unused", "");
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    [
      "--test",
      "--test-concurrency=1",
      "--test-reporter=tap",
      ...files.map((name) => join(import.meta.dirname, name)),
    ],
    { env: { ...environment, RAGCTL_TEST_POSTGRES: address }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const output: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  const status = await new Promise((resolve) => child.once("exit", resolve));
  const report = output.join("");
  const [, count = "0"] = /^# pass (\d+)$/m.exec(report) ?? [];
  const failures = report.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.deepEqual(failures, [], report.slice(-20_000));
  assert.equal(status, 0);
  assert.ok(Number(count) > 50, `only ${count} tests ran`);
});
