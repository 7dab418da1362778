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
  for (const name of ["notes", "other"]) collections.ensure({ name, instance: "private", ...vectors });
  const documents = createDocumentRepository(database, { keepVersions: 3 });
  const add = (path: string, digit: string, collection = "notes") => {
    const begun = documents.begin(sourceFile(path, digit), placeOf(collection), "f");
    documents.ready(begun.versionId, facts);
    return begun;
  };
  return { database, second, collections, documents, add };
}

test("the documents of a collection are read once while nothing in it changes", async (context) => {
  const { documents, add } = await open(context);
  add("/d/a", "1");
  const first = documents.latest(["notes"]);
  add("/d/b", "2", "other");
  documents.begin(sourceFile("/d/c", "3"), placeOf("notes"), "f");
  assert.equal(documents.latest(["notes"]), first);
  assert.deepEqual(
    documents.latest(["other", "notes", "other"]).map(({ path }) => path),
    ["/d/a", "/d/b"],
  );
});

test("every change of what a collection shows is seen, also one by another process", async (context) => {
  const { database, second, collections, documents, add } = await open(context);
  const elsewhere = createDocumentRepository(second, { keepVersions: 3 });
  const listed = createCollectionRepository(second);
  const seen = () => {
    const documentsNow = elsewhere.latest(["notes"]);
    const notes = listed.list().find(({ name }) => name === "notes");
    assert.deepEqual([notes?.documents, notes?.chunks], [documentsNow.length, documentsNow.length * 2]);
    return paths();
  };
  const paths = () =>
    elsewhere
      .latest(["notes"])
      .map(({ path, version, instance, fingerprint }) => `${path} v${version} ${instance} ${fingerprint}`);
  const { documentId } = add("/d/a", "1");
  assert.deepEqual(seen(), ["/d/a v1 private f"]);
  add("/d/a", "2");
  assert.deepEqual(seen(), ["/d/a v2 private f"]);
  createVersionRepository(database).restore(documents.get(documentId), 1);
  assert.deepEqual(seen(), ["/d/a v3 private f"]);
  documents.move(documentId, "/d/moved", "moved");
  assert.deepEqual(seen(), ["/d/moved v3 private f"]);
  const shared = documents.begin(sourceFile("/d/copy", "1"), placeOf("notes"), "f");
  documents.share(shared.versionId);
  assert.deepEqual(seen(), ["/d/copy v1 private f", "/d/moved v3 private f"]);
  documents.forget(shared.documentId);
  assert.deepEqual(seen(), ["/d/moved v3 private f"]);
  const shadows = createShadowRepository(database);
  const store = shadows.begin(collections.get("notes"), { ...vectors, fingerprint: "g", scope: "all" });
  shadows.done(store, shadows.missing(store));
  assert.equal(shadows.swap(store), true);
  assert.deepEqual(seen(), ["/d/moved v3 private g"]);
  const contents = collections.wholeContents("notes");
  collections.move({ name: "notes", storeName: store.storeName, contents }, "public");
  assert.deepEqual(seen(), ["/d/moved v3 public g"]);
});

test("a collection that was removed and made again shows nothing of the one before", async (context) => {
  const { documents, collections, add } = await open(context);
  const { documentId } = add("/d/a", "1");
  assert.equal(documents.latest(["notes"]).length, 1);
  documents.forget(documentId);
  documents.removed(documents.stale("notes"));
  collections.remove("notes");
  await new Promise((resolve) => setTimeout(resolve, 5));
  collections.ensure({ name: "notes", instance: "private", ...vectors });
  assert.deepEqual(documents.latest(["notes"]), []);
});
