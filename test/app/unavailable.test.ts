import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deleteOrphanedChunks } from "../../src/app/documents/documents.ts";
import { RagctlError } from "../../src/core/errors.ts";
import { type Instance, matchAllFilter, type VectorStore } from "../../src/core/retrieval.ts";
import { openCore, openWorld, said, secretOf } from "./world.ts";

const request = (collections: readonly string[] = []) => ({
  query: "secret",
  topK: 20,
  collections,
  mode: "hybrid" as const,
});

/** Collections that the stores do not have, and instances that cannot be reached. */
interface Faults {
  readonly missing?: readonly string[];
  readonly down?: readonly Instance[];
}

async function openFaulty(context: Parameters<typeof openWorld>[0], { missing = [], down = [] }: Faults) {
  const world = await openWorld(context);
  const there = (name: string): void => {
    if (missing.includes(name))
      throw new RagctlError("NOT_FOUND", `store "public" has no collection "${name}"`);
  };
  const store = async (instance: Instance): Promise<VectorStore> => {
    if (down.includes(instance))
      throw new RagctlError("STORE_UNAVAILABLE", `the ${instance} store is down`, { hint: "start it" });
    const found = await world.parts.store(instance);
    return {
      ...found,
      async search(name, query, signal) {
        there(name);
        return found.search(name, query, signal);
      },
      async *list(name, filter) {
        there(name);
        yield* await found.list(name, filter);
      },
    };
  };
  return { ...world, core: openCore({ ...world.parts, store }) };
}

test("a collection whose vectors are missing is named in the result, and the others answer", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const { hits, unavailable } = await core.app.search(request(), run("owner"));
  const found = new Set(hits.map(({ chunk }) => chunk.collection));
  assert.deepEqual(
    [found.has("general_knowledge"), found.has("finance_private_docs"), found.has("hr_private_docs")],
    [true, true, false],
  );
  assert.deepEqual(
    unavailable.map(({ collection, code, hint }) => [collection, code, hint]),
    [
      [
        "hr_private_docs",
        "STORE_UNAVAILABLE",
        "rebuild them from the documents: ragctl reembed --collection hr_private_docs",
      ],
    ],
  );
});

test("an instance that is down costs its own collections only", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["private"] });
  const { hits, unavailable } = await core.app.search(request(), run("owner"));
  assert.ok(hits.length > 0);
  assert.deepEqual(
    unavailable.map(({ collection }) => collection),
    ["engineering_private_docs", "finance_private_docs", "hr_private_docs"],
  );
  assert.equal(unavailable[0]?.hint, "start it");
});

test("when no searched collection can answer it is an error with the way out", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["private"], missing: ["general_knowledge"] });
  const one = await said(() => core.app.search(request(["general_knowledge"]), run("owner")));
  assert.equal(one.code, "STORE_UNAVAILABLE");
  assert.match(one.text, /general_knowledge.*ragctl reembed --collection general_knowledge/);
  const down = await said(() =>
    core.app.search(request(["hr_private_docs", "finance_private_docs"]), run("owner")),
  );
  assert.deepEqual(down, { code: "STORE_UNAVAILABLE", text: "the private store is down → start it" });
  const both = await said(() =>
    core.app.search(request(["hr_private_docs", "general_knowledge"]), run("owner")),
  );
  assert.match(
    both.text,
    /none of the 2 collections can be searched: .*general_knowledge.*the private store is down/,
  );
});

test("an answer names the collections that could not be searched", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const events = await Array.fromAsync(
    core.app.ask(
      { query: `What is the ${secretOf("general_knowledge")} of part 1?`, topK: 5, collections: [] },
      run("owner"),
    ),
  );
  const end = events.at(-1);
  assert.ok(end?.type === "answer-end");
  assert.deepEqual(
    end.answer.unavailable.map(({ collection }) => collection),
    ["hr_private_docs"],
  );
});

