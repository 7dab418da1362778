import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { documents, type Home, openHome, record, records, skipChain } from "../support.ts";

describe("a search for what no document speaks of", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    await home.json(["ingest", documents, "-c", "manuals"]);
  });
  after(() => home[Symbol.asyncDispose]());

  it("is said to have found nothing that fits, with the nearest passages and status 3", async () => {
    const strange = ["zebra unicorn quantum", "capital of Mongolia", "stock price of Apple", "xyzzy plugh"];
    for (const query of strange) {
      const { hits, found } = await home.json(["search", query], [3]);
      assert.deepEqual([records(hits).length, found], [5, false], query);
    }
    const { status, stdout } = await home.run(["search", "zebra unicorn quantum"]);
    assert.equal(status, 3);
    assert.match(stdout, /^nothing fits; the nearest passages:\n 1\. /);
    const none = await home.run(["search", "zebra unicorn quantum", "--section", "no such heading"]);
    assert.deepEqual([none.status, none.stdout], [3, "nothing found with --section\n"]);
  });

  it("finds what a document speaks of, by one word or a number, too", async () => {
    for (const query of [
      "torque",
      "pump",
      "P-107",
      "bơm",
      "carry over annual leave",
      "the hotel limit per night",
    ]) {
      const { hits, found } = await home.json(["search", query]);
      assert.ok(found === true && records(hits).length > 0, query);
    }
  });

  it("keeps the hits of a batch, and says of each line whether it found anything", async () => {
    const file = join(home.base, "queries.jsonl");
    const queries = ["zebra unicorn quantum", "torque of the casing cover bolts"];
    await writeFile(file, queries.map((query, id) => JSON.stringify({ id, query })).join("\n"));
    const { status, stdout } = await home.run(["search", "--batch", file]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => record(JSON.parse(line)));
    assert.deepEqual(
      [status, lines.map(({ found }) => found), lines.map(({ hits }) => records(hits).length)],
      [0, [false, true], [5, 5]],
    );
  });
});
