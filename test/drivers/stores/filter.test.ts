import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { RagctlError } from "../../../src/core/errors.ts";
import { type Filter, type FilterField, matchAllFilter } from "../../../src/core/retrieval.ts";
import { conditionExpression, matches, normalise } from "../../../src/drivers/stores/filter.ts";
import { decodeScalar, encodeScalar } from "../../../src/drivers/stores/rows.ts";
import { chunkOf, collect, embedded, liteRuntime, skipLite, withFolder } from "../../contracts/store.ts";
import open from "../../helpers/milvus-lite.ts";

const expressionOf = (filter: Filter): string => conditionExpression(normalise(filter));

it("writes the text Milvus reads, values quoted", () => {
  assert.equal(expressionOf(matchAllFilter), "");
  assert.equal(
    expressionOf({ field: "department", in: ['a"b', "c\\d"] }),
    'department in ["a\\"b","c\\\\d"]',
  );
  assert.equal(expressionOf({ not: { field: "format", in: ["pdf"] } }), 'file_type not in ["pdf"]');
  assert.equal(expressionOf({ field: "id", in: [] }), '(id == "" and id != "")');
  assert.equal(
    expressionOf({
      not: { all: [{ field: "id", in: ["a"] }, { not: { field: "department", in: ["x"] } }] },
    }),
    '(id not in ["a"] or department in ["x"])',
  );
});

it("folds constants and tests of one field, so that a deep filter of one field stays flat", () => {
  let filter: Filter = { field: "id", in: ["seed"] };
  for (let level = 0; level < 500; level++) {
    const parts: Filter[] = [filter, { field: "id", in: ["seed", `x${level}`] }];
    filter = level % 2 === 0 ? { any: parts } : { all: parts };
  }
  assert.equal(normalise(filter).kind, "set");
  assert.equal(
    normalise({ all: [matchAllFilter, { any: [matchAllFilter, { field: "id", in: ["a"] }] }] }).kind,
    "everything",
  );
  assert.equal(
    normalise({
      all: [
        { field: "id", in: ["a"] },
        { field: "id", in: ["b"] },
      ],
    }).kind,
    "nothing",
  );
});

it("refuses a filter deeper than the server can read instead of sending it", () => {
  let filter: Filter = { field: "id", in: ["seed"] };
  for (let level = 0; level < 60; level++) {
    const side: Filter = { field: level % 4 < 2 ? "department" : "format", in: [`x${level}`] };
    filter = level % 2 === 0 ? { any: [filter, side] } : { all: [filter, side] };
  }
  assert.throws(
    () => expressionOf(filter),
    (error: unknown) => error instanceof RagctlError && error.code === "USAGE_INVALID",
  );
});

const text = fc.oneof(
  fc.constantFrom(
    '" or 1==1 or id == "',
    '") or (id != "',
    "\\",
    '\\"',
    "a\\",
    "'",
    "%",
    "%000a",
    "{x}",
    "$meta",
    "id",
    "\n",
    "\u0000",
    "\ud800",
    "\\n",
    "é漢😀",
    "",
    " ",
    "-- x",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

it("stores every string, controls and lone surrogates included, one to one", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      ),
      (value) => {
        const stored = encodeScalar(value);
        assert.ok(stored.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(stored));
        assert.equal(decodeScalar(stored), value);
      },
    ),
    { numRuns: 1_000 },
  );
});

it("selects on Milvus Lite exactly the chunks the filter means, whatever the values", {
  skip: skipLite,
}, async () => {
  await withFolder(async (home) => {
    await using store = open({
      id: "filters",
      runtime: liteRuntime,
      dataFolder: home,
      name: "filters",
      socketFolder: join(home, "s"),
    });
    await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
    const values = fc.sample(text, { numRuns: 120, seed: 7 });
    const pick = (seed: number): string => values[seed % values.length] ?? "";
    const chunks = Array.from({ length: 150 }, (_, index) =>
      chunkOf(index, {
        department: pick(index * 7),
        sourceName: pick(index * 13 + 1),
        documentId: `d${index % 9}`,
        format: index % 3 === 0 ? "csv" : "pdf",
      }),
    );
    await store.write(
      "main",
      chunks.map((chunk) => embedded(chunk)),
    );
    const field = fc.constantFrom<FilterField>("department", "sourceName", "documentId", "format", "id");
    const leaf = fc.record({
      field,
      in: fc.array(fc.oneof(fc.constantFrom(...values), text, fc.constantFrom("d1", "d2", "pdf", "v1-3")), {
        maxLength: 5,
      }),
    });
    const { filter } = fc.letrec<{ filter: Filter; leaf: Filter }>((tie) => ({
      leaf,
      filter: fc.oneof(
        { depthSize: "small", maxDepth: 4 },
        tie("leaf"),
        fc.record({ all: fc.array(tie("filter"), { maxLength: 3 }) }),
        fc.record({ any: fc.array(tie("filter"), { maxLength: 3 }) }),
        fc.record({ not: tie("filter") }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(filter, async (condition) => {
        const expected = chunks.filter((chunk) => matches(condition, chunk)).map((chunk) => chunk.id);
        const found = (await collect(store.list("main", condition))).map((chunk) => chunk.id);
        assert.deepEqual(found.sort(), expected.sort());
        const hits = await store.search(
          "main",
          { text: "text", dense: embedded(chunkOf(0)).embedding.dense, limit: 200, filter: condition },
          new AbortController().signal,
        );
        assert.equal(hits.dense.length, expected.length);
        assert.equal(hits.lexical.length, expected.length);
      }),
      { numRuns: 150 },
    );
  });
});
