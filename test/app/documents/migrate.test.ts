import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { migrateCollection } from "../../../src/app/documents/migrate.ts";
import type { EmbeddedRows, Instance, VectorStore } from "../../../src/core/retrieval.ts";
import { createSourceRepository } from "../../../src/registry/documents/folders.ts";
import { createJobRepository } from "../../../src/registry/history/jobs.ts";
import type { MigrateReport } from "../../../src/shapes/registry.ts";
import { jobMessage } from "../../contracts/queue.ts";
import { chunkOf } from "../../helpers/chunk.ts";
import { memoryStore, openWorld } from "../world.ts";

const collection = "general_knowledge";
const facts = { title: "T", pages: 1, chunks: 1, tokens: 3 };

/** A store in memory that can be copied; vectors are all alike. */
function copiedStore(store: ReturnType<typeof memoryStore>): VectorStore & EmbeddedRows {
  const chunks = (name: string) => store.held.get(name) ?? [];
  return {
    ...store,
    ids: async (name) => chunks(name).map(({ id }) => id),
    rows: async (name, ids) =>
      chunks(name)
        .filter(({ id }) => ids.includes(id))
        .map((chunk) => ({ chunk, embedding: { dense: new Float32Array([1, 0]) } })),
  };
}

/** A world whose public instance holds one collection, and an empty private one. */
async function openCopies(context: Pick<TestContext, "after">) {
  const world = await openWorld(context);
  const stores = {
    public: memoryStore("public", { leaky: false }),
    private: memoryStore("private", { leaky: false }),
  };
  const { name, dimensions, lexical, fingerprint } = await world.core.collections.get(collection);
  await stores.public.ensure({ name, dimensions, lexical, fingerprint });
  for (const document of await world.core.documents.latest([collection]))
    await stores.public.write(name, [embedded(document.versionId)]);
  const copies = { public: copiedStore(stores.public), private: copiedStore(stores.private) };
  const move = async (to: Instance): Promise<MigrateReport> => {
    const open = async (instance: Instance) => copies[instance];
    for await (const event of migrateCollection(
      { collection, instance: to },
      world.core,
      open,
      world.run("owner"),
    ))
      if (event.type === "migrate-end") return event.report;
    throw new Error("a migration ends with a report");
  };
  return { ...world, stores, copies, move };
}

const embedded = (versionId: string) => ({
  chunk: chunkOf({ id: `${versionId}-0`, versionId, collection }),
  embedding: { dense: new Float32Array([1, 0]) },
});

const file = (name: string) => ({
  path: `/documents/${name}`,
  name,
  format: "text" as const,
  sizeBytes: 9,
  sha256: "e".repeat(64),
});

test("a document that becomes visible after the chunks were compared is copied before the collection moves", async (context) => {
  const { core, stores, copies, move } = await openCopies(context);
  let late = "";
  const { rows } = copies.private;
  // The last thing that a migration reads before it moves the collection.
  copies.private.rows = async (name, ids) => {
    if (late === "") {
      const begun = await core.documents.begin(
        file("late.md"),
        { collection, instance: "public", department: "" },
        "fake:1",
      );
      late = begun.versionId;
      await stores.public.write(collection, [embedded(late)]);
      await core.documents.ready(late, facts);
    }
    return rows(name, ids);
  };
  const report = await move("private");
  assert.ok((await copies.private.ids(collection)).includes(`${late}-0`));
  assert.deepEqual([report.chunks, report.copied], [2, 2]);
  assert.equal((await core.collections.get(collection)).instance, "private");
});

test("chunks that only an earlier copy holds are removed, those of documents that are known stay", async (context) => {
  const { core, stores, copies, move } = await openCopies(context);
  const begun = await core.documents.begin(
    file("new.md"),
    { collection, instance: "public", department: "" },
    "fake:1",
  );
  const gone = "f".repeat(20);
  await stores.private.write(collection, [embedded(gone), embedded(begun.versionId)]);
  const report = await move("private");
  assert.equal(report.removed, 1);
  const ids = await copies.private.ids(collection);
  assert.ok(!ids.includes(`${gone}-0`) && ids.includes(`${begun.versionId}-0`), ids.join());
});

test("a migration leaves a run that counts what it copied, also where it fails", async (context) => {
  const { core, copies, move, run } = await openCopies(context);
  const logged = async () =>
    (await core.app.runRecords(9, run("owner"))).map(
      ({ kind, state, summary }) => `${kind} ${state} ${summary}`,
    );
  const { write } = copies.private;
  copies.private.write = async () => {
    throw new Error("no answer");
  };
  await assert.rejects(move("public"), { code: "USAGE_INVALID" });
  assert.deepEqual(await logged(), [], "what is refused leaves none");
  await assert.rejects(move("private"), /no answer/);
  assert.deepEqual(await logged(), [`ingest failed failed: ${collection}`]);
  copies.private.write = write;
  await move("private");
  assert.deepEqual(await logged(), [`ingest completed ${collection}: 1 chunk, 1 copied, 1 compared`]);
});

test("documents, folders and waiting jobs follow a collection to the other instance", async (context) => {
  const { core, registry, move } = await openCopies(context);
  const folder = {
    folder: "/documents",
    collection,
    department: "",
    address: "",
    depth: 0,
    include: [],
    exclude: [],
  };
  await createSourceRepository(registry).put({ ...folder, instance: "public" });
  const jobs = createJobRepository(registry);
  await jobs.push([{ ...jobMessage("/documents/a.md"), targetCollection: collection, instance: "public" }]);
  await move("private");
  assert.deepEqual(
    (await core.documents.latest([collection])).map(({ instance }) => instance),
    ["private"],
  );
  assert.deepEqual(
    (await createSourceRepository(registry).list()).map(({ instance }) => instance),
    ["private"],
  );
  assert.deepEqual(
    (await jobs.list()).map(({ instance }) => instance),
    ["private"],
  );
});

test("an ingest that wrote to the old instance of a collection is refused after the move", async (context) => {
  const { core, move } = await openCopies(context);
  const place = { collection, instance: "public", department: "" } as const;
  const begun = await core.documents.begin(file("pinned.md"), place, "fake:1");
  await move("private");
  const written = { instance: "public", storeName: collection } as const;
  await assert.rejects(() => core.documents.ready(begun.versionId, facts, written), {
    code: "REGISTRY_BUSY",
    message: `collection ${collection} moved to the private instance while this run wrote to the public one`,
  });
  assert.equal(await core.documents.find(collection, "/documents/pinned.md"), undefined);
});

test("a collection that is being embedded anew does not move", async (context) => {
  const { core, move } = await openCopies(context);
  await core.shadows.begin(await core.collections.get(collection), {
    fingerprint: "fake:2",
    embedder: "other",
    dimensions: 2,
    lexical: "bm25",
    scope: "latest",
  });
  await assert.rejects(move("private"), { code: "REGISTRY_BUSY" });
  assert.equal((await core.collections.get(collection)).instance, "public");
});