test("a search that fails costs what it would have found, where another tool has a result", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["public", "private"] });
  const ask = async (query: string) => {
    const events = await Array.fromAsync(core.app.ask({ query, topK: 5, collections: [] }, run("owner")));
    const end = events.at(-1);
    assert.ok(end?.type === "answer-end");
    return end.answer;
  };
  const secret = `What is the ${secretOf("general_knowledge")} of part 1?`;
  const { response, unavailable, tools } = await ask(`What is 6 * 7? ${secret}`);
  assert.match(response, /\b42\b/);
  assert.deepEqual(
    tools.map(({ call, status }) => [call.type, status]),
    [["calculator", "ok"]],
  );
  assert.deepEqual(unavailable.map(({ collection, code, hint }) => [collection, code, hint])[0], [
    "company_policies",
    "STORE_UNAVAILABLE",
    "start it",
  ]);
  assert.equal((await said(() => ask(secret))).code, "STORE_UNAVAILABLE");
});

test("a collection that may not be read is not named, whatever became of its vectors", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  await core.principals.add({ name: "guest", kind: "person", departments: [] });
  const { unavailable } = await core.app.search(request(), run("guest"));
  assert.deepEqual(unavailable, []);
});

test("a collection without documents is not asked: a first ingest that failed once left some without a store", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["never_made"] });
  const row = {
    name: "never_made",
    dimensions: 2,
    lexical: "bm25",
    fingerprint: "fake:1",
    instance: "public",
    embedder: "fake",
  } as const;
  await core.collections.ensure(row);
  assert.deepEqual((await core.app.search(request(), run("owner"))).unavailable, []);
  assert.deepEqual((await core.app.search(request(["never_made"]), run("owner"))).hits, []);
});

test("a document whose vectors are missing says so, and how they are made again", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const shown = await said(() => core.app.show(`${secretOf("hr_private_docs")}.md`, run("owner")));
  assert.equal(shown.code, "STORE_UNAVAILABLE");
  assert.match(shown.text, /ragctl reembed --collection hr_private_docs/);
});

test("a chat goes on without the store of its messages, and says what that costs", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["private"] });
  const warnings: string[] = [];
  const owner = {
    ...run("owner"),
    log: { event: () => undefined, warn: (message: string) => void warnings.push(message) },
  };
  const chat = await core.app.chat();
  await chat.open("lobby", "public", owner);
  const text = `What is the ${secretOf("general_knowledge")} of part 1?`;
  const events = await Array.fromAsync(
    chat.say({ room: "lobby", text, decide: false, topK: 3, collections: [] }, owner),
  );
  const end = events.at(-1);
  assert.ok(end?.type === "answer-end" && end.answer.context.passages.length > 0);
  assert.match(
    warnings.join("\n"),
    /the message is stored, but later searches will not find it: the private store is down \(start it\)/,
  );
  assert.match(warnings.join("\n"), /earlier messages were not searched/);
  assert.equal((await chat.history("lobby", 10, owner)).length, 2);
  assert.equal((await said(() => chat.remove("lobby", owner))).code, "STORE_UNAVAILABLE");
});

test("duplicates are looked for in the collections that can be read", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const warnings: string[] = [];
  const owner = {
    ...run("owner"),
    log: { event: () => undefined, warn: (message: string) => void warnings.push(message) },
  };
  await core.app.background.duplicates([], 0.8, owner);
  assert.match(warnings.join("\n"), /^the texts of hr_private_docs were not compared/);
});

