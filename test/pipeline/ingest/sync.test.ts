import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { RagctlError } from "../../../src/core/errors.ts";
import { isFailure } from "../../../src/core/flow.ts";
import { listSources } from "../../../src/pipeline/ingest/read.ts";
import { createIngestScope } from "../../../src/pipeline/ingest/scope.ts";
import {
  type KnownDocument,
  planSync,
  type SeenBefore,
  type SyncFacts,
} from "../../../src/pipeline/ingest/sync.ts";
import { runOf } from "../fixtures.ts";

async function folder(context: TestContext, files: Readonly<Record<string, string>>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ragctl-sync-")));
  context.after(() => rm(root, { recursive: true, force: true }));
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
    // Older than the tick of the clock, so that its time can be trusted.
    await utimes(join(root, name), new Date(2026, 0, 1), new Date(2026, 0, 1));
  };
  for (const [name, text] of Object.entries(files)) await put(name, text);
  const known = new Map<string, KnownDocument>();
  const seen = new Map<string, SeenBefore>();
  const plan = async (facts: Partial<SyncFacts> = {}) => {
    const found = await listSources([root], { cwd: root, maxBytes: 1e6 }, runOf().signal);
    const gone = (path: string) =>
      stat(path).then(
        () => false,
        () => true,
      );
    const all = {
      known: [...known.values()],
      seen,
      fingerprint: "f",
      verify: false,
      again: true,
      deleteExcluded: false,
      gone,
      ...facts,
    };
    const made = await planSync(found, all, runOf());
    return {
      made,
      changed: made.changed.map((file) => file.name),
      moved: made.moved.map(({ document, file }) => `${document.name} → ${file.name}`),
      deleted: made.deleted.map((document) => document.name),
      unchanged: made.unchanged,
      hashed: made.hashed,
    };
  };
  /** Does what a plan says to the memory of what is known. */
  const take = async (): Promise<void> => {
    const { made } = await plan();
    for (const file of [...made.changed, ...made.confirmed, ...made.moved.map((move) => move.file)]) {
      const from = made.moved.find((move) => move.file === file)?.document;
      if (from !== undefined) known.delete(from.path);
      known.set(file.path, {
        id: from?.id ?? file.name,
        path: file.path,
        name: file.name,
        sha256: file.sha256,
        fingerprint: "f",
      });
      const stamp = file.stamp ?? assert.fail("a file that was read has its stamp");
      seen.set(file.path, {
        ...stamp,
        sha256: file.sha256,
        fingerprint: "f",
        outcome: "ready",
        code: "",
        reason: "",
        seenAtMs: Date.now(),
      });
    }
    for (const document of made.deleted) known.delete(document.path);
  };
  return { root, put, plan, take, known, seen };
}

test("a file whose size, time and inode are as they were is not read, unless it must be verified", async (context) => {
  const { plan, take } = await folder(context, { "a.txt": "one", "b.txt": "two" });
  assert.deepEqual((await plan()).changed, ["a.txt", "b.txt"]);
  await take();
  const quick = await plan();
  assert.deepEqual([quick.unchanged, quick.hashed, quick.changed], [2, 0, []]);
  const verified = await plan({ verify: true });
  assert.deepEqual([verified.unchanged, verified.hashed, verified.changed], [2, 2, []]);
});

test("a file changed within the tick of the clock is read again although its time and size are the same", async (context) => {
  const { plan, take, seen, root } = await folder(context, { "a.txt": "one" });
  await take();
  const path = join(root, "a.txt");
  const before = seen.get(path) ?? assert.fail("the file was seen");
  seen.set(path, { ...before, seenAtMs: before.mtimeMs + 100 });
  assert.equal((await plan()).hashed, 1);
});

