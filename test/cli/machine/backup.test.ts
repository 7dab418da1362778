import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp, mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertFits, type Home, openHome, record, records, skipChain } from "../support.ts";

async function json(home: Home, parameters: readonly string[], status = 0): Promise<Record<string, unknown>> {
  const ended = await home.run([...parameters, "--format", "json"]);
  assert.equal(ended.status, status, `${parameters.join(" ")}: ${ended.stderr}`);
  return record(JSON.parse(status === 0 ? ended.stdout : (ended.stderr.trim().split("\n").at(-1) ?? "")));
}

const failure = async (home: Home, parameters: readonly string[], status: number) =>
  record((await json(home, parameters, status))["error"]);

const found = async (home: Home) =>
  records((await json(home, ["search", "which lamp is green"]))["hits"]).map((hit) => hit["source_file"]);

describe("a backup", { skip: skipChain }, () => {
  it("brings registry, settings and vectors back into an empty home, and says which models are missing", async () => {
    await using home = await openHome("retrieve:\n  topK: 4\n");
    const folder = await home.folder("lamps", {
      "one.md": "# One\n\nThe first lamp is green.\n",
      "two.md": "# Two\n\nThe second is red.\n",
    });
    await json(home, ["ingest", folder, "-c", "lamps"]);
    const terms = "terms: [{ when: [lamp], also: lantern }]\n";
    writeFileSync(join(home.path, "glossary.yaml"), terms);
    const target = join(home.base, "saved");
    const made = await json(home, ["backup", "create", target]);
    assertFits("backup", made);
    assert.deepEqual(
      records(made["files"]).map((file) => file["path"]),
      ["glossary.yaml", "registry.sqlite", "settings.yaml", "stores/public.db"],
    );
    for (const name of readdirSync(target, { recursive: true, encoding: "utf8" })) {
      const { mode } = statSync(join(target, name));
      assert.equal(mode & 0o077, 0, name);
    }
    assert.equal((await failure(home, ["backup", "create", target], 2))["code"], "USAGE_INVALID");

    await using other = await openHome("", []);
    const restored = await json(other, ["backup", "restore", target]);
    assertFits("backup", restored);
    assert.deepEqual(restored["missing_models"], ["bge-small-en-v1.5-int8"]);
    for (const id of readdirSync(join(home.path, "models")))
      await symlink(join(home.path, "models", id), join(other.path, "models", id));
    assert.deepEqual((await found(other))[0], "one.md");
    assert.match(readFileSync(join(other.path, "settings.yaml"), "utf8"), /topK: 4/);
    assert.equal(readFileSync(join(other.path, "glossary.yaml"), "utf8"), terms);
    assert.equal((await failure(other, ["backup", "restore", target], 2))["code"], "USAGE_INVALID");
    await other.run(["stop"]);
    const again = await json(other, ["backup", "restore", target, "--force"]);
    assert.ok(existsSync(join(String(again["set_aside"]), "registry.sqlite")), "what was there is kept");
    assert.deepEqual((await found(other))[0], "one.md");
    await other.run(["stop"]);
    await home.run(["stop"]);
  });

  it("shows its settings before they are taken, secrets covered", async () => {
    await using home = await openHome("retrieve:\n  topK: 4\nmilvus:\n  token: root:Secret\n", []);
    const target = join(home.base, "saved");
    await json(home, ["list"]);
    await json(home, ["backup", "create", target]);
    await using other = await openHome("", []);
    const { status, stderr } = await other.run(["backup", "restore", target]);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /settings in the backup:\n {2}retrieve\.topK: 4\n {2}milvus\.token: \*\*\*\n/);
  });

  it("that is damaged, incomplete or none leaves the home as it is", async () => {
    await using home = await openHome("", []);
    await json(home, ["list"]);
    const target = join(home.base, "saved");
    await json(home, ["backup", "create", target]);
    await using other = await openHome("", []);
    const untouched = () =>
      assert.deepEqual(
        readdirSync(other.path).filter((name) => !["models", "host", "cache"].includes(name)),
        [],
      );
    await cp(target, join(home.base, "damaged"), { recursive: true });
    writeFileSync(join(home.base, "damaged", "registry.sqlite"), "SQLite format 3");
    assert.equal(
      (await failure(other, ["backup", "restore", join(home.base, "damaged")], 7))["code"],
      "HASH_MISMATCH",
    );
    untouched();
    await rename(join(target, "registry.sqlite"), join(home.base, "moved.sqlite"));
    assert.equal((await failure(other, ["backup", "restore", target], 3))["code"], "NOT_FOUND");
    const manifest = readFileSync(join(target, "manifest.json"), "utf8");
    writeFileSync(
      join(target, "manifest.json"),
      manifest.replace('"registry.sqlite"', '"../../evil.sqlite"'),
    );
    assert.equal((await failure(other, ["backup", "restore", target], 2))["code"], "USAGE_INVALID");
    await mkdir(join(home.base, "empty"));
    assert.equal(
      (await failure(other, ["backup", "restore", join(home.base, "empty")], 3))["code"],
      "NOT_FOUND",
    );
    untouched();
    rmSync(target, { recursive: true });
  });

  it("that names a file twice, lies about a size, or holds a pipe or a link is refused, and nothing of it stays", async () => {
    await using home = await openHome("retrieve:\n  topK: 4\n", []);
    await json(home, ["list"]);
    const target = join(home.base, "saved");
    await json(home, ["backup", "create", target]);
    const path = join(target, "manifest.json");
    const manifest = record(JSON.parse(readFileSync(path, "utf8")));
    const files = records(manifest["files"]);
    await using other = await openHome("", []);
    const refused = async (changed: readonly object[], status: number, code: string) => {
      writeFileSync(path, JSON.stringify({ ...manifest, files: changed }));
      assert.equal((await failure(other, ["backup", "restore", target], status))["code"], code);
      assert.deepEqual(
        readdirSync(other.path).filter((name) => !["models", "host", "cache"].includes(name)),
        [],
      );
    };
    await refused([...files, ...files], 2, "USAGE_INVALID");
    await refused(
      files.map((file) => ({ ...file, size_bytes: 1 })),
      7,
      "HASH_MISMATCH",
    );
    await refused(
      [...files, { ...files[0], path: "uploads/public/lamps/../../registry.sqlite" }],
      2,
      "USAGE_INVALID",
    );
    for (const spoil of [
      (file: string) => execFileSync("mkfifo", [file]),
      (file: string) => symlinkSync(join(home.path, "settings.yaml"), file),
    ]) {
      rmSync(join(target, "settings.yaml"));
      spoil(join(target, "settings.yaml"));
      await refused(files, 3, "NOT_FOUND");
    }
  });

  it("that cannot be put in its place leaves the home as it was", async () => {
    await using home = await openHome("retrieve:\n  topK: 4\n", []);
    await json(home, ["list"]);
    await home.run(["stop"]);
    mkdirSync(join(home.path, "stores"), { recursive: true });
    writeFileSync(join(home.path, "stores", "public.db"), "vectors");
    const target = join(home.base, "saved");
    await json(home, ["backup", "create", target]);
    await using other = await openHome("retrieve:\n  topK: 9\n", []);
    await json(other, ["list"]);
    await other.run(["stop"]);
    // A folder in the place of the database, which is none of the files that are moved aside.
    mkdirSync(join(other.path, "stores", "public.db"), { recursive: true });
    const names = () => readdirSync(other.path).filter((name) => name !== "host");
    const before = names();
    const registry = readFileSync(join(other.path, "registry.sqlite"));
    const { code, message } = await failure(other, ["backup", "restore", target, "--force"], 2);
    assert.equal(code, "USAGE_INVALID");
    assert.match(String(message), /public\.db must be a file, but it is a folder/);
    assert.deepEqual(names(), before);
    assert.match(readFileSync(join(other.path, "settings.yaml"), "utf8"), /topK: 9/);
    assert.deepEqual(readFileSync(join(other.path, "registry.sqlite")), registry);
  });

  it("of the registry alone leaves collections that search names and reembed makes again", async () => {
    await using home = await openHome();
    const folder = await home.folder("lamps", { "one.md": "# One\n\nThe first lamp is green.\n" });
    const more = await home.folder("more", { "three.md": "# Three\n\nThe third lamp is blue.\n" });
    await json(home, ["ingest", folder, "-c", "lamps"]);
    await home.run(["stop"]);
    rmSync(join(home.path, "stores"), { recursive: true });
    await json(home, ["ingest", more, "-c", "more"]);
    const result = await json(home, ["search", "which lamp is green"]);
    assertFits("search", result);
    assert.deepEqual(
      [
        records(result["hits"]).map((hit) => hit["source_file"]),
        records(result["unavailable"]).map((each) => each["collection"]),
      ],
      [["three.md"], ["lamps"]],
    );
    const doctor = await home.run(["doctor"]);
    assert.match(
      doctor.stdout,
      /FAILED {2}vectors: 1 of 1 documents in lamps.*\n.*ragctl reembed --collection lamps/,
    );
    const alone = await failure(home, ["search", "which lamp", "-c", "lamps"], 1);
    assert.deepEqual(
      [alone["code"], /ragctl reembed --collection lamps/.test(String(alone["hint"]))],
      ["STORE_UNAVAILABLE", true],
    );
    await json(home, ["reembed", "--collection", "lamps"]);
    assert.equal((await found(home))[0], "one.md");
    await home.run(["stop"]);
  });
});
