import assert from "node:assert/strict";
import { test } from "node:test";
import { createCollectionRepository } from "../../../src/registry/documents/collections.ts";
import { createDocumentRepository } from "../../../src/registry/documents/documents.ts";
import { createShadowRepository } from "../../../src/registry/documents/shadow-stores.ts";
import { createVersionRepository } from "../../../src/registry/documents/versions.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace, sourceFile } from "../support.ts";

const facts = { title: "T", pages: 1, chunks: 2, tokens: 30 };
const vectors = { fingerprint: "f", embedder: "small", dimensions: 2, lexical: "bm25" } as const;
const placeOf = (collection: string) => ({ collection, instance: "private", department: "" }) as const;

async function open(context: Parameters<typeof registryPlace>[0]) {
  const place = registryPlace(context);
  const database = await openRegistry(place);
  const second = await openRegistry(place);
  context.after(() => {
    database.close();
    second.close();
  });
  const collections = createCollectionRepository(database);
  for (const name of ["notes", "other"]) await collections.ensure({ name, instance: "private", ...vectors });
  const documents = createDocumentRepository(database, { keepVersions: 3 });
  const add = async (path: string, digit: string, collection = "notes") => {
    const begun = await documents.begin(sourceFile(path, digit), placeOf(collection), "f");
    await documents.ready(begun.versionId, facts);
    return begun;
  };
  return { database, second, collections, documents, add };
}

test("the documents of a collection are read once while nothing in it changes", async (context) => {
  const { documents, add } = await open(context);
  await add("/d/a", "1");
  const first = await documents.latest(["notes"]);
  await add("/d/b", "2", "other");
  await documents.begin(sourceFile("/d/c", "3"), placeOf("notes"), "f");
  assert.equal(await documents.latest(["notes"]), first);
  assert.deepEqual(
    (await documents.latest(["other", "notes", "other"])).map(({ path }) => path),
    ["/d/a", "/d/b"],
  );
});

test("every change of what a collection shows is seen, also one by another process", async (context) => {
  const { database, second, collections, documents, add } = await open(context);
  const elsewhere = createDocumentRepository(second, { keepVersions: 3 });
  const listed = createCollectionRepository(second);
  const seen = async () => {
    const documentsNow = await elsewhere.latest(["notes"]);
    const notes = (await listed.list()).find(({ name }) => name === "notes");
    assert.deepEqual([notes?.documents, notes?.chunks], [documentsNow.length, documentsNow.length * 2]);
    return paths();
  };
  const paths = async () =>
    (await elsewhere.latest(["notes"])).map(
      ({ path, version, instance, fingerprint }) => `${path} v${version} ${instance} ${fingerprint}`,
    );
  const { documentId } = await add("/d/a", "1");
  assert.deepEqual(await seen(), ["/d/a v1 private f"]);
  await add("/d/a", "2");
  assert.deepEqual(await seen(), ["/d/a v2 private f"]);
  await createVersionRepository(database).restore(await documents.get(documentId), 1);
  assert.deepEqual(await seen(), ["/d/a v3 private f"]);
  await documents.move(documentId, "/d/moved", "moved");
  assert.deepEqual(await seen(), ["/d/moved v3 private f"]);
  const shared = await documents.begin(sourceFile("/d/copy", "1"), placeOf("notes"), "f");
  await documents.share(shared.versionId);
  assert.deepEqual(await seen(), ["/d/copy v1 private f", "/d/moved v3 private f"]);
  await documents.forget(shared.documentId);
  assert.deepEqual(await seen(), ["/d/moved v3 private f"]);
  const shadows = createShadowRepository(database);
  const store = await shadows.begin(await collections.get("notes"), {
    ...vectors,
    fingerprint: "g",
    scope: "all",
  });
  await shadows.done(store, await shadows.missing(store));
  assert.equal(await shadows.swap(store), true);
  assert.deepEqual(await seen(), ["/d/moved v3 private g"]);
  const contents = await collections.wholeContents("notes");
  await collections.move({ name: "notes", storeName: store.storeName, contents }, "public");
  assert.deepEqual(await seen(), ["/d/moved v3 public g"]);
});

test("a collection that was removed and made again shows nothing of the one before", async (context) => {
  const { documents, collections, add } = await open(context);
  const { documentId } = await add("/d/a", "1");
  assert.equal((await documents.latest(["notes"])).length, 1);
  await documents.forget(documentId);
  await documents.removed(await documents.stale("notes"));
  await collections.remove("notes");
  await new Promise((resolve) => setTimeout(resolve, 5));
  await collections.ensure({ name: "notes", instance: "private", ...vectors });
  assert.deepEqual(await documents.latest(["notes"]), []);
});
