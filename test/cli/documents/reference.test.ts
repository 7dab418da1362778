import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { errorOf, type Home, openHome, record, records, skipChain } from "../support.ts";

describe("a file that two collections hold", { skip: skipChain }, () => {
  let home: Home;
  let file: string;
  before(async () => {
    home = await openHome();
    file = join(await home.folder("notes", { "bolts.md": "# Bolts\n\nThe bolts are blue.\n" }), "bolts.md");
    for (const collection of ["plans", "manuals"]) await home.json(["ingest", file, "-c", collection]);
    await writeFile(file, "# Bolts\n\nThe bolts are green.\n");
    await home.json(["ingest", file, "-c", "manuals"]);
  });
  after(() => home[Symbol.asyncDispose]());

  it("is shown, listed by version and compared in the collection that is named", async () => {
    for (const command of ["show", "history", "diff"])
      for (const name of [file, "bolts.md"]) {
        const unclear = await home.run([command, name, "--format", "json"]);
        assert.match(String(errorOf(unclear)["message"]), /matches 2 documents/, command);
      }
    for (const [collection, version] of [
      ["plans", 1],
      ["manuals", 2],
    ] as const)
      for (const command of ["show", "history"]) {
        const { document } = await home.json([command, file, "-c", collection]);
        assert.deepEqual(
          [record(document)["collection"], record(document)["version"]],
          [collection, version],
        );
      }
    const { added, removed } = await home.json(["diff", "bolts.md", "--collection", "manuals"]);
    assert.deepEqual([added, removed], [1, 1]);
    const only = await home.run(["diff", "bolts.md", "-c", "plans", "--format", "json"]);
    assert.match(String(errorOf(only)["message"]), /has only one version/);
    const exported = await home.run(["show", "bolts.md", "-c", "plans", "--export", "doc_chunks"]);
    assert.match(exported.stdout, /blue/);
  });

  it("is named by its path from the working folder, as it was ingested", async () => {
    await home.folder("s1", { "pump.csv": "pump;bar\nP-1;12\n" });
    await symlink(join(home.base, "s1"), join(home.base, "link"));
    await home.json(["ingest", "s1", "-c", "pumps"]);
    for (const typed of ["s1/pump.csv", "./s1/../s1/pump.csv", "link/pump.csv"])
      for (const words of [["show"], ["history"], ["show", "-c", "pumps"]]) {
        const { document } = await home.json([...words, typed]);
        assert.equal(record(document)["name"], "pump.csv", typed);
      }
    const found = await home.json(["search", "bar", "--document", "s1/pump.csv"]);
    assert.equal(records(found["hits"])[0]?.["source_file"], "pump.csv");
    await rm(join(home.base, "s1", "pump.csv"));
    assert.equal((await home.run(["forget", "notes/pump.csv", "--yes"])).status, 3);
    assert.equal((await home.run(["forget", "s1/pump.csv", "--yes"])).status, 0);
  });

  it("is not found in a collection that lacks it, or that there is not", async () => {
    const lacks = await home.run(["show", "none.md", "-c", "plans", "--format", "json"]);
    assert.equal(errorOf(lacks)["code"], "NOT_FOUND");
    const none = await home.run(["history", "bolts.md", "-c", "nowhere", "--format", "json"]);
    assert.match(String(errorOf(none)["message"]), /there is no collection "nowhere"/);
  });

  it("is exported from a copy as from the file it is a copy of", async () => {
    const text = "Plain words without a heading.\n";
    await home.json([
      "ingest",
      await home.folder("twins", { "one.txt": text, "two.txt": text }),
      "-c",
      "twins",
    ]);
    const [one, two] = await Promise.all(
      ["one.txt", "two.txt"].map((name) => home.run(["show", name, "--export", "doc_chunks"])),
    );
    const [chunk, ...others] = records(JSON.parse(two?.stdout ?? ""));
    assert.deepEqual([chunk?.["text"], others], [text.trim(), []]);
    assert.equal(two?.stdout, one?.stdout);
    await home.json(["forget", "one.txt", "--yes"]);
    assert.equal((await home.run(["show", "two.txt", "--export", "doc_chunks"])).stdout, two?.stdout);
  });
});
