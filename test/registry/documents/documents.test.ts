import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BegunVersion } from "../../../src/core/documents/readiness.ts";
import { resolveDocument } from "../../../src/core/documents/reference.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { createCollectionRepository } from "../../../src/registry/documents/collections.ts";
import { documentIdOf } from "../../../src/registry/documents/document-rows.ts";
import { createDocumentRepository, type Documents } from "../../../src/registry/documents/documents.ts";
import { createVersionRepository } from "../../../src/registry/documents/versions.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace, sourceFile } from "../support.ts";

const place = { collection: "notes", instance: "private", department: "" } as const;
const facts = { title: "T", pages: 1, chunks: 2, tokens: 30 };

async function open(context: Parameters<typeof registryPlace>[0]) {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  return { database, documents: createDocumentRepository(database) };
}

/** Shows a version whose content is whole; the chunks of it. */
async function chunksShared(documents: Documents, versionId: string): Promise<number> {
  const shared = await documents.share(versionId);
  assert.ok(typeof shared === "object");
  return shared.chunks;
}

test("a new version is visible only once it is ready, and hides the one before in the same step", async (context) => {
  const { documents } = await open(context);
  const one = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  assert.deepEqual([one.state, one.version, one.documentId], ["added", 1, documentIdOf("notes", "/d/a.txt")]);
  assert.match(one.versionId, /^[0-9a-f]{20}$/);
  assert.equal((await documents.liveVersions([one.versionId])).size, 0);
  assert.equal(await documents.find("notes", "/d/a.txt"), undefined);
  assert.equal(await documents.ready(one.versionId, facts), "visible");
  const two = await documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.deepEqual([two.state, two.version, two.documentId], ["updated", 2, one.documentId]);
  assert.deepEqual([...(await documents.liveVersions([one.versionId, two.versionId]))], [one.versionId]);
  await documents.ready(two.versionId, facts);
  assert.deepEqual([...(await documents.liveVersions([one.versionId, two.versionId]))], [two.versionId]);
  assert.deepEqual(await documents.stale(), [one.versionId]);
  assert.deepEqual(await documents.stale("other"), []);
  await documents.removed([one.versionId]);
  assert.deepEqual(await documents.stale(), []);
  assert.equal((await documents.find("notes", "/d/a.txt"))?.version, 2);
});