/** Two documents on disk, ingested into a collection of their own. */
async function openIngested(context: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(context);
  const folder = mkdtempSync(join(tmpdir(), "ragctl-lost-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["one", "two"])
    writeFileSync(join(folder, `${name}.md`), `# Note ${name}\n\nThe ${name} lamp is green.\n`);
  const run = world.run("owner");
  const ingest = async () => {
    const events = await Array.fromAsync(
      world.core.app.ingest(
        { paths: [folder], collection: "lamps", instance: "public", department: "" },
        run,
      ),
    );
    const end = events.at(-1);
    assert.ok(end?.type === "ingest-end");
    return end.report.counts;
  };
  const store = await world.parts.store("public");
  const held = () => store.count("lamps", matchAllFilter);
  const before = await ingest();
  return {
    ...world,
    folder,
    ingest,
    store,
    held,
    before,
    owner: run,
    step: world.core.app.background,
  };
}

test("a collection comes to be with its store or not at all", async (context) => {
  const { core, parts, run } = await openWorld(context);
  const store = async (instance: Instance): Promise<VectorStore> => ({
    ...(await parts.store(instance)),
    ensure: async () => {
      throw new RagctlError("STORE_UNAVAILABLE", "the server is down");
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "ragctl-lost-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "a.md"), "# A\n\nText.\n");
  const faulty = openCore({ ...parts, store });
  const ingest = Array.fromAsync(
    faulty.app.ingest(
      { paths: [folder], collection: "fresh", instance: "public", department: "" },
      run("owner"),
    ),
  );
  assert.equal((await said(() => ingest)).code, "STORE_UNAVAILABLE");
  assert.equal(await core.collections.find("fresh"), undefined);
});

test("an ingest of unchanged files makes vectors again that the store lost, under the same ids", async (context) => {
  const { ingest, store, held, before, core } = await openIngested(context);
  const ids = (await core.documents.latest(["lamps"])).map(({ versionId }) => versionId);
  assert.equal(await held(), before.chunks);
  await store.delete("lamps", { field: "versionId", in: ids.slice(0, 1) });
  assert.deepEqual(await ingest().then(({ updated, unchanged }) => [updated, unchanged]), [1, 1]);
  assert.equal(await held(), before.chunks);
  await store.drop("lamps");
  assert.deepEqual(await ingest().then(({ updated, unchanged }) => [updated, unchanged]), [2, 0]);
  assert.equal(await held(), before.chunks);
  assert.deepEqual(
    (await core.documents.latest(["lamps"])).map(({ versionId, version }) => [versionId, version]),
    ids.map((id) => [id, 1]),
  );
  assert.deepEqual(await ingest().then(({ updated, unchanged }) => [updated, unchanged]), [0, 2]);
});

test("sync takes files again whose vectors the store lost", async (context) => {
  const { folder, store, held, before, step, owner } = await openIngested(context);
  const sync = async () => {
    const end = (await Array.fromAsync(step.sync({ folder, collection: "lamps" }, owner))).at(-1);
    assert.ok(end?.type === "sync-end");
    return [end.report.counts.updated, end.report.counts.unchanged];
  };
  await sync();
  await store.drop("lamps");
  assert.deepEqual(await sync(), [2, 0]);
  assert.equal(await held(), before.chunks);
  assert.deepEqual(await sync(), [0, 2]);
});

test("reembed makes lost vectors again from the documents, and names those whose files are gone", async (context) => {
  const { folder, store, held, before, step, owner } = await openIngested(context);
  const reembed = async () => (await Array.fromAsync(step.reembed({ collection: "lamps" }, owner))).at(-1);
  await store.drop("lamps");
  const end = await reembed();
  assert.ok(end?.type === "reembed-end");
  assert.deepEqual(
    [end.report.contents, end.report.chunks, end.report.to.store],
    [2, before.chunks, "lamps"],
  );
  assert.equal(await held(), before.chunks);
  await store.drop("lamps");
  rmSync(join(folder, "two.md"));
  const lost = await said(reembed);
  assert.equal(lost.code, "SOME_DOCUMENTS_FAILED");
  assert.match(lost.text, /two\.md \(SOURCE_MISSING\).*ragctl forget/);
  assert.ok((await held()) > 0, "the other document is there again");
});

test("a document is forgotten though a full disk keeps its vectors, which go later", async (context) => {
  const world = await openWorld(context);
  const disk = { isFull: true };
  const removed: string[] = [];
  const store = async (instance: Instance): Promise<VectorStore> => {
    const found = await world.parts.store(instance);
    return {
      ...found,
      async delete(name, filter) {
        if (disk.isFull) throw new RagctlError("DISK_FULL", "the disk is full", { hint: "free some space" });
        removed.push(JSON.stringify(filter));
        return found.delete(name, filter);
      },
    };
  };
  const core = openCore({ ...world.parts, store });
  const { app } = core;
  const owner = world.run("owner");
  const [first] = await app.documents(["general_knowledge"], owner);
  assert.ok(first);
  const { code, text } = await said(() => app.forget([first.id], owner));
  assert.equal(code, "DISK_FULL");
  assert.match(text, /^the document was removed, but its vectors could not be deleted: the disk is full/);
  assert.match(text, /the next ingest into "general_knowledge" or the next forget deletes them/);
  assert.ok(!(await app.documents(["general_knowledge"], owner)).some(({ id }) => id === first.id));
  disk.isFull = false;
  await deleteOrphanedChunks("general_knowledge", core);
  assert.match(removed.join(), /versionId/);
  assert.deepEqual(await core.documents.stale("general_knowledge"), []);
});
