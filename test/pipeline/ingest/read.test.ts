import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RagctlError } from "../../../src/core/errors.ts";
import { isFailure } from "../../../src/core/flow.ts";
import type { Run } from "../../../src/core/run.ts";
import { listSources, read, type SourceOptions } from "../../../src/pipeline/ingest/read.ts";
import { createIngestScope } from "../../../src/pipeline/ingest/scope.ts";
import { pdf, zip } from "../../drivers/parsers/make.ts";

const run: Run = {
  id: "test",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event() {}, warn() {} },
};

interface Place extends AsyncDisposable {
  readonly root: string;
  put(name: string, content: string | Uint8Array): Promise<string>;
  /** Name → format, or error code. */
  results(paths: readonly string[], options?: Partial<SourceOptions>): Promise<Record<string, string>>;
}

async function place(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ragctl-read-")));
  return {
    root,
    async put(name, content) {
      const path = join(root, name);
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    async results(paths, options) {
      const found: Record<string, string> = {};
      for await (const item of read(paths, { cwd: root, maxBytes: 10_000_000, ...options }, run)) {
        found[item.name] = isFailure(item) ? item.error.code : item.format;
      }
      return found;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

test("a file or folder whose name is not UTF-8 is named as that, not as missing", {
  skip: process.platform === "linux" ? false : "only Linux keeps such names",
}, async () => {
  await using here = await place();
  await here.put("docs/good.md", "# x");
  const raw = (name: string): Buffer => Buffer.from(join(here.root, "docs", name), "latin1");
  await writeFile(raw("bäd.md"), "# y");
  await mkdir(raw("földer"));
  const found = await listSources(
    ["docs", "docs/b\uFFFDd.md"],
    { cwd: here.root, maxBytes: 1000 },
    run.signal,
  );
  assert.deepEqual(
    found.map((item) =>
      isFailure(item) ? [item.error.code, item.error.message, item.error.hint] : item.name,
    ),
    [
      ["SOURCE_UNREADABLE", "cannot open b\uFFFDd.md: its name is not UTF-8", "rename it"],
      ["SOURCE_UNREADABLE", "cannot open f\uFFFDlder: its name is not UTF-8", "rename it"],
      "good.md",
      ["SOURCE_UNREADABLE", "cannot open docs/b\uFFFDd.md: its name is not UTF-8", "rename it"],
    ],
  );
});

test("a folder is walked in sorted order, hidden entries left out, unsupported files reported", async () => {
  await using here = await place();
  await here.put("docs/b.txt", "b");
  await here.put("docs/a/x.md", "# x");
  await here.put("docs/.git/config", "hidden");
  await here.put("docs/photo.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await here.put("docs/script.xyz", "print(1)");
  const found = await here.results(["docs"]);
  assert.deepEqual(Object.entries(found), [
    ["a/x.md", "markdown"],
    ["b.txt", "text"],
    ["photo.png", "image"],
    ["script.xyz", "SOURCE_UNSUPPORTED"],
  ]);
});

test("what an ignore file in a folder rules out is named once, and read where it is named itself", async () => {
  await using here = await place();
  await here.put("code/.gitignore", "node_modules/\n*.log\n");
  await here.put("code/a.ts", "a");
  await here.put("code/a.log", "a");
  await here.put("code/node_modules/b/b.js", "b");
  await here.put("code/node_modules/c/c.js", "c");
  const options = { scope: createIngestScope({ include: [], exclude: [] }), namesIgnored: true };
  assert.deepEqual(await here.results(["code"], options), {
    "a.log": "SOURCE_IGNORED",
    "a.ts": "code",
    node_modules: "SOURCE_IGNORED",
  });
  assert.deepEqual(await here.results(["code/a.log", "code/node_modules"], options), {
    "a.log": "data",
    "b/b.js": "code",
    "c/c.js": "code",
  });
});

test("a source file carries its absolute path, size, sha256 and what tells that it was not touched", async () => {
  await using here = await place();
  const path = await here.put("docs/a.txt", "content");
  const items = await Array.fromAsync(read(["docs/a.txt"], { cwd: here.root, maxBytes: 100 }, run));
  const sha256 = createHash("sha256").update("content").digest("hex");
  const { size: sizeBytes, mtimeMs, ino } = await stat(path);
  const stamp = { sizeBytes, mtimeMs, inode: String(ino) };
  assert.deepEqual(items, [{ path, name: "a.txt", format: "text", sizeBytes: 7, sha256, stamp }]);
});

test("a file is named as it is shown, without the ids of an export, and opened as it is called", async () => {
  await using here = await place();
  const id = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
  const names = {
    [`Projects ${id}.csv`]: "Projects.csv",
    [`Projects ${id}_all.csv`]: "Projects_all.csv",
    [`Projects ${id}/New pier ${id}.md`]: "Projects/New pier.md",
    [`${id}.md`]: `${id}.md`,
    [`Key ${id}0.md`]: `Key ${id}0.md`,
    [`Key-${id}.md`]: `Key-${id}.md`,
  };
  for (const name of Object.keys(names)) await here.put(name, "a,b\n1,2\n");
  assert.deepEqual(Object.keys(await here.results(["."])).sort(), Object.values(names).sort());
});

test("content decides the format before the name does", async () => {
  await using here = await place();
  await here.put("paper.txt", await pdf([[{ x: 10, y: 10, text: "x" }]]));
  await here.put("page.pdf", "<!DOCTYPE html><html><body>hi</body></html>");
  await here.put("letter.pdf", zip({ "word/document.xml": "<x/>" }));
  await here.put("book", zip({ "xl/workbook.xml": "<x/>" }));
  await here.put("deck.zip", zip({ "ppt/presentation.xml": "<x/>" }));
  await here.put("table.tsv", "a\tb\n1\t2");
  await here.put("README", "words");
  assert.deepEqual(await here.results(["."]), {
    README: "text",
    book: "xlsx",
    "deck.zip": "pptx",
    "letter.pdf": "docx",
    "page.pdf": "html",
    "paper.txt": "pdf",
    "table.tsv": "csv",
  });
});

test("a name that claims a format over other content is mismatched", async () => {
  await using here = await place();
  await here.put("noise.pdf", Buffer.from([0, 1, 2, 3, 250, 251, 0, 0, 9, 8, 7]));
  await here.put("image.docx", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await here.put("archive.xlsx", zip({ "readme.txt": "x" }));
  await here.put("archive.jar", zip({ "readme.txt": "x" }));
  assert.deepEqual(await here.results(["."]), {
    "archive.xlsx": "SOURCE_MISMATCHED",
    "archive.jar": "SOURCE_UNSUPPORTED",
    "image.docx": "image",
    "noise.pdf": "SOURCE_MISMATCHED",
  });
});

test("missing, empty, oversized and special files each have their code", async () => {
  await using here = await place();
  await here.put("bad/empty.txt", "");
  await truncate(await here.put("bad/big.txt", "x"), 50_000_000);
  await truncate(await here.put("bad/pump.log", "x"), 2 * 1024 ** 3);
  execFileSync("mkfifo", [join(here.root, "bad/pipe.txt")]);
  assert.deepEqual(await here.results(["bad", "nowhere.pdf", "*.nothing"]), {
    "big.txt": "SOURCE_TOO_LARGE",
    "empty.txt": "SOURCE_EMPTY",
    "pump.log": "SOURCE_TOO_LARGE",
    "pipe.txt": "SOURCE_SPECIAL",
    "nowhere.pdf": "SOURCE_MISSING",
    "*.nothing": "SOURCE_MISSING",
  });
});

test("links that leave the folder or loop are reported, a link inside is not read twice", async () => {
  await using here = await place();
  await here.put("secret.txt", "secret");
  await here.put("docs/sub/a.txt", "a");
  await symlink(join(here.root, "secret.txt"), join(here.root, "docs/leak.txt"));
  await symlink(join(here.root, "docs"), join(here.root, "docs/sub/loop"));
  await here.put("docs/.kept/b.txt", "b");
  await symlink(".kept", join(here.root, "docs/kept"));
  await symlink("sub", join(here.root, "docs/twice"));
  await symlink("self", join(here.root, "docs/self"));
  await symlink("sub/a.txt", join(here.root, "docs/again.txt"));
  await symlink("nothing", join(here.root, "docs/dangling"));
  const expected = {
    dangling: "SOURCE_MISSING",
    kept: "SOURCE_OUTSIDE",
    "leak.txt": "SOURCE_OUTSIDE",
    self: "SOURCE_OUTSIDE",
    "sub/a.txt": "text",
  };
  assert.deepEqual(await here.results(["docs"]), expected);
  assert.deepEqual(await here.results(["docs"], { followLinks: true }), { ...expected, "leak.txt": "text" });
  assert.deepEqual(await here.results(["docs/*.txt"]), { "leak.txt": "SOURCE_OUTSIDE", "sub/a.txt": "text" });
});

test("a link that leads nowhere is called so, named or met in a folder", async () => {
  await using here = await place();
  await here.put("docs/a.txt", "a");
  await symlink("nothing", join(here.root, "docs/dangling.txt"));
  for (const path of ["docs", "docs/*.txt", "docs/dangling.txt"]) {
    const found = await listSources([path], { cwd: here.root, maxBytes: 100 }, run.signal);
    const [error] = found.filter(isFailure).map((each) => each.error);
    assert.match(String(error), /dangling\.txt is a link whose target does not exist/, path);
  }
  const refuse = () => new RagctlError("SOURCE_OUTSIDE", "not here");
  const [refused] = await listSources(
    ["docs/dangling.txt"],
    { cwd: here.root, maxBytes: 100, refuse },
    run.signal,
  );
  assert.doesNotMatch(JSON.stringify(refused), /a link/);
});

test("globs are expanded, names start at the pattern's fixed folder, each file comes once", async () => {
  await using here = await place();
  await here.put("docs/a.md", "a");
  await here.put("docs/deep/b.md", "b");
  await here.put("docs/c.txt", "c");
  assert.deepEqual(await here.results(["docs/**/*.md", "docs/a.md"]), {
    "a.md": "markdown",
    "deep/b.md": "markdown",
  });
  const listed = await listSources(["docs", "docs/*.md"], { cwd: here.root, maxBytes: 100 }, run.signal);
  assert.equal(listed.length, 3);
});

test("a file without read permission is unreadable", {
  skip: process.getuid?.() === 0 ? "root may read everything" : false,
}, async () => {
  await using here = await place();
  await chmod(await here.put("locked.txt", "x"), 0o000);
  assert.deepEqual(await here.results(["locked.txt"]), { "locked.txt": "SOURCE_UNREADABLE" });
});