test("the same content again is unchanged; another chunking, embedder or department is not", async (context) => {
  const { documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  await documents.ready((await documents.begin(file, place, "f")).versionId, facts);
  assert.equal((await documents.begin(file, place, "f")).state, "unchanged");
  assert.equal((await documents.begin(file, place, "g")).state, "updated");
  assert.equal((await documents.begin(file, { ...place, department: "hr" }, "f")).state, "updated");
  assert.equal((await documents.begin(file, { ...place, collection: "other" }, "f")).state, "added");
});

test("metadata given by hand goes before the file's, stays until it is given anew, and moves with the document", async (context) => {
  const { database, documents } = await open(context);
  await createCollectionRepository(database).ensure({
    ...{ name: "notes", instance: "private", embedder: "e" },
    ...{ dimensions: 2, lexical: "bm25", fingerprint: "f" },
  });
  const shown = async () => (await documents.latest(["notes"])).map(({ metadata }) => metadata);
  const file = sourceFile("/d/a.txt", "1");
  const given = { ...place, metadata: { department: "legal", version: 1.15 } };
  const begun = await documents.begin(file, given, "f");
  await documents.ready(begun.versionId, { ...facts, properties: { author: "Ada", version: 1 } });
  assert.deepEqual(await shown(), [{ author: "Ada", version: 1.15, department: "legal" }]);
  assert.equal((await documents.begin(file, place, "f")).state, "unchanged");
  assert.deepEqual(await shown(), [{ author: "Ada", version: 1.15, department: "legal" }]);
  assert.equal(
    (await documents.begin(file, { ...place, metadata: { version: null } }, "f")).state,
    "unchanged",
  );
  assert.deepEqual(await shown(), [{ author: "Ada", version: 1, department: "legal" }]);
  await documents.move(begun.documentId, "/d/b.txt", "b.txt");
  assert.deepEqual(await shown(), [{ author: "Ada", version: 1, department: "legal" }]);
  const copy = await documents.begin(sourceFile("/d/c.txt", "1"), place, "f");
  assert.ok(copy.shared);
  await documents.share(copy.versionId);
  assert.deepEqual((await documents.find("notes", "/d/c.txt"))?.metadata, { author: "Ada", version: 1 });
});

test("two commands of one process do not take each other's unfinished content for whole, and what one gives up the other sweeps", async (context) => {
  const { database, documents } = await open(context);
  const begun = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const other = createDocumentRepository(database);
  const copy = await other.begin(sourceFile("/d/b.txt", "1"), place, "f");
  assert.deepEqual([copy.shared, copy.contentId], [false, copy.versionId]);
  assert.deepEqual(await other.stale(), []);
  await documents.release();
  assert.deepEqual(await other.stale(), [begun.versionId]);
  assert.equal(await other.ready(copy.versionId, facts), "visible");
});

test("a run of an opener owns what it begins and sweeps, and gives up at its end what it did not finish", async (context) => {
  const { database, documents } = await open(context);
  const one = documents.forRun();
  const begun = await one.begin(sourceFile("/d/a.txt", "1"), place, "f");
  {
    await using two = documents.forRun();
    const copy = await two.begin(sourceFile("/d/b.txt", "1"), place, "f");
    assert.equal(copy.shared, false, "what another run has only begun is not whole");
    assert.deepEqual((await two.begin(sourceFile("/d/a.txt", "1"), place, "f")).versionId, begun.versionId);
    await two.failed(begun.versionId);
    await two.failed(copy.versionId);
    assert.deepEqual(await two.stale(), [copy.versionId], "what another run works on stays in the store");
    assert.deepEqual(await one.stale(), [], "what another run removes is not removed twice");
  }
  assert.equal((await one.stale()).length, 1, "a sweep that did not end is done by another run");
  assert.equal(await one.ready(begun.versionId, facts), "visible");
  const late = await one.begin(sourceFile("/d/c.txt", "2"), place, "f");
  await documents.release();
  assert.equal(
    (await createDocumentRepository(database).stale()).includes(late.versionId),
    true,
    "the end of all ends runs too",
  );
});

test("a run that cannot say that it ended counts as ended for its opener", async (context) => {
  const { database } = await open(context);
  const disk = { isFull: false };
  const write: typeof database.write = async (work) => {
    if (disk.isFull) throw new RagctlError("DISK_FULL", "the disk is full", { hint: "free some space" });
    return database.write(work);
  };
  const documents = createDocumentRepository({ ...database, write });
  const { versionId } = await (async () => {
    await using run = documents.forRun();
    const begun = await run.begin(sourceFile("/d/a.txt", "1"), place, "f");
    disk.isFull = true;
    return begun;
  })();
  disk.isFull = false;
  assert.deepEqual(
    await createDocumentRepository(database).stale(),
    [],
    "for others its process may still finish it",
  );
  assert.deepEqual(await documents.forRun().stale(), [versionId]);
});

test("content that comes back is a newer version, also while its old chunks wait to be removed", async (context) => {
  const { documents } = await open(context);
  const [a, b] = [sourceFile("/d/a.txt", "1"), sourceFile("/d/a.txt", "2")];
  const first = await documents.begin(a, place, "f");
  await documents.ready(first.versionId, facts);
  const second = await documents.begin(b, place, "f");
  await documents.ready(second.versionId, facts);
  const third = await documents.begin(a, place, "f");
  assert.deepEqual(
    [third.versionId, third.version, third.state, third.shared],
    [first.versionId, 3, "updated", true],
  );
  await documents.removed([third.versionId]);
  assert.equal(await chunksShared(documents, third.versionId), facts.chunks);
  assert.deepEqual(
    [...(await documents.liveVersions([first.versionId, second.versionId]))],
    [third.versionId],
  );
});

test("content that is just being removed cannot be begun until it is gone", async (context) => {
  const { documents } = await open(context);
  const a = sourceFile("/d/a.txt", "1");
  const one = await documents.begin(a, place, "f");
  await documents.ready(one.versionId, facts);
  await documents.forget(one.documentId);
  assert.deepEqual(await documents.stale(), [one.versionId]);
  await assert.rejects(() => documents.begin(a, place, "f"), { code: "SOURCE_CHANGED" });
  await documents.removed([one.versionId]);
  assert.equal((await documents.begin(a, place, "f")).state, "added");
});

test("an older version that is ready late does not hide a newer one", async (context) => {
  const { documents } = await open(context);
  const one = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const two = await documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.equal(await documents.ready(two.versionId, facts), "visible");
  assert.equal(await documents.ready(one.versionId, facts), "outdated");
  assert.deepEqual([...(await documents.liveVersions([one.versionId, two.versionId]))], [two.versionId]);
  assert.deepEqual(await documents.stale(), [one.versionId]);
});

test("documents are listed as of a version, or as of a time, as far as they are kept", async (context) => {
  const { database } = await open(context);
  const clock = { day: 1 };
  const now = (): Date => new Date(Date.UTC(2026, 0, clock.day));
  const documents = createDocumentRepository(database, { keepVersions: 1, now });
  const ingest = async (path: string, content: string, day: number): Promise<string> => {
    clock.day = day;
    const { versionId } = await documents.begin(sourceFile(path, content), place, "f");
    await documents.ready(versionId, facts);
    return versionId;
  };
  const first = await ingest("/d/a.txt", "1", 1);
  const second = await ingest("/d/a.txt", "2", 3);
  const other = await ingest("/d/b.txt", "3", 5);
  const contentsAt = async (versions: Parameters<Documents["asOf"]>[1]): Promise<readonly string[]> =>
    (await documents.asOf(["notes"], versions)).map(({ versionId }) => versionId);
  assert.deepEqual(await contentsAt("latest"), [second, other]);
  assert.deepEqual(await contentsAt("all"), [second, other]);
  assert.deepEqual(await contentsAt(1), [first, other]);
  assert.deepEqual(await contentsAt(2), [second]);
  assert.deepEqual(await contentsAt({ at: "2026-01-02T00:00:00.000Z" }), [first]);
  assert.deepEqual(await contentsAt({ at: "2026-01-04T00:00:00.000Z" }), [second]);
  assert.deepEqual(await contentsAt({ at: "2026-01-06T00:00:00.000Z" }), [second, other]);
  assert.deepEqual(await documents.asOf([], 1), []);
});

test("a document that is forgotten is hidden at once, and a run that was ingesting it is told", async (context) => {
  const { documents } = await open(context);
  const one = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  await documents.ready(one.versionId, facts);
  const two = await documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.equal(await documents.forget(one.documentId), true);
  assert.equal((await documents.liveVersions([one.versionId])).size, 0);
  assert.deepEqual(await documents.latest(), []);
  assert.equal(await documents.ready(two.versionId, facts), "forgotten");
  assert.equal(await documents.share(two.versionId), "forgotten");
  const stale = await documents.stale();
  assert.deepEqual(new Set(stale), new Set([one.versionId, two.versionId]));
  await documents.removed(stale);
  assert.equal(await documents.forget(one.documentId), false);
});

test("of two commands that make the same version, one that fails takes nothing from the other", async (context) => {
  const { database, documents } = await open(context);
  for (const whoFails of ["first", "second"]) {
    const file = sourceFile(`/d/${whoFails}.txt`, "1");
    const { versionId } = await documents.begin(file, place, "f");
    const other = createDocumentRepository(database);
    assert.equal((await other.begin(file, place, "f")).versionId, versionId);
    const [failing, ending] = whoFails === "first" ? [documents, other] : [other, documents];
    await failing.failed(versionId);
    await failing.failed(versionId);
    assert.deepEqual(await failing.stale(), [], "what the other one works on stays in the store");
    assert.equal(await ending.ready(versionId, facts), "visible");
  }
});

test("a version that everybody who made it gave up is swept, and is not said to be forgotten", async (context) => {
  const { database, documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  const { versionId } = await documents.begin(file, place, "f");
  const other = createDocumentRepository(database);
  await other.begin(file, place, "f");
  await documents.release();
  await other.failed(versionId);
  assert.equal(await documents.ready(versionId, facts), "gone");
  assert.equal(await documents.share(versionId), "gone");
  assert.deepEqual(await other.stale(), [versionId]);
  await other.removed([versionId]);
  assert.equal(await documents.ready(versionId, facts), "gone");
});

test("a version that failed is stale at once; one that another living process began is not", async (context) => {
  const { database, documents } = await open(context);
  const alive = new Set(["other"]);
  const other = createDocumentRepository(database, { owner: "other", isAlive: (owner) => alive.has(owner) });
  const mine = createDocumentRepository(database, {
    owner: "mine",
    isAlive: (owner) => owner === "mine" || alive.has(owner),
  });
  const theirs = await other.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const ours = await mine.begin(sourceFile("/d/b.txt", "1"), place, "f");
  await mine.failed(theirs.versionId);
  await mine.failed(ours.versionId);
  assert.deepEqual(await mine.stale(), [ours.versionId]);
  alive.clear();
  assert.deepEqual(new Set(await mine.stale()), new Set([ours.versionId, theirs.versionId]));
  assert.equal((await documents.latest()).length, 0);
});

test("a document is found by id, prefix, path and name; a name that fits two is refused with both ids", async (context) => {
  const { documents } = await open(context);
  for (const path of ["/d/report.txt", "/e/report.txt", "/d/plan.txt"])
    await documents.ready((await documents.begin(sourceFile(path, "1"), place, "f")).versionId, facts);
  const plan = resolveDocument("plan.txt", await documents.latest());
  assert.deepEqual(await documents.get(plan.id), plan);
  assert.deepEqual(resolveDocument(plan.id, await documents.latest()), plan);
  assert.deepEqual(resolveDocument(plan.id.slice(0, 8), await documents.latest()), plan);
  assert.deepEqual(resolveDocument("/d/plan.txt", await documents.latest()), plan);
  await assert.rejects(
    async () => resolveDocument("report.txt", await documents.latest()),
    (error: Error) =>
      /matches 2 documents/.test(error.message) &&
      error.message.includes(documentIdOf("notes", "/e/report.txt")),
  );
  await assert.rejects(
    async () => resolveDocument("plna.txt", await documents.latest()),
    /did you mean "plan.txt"/,
  );
  assert.equal((await documents.latest(["notes"])).length, 3);
  assert.equal((await documents.latest(["none"])).length, 0);
});

test("a collection counts what is visible, refuses other vectors and names near misses", async (context) => {
  const { database, documents } = await open(context);
  const collections = createCollectionRepository(database);
  const record = {
    name: "notes",
    instance: "private",
    fingerprint: "f",
    embedder: "small",
    dimensions: 384,
    lexical: "bm25",
  } as const;
  await collections.ensure(record);
  await collections.ensure(record);
  await documents.ready((await documents.begin(sourceFile("/d/a.txt", "1"), place, "f")).versionId, facts);
  await documents.ready((await documents.begin(sourceFile("/d/a.txt", "2"), place, "f")).versionId, facts);
  const [listed] = await collections.list();
  assert.deepEqual([listed?.documents, listed?.chunks], [1, 2]);
  await assert.rejects(() => collections.ensure({ ...record, fingerprint: "g" }), {
    code: "FINGERPRINT_MISMATCH",
  });
  await assert.rejects(() => collections.ensure({ ...record, instance: "public" }), {
    code: "CONFIG_INVALID",
  });
  await assert.rejects(() => collections.get("note"), /did you mean "notes"/);
  await assert.rejects(() => collections.remove("notes"), { code: "USAGE_INVALID" });
});

type Step =
  | { readonly do: "begin"; readonly path: number; readonly content: number }
  | { readonly do: "forget"; readonly path: number; readonly content: number }
  | { readonly do: "ready" | "failed" | "crash" | "sweep"; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("begin" as const), path: fc.nat(2), content: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("forget" as const), path: fc.nat(2), content: fc.constant(0) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("ready" as const), which: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("failed" as const, "crash" as const, "sweep" as const),
      which: fc.nat(20),
    }),
  },
);

