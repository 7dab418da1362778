import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, openHome, root, until } from "../cli/support.ts";

const skip = existsSync(join(root, "dist/main.js")) ? false : "ragctl is not built: npm run build";

test("a server that npx started ends where npx is killed", { skip }, async () => {
  await using home = await openHome("", []);
  const words = [binary, "serve", "--port", "0", "--home", home.path];
  const starts = `require("child_process").spawn(process.execPath, ${JSON.stringify(words)}, { stdio: "inherit" })`;
  const npx = spawn(process.execPath, ["-e", starts], {
    env: { ...process.env, npm_command: "exec" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const printed: string[] = [];
  npx.stdout.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(printed.join(""))?.[0];
  assert.ok(await until(() => address() !== undefined), printed.join(""));
  const answers = () =>
    fetch(`${address()}/health`).then(
      () => true,
      () => false,
    );
  assert.ok(await answers());
  npx.kill("SIGKILL");
  assert.ok(await until(async () => !(await answers())), "it serves on");
});