test("a file that failed is not taken again while its content is the same, unless it must be verified", async (context) => {
  const { put, plan, take, seen, root, known } = await folder(context, { "a.pdf": "cut short" });
  await take();
  const path = join(root, "a.pdf");
  known.clear();
  const failed = { outcome: "failed", code: "SOURCE_DAMAGED", reason: "it is cut short" } as const;
  seen.set(path, { ...(seen.get(path) ?? assert.fail("the file was seen")), ...failed });
  const told = async (facts: Partial<SyncFacts> = {}) => {
    const { made, changed, hashed } = await plan(facts);
    return [made.failedBefore.map(({ name, code }) => `${name} ${code}`), changed, hashed];
  };
  assert.deepEqual(await told(), [["a.pdf SOURCE_DAMAGED"], [], 0]);
  await utimes(path, new Date(2026, 1, 1), new Date(2026, 1, 1));
  assert.deepEqual(await told(), [["a.pdf SOURCE_DAMAGED"], [], 1]);
  assert.deepEqual(await told({ verify: true }), [[], ["a.pdf"], 1]);
  assert.deepEqual(await told({ fingerprint: "another parser" }), [[], ["a.pdf"], 1]);
  await put("a.pdf", "whole");
  assert.deepEqual(await told(), [[], ["a.pdf"], 1]);
});

test("edits, moves and deletes are told apart by content; a copy is a new document", async (context) => {
  const { put, plan, take, root } = await folder(context, {
    "a.txt": "one",
    "b.txt": "two",
    "c.txt": "three",
    "d.txt": "four",
  });
  await take();
  await put("a.txt", "one and more");
  await mkdir(join(root, "sub"));
  await rename(join(root, "b.txt"), join(root, "sub/b.txt"));
  await rm(join(root, "c.txt"));
  await put("copy.txt", "four");
  const { changed, moved, deleted, unchanged } = await plan();
  assert.deepEqual(
    [changed, moved, deleted, unchanged],
    [["a.txt", "copy.txt"], ["b.txt → sub/b.txt"], ["c.txt"], 1],
  );
});

test("of several files of one content that moved, those that kept their name keep their identity", async (context) => {
  const { plan, take, root } = await folder(context, { "x/a.txt": "same", "x/b.txt": "same" });
  await take();
  await mkdir(join(root, "y"));
  await rename(join(root, "x/a.txt"), join(root, "y/zz.txt"));
  await rename(join(root, "x/b.txt"), join(root, "y/b.txt"));
  assert.deepEqual((await plan()).moved, ["x/b.txt → y/b.txt", "x/a.txt → y/zz.txt"]);
});

test("a document that is there but left out stays, unless asked otherwise; one that is gone goes", async (context) => {
  const { plan, take, known, root } = await folder(context, { "a.txt": "one" });
  await take();
  const hidden = join(root, ".hidden.txt");
  await writeFile(hidden, "left out");
  known.set(hidden, { id: "h", path: hidden, name: ".hidden.txt", sha256: "0", fingerprint: "f" });
  assert.deepEqual((await plan()).deleted, []);
  assert.deepEqual((await plan({ deleteExcluded: true })).deleted, [".hidden.txt"]);
  await rm(hidden);
  assert.deepEqual((await plan()).deleted, [".hidden.txt"]);
});

test("documents below a folder that cannot be listed stay, whatever else is asked", async (context) => {
  const { root, take, known } = await folder(context, { "open/a.txt": "one", "closed/b.txt": "two" });
  await take();
  const refuse = (path: string) =>
    path.endsWith("closed") ? new RagctlError("SOURCE_UNREADABLE", "closed cannot be listed") : undefined;
  const found = await listSources([root], { cwd: root, maxBytes: 1e6, refuse }, runOf().signal);
  const facts = { known: [...known.values()], seen: new Map(), fingerprint: "f", verify: false, again: true };
  const plan = await planSync(found, { ...facts, deleteExcluded: true, gone: async () => false }, runOf());
  assert.deepEqual(plan.deleted, []);
});

test("a version that was restored stays until the file changes; verifying takes what is on disk", async (context) => {
  const { put, plan, take, known, root } = await folder(context, { "a.txt": "new text" });
  await take();
  const path = join(root, "a.txt");
  known.set(path, { ...(known.get(path) ?? assert.fail("it is known")), sha256: "of the restored version" });
  assert.deepEqual((await plan()).changed, []);
  assert.deepEqual((await plan({ verify: true })).changed, ["a.txt"]);
  await put("a.txt", "newest text");
  assert.deepEqual((await plan()).changed, ["a.txt"]);
});