test("whatever order versions begin, end, fail, are forgotten and crash in: one visible version, and no chunk without an owner stays", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  if (database.kind === "sqlite") await database.statement("PRAGMA synchronous = OFF").run();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(2), async (steps, keepVersions) => {
      await database.write(async () => {
        for (const table of ["document_versions", "documents", "version_log"])
          await database.statement(`DELETE FROM ${table}`).run();
      });
      let generation = 0;
      const reopen = () =>
        createDocumentRepository(database, {
          owner: `run-${++generation}`,
          isAlive: (owner) => owner === `run-${generation}`,
          keepVersions,
        });
      let documents = reopen();
      let begun: { versionId: string; contentId: string; path: number; shared: boolean }[] = [];
      /** Contents that have chunks in the store, and those of them that have all. */
      const stored = new Set<string>();
      const whole = new Set<string>();
      const visible = new Map<number, string>();
      for (const action of steps) {
        if (action.do === "begin") {
          const version = await documents.begin(
            sourceFile(`/d/${action.path}`, String(action.content)),
            place,
            "f",
          );
          if (version.state === "unchanged") assert.equal(visible.get(action.path), version.contentId);
          else {
            assert.equal(version.state === "updated", visible.has(action.path));
            if (!version.shared) {
              stored.add(version.contentId);
              whole.delete(version.contentId);
            }
            begun = [
              ...begun.filter(({ versionId }) => versionId !== version.versionId),
              { ...version, path: action.path },
            ];
          }
        } else if (action.do === "forget") {
          await documents.forget(documentIdOf("notes", `/d/${action.path}`));
          visible.delete(action.path);
          begun = begun.filter(({ path }) => path !== action.path);
        } else if (action.do === "crash") {
          begun = [];
          documents = reopen();
        } else if (action.do === "sweep") {
          const stale = await documents.stale();
          for (const contentId of stale) {
            assert.ok(
              !begun.some((open) => open.contentId === contentId && !open.shared),
              "a content in work is not swept",
            );
            stored.delete(contentId);
            whole.delete(contentId);
          }
          await documents.removed(stale);
        } else {
          const [chosen] = begun.splice(action.which % Math.max(1, begun.length), 1);
          if (chosen === undefined) continue;
          if (action.do === "failed") await documents.failed(chosen.versionId);
          else if (chosen.shared) {
            const facts = await documents.share(chosen.versionId);
            if (facts === undefined) await documents.failed(chosen.versionId);
            else if (typeof facts === "object")
              assert.ok(whole.has(chosen.contentId), "only a whole content is shared");
          } else {
            whole.add(chosen.contentId);
            await documents.ready(chosen.versionId, facts);
          }
          const now = await documents.find("notes", `/d/${chosen.path}`);
          if (now !== undefined) visible.set(chosen.path, now.versionId);
        }
        assert.deepEqual(await documents.liveVersions([...stored]), new Set(visible.values()));
        for (const contentId of await documents.keptVersions([...stored]))
          assert.ok(whole.has(contentId), "what can be seen is whole");
      }
      documents = reopen();
      const stale = await documents.stale();
      await documents.removed(stale);
      for (const contentId of stale) stored.delete(contentId);
      assert.deepEqual(stored, await documents.keptVersions([...stored]));
      if (keepVersions === 0) assert.deepEqual(stored, new Set(visible.values()));
      assert.equal((await documents.latest()).length, visible.size);
    }),
    {
      numRuns: 400,
      // Forgotten and begun again while another path has begun the same content: the first chunks had no
      // owner left.
      examples: [
        [
          [
            { do: "begin", path: 0, content: 3 },
            { do: "forget", path: 0, content: 0 },
            { do: "begin", path: 1, content: 3 },
            { do: "begin", path: 0, content: 3 },
          ],
          0,
        ],
      ],
    },
  );
});

