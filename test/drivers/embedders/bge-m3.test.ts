import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { z } from "../../../src/core/schema.ts";
import { openEncoder } from "../../../src/drivers/embedders/encoder.ts";
import type { OnnxEmbedder, OnnxEmbedderSettings } from "../../../src/drivers/embedders/onnx.ts";
import open from "../../../src/drivers/embedders/onnx.ts";
import { embedderContract } from "../../contracts/embedder.ts";
import { denseScore, multiScore, pairScore, sparseScore } from "../../helpers/scores.ts";

const never = new AbortController().signal;
const folder = join(import.meta.dirname, "../../../fixtures/models/bge-m3-tiny");
const expected = z
  .object({
    dimensions: z.number(),
    maxTokens: z.number(),
    texts: z.array(
      z.object({
        text: z.string(),
        ids: z.array(z.number()),
        dense: z.array(z.number()),
        sparse: z.record(z.string(), z.number()),
        multi: z.array(z.array(z.number())),
      }),
    ),
    pairs: z.array(
      z.object({
        query: z.number(),
        passage: z.number(),
        dense: z.number(),
        sparse: z.number(),
        multi: z.number(),
        all: z.number(),
      }),
    ),
  })
  .parse(JSON.parse(await readFile(join(folder, "expected.json"), "utf8")));

const settings: OnnxEmbedderSettings = {
  id: "bge-m3-tiny",
  architecture: "bge-m3",
  pooling: "cls",
  queryPrefix: "",
  passagePrefix: "",
  maxTokens: expected.maxTokens,
  dimensions: expected.dimensions,
  modelPath: join(folder, "model.onnx"),
  tokenizerPath: join(folder, "tokenizer.json"),
  modelSha256: "0".repeat(64),
  device: "cpu",
  threads: 2,
  precision: "fp32",
};

function near(actual: ArrayLike<number>, wanted: readonly number[], tolerance: number): void {
  assert.equal(actual.length, wanted.length);
  for (const [at, value] of wanted.entries())
    assert.ok(
      Math.abs((actual[at] ?? Number.NaN) - value) <= tolerance,
      `${actual[at]} is not ${value} at ${at}`,
    );
}

async function embedExpected(embedder: OnnxEmbedder) {
  return embedder.embed(
    expected.texts.map(({ text }) => text),
    { purpose: "passage", multi: true },
    never,
  );
}

embedderContract("ONNX with a tiny BGE-M3", () => open(settings), false);

describe("BGE-M3's three heads", () => {
  const layouts = {
    "normalised, start token dropped": undefined,
    "raw, as [batch, tokens]": { dense: "dense_raw", sparse: "sparse_raw", multi: "colbert_raw" },
    "sparse over the vocabulary": { sparse: "sparse_vocabulary", multi: "colbert_raw" },
    "normalised but for its dense head": { dense: "dense_raw" },
  };
  for (const [name, outputs] of Object.entries(layouts)) {
    it(`agree with the numpy reference to 1e-4 when the export is ${name}`, async () => {
      await using embedder = await open({ ...settings, ...(outputs && { outputs }) });
      const results = await embedExpected(embedder);
      for (const [at, wanted] of expected.texts.entries()) {
        const { dense, sparse, multi } = results[at] ?? assert.fail();
        assert.deepEqual(
          [...embedder.tokenizer.encodeForModel(wanted.text, expected.maxTokens).ids],
          wanted.ids,
        );
        near(dense, wanted.dense, 1e-4);
        near(sparse?.indices ?? [], Object.keys(wanted.sparse).map(Number), 0);
        near(sparse?.values ?? [], Object.values(wanted.sparse), 1e-4);
        near(multi ?? [], wanted.multi.flat(), 1e-4);
      }
    });
  }

  it("are the same to 1e-5 when texts share a padded run, in every layout", async () => {
    for (const outputs of Object.values(layouts)) {
      await using encoder = await openEncoder({
        ...settings,
        ...(outputs && { outputs }),
        threads: 1,
        padId: 1,
        specialIds: [0, 1, 2, 3],
      });
      const rows = expected.texts.map(({ ids }) => Int32Array.from(ids));
      const together = await encoder.encode(rows, true);
      for (const [at, row] of rows.entries()) {
        const [alone] = await encoder.encode([row], true);
        const shared = together[at] ?? assert.fail();
        near(shared.dense, [...(alone?.dense ?? [])], 1e-5);
        near(shared.sparse?.indices ?? [], [...(alone?.sparse?.indices ?? [])], 0);
        near(shared.sparse?.values ?? [], [...(alone?.sparse?.values ?? [])], 1e-5);
        near(shared.multi ?? [], [...(alone?.multi ?? [])], 1e-5);
      }
    }
  });

  it("score pairs as the reference does", async () => {
    await using embedder = await open(settings);
    const results = await embedExpected(embedder);
    for (const { query, passage, ...wanted } of expected.pairs) {
      const [left, right] = [results[query] ?? assert.fail(), results[passage] ?? assert.fail()];
      const empty = { indices: new Uint32Array(), values: new Float32Array() };
      const scores = [
        denseScore(left.dense, right.dense),
        sparseScore(left.sparse ?? empty, right.sparse ?? empty),
        multiScore(left.multi ?? new Float32Array(), right.multi ?? new Float32Array(), embedder.dimensions),
        pairScore(left, right),
      ];
      near(scores, [wanted.dense, wanted.sparse, wanted.multi, wanted.all], 1e-4);
    }
  });
});

describe("the real BGE-M3", () => {
  const home = process.env["RAGCTL_TEST_HOME"] ?? join(homedir(), ".local/share/ragctl");
  const real = join(home, "models", "bge-m3");
  const skip = existsSync(join(real, "model.onnx")) ? false : `${join(real, "model.onnx")} is absent`;
  const texts = expected.texts.slice(0, 4).map(({ text }) => text);

  // Source: FlagEmbedding README, BGE-M3 usage; tolerance 1e-2 for 16-bit floats and ONNX.
  it("gives the published scores of the published sentences", { skip }, async () => {
    await using embedder = await open({
      ...settings,
      id: "bge-m3",
      maxTokens: 8192,
      dimensions: 1024,
      modelPath: join(real, "model.onnx"),
      tokenizerPath: join(real, "tokenizer.json"),
    });
    const results = await embedder.embed(texts, { purpose: "passage", multi: true }, never);
    const [what, defination, m3, bm25] = [0, 1, 2, 3].map((at) => results[at] ?? assert.fail());
    assert.ok(
      what && defination && m3 && bm25 && what.sparse && defination.sparse && m3.sparse && bm25.sparse,
    );
    assert.ok(what.multi && m3.multi && bm25.multi);
    near(
      [what, defination].flatMap((query) => [m3, bm25].map(({ dense }) => denseScore(query.dense, dense))),
      [0.626, 0.3477, 0.3499, 0.678],
      1e-2,
    );
    near(
      [sparseScore(what.sparse, m3.sparse), sparseScore(what.sparse, defination.sparse)],
      [0.19555, 0],
      1e-2,
    );
    near(
      [multiScore(what.multi, m3.multi, 1024), multiScore(what.multi, bm25.multi, 1024)],
      [0.7797, 0.462],
      1e-2,
    );
    near([pairScore(what, m3)], [0.6014], 1e-2);
  });
});
