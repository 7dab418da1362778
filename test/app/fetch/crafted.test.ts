import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseSourceAddress } from "../../../src/app/fetch/address.ts";
import { fetchInto } from "../../../src/app/fetch/fetch.ts";
import { loadSettings } from "../../../src/config/load.ts";
import { run } from "../../tools/support.ts";

const [file, link, submodule, folder] = ["100644", "120000", "160000", "40000"];

describe("a repository whose trees no program of git wrote", () => {
  let base = "";
  let repository = "";
  let blob = "";
  const git = (words: readonly string[], input?: string | Buffer): string =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b.test", ...words], {
      input,
      stdio: ["pipe", "pipe", "ignore"],
    })
      .toString()
      .trim();
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "ragctl-crafted-"));
    repository = join(base, "source");
    execFileSync("git", ["init", "-q", "-b", "main", repository]);
    blob = git(["hash-object", "-w", "--stdin"], "The pump has 12 bar.\n");
  });
  after(() => rm(base, { recursive: true }));

  type Entry = readonly [mode: string | undefined, name: string, object?: string];
  function tree(...entries: readonly Entry[]): string {
    const written = entries.map(([mode, name, object = blob]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, "hex")]),
    );
    return git(["hash-object", "-t", "tree", "--literally", "-w", "--stdin"], Buffer.concat(written));
  }

  /** What is kept of a tree, and what is said of the rest. */
  async function fetched(object: string, maxBytes?: number) {
    git(["update-ref", "refs/heads/main", git(["commit-tree", "-m", "one", object])]);
    const home = join(base, "home");
    const { settings } = loadSettings({ flags: { home }, trust: false });
    const fetch = { ...settings.fetch, maxBytes: maxBytes ?? settings.fetch.maxBytes };
    const warnings: string[] = [];
    const log = { event: () => undefined, warn: (text: string) => warnings.push(text) };
    const address = parseSourceAddress(`git+file://${repository}@main`);
    try {
      const { names, failures } = await fetchInto(
        address,
        0,
        { settings: { ...settings, fetch } },
        { ...run(), log },
      );
      const left = failures.map(({ name, error }) => `${error.code} ${name.split("@main:")[1]}`);
      return { kept: [...names.keys()].sort(), left, warnings };
    } finally {
      assert.ok((await readdir(join(home, "fetched"))).length <= 1, "only the folder of the address is left");
      await rm(home, { recursive: true });
    }
  }

  it("loses no file without a word to another of the same place", async () => {
    const inner = tree([file, "b.md"]);
    assert.deepEqual(await fetched(tree([file, "a.md"], [file, "a.md"], [file, "c.md"])), {
      kept: ["a.md", "c.md"],
      left: ["SOURCE_UNREADABLE a.md"],
      warnings: [],
    });
    const both = await fetched(tree([file, "a"], [folder, "a", inner], [file, "c.md"]));
    assert.deepEqual([both.kept, both.left], [["a/b.md", "c.md"], ["SOURCE_UNREADABLE a"]]);
    const linked = await fetched(tree([link, "a"], [folder, "a", inner], [file, "c.md"]));
    assert.deepEqual([linked.kept, linked.left], [["c.md"], ["SOURCE_UNREADABLE a/b.md"]]);
    const shortened = await fetched(tree([file, "a.md"], [folder, "git~1", inner]));
    assert.deepEqual([shortened.kept, shortened.left], [["a.md"], ["SOURCE_UNREADABLE git~1/b.md"]]);
  });

  it("keeps names with line breaks and differing only in case", async () => {
    const { kept, left } = await fetched(tree([file, "a\nb.md"], [file, "..c.md"], [file, "e\u0301.md"]));
    assert.deepEqual([kept, left], [["..c.md", "a\nb.md", "e\u0301.md"].sort(), []]);
    const cases = await fetched(tree([file, "A.md"], [file, "a.md"]));
    assert.equal(cases.kept.length + cases.left.length, 2);
  });

  it("names its submodules as not read, and its links as not followed", async () => {
    const { kept, left, warnings } = await fetched(
      tree([file, "a.md"], [submodule, "sub", "1".repeat(40)], [link, ".gitmodules"], [link, "l.md"]),
    );
    assert.deepEqual([kept, left], [["a.md"], ["SOURCE_UNSUPPORTED sub"]]);
    assert.match(warnings.join("\n"), /^links in .* are not followed: \.gitmodules, l\.md$/);
  });

  it("is refused for a path that cannot be kept or removed, and leaves nothing", async () => {
    let deep = tree([file, "a.md"]);
    for (let depth = 0; depth < 600; depth++) deep = tree([folder, "deeper", deep]);
    const inGit = tree([folder, ".GIT", tree([file, "config"])]);
    const paths = [deep, inGit, tree([file, `${"a".repeat(300)}.md`]), tree([file, "..\\a.md"])];
    for (const object of paths)
      await assert.rejects(fetched(object), { code: "DOWNLOAD_FAILED", message: /path that cannot be kept/ });
  });

  it("that lacks an object, or has too many files or bytes, says so", async () => {
    await assert.rejects(fetched(tree([file, "a.md", "1".repeat(40)])), {
      code: "DOWNLOAD_FAILED",
      message: /was not fetched: (?:remote: .*unable to read 1111|.*git-pack-objects died)/,
    });
    let many = tree(...Array.from({ length: 10 }, (_, at): Entry => [file, `${at}.md`]));
    for (let depth = 0; depth < 7; depth++)
      many = tree(...Array.from({ length: 10 }, (_, at): Entry => [folder, `${at}`, many]));
    await assert.rejects(fetched(many), { code: "DOWNLOAD_FAILED", hint: "at most 100000 are fetched" });
    await assert.rejects(fetched(tree([file, "a.md"]), 10), {
      code: "DOWNLOAD_FAILED",
      message: /has more than 10 bytes/,
      hint: "raise fetch.maxBytes",
    });
  });
});