test("documents of one content share it, and it stays until the last of them goes", async (context) => {
  const { documents } = await open(context);
  const one = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const early = await documents.begin(sourceFile("/d/b.txt", "1"), place, "f");
  assert.deepEqual([early.shared, early.contentId], [true, one.contentId]);
  assert.equal(await documents.share(early.versionId), undefined, "not before it is whole");
  await documents.ready(one.versionId, facts);
  assert.equal(await chunksShared(documents, early.versionId), 2);
  assert.equal(
    (await documents.begin(sourceFile("/d/c.txt", "1"), { ...place, department: "hr" }, "f")).shared,
    false,
  );
  assert.deepEqual(
    (await documents.places([one.contentId])).map((each) => each.path),
    ["/d/a.txt", "/d/b.txt"],
  );
  await documents.forget(one.documentId);
  assert.deepEqual(await documents.stale(), []);
  assert.deepEqual([...(await documents.liveVersions([one.contentId]))], [one.contentId]);
  await documents.forget(early.documentId);
  assert.deepEqual(await documents.stale(), [one.contentId]);
});

test("a moved document keeps id and versions; a new file at its old place is another document", async (context) => {
  const { documents } = await open(context);
  const one = await documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  await documents.ready(one.versionId, facts);
  assert.equal(await documents.move(one.documentId, "/d/sub/b.txt", "sub/b.txt"), true);
  assert.deepEqual(await documents.find("notes", "/d/a.txt"), undefined);
  const moved = await documents.find("notes", "/d/sub/b.txt");
  assert.deepEqual([moved?.id, moved?.version, moved?.name], [one.documentId, 1, "sub/b.txt"]);
  const fresh = await documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  await documents.ready(fresh.versionId, facts);
  assert.notEqual(fresh.documentId, one.documentId);
  assert.equal(
    await documents.move(one.documentId, "/d/a.txt", "a.txt"),
    false,
    "a place that is taken is left alone",
  );
});

