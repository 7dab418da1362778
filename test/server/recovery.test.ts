import assert from "node:assert/strict";
import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ownerOf } from "../../src/lock/lock.ts";
import { waitForEnd } from "../../src/lock/process.ts";
import { createJobRepository } from "../../src/registry/history/jobs.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { hostFiles } from "../../src/resident/address.ts";
import { type Home, openHome, record, records, skipChain, until as untilSoon } from "../cli/support.ts";
import { startServing } from "./serving.ts";

const notes = { "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n" };

/** Far more than anything takes, for a machine that is busy. */
const until = (condition: Parameters<typeof untilSoon>[0]) => untilSoon(condition, 300_000);

/** Ends the resident process as the kernel does where memory is short. */
async function killResident(home: Home): Promise<void> {
  const owner = await ownerOf(hostFiles(home.path).folder);
  assert.ok(owner !== undefined);
  process.kill(owner.pid, "SIGKILL");
  await waitForEnd(owner, 10_000);
}

/** A home with a document, and a server over it that lets everybody in. */
async function openServed(context: TestContext, settings = "") {
  const home = await openHome(settings);
  context.after(() => home[Symbol.asyncDispose]());
  await home.json(["ingest", await home.folder("notes", notes), "-c", "notes"]);
  const { child, ended, link } = await startServing(home, ["--no-auth"]);
  context.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const call = async (path: string, init: RequestInit = {}) => {
    // A connection that is kept may be closed as it is used again.
    const headers = { ...init.headers, connection: "close" };
    const response = await fetch(new URL(path, link), { ...init, headers });
    return { status: response.status, body: record(await response.json()) };
  };
  const search = (query: string) =>
    call("/v1/search", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, collections: ["notes"] }),
    });
  const upload = async (name: string, text: string): Promise<string> => {
    const body = new FormData();
    body.append("file", new Blob([text]), name);
    const sent = await call("/v1/documents?collection=notes", { method: "POST", body });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    return String(sent.body["job_id"]);
  };
  const job = async (id: string) => (await call(`/v1/jobs/${id}`)).body;
  return { home, call, search, upload, job };
}

/** Puts a server of the store in place that ends at once; the value brings the real one back. */
async function breakStore(home: Home): Promise<() => Promise<void>> {
  const program = join(home.path, "models", "milvus-lite-2.5.1");
  const away = join(home.base, "away");
  await rename(program, away);
  await mkdir(join(program, "lib"), { recursive: true });
  const broken = join(program, "lib", "milvus");
  await writeFile(broken, "#!/bin/sh\nexit 1\n");
  await chmod(broken, 0o755);
  return async () => {
    await rename(program, join(home.base, "broken"));
    await rename(away, program);
  };
}

describe("a server whose resident process was killed", { skip: skipChain }, () => {
  it("answers the next search, is ready, and takes uploads", async (context) => {
    const { home, call, search, upload, job } = await openServed(context);
    assert.equal((await search("crane")).status, 200);
    await killResident(home);
    const found = await search("crane");
    assert.equal(found.status, 200, JSON.stringify(found.body));
    assert.equal(records(found.body["hits"]).length, 1);
    assert.deepEqual(await call("/ready"), { status: 200, body: { status: "ready" } });
    await killResident(home);
    const id = await upload("lift.md", "# Lift\n\nThe lift carries two people.\n");
    assert.ok(await until(async () => (await job(id))["state"] === "done"), JSON.stringify(await job(id)));
    assert.equal((await job(id))["attempts"], 1);
    assert.equal(records((await search("lift")).body["hits"]).length, 2);
  });

  it("says while no other can start what it waits for, keeps uploads, and goes on by itself", async (context) => {
    const settings = "queue:\n  maxAttempts: 1\n  backOffMs: 100\n";
    const { home, call, search, upload, job } = await openServed(context, settings);
    assert.equal((await search("crane")).status, 200);
    const mend = await breakStore(home);
    await killResident(home);
    // The server that it had started ends a moment after it.
    assert.ok(await until(async () => (await search("crane")).status === 503));
    assert.ok(await until(async () => (await call("/ready")).status === 503));
    assert.deepEqual((await call("/ready")).body, { status: "waiting", waiting_for: ["public store"] });
    const id = await upload("lift.md", "# Lift\n\nThe lift carries two people.\n");
    assert.ok(await until(async () => (await job(id))["error"] !== null));
    assert.notEqual((await job(id))["state"], "dead");
    await mend();
    assert.ok(await until(async () => (await job(id))["state"] === "done"), JSON.stringify(await job(id)));
    assert.ok(await until(async () => (await call("/ready")).status === 200));
    assert.equal(records((await search("lift")).body["hits"]).length, 2);
  });
});

describe("a worker whose resident process was killed", { skip: skipChain }, () => {
  it("goes on with the queue", async (context) => {
    const home = await openHome();
    context.after(() => home[Symbol.asyncDispose]());
    const folder = await home.folder("notes", notes);
    await home.json(["ingest", folder, "-c", "notes"]);
    const { child, ended } = home.start(["worker"]);
    context.after(async () => {
      child.kill("SIGTERM");
      await ended;
    });
    const lift = async (name: string): Promise<void> => {
      await writeFile(join(folder, `${name}.md`), `# Lift\n\nThe ${name} lift carries four people.\n`);
      await home.json(["ingest", join(folder, `${name}.md`), "-c", "notes", "--background"]);
    };
    const registry = await openRegistry(join(home.path, "registry.sqlite"));
    context.after(() => registry.close());
    const jobs = () => createJobRepository(registry).list();
    const areDone = async () => (await jobs()).every(({ state }) => state === "done");
    await lift("north");
    assert.ok(await until(areDone), JSON.stringify(await jobs()));
    await killResident(home);
    await lift("south");
    assert.ok(await until(areDone), JSON.stringify(await jobs()));
    assert.deepEqual(
      (await jobs()).map(({ attempts }) => attempts),
      [1, 1],
    );
  });
});
