import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
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
function chunksShared(documents: Documents, versionId: string): number {
  const shared = documents.share(versionId);
  assert.ok(typeof shared === "object");
  return shared.chunks;
}

test("a new version is visible only once it is ready, and hides the one before in the same step", async (context) => {
  const { documents } = await open(context);
  const one = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  assert.deepEqual([one.state, one.version, one.documentId], ["added", 1, documentIdOf("notes", "/d/a.txt")]);
  assert.match(one.versionId, /^[0-9a-f]{20}$/);
  assert.equal(documents.liveVersions([one.versionId]).size, 0);
  assert.equal(documents.find("notes", "/d/a.txt"), undefined);
  assert.equal(documents.ready(one.versionId, facts), "visible");
  const two = documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.deepEqual([two.state, two.version, two.documentId], ["updated", 2, one.documentId]);
  assert.deepEqual([...documents.liveVersions([one.versionId, two.versionId])], [one.versionId]);
  documents.ready(two.versionId, facts);
  assert.deepEqual([...documents.liveVersions([one.versionId, two.versionId])], [two.versionId]);
  assert.deepEqual(documents.stale(), [one.versionId]);
  assert.deepEqual(documents.stale("other"), []);
  documents.removed([one.versionId]);
  assert.deepEqual(documents.stale(), []);
  assert.equal(documents.find("notes", "/d/a.txt")?.version, 2);
});

