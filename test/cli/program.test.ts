import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { buildProgram } from "../../src/cli/program.ts";

const none = () => Promise.reject(new Error("not started here"));
const services = { mcp: none, server: none, serveCopy: none };

test("the general help reads the same whether outlined or complete", async () => {
  const outlined = await buildProgram("0", services, undefined);
  const complete = await buildProgram("0", services, "all");
  assert.equal(outlined.helpInformation(), complete.helpInformation());
  const names = complete.commands.map((command) => command.name());
  assert.deepEqual([...names].sort(), Object.keys(commands).sort());
});

test("the command that runs is complete, and the others are outlines", async () => {
  const program = await buildProgram("0", services, "search");
  const flags = (name: string) =>
    program.commands.find((command) => command.name() === name)?.options.map(({ long }) => long);
  assert.ok(flags("search")?.includes("--top-k"));
  assert.ok(!flags("ask")?.includes("--top-k"));
});
