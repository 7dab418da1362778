import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { parseSourceAddress } from "../../../src/app/fetch/address.ts";
import { fetchRepository } from "../../../src/app/fetch/repository.ts";
import type { FetchLimits } from "../../../src/app/fetch/staged.ts";
import { runAsCaller } from "../../../src/config/caller.ts";
import { run } from "../../tools/support.ts";

describe("a repository", () => {
  let folder = "";
  let repository = "";
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b.test", ...words]);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ragctl-repository-"));
    repository = join(folder, "source");
    await mkdir(join(repository, "docs"), { recursive: true });
    execFileSync("git", ["init", "-q", "-b", "main", repository]);
    await writeFile(join(repository, "README.md"), "# Pump\n");
    await writeFile(join(repository, "docs/notes.txt"), "Valve.\n");
    await writeFile(join(repository, ".gitattributes"), "*.txt filter=evil\n");
    await symlink("/etc/passwd", join(repository, "link.md"));
    git("add", "-A");
    git("commit", "-qm", "one");
    git("tag", "v1");
    await writeFile(join(repository, "later.md"), "Later.\n");
    git("add", "-A");
    git("commit", "-qm", "two");
  });
  after(() => rm(folder, { recursive: true }));

  async function fetched(context: TestContext, revision: string, more: Partial<FetchLimits> = {}) {
    const staged = await mkdtemp(join(tmpdir(), "ragctl-staged-"));
    context.after(() => rm(staged, { recursive: true }));
    const address = parseSourceAddress(`git+file://${repository}@${revision}`);
    assert.ok(address.kind === "repository");
    const limits = {
      maxPages: 1,
      maxBytes: 1e6,
      maxFileBytes: 1e6,
      timeoutMs: 20_000,
      allowPrivate: false,
      ...more,
    };
    const { names } = await fetchRepository(address, limits, staged, run());
    return { names: Object.fromEntries(names), files: (await readdir(staged)).sort(), staged };
  }

  it("is fetched at the revision that is named, without its history and its links", async (context) => {
    const { names, files } = await fetched(context, "v1");
    assert.deepEqual(files, [".gitattributes", "README.md", "docs"]);
    assert.equal(names["docs/notes.txt"], `${repository}@v1:docs/notes.txt`);
    assert.deepEqual((await fetched(context, "main")).files, [
      ".gitattributes",
      "README.md",
      "docs",
      "later.md",
    ]);
  });

  it("that names a file outside of itself is refused, and removes nothing there", async (context) => {
    const kept = join(folder, "kept");
    await mkdir(kept);
    const blob = execFileSync("git", ["-C", repository, "hash-object", "-w", "--stdin"], { input: "x" });
    const names = ["README.md", "../kept", ".."];
    for (const [at, name] of names.entries()) {
      const entry = Buffer.concat([
        Buffer.from(`120000 ${name}\0`),
        Buffer.from(blob.toString().trim(), "hex"),
      ]);
      const words = ["-C", repository, "hash-object", "-t", "tree", "--literally", "-w", "--stdin"];
      const tree = execFileSync("git", words, { input: entry }).toString().trim();
      const commit = git("commit-tree", "-m", "three", tree).toString().trim();
      git("branch", `crafted${at}`, commit);
    }
    assert.deepEqual((await fetched(context, "crafted0")).files, []);
    for (const branch of ["crafted1", "crafted2"])
      await assert.rejects(fetched(context, branch), {
        code: "DOWNLOAD_FAILED",
        message: /contains a path that cannot be kept: "\.\./,
      });
    assert.ok(existsSync(kept) && existsSync(repository));
  });

  it("gives its files as they are, whatever its attributes ask for", async (context) => {
    await writeFile(join(repository, "README.md"), "# Pump $Id$\n");
    git("commit", "-qam", "three");
    await writeFile(
      join(repository, ".gitattributes"),
      "README.md ident working-tree-encoding=UTF-32 eol=crlf\n",
    );
    git("add", ".gitattributes");
    git("commit", "-qm", "four");
    const { staged } = await fetched(context, "main");
    const shown = execFileSync("git", ["-C", repository, "show", "main:README.md"]);
    assert.deepEqual(await readFile(join(staged, "README.md")), shown);
  });

  it("runs no filter or hook of the user's configuration, and none of its own", async (context) => {
    const mark = join(folder, "ran");
    const config = join(folder, "gitconfig");
    await mkdir(join(folder, "hooks"));
    for (const hook of ["post-checkout", "reference-transaction"])
      await writeFile(join(folder, "hooks", hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await writeFile(
      config,
      `[core]\nhooksPath = ${join(folder, "hooks")}\n[filter "evil"]\nsmudge = touch ${mark}; cat\nrequired = true\n`,
    );
    const environment = { ...process.env, GIT_CONFIG_GLOBAL: config, HOME: folder };
    await runAsCaller({ cwd: folder, environment }, () => fetched(context, "v1"));
    assert.ok(!existsSync(mark));
  });

  it("without the revision is named, and nothing is fetched", async (context) => {
    await assert.rejects(fetched(context, "gone"), {
      code: "SOURCE_MISSING",
      message: /has no revision gone/,
    });
    await assert.rejects(fetched(context, "0123456789012345678901234567890123456789"), {
      code: "SOURCE_MISSING",
    });
  });

  it("that is too large, or not there, is refused with the reason", async (context) => {
    await assert.rejects(fetched(context, "v1", { maxBytes: 10 }), {
      code: "DOWNLOAD_FAILED",
      message: /more than 10 bytes/,
    });
    const nowhere = parseSourceAddress("git+file:///ragctl/nowhere@main");
    assert.ok(nowhere.kind === "repository");
    const staged = await mkdtemp(join(tmpdir(), "ragctl-staged-"));
    context.after(() => rm(staged, { recursive: true }));
    const limits = { maxPages: 1, maxBytes: 1e6, maxFileBytes: 1e6, timeoutMs: 20_000, allowPrivate: false };
    await assert.rejects(fetchRepository(nowhere, limits, staged, run()), {
      code: "DOWNLOAD_FAILED",
      message: /does not appear to be a git repository/,
    });
  });

  it("at a private address is not asked", async (context) => {
    const local = parseSourceAddress("git+https://127.0.0.1/r@main");
    assert.ok(local.kind === "repository");
    const staged = await mkdtemp(join(tmpdir(), "ragctl-staged-"));
    context.after(() => rm(staged, { recursive: true }));
    const limits = { maxPages: 1, maxBytes: 1e6, maxFileBytes: 1e6, timeoutMs: 20_000, allowPrivate: false };
    await assert.rejects(fetchRepository(local, limits, staged, run()), {
      code: "SOURCE_OUTSIDE",
      message: /loopback/,
      hint: /fetch\.allowPrivate on$/,
    });
  });

  it("whose host is unknown is a failed download, not an address outside", async (context) => {
    const nowhere = parseSourceAddress("git+https://nowhere.invalid/r@main");
    assert.ok(nowhere.kind === "repository");
    const staged = await mkdtemp(join(tmpdir(), "ragctl-staged-"));
    context.after(() => rm(staged, { recursive: true }));
    const limits = { maxPages: 1, maxBytes: 1e6, maxFileBytes: 1e6, timeoutMs: 20_000, allowPrivate: false };
    const lookup = async () => [];
    await assert.rejects(fetchRepository(nowhere, { ...limits, lookup }, staged, run()), {
      code: "DOWNLOAD_FAILED",
      message: /nowhere\.invalid has no address/,
    });
  });

  it("says that git is not installed where it is not", async (context) => {
    await assert.rejects(
      runAsCaller({ cwd: folder, environment: { PATH: folder } }, () => fetched(context, "v1")),
      { code: "RUNTIME_MISSING", message: "git is not installed" },
    );
  });
});
