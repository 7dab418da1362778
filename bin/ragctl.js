#!/usr/bin/env node
// Launcher: a Node that is too old hands over to the one installed beside us, then dist/main.js does the rest.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const main = new URL("../dist/main.js", import.meta.url);
const ownNode = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));

if (!existsSync(main)) {
  process.stderr.write("ragctl is not built yet; run `npm ci` (or `npm run build`) in its folder first\n");
  process.exitCode = 1;
} else if (major > 22 || (major === 22 && minor >= 13)) {
  module.enableCompileCache?.();
  await import(main.href);
} else if (existsSync(ownNode)) {
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
} else {
  process.stderr.write(`ragctl needs Node 22.13 or newer; this is ${process.version}\n`);
  process.exitCode = 1;
}
