import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { VectorStore } from "../../../src/core/retrieval.ts";
import { openCore, openWorld } from "../world.ts";

const collection = "lamps";

type Write = VectorStore["write"];

/** One home whose store is written to as `write` says, and ingests of two files with one content. */
async function openHomeWith(context: TestContext, write: (original: Write) => Write) {
  const { parts, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-beside-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["a.md", "copy.md"]) await writeFile(join(folder, name), "# Lamps\n\nThey burn.\n");
  const store = await parts.store("public");
  const held: typeof store = { ...store, write: write(store.write) };
  const core = openCore({ ...parts, store: async () => held });
  const ingest = async (name: string) => {
    const request = { paths: [join(folder, name)], collection, instance: "public", department: "" } as const;
    const events = await Array.fromAsync(
      core.app.ingest(request, { ...run("owner"), id: crypto.randomUUID() }),
    );
    const end = events.at(-1);
    assert.ok(end?.type === "ingest-end");
    return end.report.files.map((file) => `${file.name} ${file.state} ${file.code}`.trim());
  };
  const chunksOf = async (name: string): Promise<number> => {
    const document = (await core.app.documents([collection], run("owner"))).find(
      (each) => each.name === name,
    );
    return document === undefined ? 0 : (await core.app.show(document.id, run("owner"))).chunks.length;
  };
  return { core, ingest, chunksOf };
}

test("of two ingests of one file in one home, one that fails takes nothing from the other", async (context) => {
  const [firstWrites, secondWrites, firstEnded] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  assert.ok(firstWrites && secondWrites && firstEnded);
  let writes = 0;
  const { core, ingest, chunksOf } = await openHomeWith(context, (write) => async (...chunks) => {
    writes += 1;
    if (writes === 1) {
      firstWrites.resolve();
      await secondWrites.promise;
      throw new Error("no answer");
    }
    secondWrites.resolve();
    await firstEnded.promise;
    await write(...chunks);
  });
  const first = assert.rejects(ingest("a.md"), /no answer/).finally(firstEnded.resolve);
  await firstWrites.promise;
  const second = ingest("a.md").finally(secondWrites.resolve);
  await first;
  assert.deepEqual(await second, ["a.md added"]);
  assert.equal(await chunksOf("a.md"), 1);
  assert.deepEqual(await core.documents.stale(collection), []);
});

test("an ingest makes content that another one of its home has only begun", async (context) => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writes = 0;
  const { ingest, chunksOf } = await openHomeWith(context, (write) => async (...chunks) => {
    writes += 1;
    if (writes === 1) {
      begun.resolve();
      await ended.promise;
    }
    await write(...chunks);
  });
  const first = ingest("a.md");
  await begun.promise;
  const copied = await ingest("copy.md").finally(ended.resolve);
  assert.deepEqual(copied, ["copy.md added"]);
  assert.deepEqual(await first, ["a.md added"]);
  assert.deepEqual([await chunksOf("a.md"), await chunksOf("copy.md")], [1, 1]);
});
