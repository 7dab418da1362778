import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCollectionRepository } from "../../../src/registry/documents/collections.ts";
import { createDocumentRepository } from "../../../src/registry/documents/documents.ts";
import { createShadowRepository } from "../../../src/registry/documents/shadow-stores.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace, sourceFile } from "../support.ts";

const place = { collection: "notes", instance: "private", department: "" } as const;
const facts = { title: "T", pages: 1, chunks: 2, tokens: 30 };
const record = {
  name: "notes",
  instance: "private",
  fingerprint: "old",
  embedder: "small",
  dimensions: 384,
  lexical: "bm25",
} as const;
const wanted = {
  fingerprint: "new",
  embedder: "large",
  dimensions: 1024,
  lexical: "sparse",
  scope: "latest",
} as const;

async function open(context: TestContext) {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const collections = createCollectionRepository(database);
  const documents = createDocumentRepository(database, { keepVersions: 1 });
  await collections.ensure(record);
  const add = async (path: string, digit: string, fingerprint: string) => {
    const begun = await documents.begin(sourceFile(path, digit), place, `${fingerprint}/chunker`);
    if (begun.shared) await documents.share(begun.versionId);
    else await documents.ready(begun.versionId, facts);
    return begun;
  };
  return { collections, documents, shadows: createShadowRepository(database), add };
}

test("a store that is gone is filled from the beginning, whatever was noted of it", async (context) => {
  const { collections, shadows, add } = await open(context);
  const a = await add("/d/a", "1", "old");
  const shadow = await shadows.begin(await collections.get("notes"), wanted);
  await shadows.done(shadow, [a.contentId]);
  await shadows.emptied(shadow);
  assert.deepEqual(await shadows.missing(shadow), [a.contentId]);
  assert.equal(await shadows.swap(shadow), false);
});

test("a store is swapped in only when it holds every visible content, those of now included", async (context) => {
  const { collections, shadows, add } = await open(context);
  const [a, b] = [await add("/d/a", "1", "old"), await add("/d/b", "2", "old")];
  const shadow = await shadows.begin(await collections.get("notes"), wanted);
  assert.match(shadow.storeName, /^notes__[0-9a-f]{8}$/);
  assert.deepEqual(await shadows.missing(shadow), [a.contentId, b.contentId].sort());
  await shadows.done(shadow, [a.contentId]);
  assert.equal(await shadows.swap(shadow), false);
  assert.deepEqual(
    await shadows.begin(await collections.get("notes"), wanted),
    shadow,
    "a run that was ended goes on with the same store",
  );
  const c = await add("/d/c", "3", "old");
  await shadows.done(shadow, [b.contentId]);
  assert.deepEqual(await shadows.missing(shadow), [c.contentId]);
  assert.equal((await collections.get("notes")).storeName, "notes");
  await shadows.done(shadow, [c.contentId]);
  assert.equal(await shadows.swap(shadow), true);
  const now = await collections.get("notes");
  assert.deepEqual(
    [now.storeName, now.fingerprint, now.embedder, now.dimensions],
    [shadow.storeName, "new", "large", 1024],
  );
});

test("after the swap the same content is unchanged under the new vectors", async (context) => {
  const { collections, documents, shadows, add } = await open(context);
  const a = await add("/d/a", "1", "old");
  const shadow = await shadows.begin(await collections.get("notes"), wanted);
  await shadows.done(shadow, [a.contentId]);
  await shadows.swap(shadow);
  assert.equal((await documents.begin(sourceFile("/d/a", "1"), place, "new/chunker")).state, "unchanged");
  assert.deepEqual([...(await documents.liveVersions([a.contentId]))], [a.contentId]);
});

test("a run that wrote to the store of before cannot make its documents visible", async (context) => {
  const { collections, documents, shadows } = await open(context);
  const late = await documents.begin(sourceFile("/d/late", "1"), place, "old/chunker");
  assert.equal(await shadows.swap(await shadows.begin(await collections.get("notes"), wanted)), true);
  await assert.rejects(
    () => documents.ready(late.versionId, facts, { instance: place.instance, storeName: "notes" }),
    { code: "REGISTRY_BUSY" },
  );
});

test("a rollback brings back the store of before, with what came since still to be embedded", async (context) => {
  const { collections, shadows, add } = await open(context);
  const a = await add("/d/a", "1", "old");
  assert.equal(await shadows.beginRollback("notes"), undefined);
  const shadow = await shadows.begin(await collections.get("notes"), wanted);
  await shadows.done(shadow, [a.contentId]);
  await shadows.swap(shadow);
  const b = await add("/d/b", "2", "new");
  const back = (await shadows.beginRollback("notes")) ?? assert.fail("there is a store to go back to");
  assert.deepEqual([back.storeName, back.embedder], ["notes", "small"]);
  assert.deepEqual(await shadows.missing(back), [b.contentId]);
  assert.deepEqual(await shadows.beginRollback("notes"), back, "one that was ended goes on");
  await shadows.done(back, [b.contentId]);
  assert.equal(await shadows.swap(back), true);
  assert.equal((await collections.get("notes")).embedder, "small");
  assert.deepEqual(
    (await shadows.list("notes")).map(({ storeName, state }) => [storeName, state]),
    [[shadow.storeName, "previous"]],
  );
});

test("replaced versions come along with scope all, and are given up with scope latest", async (context) => {
  const { collections, documents, shadows, add } = await open(context);
  const old = await add("/d/a", "1", "old");
  const now = await add("/d/a", "2", "old");
  const all = await shadows.begin(await collections.get("notes"), { ...wanted, scope: "all" });
  assert.deepEqual(await shadows.missing(all), [old.contentId, now.contentId].sort());
  const latest = await shadows.begin(await collections.get("notes"), wanted);
  assert.deepEqual(
    (await shadows.list("notes")).map((each) => each.state),
    ["dropping", "building"],
  );
  await shadows.done(latest, [now.contentId]);
  await shadows.swap(latest);
  assert.equal((await documents.keptVersions([old.contentId])).size, 0);
});
