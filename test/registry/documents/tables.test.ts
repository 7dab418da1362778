import assert from "node:assert/strict";
import { test } from "node:test";
import { createDocumentRepository } from "../../../src/registry/documents/documents.ts";
import { createVersionRepository } from "../../../src/registry/documents/versions.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { slicesOf, tablesOfSlices } from "../../../src/tables/slices.ts";
import { registryPlace, sourceFile } from "../support.ts";

const place = { collection: "notes", instance: "private", department: "" } as const;
const facts = { title: "T", pages: 1, chunks: 2, tokens: 30 };
const table = (text: string) => ({ rows: [["Head"], [text]], headerRows: 1, caption: "Rooms" });

async function open(context: Parameters<typeof registryPlace>[0]) {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  return { database, documents: createDocumentRepository(database, { keepVersions: 1 }) };
}

test("tables are kept with the version that becomes visible, and found again in their order", async (context) => {
  const { documents } = await open(context);
  const { versionId, contentId } = await documents.begin(sourceFile("/d/a.csv", "1"), place, "f");
  assert.equal(await documents.tableSlices(contentId), undefined);
  const tables = Array.from({ length: 45 }, (_, at) => table(`${at}`));
  await documents.ready(versionId, { ...facts, tables: await slicesOf(tables) });
  assert.deepEqual(tablesOfSlices((await documents.tableSlices(contentId)) ?? []), tables);
  await documents.ready(versionId, { ...facts, tables: await slicesOf([table("again")]) });
  assert.deepEqual(tablesOfSlices((await documents.tableSlices(contentId)) ?? []), [table("again")]);
});

test("a content without tables is told from one whose tables were never read", async (context) => {
  const { documents } = await open(context);
  const none = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  await documents.ready(none.versionId, { ...facts, tables: [] });
  const unread = await documents.begin(sourceFile("/d/b.txt", "2"), place, "f");
  await documents.ready(unread.versionId, facts);
  assert.deepEqual(await documents.tableSlices(none.contentId), []);
  assert.equal(await documents.tableSlices(unread.contentId), undefined);
  const { contentId } = await documents.begin(sourceFile("/d/c.txt", "3"), place, "f");
  assert.deepEqual(
    [...(await documents.withoutTables([none.contentId, unread.contentId, contentId]))],
    [unread.contentId],
    "one that is being made is not missed",
  );
});

test("tables stay while a version has their content, and go with the last one", async (context) => {
  const { database, documents } = await open(context);
  const first = await documents.begin(sourceFile("/d/a.csv", "1"), place, "f");
  await documents.ready(first.versionId, { ...facts, tables: await slicesOf([table("old")]) });
  const copy = await documents.begin(sourceFile("/d/copy.csv", "1"), place, "f");
  assert.ok(copy.shared);
  await documents.share(copy.versionId);
  const second = await documents.begin(sourceFile("/d/a.csv", "2"), place, "f");
  await documents.ready(second.versionId, { ...facts, tables: await slicesOf([table("new")]) });
  assert.ok(await documents.forget(copy.documentId));
  await documents.removed(await documents.stale());
  assert.notEqual(await documents.tableSlices(first.contentId), undefined, "a replaced version has them");
  const versions = createVersionRepository(database);
  await versions.restore(await documents.get(first.documentId), 1);
  assert.deepEqual(
    tablesOfSlices((await documents.tableSlices((await documents.get(first.documentId)).versionId)) ?? []),
    [table("old")],
  );
  await documents.forget(first.documentId);
  const stale = await documents.stale();
  assert.deepEqual([...stale].sort(), [first.contentId, second.contentId].sort());
  await documents.removed(stale);
  for (const id of stale) assert.equal(await documents.tableSlices(id), undefined);
});
