import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { z } from "../../../src/core/schema.ts";
import type { ModelTokenizer } from "../../../src/drivers/runtime/tokenizer.ts";
import { openTokenizer } from "../../../src/drivers/runtime/tokenizer.ts";
import { processorMs } from "../../helpers/processor-time.ts";

const home = process.env["RAGCTL_TEST_HOME"] ?? join(homedir(), ".local/share/ragctl");
const bert = join(home, "models", "bge-small-en-v1.5-int8", "tokenizer.json");
const files = {
  "a WordPiece tokenizer": {
    path: bert,
    skip: existsSync(bert) ? false : `${bert} is absent`,
    head: [101],
    tail: [102],
    pad: 0,
    special: [0, 100, 101, 102],
  },
  "a Unigram tokenizer": {
    path: join(import.meta.dirname, "../../../fixtures/models/bge-m3-tiny/tokenizer.json"),
    skip: false,
    head: [0],
    tail: [2],
    pad: 1,
    special: [0, 1, 2, 3],
  },
} as const;

for (const [name, { path, skip, head, tail, pad, special }] of Object.entries(files)) {
  describe(name, { skip }, () => {
    let tokenizer: ModelTokenizer;
    before(async () => {
      tokenizer = await openTokenizer(path);
    });

    it("counts what it encodes, for any text", () => {
      fc.assert(
        fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
          assert.equal(tokenizer.count(text), tokenizer.encode(text).length);
        }),
      );
    });

    it("frames a text with its special tokens, and keeps the frame when it cuts", () => {
      const text = "one two three four five six seven";
      const ids = [...tokenizer.encode(text)];
      assert.deepEqual(tokenizer.encodeForModel(text, 512), {
        ids: [...head, ...ids, ...tail],
        truncated: 0,
      });
      assert.deepEqual(tokenizer.encodeForModel(text, 5), {
        ids: [...head, ...ids.slice(0, 3), ...tail],
        truncated: ids.length - 3,
      });
      assert.deepEqual(tokenizer.encodeForModel("", 5), { ids: [...head, ...tail], truncated: 0 });
    });

    it("counts a long word without a blank in proportion to its length", async () => {
      for (const piece of ["QUJD", "[", '{"a":1,']) {
        const cost = (length: number) =>
          processorMs(() => tokenizer.count(piece.repeat(length / piece.length)));
        const before = Math.max(20, await cost(20_000));
        const growth = (await cost(160_000)) / before;
        assert.ok(growth < 20, `${piece}: 8 times the text, ${growth.toFixed(1)} times the work`);
      }
    });

    it("knows its padding and special tokens", () => {
      assert.equal(tokenizer.padId, pad);
      assert.deepEqual(
        [...tokenizer.specialIds].sort((left, right) => left - right),
        special,
      );
    });

    it("gives the same ids however blanks are written", () => {
      assert.deepEqual(tokenizer.encode(" a\t\tdocument\r\n  query "), tokenizer.encode("a document query"));
    });
  });
}

// Reference: Python tokenizers 0.23.3 on the same file.
it("a WordPiece tokenizer agrees with the Rust one on accents, Han characters, emoji and overlong words", {
  skip: files["a WordPiece tokenizer"].skip,
}, async () => {
  const tokenizer = await openTokenizer(bert);
  const references: Readonly<Record<string, readonly number[]>> = {
    "Crème brûlée — naïve façade": [101, 13675, 21382, 7987, 9307, 2063, 1517, 15743, 8508, 102],
    "東京 is 日本": [101, 1879, 1755, 2003, 1864, 1876, 102],
    "🙂👍🏽 emoji": [101, 100, 7861, 29147, 2072, 102],
    "[CLS] don't  stop...": [101, 101, 2123, 1005, 1056, 2644, 1012, 1012, 1012, 102],
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx:
      [101, 100, 102],
    "nbsp and　wide": [101, 1050, 5910, 2361, 1998, 2898, 102],
  };
  for (const [text, ids] of Object.entries(references))
    assert.deepEqual([...tokenizer.encodeForModel(text, 512).ids], ids, text);
});

describe("a pair of texts", () => {
  const models = join(import.meta.dirname, "../../../fixtures/models");
  const goldens = z.array(
    z.looseObject({
      first: z.string(),
      second: z.string(),
      ids: z.array(z.number()),
      types: z.array(z.number()),
    }),
  );

  // Reference: Python tokenizers on the same file.
  for (const name of ["reranker-tiny", "reranker-xlmr-tiny"]) {
    it(`is framed as the Rust tokenizer frames it for ${name}`, async () => {
      const tokenizer = await openTokenizer(join(models, name, "tokenizer.json"));
      const pairs = goldens.parse(JSON.parse(readFileSync(join(models, name, "expected.json"), "utf8")));
      for (const { first, second, ids, types } of pairs)
        assert.deepEqual(tokenizer.encodePair(first, second, 128), { ids, typeIds: types, truncated: 0 });
    });
  }

  it("is cut at the end of the second text, and the first keeps at most half where the second needs the rest", async () => {
    const tokenizer = await openTokenizer(join(models, "reranker-tiny", "tokenizer.json"));
    const [cls, sep] = [2, 3];
    const ids = (text: string): readonly number[] => tokenizer.encode(text);
    const [short, long] = ["annual leave", "pump oil seal bolt week year days month"];
    assert.deepEqual(tokenizer.encodePair(short, long, 9), {
      ids: [cls, ...ids(short), sep, ...ids(long).slice(0, 4), sep],
      typeIds: [0, 0, 0, 0, 1, 1, 1, 1, 1],
      truncated: 4,
    });
    const [left, right] = [ids(long).slice(0, 3), ids(long).slice(0, 3)];
    assert.deepEqual(tokenizer.encodePair(long, long, 9).ids, [cls, ...left, sep, ...right, sep]);
    assert.deepEqual(tokenizer.encodePair(long, short, 9).ids, [
      cls,
      ...ids(long).slice(0, 4),
      sep,
      ...ids(short),
      sep,
    ]);
    assert.equal(tokenizer.encodePair(long, long, 2).ids.length, 3);
  });
});
