import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Filter } from "../../../src/core/retrieval.ts";
import { openCore, openWorld } from "../world.ts";
import { type Bill, billed, countedStore, emptyBill, plansOf } from "./bill.ts";

const place = { collection: "lamps", instance: "public", department: "" } as const;

/** A queue over a world, with a folder of documents and the bill of what its jobs ask for. */
async function openQueue(context: TestContext) {
  const { parts, registry, run } = await openWorld(context);
  const bill = emptyBill();
  const store = countedStore(await parts.store("public"), bill);
  const core = openCore({ ...parts, registry: billed(registry, bill), store: async () => store });
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-job-cost-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const owner = run("owner");
  const write = async (name: string, text = `# ${name}\n\nThe lamp ${name} burns.\n`): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  /** Does a job of each path; what it was for each. */
  const work = async (paths: readonly string[]) => {
    await core.app.background.enqueue({ ...place, paths, priority: 0 }, owner);
    const bills: Omit<Bill, "statements">[] = [];
    let before = { ...bill };
    bill.statements.clear();
    for await (const event of core.app.background.work({ once: true }, owner)) {
      if (event.type !== "job-end") continue;
      assert.equal(event.job.state, "done", event.job.error?.message);
      bills.push({
        rows: bill.rows - before.rows,
        contents: bill.contents - before.contents,
        writes: bill.writes - before.writes,
      });
      before = { ...bill };
    }
    return bills;
  };
  return { core, registry, store, bill, write, work };
}

test("a job asks registry and store for no more because the collection and the queue are larger", async (context) => {
  const { write, work } = await openQueue(context);
  const paths = await Promise.all(Array.from({ length: 40 }, (_, file) => write(`lamp-${file}.md`)));
  const bills = await work(paths);
  assert.deepEqual(bills.at(-1), bills.at(2));
  // Taken, its run begun, two decisions, begun, ready, seen, recorded, done: each excludes the other workers.
  assert.equal(bills.at(-1)?.writes, 9);
  const [again] = await work(paths.slice(0, 1));
  assert.equal(again?.contents, 1, "a document that is there already is looked for, and no other");
});

/**
 * Tables that do not grow with documents and jobs; of others the rows that are hidden, and of jobs the first that
 * waits.
 */
const small =
  /^SCAN (?:CONSTANT ROW|\d+-ROW VALUES|(?:principals|permissions|collections|sources)\b|document_versions USING INDEX versions_by_state|jobs USING INDEX jobs_waiting|v$|\(subquery)/;

test("the statements of a job find their rows by an index, whatever the tables hold", async (context) => {
  const { registry, bill, write, work } = await openQueue(context);
  await work([await write("one.md"), await write("two.md")]);
  const walks = (await plansOf(registry, bill))
    // A search by the collection alone reads all of the collection.
    .filter(
      ({ detail }) => (/^SCAN/.test(detail) && !small.test(detail)) || /\(collection=\?\)$/.test(detail),
    )
    .map(({ detail, sql }) => `${detail}: ${sql}`);
  assert.deepEqual(walks, []);
});

test("a job makes the vectors again that the store lost, of its document or of another with its content", async (context) => {
  const { core, store, write, work } = await openQueue(context);
  const text = "# Lamp\n\nIt burns at night.\n";
  const first = await write("first.md", text);
  await work([first]);
  const [document] = await core.documents.latest(["lamps"]);
  const filter: Filter = { field: "versionId", in: [document?.versionId ?? ""] };
  assert.equal(await store.count("lamps", filter), document?.chunks);
  await store.delete("lamps", filter);
  await work([first]);
  assert.equal(await store.count("lamps", filter), document?.chunks);
  await store.delete("lamps", filter);
  await work([await write("second.md", text)]);
  assert.equal(await store.count("lamps", filter), document?.chunks);
  assert.equal((await core.documents.latest(["lamps"])).length, 2);
});