test("replaced versions are kept as many as asked for, listed, restored in one step, and pruned", async (context) => {
  const { database } = await open(context);
  const documents = createDocumentRepository(database, { keepVersions: 2 });
  const versions = createVersionRepository(database);
  const begun: BegunVersion[] = [];
  for (const digit of ["1", "2", "3", "4"]) {
    const version = await documents.begin(sourceFile("/d/a.txt", digit), place, "f");
    await documents.ready(version.versionId, facts);
    begun.push(version);
  }
  const [first, second] = begun;
  assert.deepEqual(await documents.stale(), [first?.contentId]);
  await documents.removed([first?.contentId ?? ""]);
  const document = resolveDocument("a.txt", await documents.latest());
  const state = async () =>
    (await versions.history(document.id)).map(({ version, contentId, isLatest }) => [
      version,
      contentId !== "",
      isLatest,
    ]);
  assert.deepEqual(await state(), [
    [4, true, true],
    [3, true, false],
    [2, true, false],
    [1, false, false],
  ]);
  await assert.rejects(() => versions.restore(document, 1), { code: "NOT_FOUND" });
  const restored = await versions.restore(document, 2);
  assert.deepEqual(
    [restored.version, restored.origin, restored.contentId],
    [5, "restore", second?.contentId],
  );
  assert.deepEqual(
    [...(await documents.liveVersions(begun.map((each) => each.contentId)))],
    [second?.contentId],
  );
  assert.equal((await versions.prune({ keep: 0, dryRun: true })).length, 2);
  assert.equal((await documents.stale()).length, 0);
  await versions.prune({ keep: 0, dryRun: false });
  assert.equal((await documents.stale()).length, 2);
});

