import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { tablesOf } from "../../../../src/app/ask/sheets.ts";
import { openCore, openWorld } from "../../world.ts";

const collection = "plant";
const files = {
  "pumps.csv": "Tag,Bar\nP1,2.5\nP2,4\n",
  "staff.json": '[{"name":"Ada","room":4},{"name":"Bo","room":12}]',
  "note.md":
    "# Rooms\n\n| Room | Seats |\n|---|---|\n| A | 4 |\n| B | 6 |\n\nA layout, no table:\n\n| K | V |\n|---|---|\n| only | one |\n",
};

async function openPlant(context: TestContext) {
  const { parts, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-kept-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const core = openCore(parts);
  const ingest = async () => {
    const request = { paths: [folder], collection, instance: "public", department: "" } as const;
    const given = { ...run("owner"), id: crypto.randomUUID() };
    const end = (await Array.fromAsync(core.app.ingest(request, given))).at(-1);
    assert.ok(end?.type === "ingest-end");
    return end.report.files.map(({ name, state }) => `${name} ${state}`).sort();
  };
  const ids = async () => (await core.documents.latest([collection])).map(({ versionId }) => versionId);
  const asked = async (cache = parts.cache) => {
    const home = { settings: parts.settings, cache, documents: core.documents };
    const tables = await Array.fromAsync(
      tablesOf(await core.documents.latest([collection]), home, run("owner")),
    );
    return Object.fromEntries(tables.map(({ sourceName, rows }) => [sourceName, rows.at(-1)]));
  };
  return { parts, core, folder, ingest, ids, asked };
}

const all = { "pumps.csv": ["P2", "4"], "staff.json": ["Bo", "12"], "note.md": ["B", "6"] };

test("tables are asked without their files and without the cache of parsed documents", async (context) => {
  const { folder, ingest, asked, parts } = await openPlant(context);
  await ingest();
  await rm(folder, { recursive: true });
  const cache = await parts.cache();
  const documents = { get: async () => assert.fail(), put: async () => assert.fail() };
  assert.deepEqual(await asked(async () => ({ ...cache, documents })), all);
});

test("a document from before tables were kept is read from its file until it is ingested again, under the same ids", async (context) => {
  const { parts, core, ingest, ids, asked, folder } = await openPlant(context);
  await ingest();
  const before = await ids();
  await parts.registry.statement("DELETE FROM document_tables").run();
  assert.deepEqual(await asked(), all);
  assert.equal((await core.documents.withoutTables(before)).size, 3);
  await ingest();
  assert.deepEqual(await ids(), before);
  assert.equal((await core.documents.withoutTables(before)).size, 0);
  assert.deepEqual(await ingest(), ["note.md unchanged", "pumps.csv unchanged", "staff.json unchanged"]);
  await rm(folder, { recursive: true });
  assert.deepEqual(await asked(), all);
});
