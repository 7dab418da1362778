import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Embedder, Embedding } from "../../src/core/documents/embedding.ts";

const never = new AbortController().signal;
const passage = { purpose: "passage", multi: true } as const;
const texts = [
  "The cable was laid across the strait in 1903.",
  "Interest is paid every quarter.",
  "x",
  "A boiler that is not bled will knock when it warms up, and the farthest radiator stays cold. ".repeat(4),
  "Préface à l'édition française",
];

/** Everything an embedding holds, as plain numbers. */
function numbers({ dense, sparse, multi }: Embedding): number[][] {
  return [[...dense], [...(sparse?.indices ?? [])], [...(sparse?.values ?? [])], [...(multi ?? [])]];
}

/** What every embedder driver must do; `open` gives a fresh one, `skip` the reason it cannot run here. */
export function embedderContract(name: string, open: () => Promise<Embedder>, skip: string | false): void {
  describe(`${name} is an embedder`, { skip }, () => {
    let embedder: Embedder;
    const one = async (text: string): Promise<Embedding> => {
      const [embedding] = await embedder.embed([text], passage, never);
      assert.ok(embedding);
      return embedding;
    };
    before(async () => {
      embedder = await open();
    });
    after(async () => {
      await embedder?.[Symbol.asyncDispose]();
    });

    it("gives one vector per text, in the order of the texts", async () => {
      const together = await embedder.embed(texts, passage, never);
      const turned = await embedder.embed(texts.toReversed(), passage, never);
      assert.equal(together.length, texts.length);
      assert.deepEqual(turned.toReversed().map(numbers), together.map(numbers));
      assert.equal(new Set(together.map(({ dense }) => dense.join())).size, texts.length);
    });

    it("gives the heads it says it has, in their shapes and unit lengths", async () => {
      for (const text of texts) {
        const { dense, sparse, multi } = await one(text);
        assert.equal(dense.length, embedder.dimensions);
        assert.ok(Math.abs(Math.hypot(...dense) - 1) < 1e-5);
        assert.equal(sparse !== undefined, embedder.heads.sparse);
        assert.equal(multi !== undefined, embedder.heads.multi);
        if (sparse) {
          assert.equal(sparse.values.length, sparse.indices.length);
          assert.ok(sparse.values.every((value) => value > 0));
          assert.ok(sparse.indices.every((index, at) => at === 0 || index > (sparse.indices[at - 1] ?? 0)));
        }
        if (multi) {
          const { ids } = embedder.tokenizer.encodeForModel(text, embedder.maxTokens);
          assert.equal(multi.length, (ids.length - 1) * dense.length);
          for (let at = 0; at < multi.length; at += dense.length) {
            assert.ok(Math.abs(Math.hypot(...multi.subarray(at, at + dense.length)) - 1) < 1e-5);
          }
        }
      }
    });

    it("gives equal texts equal vectors, bit for bit, whatever their neighbours", async () => {
      const probe = texts[0] ?? "";
      const alone = numbers(await one(probe));
      for (const neighbours of [texts, texts.slice(1), [probe, probe], ["word ".repeat(300)]]) {
        const results = await embedder.embed([probe, ...neighbours, probe], passage, never);
        assert.deepEqual(numbers(results[0] ?? assert.fail()), alone);
        assert.deepEqual(numbers(results.at(-1) ?? assert.fail()), alone);
      }
      const several = await Promise.all(
        [1, 2, 3].map(() => embedder.embed([probe, ...texts], passage, never)),
      );
      for (const results of several) assert.deepEqual(numbers(results[0] ?? assert.fail()), alone);
    });

    it("leaves ColBERT rows out unless they are asked for", async () => {
      const [embedding] = await embedder.embed(["a question"], { purpose: "query" }, never);
      assert.equal(embedding?.multi, undefined);
    });

    it("gives nothing for no texts, and a vector even for an empty one", async () => {
      assert.deepEqual(await embedder.embed([], passage, never), []);
      const { dense } = await one("");
      assert.ok(Math.abs(Math.hypot(...dense) - 1) < 1e-5);
    });

    it("cuts a text that is too long at its limit", async () => {
      const long = "alpha ".repeat(embedder.maxTokens * 2);
      const [cut, longer] = await embedder.embed([long, `${long} and more`], passage, never);
      assert.deepEqual(numbers(cut ?? assert.fail()), numbers(longer ?? assert.fail()));
      assert.equal(
        embedder.tokenizer.encodeForModel(long, embedder.maxTokens).ids.length,
        embedder.maxTokens,
      );
    });

    it("stops when it is told to, and goes on with the next call", async () => {
      await assert.rejects(embedder.embed(texts, passage, AbortSignal.abort()), { name: "AbortError" });
      const many = Array.from({ length: 400 }, (_, at) => `${at} ${"and so on ".repeat(60)}`);
      const timed = async (work: () => Promise<unknown>): Promise<number> => {
        const since = performance.now();
        await work();
        return performance.now() - since;
      };
      const someMs = await timed(() => embedder.embed(many.slice(0, 20), passage, never));
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 30);
      const stoppedMs = await timed(() =>
        assert.rejects(embedder.embed(many, passage, controller.signal), { name: "AbortError" }),
      );
      // All of them take twenty times as long.
      assert.ok(stoppedMs < 10 * someMs, `${stoppedMs} ms, and ${someMs} ms for a twentieth`);
      assert.equal((await embedder.embed(["after"], passage, never)).length, 1);
    });
  });
}