test("a version that limits kept something out of is begun again beside itself, until one is whole", async (context) => {
  const { documents } = await open(context);
  const [file, copy] = [sourceFile("/d/a.txt", "1"), sourceFile("/d/b.txt", "1")];
  const first = await documents.begin(file, place, "f");
  await documents.ready(first.versionId, { ...facts, omitted: "pages 3, 7" });
  assert.equal((await documents.find("notes", "/d/a.txt"))?.omitted, "pages 3, 7");
  const again = await documents.begin(file, place, "f");
  assert.deepEqual(
    [again.state, again.shared, again.again, again.version],
    ["updated", false, "pages 3, 7", 2],
  );
  assert.equal(again.visibleTokens, facts.tokens);
  assert.notEqual(again.versionId, first.versionId);
  assert.deepEqual(
    [...(await documents.liveVersions([first.versionId, again.versionId]))],
    [first.versionId],
  );
  assert.equal((await documents.begin(file, place, "f")).versionId, again.versionId);
  const twin = await documents.begin(copy, place, "f");
  assert.deepEqual([twin.contentId, twin.shared], [again.contentId, true]);
  await documents.ready(again.versionId, facts);
  assert.equal((await documents.begin(file, place, "f")).state, "unchanged");
  assert.deepEqual(await documents.stale(), [first.versionId]);
  assert.equal((await documents.find("notes", "/d/a.txt"))?.omitted, "");
});

test("a second attempt that is given up leaves the first one visible, and is tried once more", async (context) => {
  const { documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  const first = await documents.begin(file, place, "f");
  await documents.ready(first.versionId, { ...facts, omitted: "page 3" });
  const again = await documents.begin(file, place, "f");
  await documents.failed(again.versionId);
  assert.deepEqual(await documents.stale(), [again.versionId]);
  await documents.removed([again.versionId]);
  assert.deepEqual([...(await documents.liveVersions([first.versionId]))], [first.versionId]);
  assert.equal((await documents.begin(file, place, "f")).again, "page 3");
});
