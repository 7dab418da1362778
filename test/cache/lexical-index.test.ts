import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openLexicalIndexes } from "../../src/cache/lexical-index.ts";
import { type Filter, matchAllFilter } from "../../src/core/retrieval.ts";
import { chunkOf, dimensions, embedded, liteRuntime, skipLite, withFolder } from "../contracts/store.ts";
import openLite from "../helpers/milvus-lite.ts";
import { temporaryFolder } from "../registry/support.ts";

const main = { name: "main" } as const;
const fail = (message: string): never => assert.fail(message);
const ask = (text: string, filter: Filter = matchAllFilter, limit = 10) => ({ text, filter, limit });

test("scores words as the BM25 of Milvus does", { skip: skipLite }, async (context) => {
  const texts = ["pump valve pump", "valve", "the pump of the plant", "a plant", "Kürbis über alles", "pump"];
  const chunks = texts.map((text, at) => chunkOf(at, { title: "", headings: [], text }));
  using indexes = await openLexicalIndexes(join(temporaryFolder(context), "lexical.sqlite"), fail);
  const index = indexes.of("public");
  index.put(main, chunks);
  await withFolder(async (home) => {
    const folders = { dataFolder: join(home, "stores"), socketFolder: join(home, "sockets") };
    await using store = openLite({ id: "x", runtime: liteRuntime, name: "x", ...folders });
    await store.ensure({ ...main, dimensions, lexical: "bm25", fingerprint: "f" });
    await store.write(
      "main",
      chunks.map((chunk) => embedded(chunk)),
    );
    for (const question of ["pump", "Valve pump", "pump pump plant", "kurbis ÜBER", "nothing", "pump the"]) {
      const { lexical } = await store.search("main", ask(question), new AbortController().signal);
      const byMilvus = new Map(lexical.map(({ chunk, score }) => [chunk.id, score]));
      const own = index.search(main, ask(question));
      assert.deepEqual(new Set(own.map(({ id }) => id)), new Set(byMilvus.keys()), question);
      for (const { id, score } of own)
        assert.ok(
          Math.abs(score - (byMilvus.get(id) ?? 0)) < 0.01,
          `${question}: ${id} ${score} ${byMilvus.get(id)}`,
        );
    }
  });
});

test("finds a chunk by each kind of block in it", async (context) => {
  using indexes = await openLexicalIndexes(join(temporaryFolder(context), "lexical.sqlite"), fail);
  const index = indexes.of("public");
  index.put(main, [
    chunkOf(0, { text: "word", kinds: ["paragraph", "table"] }),
    chunkOf(1, { text: "word", contentType: "table" }),
    chunkOf(2, { text: "word" }),
  ]);
  const ids = (kinds: readonly string[]) =>
    index
      .search(main, ask("word", { kinds }))
      .map(({ id }) => id)
      .toSorted();
  assert.deepEqual(ids(["table"]), ["v1-0", "v1-1"]);
  assert.deepEqual(ids(["paragraph"]), ["v1-0", "v1-2"]);
});

test("admits before it cuts, so a small department is not crowded out", async (context) => {
  using indexes = await openLexicalIndexes(join(temporaryFolder(context), "lexical.sqlite"), fail);
  const index = indexes.of("public");
  index.put(
    main,
    Array.from({ length: 300 }, (_, at) => chunkOf(at, { department: "big", text: "word word" })),
  );
  index.put(main, [
    chunkOf(300, { department: "R&D \ud800\u0000", text: "a single word among many others" }),
  ]);
  const small: Filter = { field: "department", in: ["R&D \ud800\u0000"] };
  const ids = (filter: Filter) => index.search(main, ask("word", filter, 2)).map(({ id }) => id);
  assert.deepEqual(ids(small), ["v1-300"]);
  assert.deepEqual(ids({ not: { field: "department", in: ["big"] } }), ["v1-300"]);
  assert.deepEqual(ids({ any: [] }), []);
  assert.equal(ids(matchAllFilter).length, 2);
});

test("replaces by id, deletes what matches, and keeps collections and stores apart", async (context) => {
  const path = join(temporaryFolder(context), "lexical.sqlite");
  {
    using indexes = await openLexicalIndexes(path, fail);
    const index = indexes.of("public");
    index.put(main, [chunkOf(0, { text: "before" }), chunkOf(1, { text: "other", versionId: "v2" })]);
    index.put(main, [chunkOf(0, { text: "after" })]);
    indexes.of("private").put(main, [chunkOf(0, { text: "secret" })]);
    index.put({ name: "second" }, [chunkOf(0, { text: "secret" })]);
    index.delete(main, { field: "versionId", in: ["v2"] });
  }
  using indexes = await openLexicalIndexes(path, fail);
  const index = indexes.of("public");
  const count = (text: string) => index.search(main, ask(text)).length;
  assert.deepEqual(["before", "after", "other", "secret"].map(count), [0, 1, 0, 0]);
  assert.deepEqual([index.ids(main), index.count(main)], [["v1-0"], 1]);
  index.drop("main");
  index.drop("main");
  assert.deepEqual([index.count(main), count("after")], [0, 0]);
  assert.equal(indexes.of("private").search(main, ask("secret")).length, 1);
});

test("stems English and drops its stop words where a collection asks for it", async (context) => {
  using indexes = await openLexicalIndexes(join(temporaryFolder(context), "lexical.sqlite"), fail);
  const index = indexes.of("public");
  const counts = (["standard", "english"] as const).map((analyzer) => {
    const collection = { name: analyzer, analyzer };
    index.put(collection, [chunkOf(0, { text: "The pumps were installed in the Café" })]);
    return ["PUMPS", "cafe", "pump install", "the"].map((text) => index.search(collection, ask(text)).length);
  });
  assert.deepEqual(counts, [
    [1, 1, 0, 1],
    [1, 1, 1, 0],
  ]);
});

test("finds a word within a sentence that has no spaces, and takes any text for a question", async (context) => {
  using indexes = await openLexicalIndexes(join(temporaryFolder(context), "lexical.sqlite"), fail);
  const index = indexes.of("public");
  index.put(main, [chunkOf(0, { text: "保証期間は二年です" })]);
  assert.equal(index.search(main, ask("保証")).length, 1);
  for (const text of ['"', "a AND NOT (b", "x*", "\u0000", "\ud800", "", "NEAR(保 証)"])
    index.search(main, ask(text));
});

test("a damaged file is made again with a warning", async (context) => {
  const path = join(temporaryFolder(context), "lexical.sqlite");
  writeFileSync(path, "no database".repeat(1_000));
  const warnings: string[] = [];
  using indexes = await openLexicalIndexes(path, (message) => warnings.push(message));
  assert.equal(indexes.of("public").count(main), 0);
  assert.match(warnings.join(), /damaged/);
});
