import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { syncFolder } from "../../../src/app/documents/sync.ts";
import { openCore, openWorld } from "../world.ts";
import { type Bill, billed, countedStore, emptyBill, plansOf } from "./bill.ts";

const collection = "lamps";
const place = { collection, instance: "public", department: "" } as const;
type Cost = Omit<Bill, "statements">;

/** A world that counts what an ingest and a sync of folders of documents ask for. */
async function openCounting(context: TestContext) {
  const { parts, registry, run } = await openWorld(context);
  const bill = emptyBill();
  const store = countedStore(await parts.store("public"), bill);
  const core = openCore({ ...parts, registry: billed(registry, bill), store: async () => store });
  const owner = run("owner");
  const folderOf = async (size: number, textOf: (file: number) => string): Promise<string> => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-ingest-cost-")));
    context.after(() => rm(folder, { recursive: true, force: true }));
    for (let file = 0; file < size; file++) await writeFile(join(folder, `lamp-${file}.md`), textOf(file));
    return folder;
  };
  /** What `work` asked for. */
  const cost = async (work: () => AsyncIterable<unknown>): Promise<Cost> => {
    const before = { ...bill };
    await Array.fromAsync(work());
    return {
      rows: bill.rows - before.rows,
      contents: bill.contents - before.contents,
      writes: bill.writes - before.writes,
    };
  };
  return {
    registry,
    bill,
    folderOf,
    ingest: (folder: string) => cost(() => core.app.ingest({ ...place, paths: [folder] }, owner)),
    sync: (folder: string) => cost(() => syncFolder({ collection, folder }, core, owner)),
  };
}

/** What more was asked for than before, for every so many. */
const rise =
  (before: readonly Cost[], times: number) =>
  ({ rows, contents, writes }: Cost, at: number): Cost => ({
    rows: (rows - (before[at]?.rows ?? 0)) / times,
    contents: (contents - (before[at]?.contents ?? 0)) / times,
    writes: (writes - (before[at]?.writes ?? 0)) / times,
  });

for (const [what, textOf] of [
  ["a document", (file: number) => `# Lamp ${file}\n\nIt burns at night.\n`],
  ["a copy of a document", () => "# Lamp\n\nIt burns at night.\n"],
] as const)
  test(`${what} asks registry and store for as much, however many are ingested with it`, async (context) => {
    /** Of a first ingest of so many, of a second, of a first sync and of one that finds nothing changed. */
    const costsOf = async (size: number): Promise<readonly Cost[]> => {
      const { folderOf, ingest, sync } = await openCounting(context);
      const folder = await folderOf(size, textOf);
      return [await ingest(folder), await ingest(folder), await sync(folder), await sync(folder)];
    };
    const [few, some, many] = [await costsOf(20), await costsOf(40), await costsOf(80)];
    assert.deepEqual(many.map(rise(some, 2)), some.map(rise(few, 1)));
  });

test("no statement that is asked for each document sorts, so that it ends with the first row that fits", async (context) => {
  const { registry, bill, folderOf, ingest } = await openCounting(context);
  const size = 12;
  await ingest(await folderOf(size, (file) => `# Lamp\n\nIt burns ${file % 2}.\n`));
  assert.deepEqual(
    (await plansOf(registry, bill, size)).filter(({ detail }) => detail.includes("TEMP B-TREE")),
    [],
  );
});
