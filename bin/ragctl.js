#!/usr/bin/env node
// Launcher: lets the resident process of the home run the command, or runs it in a child process that it
// watches over.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const command = fileURLToPath(new URL("command.js", import.meta.url));
const ownNode = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
const node = major > 22 || (major === 22 && minor >= 15) ? process.execPath : ownNode;
const argv = process.argv.slice(2);

// npx passes no signal on when it is killed: what it started would go on for ever, as a server does.
if (process.env.npm_command === "exec") {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}

if (!existsSync(main)) {
  process.stderr.write("ragctl is not built yet; run `npm ci` (or `npm run build`) in its folder first\n");
  process.exitCode = 1;
} else if (!existsSync(node)) {
  process.stderr.write(
    `ragctl needs Node 22.15 or newer, and this is ${process.version}\n  → install it, or run: npm install --global node@24, and try again\n`,
  );
  process.exitCode = 1;
} else if (node === process.execPath && argv.some((word) => ["--help", "-h", "--version"].includes(word))) {
  // Help computes nothing that could run away: no second process is started for it.
  await import("./command.js");
} else {
  const [{ attachToResident }, { inferCommand }] = await Promise.all([
    import("../dist/resident/attach.js"),
    import("../dist/resident/command-line.js"),
  ]);
  const line = inferCommand(argv);
  if (!(await attachToResident(line, node))) {
    const { runChild } = await import("../dist/resident/child.js");
    runChild(node, command, line);
  }
}
