import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { builtCommand, openHome, start } from "./support.ts";

const key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

/** Command lines whose last words name a pipe, and what the refusal names. */
const lines: Readonly<Record<string, string>> = {
  "backup restore saved": "saved/manifest.json",
  "bundle verify pipe": "pipe",
  "bundle verify plain --key pipe": "pipe",
  [`bundle verify plain --key ${key}`]: "plain.minisig",
  "bundle install unpacked --to there": "unpacked/bundle.json",
  "search --batch pipe": "pipe",
  "ask --batch /dev/zero": "/dev/zero",
  "search --batch saved": "saved",
  "eval pipe": "pipe",
  "registry import pipe": "pipe",
  "registry diff /dev/zero": "/dev/zero",
  "models import bge-small-en-v1.5-int8 weights": "weights/model.onnx",
  "serve --port 0 --tls-cert pipe --tls-key pipe": "pipe",
};

describe("a pipe, a device or a folder in the place of a file", {
  skip: process.platform === "win32" && "there are no such files",
}, () => {
  it("is named at once and not waited for, by every command that reads a file", async () => {
    await using home = await openHome("", []);
    for (const folder of ["saved", "unpacked", "weights"]) mkdirSync(join(home.base, folder));
    const pipes = [
      "pipe",
      "plain.minisig",
      "saved/manifest.json",
      "unpacked/bundle.json",
      "weights/model.onnx",
    ];
    execFileSync("mkfifo", pipes, { cwd: home.base });
    writeFileSync(join(home.base, "plain"), "x");
    for (const [line, named] of Object.entries(lines)) {
      const words = [...builtCommand, ...line.split(" ")];
      const { child, ended } = start(home.path, home.base, words);
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      const { status, signal, stderr } = await ended;
      clearTimeout(late);
      assert.equal(signal, null, `${line} waits: ${stderr}`);
      assert.notEqual(status, 0, line);
      if (/^(?:search|ask|eval|registry)\b/.test(line)) assert.equal(status, 2, line);
      assert.match(stderr, /^error \w+: .*(?:is not a (?:regular )?file)/m, line);
      assert.ok(stderr.includes(named), `${line}: ${stderr}`);
      assert.match(stderr, /\n {2}→ \S/, `${line}: ${stderr}`);
    }
    assert.deepEqual(
      readdirSync(home.path).filter((name) => name.startsWith("restore-")),
      [],
    );
  });
});
