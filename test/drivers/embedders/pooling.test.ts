import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { batchingFor, planBatches } from "../../../src/drivers/embedders/batch.ts";
import { multiRows, poolStates, sparseWeights } from "../../../src/drivers/embedders/pooling.ts";
import { halfToFloat } from "../../../src/drivers/runtime/onnx.ts";
import { multiScore, sparseScore } from "../../helpers/scores.ts";

const floats = (...values: number[]): Float32Array => Float32Array.from(values);

describe("reducing a model's outputs", () => {
  it("drops special tokens and weights not above 0, and keeps the highest of a repeated token", () => {
    const ids = [0, 9, 7, 9, 8, 3, 2];
    const sparse = sparseWeights(floats(5, 0.25, 0.5, 0.75, -1, 4, 6, 9, 9), ids, 9, new Set([0, 1, 2, 3]));
    assert.deepEqual([...sparse.indices], [7, 9]);
    assert.deepEqual([...sparse.values], [0.5, 0.75]);
  });

  it("reads weights laid out over the vocabulary", () => {
    const sparse = sparseWeights(floats(1, 1, 1, 1, 0, 0.5, 0, 0.25), [0, 7, 5, 2], 4, new Set([0, 1, 2, 3]));
    assert.deepEqual([...sparse.indices], [5, 7]);
    assert.deepEqual([...sparse.values], [0.5, 0.25]);
  });

  it("sorts token ids as numbers", () => {
    assert.deepEqual([...sparseWeights(floats(1, 1, 1), [100, 20, 3], 3, new Set()).indices], [3, 20, 100]);
  });

  it("leaves padding out of a mean", () => {
    assert.deepEqual([...poolStates(floats(1, 2, 3, 4, 90, 90), 2, 2, "mean")], [2, 3]);
    assert.deepEqual([...poolStates(floats(1, 2, 3, 4, 90, 90), 2, 2, "cls")], [1, 2]);
  });

  it("drops the start token's ColBERT row whether or not the export did", () => {
    const rows = [3, 4, 0, 2];
    assert.deepEqual([...multiRows(floats(9, 9, ...rows, 7, 7), 2, 3, 4)], [...floats(0.6, 0.8, 0, 1)]);
    assert.deepEqual([...multiRows(floats(...rows, 7, 7), 2, 3, 4)], [...floats(0.6, 0.8, 0, 1)]);
  });

  it("scores pairs by shared tokens and by best rows", () => {
    const sparse = (entries: [number, number][]) => ({
      indices: Uint32Array.from(entries, ([id]) => id),
      values: floats(...entries.map(([, value]) => value)),
    });
    assert.equal(
      sparseScore(
        sparse([
          [1, 2],
          [5, 0.5],
          [9, 4],
        ]),
        sparse([
          [2, 7],
          [5, 3],
          [9, 0.25],
        ]),
      ),
      2.5,
    );
    assert.equal(multiScore(floats(1, 0, 0, 1), floats(0, 0.5, 0.25, 0), 2), (0.25 + 0.5) / 2);
  });

  it("reads 16-bit floats", () => {
    for (const [bits, value] of [
      [0x3c00, 1],
      [0xc000, -2],
      [0x3555, 0.333251953125],
      [0x0001, 2 ** -24],
      [0x7bff, 65504],
      [0, 0],
    ] as const) {
      assert.equal(halfToFloat(bits), value);
    }
    assert.equal(halfToFloat(0xfc00), Number.NEGATIVE_INFINITY);
  });
});

describe("planning batches", () => {
  it("runs one text at a time on a CPU, and always when the model is int8", () => {
    assert.equal(batchingFor("cpu", "fp32"), "single");
    assert.equal(batchingFor("cuda", "int8"), "single");
    assert.equal(batchingFor("cuda", "fp16"), "token-budget");
  });

  it("puts every text into exactly one batch within the budget", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 600 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 2000 }),
        (lengths, budget) => {
          for (const batching of ["single", "token-budget"] as const) {
            const plan = planBatches(lengths, batching, budget);
            assert.deepEqual(
              plan.flat().sort((left, right) => left - right),
              lengths.map((_, at) => at),
            );
            for (const batch of plan) {
              assert.ok(
                batch.length === 1 ||
                  batch.length * Math.max(...batch.map((at) => lengths[at] ?? 0)) <= budget,
              );
            }
          }
        },
      ),
    );
  });
});