test("the same content again is unchanged; another chunking, embedder or department is not", async (context) => {
  const { documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  documents.ready(documents.begin(file, place, "f").versionId, facts);
  assert.equal(documents.begin(file, place, "f").state, "unchanged");
  assert.equal(documents.begin(file, place, "g").state, "updated");
  assert.equal(documents.begin(file, { ...place, department: "hr" }, "f").state, "updated");
  assert.equal(documents.begin(file, { ...place, collection: "other" }, "f").state, "added");
});

test("metadata given by hand goes before the file's, stays until it is given anew, and moves with the document", async (context) => {
  const { database, documents } = await open(context);
  createCollectionRepository(database).ensure({
    ...{ name: "notes", instance: "private", embedder: "e" },
    ...{ dimensions: 2, lexical: "bm25", fingerprint: "f" },
  });
  const shown = () => documents.latest(["notes"]).map(({ metadata }) => metadata);
  const file = sourceFile("/d/a.txt", "1");
  const given = { ...place, metadata: { department: "legal", version: 1.15 } };
  const begun = documents.begin(file, given, "f");
  documents.ready(begun.versionId, { ...facts, properties: { author: "Ada", version: 1 } });
  assert.deepEqual(shown(), [{ author: "Ada", version: 1.15, department: "legal" }]);
  assert.equal(documents.begin(file, place, "f").state, "unchanged");
  assert.deepEqual(shown(), [{ author: "Ada", version: 1.15, department: "legal" }]);
  assert.equal(documents.begin(file, { ...place, metadata: { version: null } }, "f").state, "unchanged");
  assert.deepEqual(shown(), [{ author: "Ada", version: 1, department: "legal" }]);
  documents.move(begun.documentId, "/d/b.txt", "b.txt");
  assert.deepEqual(shown(), [{ author: "Ada", version: 1, department: "legal" }]);
  const copy = documents.begin(sourceFile("/d/c.txt", "1"), place, "f");
  assert.ok(copy.shared);
  documents.share(copy.versionId);
  assert.deepEqual(documents.find("notes", "/d/c.txt")?.metadata, { author: "Ada", version: 1 });
});

test("two commands of one process do not take each other's unfinished content for whole, and what one gives up the other sweeps", async (context) => {
  const { database, documents } = await open(context);
  const begun = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const other = createDocumentRepository(database);
  const copy = other.begin(sourceFile("/d/b.txt", "1"), place, "f");
  assert.deepEqual([copy.shared, copy.contentId], [false, copy.versionId]);
  assert.deepEqual(other.stale(), []);
  documents.release();
  assert.deepEqual(other.stale(), [begun.versionId]);
  assert.equal(other.ready(copy.versionId, facts), "visible");
});

test("a run of an opener owns what it begins and sweeps, and gives up at its end what it did not finish", async (context) => {
  const { database, documents } = await open(context);
  const one = documents.forRun();
  const begun = one.begin(sourceFile("/d/a.txt", "1"), place, "f");
  {
    using two = documents.forRun();
    const copy = two.begin(sourceFile("/d/b.txt", "1"), place, "f");
    assert.equal(copy.shared, false, "what another run has only begun is not whole");
    assert.deepEqual(two.begin(sourceFile("/d/a.txt", "1"), place, "f").versionId, begun.versionId);
    two.failed(begun.versionId);
    two.failed(copy.versionId);
    assert.deepEqual(two.stale(), [copy.versionId], "what another run works on stays in the store");
    assert.deepEqual(one.stale(), [], "what another run removes is not removed twice");
  }
  assert.equal(one.stale().length, 1, "a sweep that did not end is done by another run");
  assert.equal(one.ready(begun.versionId, facts), "visible");
  const late = one.begin(sourceFile("/d/c.txt", "2"), place, "f");
  documents.release();
  assert.equal(
    createDocumentRepository(database).stale().includes(late.versionId),
    true,
    "the end of all ends runs too",
  );
});

test("a run that cannot say that it ended counts as ended for its opener", async (context) => {
  const { database } = await open(context);
  const disk = { isFull: false };
  const write: typeof database.write = (work) => {
    if (disk.isFull) throw new RagctlError("DISK_FULL", "the disk is full", { hint: "free some space" });
    return database.write(work);
  };
  const documents = createDocumentRepository({ ...database, write });
  const { versionId } = (() => {
    using run = documents.forRun();
    const begun = run.begin(sourceFile("/d/a.txt", "1"), place, "f");
    disk.isFull = true;
    return begun;
  })();
  disk.isFull = false;
  assert.deepEqual(
    createDocumentRepository(database).stale(),
    [],
    "for others its process may still finish it",
  );
  assert.deepEqual(documents.forRun().stale(), [versionId]);
});

test("content that comes back is a newer version, also while its old chunks wait to be removed", async (context) => {
  const { documents } = await open(context);
  const [a, b] = [sourceFile("/d/a.txt", "1"), sourceFile("/d/a.txt", "2")];
  const first = documents.begin(a, place, "f");
  documents.ready(first.versionId, facts);
  const second = documents.begin(b, place, "f");
  documents.ready(second.versionId, facts);
  const third = documents.begin(a, place, "f");
  assert.deepEqual(
    [third.versionId, third.version, third.state, third.shared],
    [first.versionId, 3, "updated", true],
  );
  documents.removed([third.versionId]);
  assert.equal(chunksShared(documents, third.versionId), facts.chunks);
  assert.deepEqual([...documents.liveVersions([first.versionId, second.versionId])], [third.versionId]);
});

test("content that is just being removed cannot be begun until it is gone", async (context) => {
  const { documents } = await open(context);
  const a = sourceFile("/d/a.txt", "1");
  const one = documents.begin(a, place, "f");
  documents.ready(one.versionId, facts);
  documents.forget(one.documentId);
  assert.deepEqual(documents.stale(), [one.versionId]);
  assert.throws(() => documents.begin(a, place, "f"), { code: "SOURCE_CHANGED" });
  documents.removed([one.versionId]);
  assert.equal(documents.begin(a, place, "f").state, "added");
});

test("an older version that is ready late does not hide a newer one", async (context) => {
  const { documents } = await open(context);
  const one = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const two = documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.equal(documents.ready(two.versionId, facts), "visible");
  assert.equal(documents.ready(one.versionId, facts), "outdated");
  assert.deepEqual([...documents.liveVersions([one.versionId, two.versionId])], [two.versionId]);
  assert.deepEqual(documents.stale(), [one.versionId]);
});

test("documents are listed as of a version, or as of a time, as far as they are kept", async (context) => {
  const { database } = await open(context);
  const clock = { day: 1 };
  const now = (): Date => new Date(Date.UTC(2026, 0, clock.day));
  const documents = createDocumentRepository(database, { keepVersions: 1, now });
  const ingest = (path: string, content: string, day: number): string => {
    clock.day = day;
    const { versionId } = documents.begin(sourceFile(path, content), place, "f");
    documents.ready(versionId, facts);
    return versionId;
  };
  const first = ingest("/d/a.txt", "1", 1);
  const second = ingest("/d/a.txt", "2", 3);
  const other = ingest("/d/b.txt", "3", 5);
  const contentsAt = (versions: Parameters<Documents["asOf"]>[1]): readonly string[] =>
    documents.asOf(["notes"], versions).map(({ versionId }) => versionId);
  assert.deepEqual(contentsAt("latest"), [second, other]);
  assert.deepEqual(contentsAt("all"), [second, other]);
  assert.deepEqual(contentsAt(1), [first, other]);
  assert.deepEqual(contentsAt(2), [second]);
  assert.deepEqual(contentsAt({ at: "2026-01-02T00:00:00.000Z" }), [first]);
  assert.deepEqual(contentsAt({ at: "2026-01-04T00:00:00.000Z" }), [second]);
  assert.deepEqual(contentsAt({ at: "2026-01-06T00:00:00.000Z" }), [second, other]);
  assert.deepEqual(documents.asOf([], 1), []);
});

test("a document that is forgotten is hidden at once, and a run that was ingesting it is told", async (context) => {
  const { documents } = await open(context);
  const one = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  documents.ready(one.versionId, facts);
  const two = documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  assert.equal(documents.forget(one.documentId), true);
  assert.equal(documents.liveVersions([one.versionId]).size, 0);
  assert.deepEqual(documents.latest(), []);
  assert.equal(documents.ready(two.versionId, facts), "forgotten");
  assert.equal(documents.share(two.versionId), "forgotten");
  const stale = documents.stale();
  assert.deepEqual(new Set(stale), new Set([one.versionId, two.versionId]));
  documents.removed(stale);
  assert.equal(documents.forget(one.documentId), false);
});

test("of two commands that make the same version, one that fails takes nothing from the other", async (context) => {
  const { database, documents } = await open(context);
  for (const whoFails of ["first", "second"]) {
    const file = sourceFile(`/d/${whoFails}.txt`, "1");
    const { versionId } = documents.begin(file, place, "f");
    const other = createDocumentRepository(database);
    assert.equal(other.begin(file, place, "f").versionId, versionId);
    const [failing, ending] = whoFails === "first" ? [documents, other] : [other, documents];
    failing.failed(versionId);
    failing.failed(versionId);
    assert.deepEqual(failing.stale(), [], "what the other one works on stays in the store");
    assert.equal(ending.ready(versionId, facts), "visible");
  }
});

test("a version that everybody who made it gave up is swept, and is not said to be forgotten", async (context) => {
  const { database, documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  const { versionId } = documents.begin(file, place, "f");
  const other = createDocumentRepository(database);
  other.begin(file, place, "f");
  documents.release();
  other.failed(versionId);
  assert.equal(documents.ready(versionId, facts), "gone");
  assert.equal(documents.share(versionId), "gone");
  assert.deepEqual(other.stale(), [versionId]);
  other.removed([versionId]);
  assert.equal(documents.ready(versionId, facts), "gone");
});

test("a version that failed is stale at once; one that another living process began is not", async (context) => {
  const { database, documents } = await open(context);
  const alive = new Set(["other"]);
  const other = createDocumentRepository(database, { owner: "other", isAlive: (owner) => alive.has(owner) });
  const mine = createDocumentRepository(database, {
    owner: "mine",
    isAlive: (owner) => owner === "mine" || alive.has(owner),
  });
  const theirs = other.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const ours = mine.begin(sourceFile("/d/b.txt", "1"), place, "f");
  mine.failed(theirs.versionId);
  mine.failed(ours.versionId);
  assert.deepEqual(mine.stale(), [ours.versionId]);
  alive.clear();
  assert.deepEqual(new Set(mine.stale()), new Set([ours.versionId, theirs.versionId]));
  assert.equal(documents.latest().length, 0);
});

test("a document is found by id, prefix, path and name; a name that fits two is refused with both ids", async (context) => {
  const { documents } = await open(context);
  for (const path of ["/d/report.txt", "/e/report.txt", "/d/plan.txt"])
    documents.ready(documents.begin(sourceFile(path, "1"), place, "f").versionId, facts);
  const plan = resolveDocument("plan.txt", documents.latest());
  assert.deepEqual(documents.get(plan.id), plan);
  assert.deepEqual(resolveDocument(plan.id, documents.latest()), plan);
  assert.deepEqual(resolveDocument(plan.id.slice(0, 8), documents.latest()), plan);
  assert.deepEqual(resolveDocument("/d/plan.txt", documents.latest()), plan);
  assert.throws(
    () => resolveDocument("report.txt", documents.latest()),
    (error: Error) =>
      /matches 2 documents/.test(error.message) &&
      error.message.includes(documentIdOf("notes", "/e/report.txt")),
  );
  assert.throws(() => resolveDocument("plna.txt", documents.latest()), /did you mean "plan.txt"/);
  assert.equal(documents.latest(["notes"]).length, 3);
  assert.equal(documents.latest(["none"]).length, 0);
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
  collections.ensure(record);
  collections.ensure(record);
  documents.ready(documents.begin(sourceFile("/d/a.txt", "1"), place, "f").versionId, facts);
  documents.ready(documents.begin(sourceFile("/d/a.txt", "2"), place, "f").versionId, facts);
  const [listed] = collections.list();
  assert.deepEqual([listed?.documents, listed?.chunks], [1, 2]);
  assert.throws(() => collections.ensure({ ...record, fingerprint: "g" }), { code: "FINGERPRINT_MISMATCH" });
  assert.throws(() => collections.ensure({ ...record, instance: "public" }), { code: "CONFIG_INVALID" });
  assert.throws(() => collections.get("note"), /did you mean "notes"/);
  assert.throws(() => collections.remove("notes"), { code: "USAGE_INVALID" });
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
  if (database.kind === "sqlite") database.statement("PRAGMA synchronous = OFF").run();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(2), (steps, keepVersions) => {
      database.write(() => {
        for (const table of ["document_versions", "documents", "version_log"])
          database.statement(`DELETE FROM ${table}`).run();
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
          const version = documents.begin(
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
          documents.forget(documentIdOf("notes", `/d/${action.path}`));
          visible.delete(action.path);
          begun = begun.filter(({ path }) => path !== action.path);
        } else if (action.do === "crash") {
          begun = [];
          documents = reopen();
        } else if (action.do === "sweep") {
          const stale = documents.stale();
          for (const contentId of stale) {
            assert.ok(
              !begun.some((open) => open.contentId === contentId && !open.shared),
              "a content in work is not swept",
            );
            stored.delete(contentId);
            whole.delete(contentId);
          }
          documents.removed(stale);
        } else {
          const [chosen] = begun.splice(action.which % Math.max(1, begun.length), 1);
          if (chosen === undefined) continue;
          if (action.do === "failed") documents.failed(chosen.versionId);
          else if (chosen.shared) {
            const facts = documents.share(chosen.versionId);
            if (facts === undefined) documents.failed(chosen.versionId);
            else if (typeof facts === "object")
              assert.ok(whole.has(chosen.contentId), "only a whole content is shared");
          } else {
            whole.add(chosen.contentId);
            documents.ready(chosen.versionId, facts);
          }
          const now = documents.find("notes", `/d/${chosen.path}`);
          if (now !== undefined) visible.set(chosen.path, now.versionId);
        }
        assert.deepEqual(documents.liveVersions([...stored]), new Set(visible.values()));
        for (const contentId of documents.keptVersions([...stored]))
          assert.ok(whole.has(contentId), "what can be seen is whole");
      }
      documents = reopen();
      const stale = documents.stale();
      documents.removed(stale);
      for (const contentId of stale) stored.delete(contentId);
      assert.deepEqual(stored, documents.keptVersions([...stored]));
      if (keepVersions === 0) assert.deepEqual(stored, new Set(visible.values()));
      assert.equal(documents.latest().length, visible.size);
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
  const one = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  const early = documents.begin(sourceFile("/d/b.txt", "1"), place, "f");
  assert.deepEqual([early.shared, early.contentId], [true, one.contentId]);
  assert.equal(documents.share(early.versionId), undefined, "not before it is whole");
  documents.ready(one.versionId, facts);
  assert.equal(chunksShared(documents, early.versionId), 2);
  assert.equal(
    documents.begin(sourceFile("/d/c.txt", "1"), { ...place, department: "hr" }, "f").shared,
    false,
  );
  assert.deepEqual(
    documents.places([one.contentId]).map((each) => each.path),
    ["/d/a.txt", "/d/b.txt"],
  );
  documents.forget(one.documentId);
  assert.deepEqual(documents.stale(), []);
  assert.deepEqual([...documents.liveVersions([one.contentId])], [one.contentId]);
  documents.forget(early.documentId);
  assert.deepEqual(documents.stale(), [one.contentId]);
});

test("a moved document keeps id and versions; a new file at its old place is another document", async (context) => {
  const { documents } = await open(context);
  const one = documents.begin(sourceFile("/d/a.txt", "1"), place, "f");
  documents.ready(one.versionId, facts);
  assert.equal(documents.move(one.documentId, "/d/sub/b.txt", "sub/b.txt"), true);
  assert.deepEqual(documents.find("notes", "/d/a.txt"), undefined);
  const moved = documents.find("notes", "/d/sub/b.txt");
  assert.deepEqual([moved?.id, moved?.version, moved?.name], [one.documentId, 1, "sub/b.txt"]);
  const fresh = documents.begin(sourceFile("/d/a.txt", "2"), place, "f");
  documents.ready(fresh.versionId, facts);
  assert.notEqual(fresh.documentId, one.documentId);
  assert.equal(
    documents.move(one.documentId, "/d/a.txt", "a.txt"),
    false,
    "a place that is taken is left alone",
  );
});

test("replaced versions are kept as many as asked for, listed, restored in one step, and pruned", async (context) => {
  const { database } = await open(context);
  const documents = createDocumentRepository(database, { keepVersions: 2 });
  const versions = createVersionRepository(database);
  const begun = ["1", "2", "3", "4"].map((digit) => {
    const version = documents.begin(sourceFile("/d/a.txt", digit), place, "f");
    documents.ready(version.versionId, facts);
    return version;
  });
  const [first, second] = begun;
  assert.deepEqual(documents.stale(), [first?.contentId]);
  documents.removed([first?.contentId ?? ""]);
  const document = resolveDocument("a.txt", documents.latest());
  const state = () =>
    versions
      .history(document.id)
      .map(({ version, contentId, isLatest }) => [version, contentId !== "", isLatest]);
  assert.deepEqual(state(), [
    [4, true, true],
    [3, true, false],
    [2, true, false],
    [1, false, false],
  ]);
  assert.throws(() => versions.restore(document, 1), { code: "NOT_FOUND" });
  const restored = versions.restore(document, 2);
  assert.deepEqual(
    [restored.version, restored.origin, restored.contentId],
    [5, "restore", second?.contentId],
  );
  assert.deepEqual([...documents.liveVersions(begun.map((each) => each.contentId))], [second?.contentId]);
  assert.equal(versions.prune({ keep: 0, dryRun: true }).length, 2);
  assert.equal(documents.stale().length, 0);
  versions.prune({ keep: 0, dryRun: false });
  assert.equal(documents.stale().length, 2);
});

test("a version that limits kept something out of is begun again beside itself, until one is whole", async (context) => {
  const { documents } = await open(context);
  const [file, copy] = [sourceFile("/d/a.txt", "1"), sourceFile("/d/b.txt", "1")];
  const first = documents.begin(file, place, "f");
  documents.ready(first.versionId, { ...facts, omitted: "pages 3, 7" });
  assert.equal(documents.find("notes", "/d/a.txt")?.omitted, "pages 3, 7");
  const again = documents.begin(file, place, "f");
  assert.deepEqual(
    [again.state, again.shared, again.again, again.version],
    ["updated", false, "pages 3, 7", 2],
  );
  assert.equal(again.visibleTokens, facts.tokens);
  assert.notEqual(again.versionId, first.versionId);
  assert.deepEqual([...documents.liveVersions([first.versionId, again.versionId])], [first.versionId]);
  assert.equal(documents.begin(file, place, "f").versionId, again.versionId);
  const twin = documents.begin(copy, place, "f");
  assert.deepEqual([twin.contentId, twin.shared], [again.contentId, true]);
  documents.ready(again.versionId, facts);
  assert.equal(documents.begin(file, place, "f").state, "unchanged");
  assert.deepEqual(documents.stale(), [first.versionId]);
  assert.equal(documents.find("notes", "/d/a.txt")?.omitted, "");
});

test("a second attempt that is given up leaves the first one visible, and is tried once more", async (context) => {
  const { documents } = await open(context);
  const file = sourceFile("/d/a.txt", "1");
  const first = documents.begin(file, place, "f");
  documents.ready(first.versionId, { ...facts, omitted: "page 3" });
  const again = documents.begin(file, place, "f");
  documents.failed(again.versionId);
  assert.deepEqual(documents.stale(), [again.versionId]);
  documents.removed([again.versionId]);
  assert.deepEqual([...documents.liveVersions([first.versionId])], [first.versionId]);
  assert.equal(documents.begin(file, place, "f").again, "page 3");
});