test("another fingerprint makes every file changed; a moved one is moved and changed", async (context) => {
  const { plan, take, root } = await folder(context, { "a.txt": "one", "b.txt": "two" });
  await take();
  await rename(join(root, "b.txt"), join(root, "c.txt"));
  const { changed, moved } = await plan({ fingerprint: "g" });
  assert.deepEqual([changed, moved], [["a.txt", "c.txt"], ["b.txt → c.txt"]]);
});

test("a file that failed is told again without being tried until it is touched", async (context) => {
  const { put, plan, take, seen, root } = await folder(context, { "bad.txt": "one" });
  await take();
  const path = join(root, "bad.txt");
  seen.set(path, {
    ...(seen.get(path) ?? assert.fail("it was seen")),
    outcome: "failed",
    code: "SOURCE_ENCRYPTED",
    reason: "slow",
  });
  const { made } = await plan();
  assert.deepEqual([made.failedBefore.map((file) => file.code), made.changed], [["SOURCE_ENCRYPTED"], []]);
  await put("bad.txt", "better");
  assert.deepEqual((await plan()).changed, ["bad.txt"]);
});

test("ignore files on the way down, then patterns, decide what is meant", async (context) => {
  const { root } = await folder(context, {
    ".gitignore": "build/\n*.log\n!keep.log\n",
    "a.md": "x",
    "a.log": "x",
    "keep.log": "x",
    "build/out.md": "x",
    "docs/.ragctlignore": "drafts/\n!important.log\n",
    "docs/important.log": "x",
    "docs/drafts/d.md": "x",
    "docs/b.md": "x",
    "docs/b.txt": "x",
  });
  const names = async (include: readonly string[], exclude: readonly string[]) => {
    const found = await listSources(
      [root],
      { cwd: root, maxBytes: 1e6, scope: createIngestScope({ include, exclude }) },
      runOf().signal,
    );
    return found.map((item) => (isFailure(item) ? `failed ${item.name}` : item.name));
  };
  assert.deepEqual(await names([], []), [
    "a.md",
    "docs/b.md",
    "docs/b.txt",
    "docs/important.log",
    "keep.log",
  ]);
  assert.deepEqual(await names(["*.md"], []), ["a.md", "docs/b.md"]);
  assert.deepEqual(await names([], ["docs/"]), ["a.md", "keep.log"]);
});

test("what limits kept out is tried again untouched, in part or as a whole, and not where nobody asked", async (context) => {
  const { root, plan, take, known, seen } = await folder(context, {
    "part.txt": "one",
    "whole.txt": "two",
    "fine.txt": "three",
  });
  await take();
  const [part, whole] = [join(root, "part.txt"), join(root, "whole.txt")];
  const [document, before] = [known.get(part), seen.get(whole)];
  assert.ok(document !== undefined && before !== undefined);
  known.set(part, { ...document, omitted: "page 3" });
  known.delete(whole);
  seen.set(whole, { ...before, outcome: "failed", code: "PARSER_TIMEOUT", reason: "it took too long" });
  const again = await plan();
  assert.deepEqual(
    [again.changed, again.unchanged, again.made.failedBefore.length],
    [["part.txt", "whole.txt"], 1, 0],
  );
  const later = await plan({ again: false });
  assert.deepEqual([later.changed, later.unchanged, later.made.failedBefore.length], [[], 2, 1]);
  seen.set(whole, { ...before, outcome: "failed", code: "SOURCE_ENCRYPTED", reason: "locked" });
  assert.equal((await plan()).made.failedBefore.length, 1);
});

test("each further file that moved is looked at as often, however many copies moved with it", async (context) => {
  /** How often anything of the documents is looked at, where all copies of one text get another name. */
  const looks = async (size: number): Promise<number> => {
    const names = Array.from({ length: size }, (_, file) => `${file}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, "the same"]));
    const { root, take, plan, known } = await folder(context, files);
    await take();
    for (const name of names) await rename(join(root, name), join(root, `new-${name}`));
    let count = 0;
    const counting: ProxyHandler<KnownDocument> = {
      get(document, name) {
        count++;
        return Reflect.get(document, name);
      },
    };
    const { moved, deleted } = await plan({
      known: [...known.values()].map((document) => new Proxy(document, counting)),
    });
    assert.deepEqual([moved.length, deleted], [size, []]);
    return count;
  };
  const [few, some, many] = [await looks(10), await looks(20), await looks(40)];
  assert.equal(many - some, 2 * (some - few));
});
