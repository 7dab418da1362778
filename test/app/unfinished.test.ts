import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openWorld, type World } from "./world.ts";

/** A process that is in the middle of a run, and its end by `kill -9`. */
async function stuck(context: TestContext, world: World, what: "ingest" | "ask", subject: string) {
  const { place } = world.registry;
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "unfinished-child.ts"), place, what, subject],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  context.after(() => child.kill("SIGKILL"));
  const [home] = await once(child.stdout, "data");
  context.after(() => rmSync(String(home).trim(), { recursive: true, force: true }));
  return async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
}

/** The path of a note outside every home. */
function note(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-notes-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "valves.md");
  writeFileSync(path, "# Valves\n\nValve 7 is closed.\n");
  return path;
}

for (const what of ["ingest", "ask"] as const)
  test(`a run of ${what} stands from its start, and as interrupted once its process was killed`, async (context) => {
    const world = await openWorld(context);
    const { app } = world.core;
    const owner = world.run("owner");
    const question = "Which valve is closed at night?";
    const kill = await stuck(context, world, what, what === "ingest" ? note(context) : question);
    const [running] = await app.runRecords(9, owner);
    assert.deepEqual([running?.id, running?.kind, running?.state], [`stuck-${what}`, what, "running"]);
    assert.ok((running?.durationMs ?? 0) > 0, "it says how long it runs by now");
    await kill();
    const [interrupted] = await app.runRecords(9, owner);
    assert.deepEqual([interrupted?.state, interrupted?.error], ["interrupted", null]);
    const subject = what === "ask" ? question : "general_knowledge";
    assert.equal(interrupted?.summary, `interrupted: ${subject}`);
    assert.deepEqual(await app.runRecord(`stuck-${what}`, owner), interrupted);
  });

test("a question is answered where the disk has no room for its history, which is said once", async (context) => {
  const world = await openWorld(context);
  const warnings: string[] = [];
  const log = { event: () => undefined, warn: (message: string) => void warnings.push(message) };
  // No page is free, and none may be added.
  await world.registry.statement("VACUUM").run();
  await world.registry.statement("PRAGMA max_page_count = 1").get();
  const query = `Which valve is closed ${"at night ".repeat(700)}?`;
  const events = await Array.fromAsync(
    world.core.app.ask({ query, topK: 3, collections: [] }, { ...world.run("owner"), log }),
  );
  assert.equal(events.at(-1)?.type, "answer-end");
  assert.deepEqual(await world.core.app.runRecords(9, world.run("owner")), []);
  const ofHistory = warnings.filter((warning) => warning.includes("history"));
  assert.match(ofHistory.join("|"), /^this question was not saved in the history: the disk is full[^|]*$/);
});

test("a run that was turned away after its start leaves no row, one that ends has its end", async (context) => {
  const world = await openWorld(context);
  const { app } = world.core;
  const owner = world.run("owner");
  await assert.rejects(Array.fromAsync(app.ask({ query: "?!", topK: 3, collections: [] }, owner)));
  assert.deepEqual(await app.runRecords(9, owner), []);
  const request = { collection: "general_knowledge", instance: "public", department: "" } as const;
  await Array.fromAsync(app.ingest({ paths: [note(context)], ...request }, owner));
  const [ended] = await app.runRecords(9, owner);
  assert.deepEqual(
    [ended?.state, ended?.summary],
    ["completed", "general_knowledge: 1 added, 1 chunk, 8 tokens"],
  );
});
