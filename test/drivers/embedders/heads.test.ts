import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveHeads } from "../../../src/drivers/embedders/heads.ts";
import type { TensorFacts } from "../../../src/drivers/runtime/onnx.ts";

const output = (name: string, ...shape: (number | string)[]): TensorFacts => ({
  name,
  type: "float32",
  shape,
});
const m3 = { id: "m3", architecture: "bge-m3", dimensions: 1024 } as const;
const bert = { id: "small", architecture: "bert", dimensions: 384 } as const;
const vector = (name: string) => ({ dense: { from: "vector", name } });

describe("the heads of a model", () => {
  it("are found in every known BGE-M3 export", () => {
    const exports = [
      { names: ["dense_vecs", "sparse_vecs", "colbert_vecs"] },
      { names: ["dense_embeddings", "sparse_weights", "colbert_vectors"] },
      { names: ["colbert", "dense", "sparse"], dense: "dense", sparse: "sparse", multi: "colbert" },
    ];
    for (const { names, dense = names[0], sparse = names[1], multi = names[2] } of exports) {
      const found = resolveHeads(
        names.map((name) => output(name, "b", "s", 1024)),
        m3,
      );
      assert.deepEqual(found, { dense: { from: "vector", name: dense }, sparse, multi });
    }
  });

  it("are told by their shapes when an export names nothing", () => {
    const heads = { ...vector("output_0"), sparse: "output_1", multi: "output_2" };
    for (const sparseShape of [
      ["b", "s"],
      ["b", "s", 1],
      ["b", 250_002],
    ]) {
      const outputs = [
        output("output_0", "b", 1024),
        output("output_1", ...sparseShape),
        output("output_2", "b", "t", 1024),
      ];
      assert.deepEqual(resolveHeads(outputs, m3), heads);
    }
  });

  it("are as many as the export has", () => {
    assert.deepEqual(
      resolveHeads([output("dense_vecs", "b", 1024), output("colbert_vecs", "b", "s", 1024)], m3),
      {
        ...vector("dense_vecs"),
        multi: "colbert_vecs",
      },
    );
    assert.deepEqual(resolveHeads([output("last_hidden_state", "b", "s", 1024)], m3), {
      dense: { from: "hidden", name: "last_hidden_state" },
    });
  });

  it("prefer a pooled vector to token states, and never the pooler of BERT", () => {
    const states = output("last_hidden_state", "b", "s", 384);
    assert.deepEqual(resolveHeads([states, output("pooler_output", "b", 384)], bert), {
      dense: { from: "hidden", name: "last_hidden_state" },
    });
    assert.deepEqual(
      resolveHeads([output("token_embeddings", "b", "s", 384), output("sentence_embedding", "b", 384)], bert),
      vector("sentence_embedding"),
    );
  });

  it("can be named by the manifest entry, and a name the model lacks is refused with the names it has", () => {
    const outputs = [output("a", "b", 1024), output("b", "b", "s"), output("c", "b", "s", 1024)];
    assert.deepEqual(resolveHeads(outputs, { ...m3, outputs: { dense: "a", sparse: "b", multi: "c" } }), {
      ...vector("a"),
      sparse: "b",
      multi: "c",
    });
    assert.throws(() => resolveHeads(outputs, { ...m3, outputs: { dense: "z" } }), {
      code: "MODEL_UNREADABLE",
      message: /"z".*a, b, c/,
    });
  });

  it("refuse a model that embeds nothing", () => {
    assert.throws(() => resolveHeads([output("logits", "b", 2)], bert), {
      code: "MODEL_UNREADABLE",
      message: /logits/,
    });
  });
});
