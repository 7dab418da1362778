import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "../../../src/core/schema.ts";
import open from "../../../src/drivers/embedders/onnx.ts";
import { colbertStage, maxSim, requireColbert } from "../../../src/pipeline/retrieve/colbert.ts";
import { rerank } from "../../../src/pipeline/retrieve/rerank.ts";
import { fakeEmbedder } from "../fakes.ts";
import { hitOf, runOf } from "../fixtures.ts";

const folder = join(import.meta.dirname, "../../../fixtures/models/bge-m3-tiny");
const golden = z
  .object({
    dimensions: z.number(),
    maxTokens: z.number(),
    texts: z.array(z.looseObject({ text: z.string() })),
    pairs: z.array(z.looseObject({ query: z.number(), passage: z.number(), multi: z.number() })),
  })
  .parse(JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")));

const openTiny = () =>
  open({
    id: "bge-m3-tiny",
    architecture: "bge-m3",
    pooling: "cls",
    queryPrefix: "",
    passagePrefix: "",
    maxTokens: golden.maxTokens,
    dimensions: golden.dimensions,
    modelPath: join(folder, "model.onnx"),
    tokenizerPath: join(folder, "tokenizer.json"),
    modelSha256: "0".repeat(64),
    device: "cpu",
    threads: 1,
    precision: "fp32",
  });

test("late interaction is the mean of each question token's nearest passage token", () => {
  const query = Float32Array.of(1, 0, 0, 1);
  assert.equal(maxSim(query, Float32Array.of(1, 0), 2), 0.5);
  assert.equal(maxSim(query, Float32Array.of(0, 1, 1, 0), 2), 1);
  assert.equal(maxSim(query, new Float32Array(), 2), 0);
});

test("hits are scored as the numpy reference of the model scores them", async () => {
  await using embedder = await openTiny();
  const stage = colbertStage(async () => async () => embedder, 10);
  for (const query of new Set(golden.pairs.map((pair) => pair.query))) {
    const pairs = golden.pairs.filter((pair) => pair.query === query);
    const hits = pairs.map(({ passage }) => hitOf(golden.texts[passage]?.text ?? "", { id: `${passage}` }));
    const { hits: found } = await rerank(hits, [golden.texts[query]?.text ?? ""], 2, stage, runOf());
    const best = pairs.toSorted((left, right) => right.multi - left.multi);
    assert.deepEqual(
      found.map(({ chunk }) => chunk.id),
      best.map(({ passage }) => `${passage}`),
    );
    for (const [at, { score }] of found.entries())
      assert.ok(Math.abs(score - (best[at]?.multi ?? 0)) < 1e-4, `${score} is not ${best[at]?.multi}`);
  }
});

test("a collection whose model has no ColBERT head is named with the way out", async () => {
  await assert.rejects(
    requireColbert("library", async () => fakeEmbedder()),
    { code: "MODEL_MISSING", message: /library is embedded by fake.*no ColBERT head/, hint: /reembed/ },
  );
});
