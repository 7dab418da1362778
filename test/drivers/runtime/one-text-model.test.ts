import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fuseAttention } from "../../../src/drivers/runtime/graph/fuse-attention.ts";
import {
  readMessage,
  readModel,
  writeMessage,
  writeModel,
} from "../../../src/drivers/runtime/graph/onnx-file.ts";
import { openOnnx } from "../../../src/drivers/runtime/onnx.ts";

const models = join(import.meta.dirname, "../../../fixtures/models");
const modelPath = join(models, "bge-m3-tiny/model.onnx");
const modelSha256 = "0123456789abcdef0123";
const feeds = (tokens: number) => {
  const dims = [1, tokens];
  const ids = BigInt64Array.from({ length: tokens }, (_, at) => BigInt(5 + ((at * 7) % 60)));
  const ones = new BigInt64Array(tokens).fill(1n);
  return {
    input_ids: { data: ids, dims },
    attention_mask: { data: ones, dims },
    token_type_ids: { data: new BigInt64Array(tokens), dims },
  };
};

describe("the form of a model that takes one text a run", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ragctl-one-text-"));
  });
  after(() => rm(folder, { recursive: true }));

  const opened = (cacheFolder: string, path = modelPath) =>
    openOnnx({
      modelPath: path,
      device: "cpu",
      threads: 1,
      oneText: { modelPath: path, modelSha256, cacheFolder },
    });

  it("computes what the model computes, for short and long texts", async () => {
    await using plain = await openOnnx({ modelPath, device: "cpu", threads: 1 });
    await using faster = await opened(join(folder, "same"));
    assert.deepEqual([plain.isOneText, faster.isOneText], [false, true]);
    const names = plain.outputs.map(({ name }) => name);
    assert.ok(names.length > 0);
    for (const tokens of [1, 2, 33, 200]) {
      const [left, right] = [await plain.run(feeds(tokens), names), await faster.run(feeds(tokens), names)];
      for (const name of names) {
        const [a, b] = [left.get(name)?.data ?? [], right.get(name)?.data ?? []];
        assert.equal(b.length, a.length);
        for (const [at, value] of a.entries())
          assert.ok(Math.abs(value - (b[at] ?? Number.NaN)) < 1e-4, name);
      }
    }
  });

  it("replaces the attention of every layer, by the heads and the scale of the model", async () => {
    const model = readModel(await readFile(modelPath));
    assert.ok(model !== null);
    assert.equal(fuseAttention(model), 2);
    const fused = model.graph.node.filter(({ opType }) => opType === "MultiHeadAttention");
    const told = fused.map(({ attribute }) =>
      attribute.map((each) => readMessage<{ name: string; i?: number; f?: number }>("Attribute", each)),
    );
    for (const [heads, scale] of told) {
      assert.equal(Number(heads?.i), 4);
      assert.ok(Math.abs((scale?.f ?? 0) - 8 ** -0.5) < 1e-6);
    }
    assert.ok(!model.graph.node.some(({ opType }) => opType === "Softmax"));
  });

  it("leaves a model alone whose scores are masked by something else than the texts' mask", async () => {
    const model = readModel(await readFile(modelPath));
    assert.ok(model !== null);
    for (const node of model.graph.node)
      node.input = node.input.map((name) => (name === "attention_mask" ? "input_ids" : name));
    assert.equal(fuseAttention(model), 0);
  });

  it("is not kept of a model whose mask has more in it than the texts' mask", async () => {
    const tokens = 48;
    const model = readModel(await readFile(modelPath));
    assert.ok(model !== null);
    const later = Array.from({ length: tokens ** 2 }, (_, at) => (at % tokens > at / tokens ? -1e4 : 0));
    const dims = [1, 1, tokens, tokens];
    model.graph.initializer.push(
      writeMessage("Tensor", { name: "later", dims, dataType: 1, floatData: later }),
    );
    const softmaxed = model.graph.node
      .filter(({ opType }) => opType === "Softmax")
      .map(({ input }) => input[0]);
    for (const add of model.graph.node.filter(({ output }) => softmaxed.includes(output[0]))) {
      const [scores = "", mask = ""] = add.input;
      const both = { input: [mask, "later"], output: [`${mask}.${scores}`], opType: "Add", attribute: [] };
      add.input = [scores, `${mask}.${scores}`];
      model.graph.node.splice(model.graph.node.indexOf(add), 0, both);
    }
    const causal = join(folder, "causal.onnx");
    await writeFile(causal, writeModel(model));
    assert.equal(fuseAttention(model), 2);
    await using session = await opened(join(folder, "causal"), causal);
    assert.equal(session.isOneText, false);
  });

  it("writes a model it has not changed as it was", async () => {
    const bytes = await readFile(modelPath);
    const model = readModel(bytes);
    assert.ok(model !== null && Buffer.compare(bytes, writeModel(model)) === 0);
  });

  it("is made again where its file was altered", async () => {
    const cacheFolder = join(folder, "altered");
    await (await opened(cacheFolder))[Symbol.asyncDispose]();
    const [name = ""] = await readdir(cacheFolder);
    const made = await readFile(join(cacheFolder, name));
    const other = Buffer.from(made);
    // Among the weights: the file still opens, and computes something else.
    other.fill(0x3f, other.length - 4000, other.length - 2000);
    await writeFile(join(cacheFolder, name), other);
    await using again = await opened(cacheFolder);
    assert.equal(again.isOneText, true);
    assert.ok(Buffer.compare(await readFile(join(cacheFolder, name)), made) === 0);
  });

  it("is made once, and again where its file does not open", async () => {
    const cacheFolder = join(folder, "once");
    await (await opened(cacheFolder))[Symbol.asyncDispose]();
    const [name = "", ...more] = await readdir(cacheFolder);
    assert.deepEqual(more, []);
    const made = await stat(join(cacheFolder, name));
    await (await opened(cacheFolder))[Symbol.asyncDispose]();
    assert.equal((await stat(join(cacheFolder, name))).mtimeMs, made.mtimeMs);
    await writeFile(join(cacheFolder, name), "cut short");
    await utimes(join(cacheFolder, name), made.mtime, made.mtime);
    await using broken = await opened(cacheFolder);
    assert.equal(broken.isOneText, false);
    await using again = await opened(cacheFolder);
    assert.equal(again.isOneText, true);
  });

  it("is not made of what has no such attention, and a folder that cannot be written costs nothing but time", async () => {
    const cacheFolder = join(folder, "none");
    const other = join(folder, "other.onnx");
    const model = readModel(await readFile(modelPath));
    assert.ok(model !== null);
    for (const node of model.graph.node) if (node.opType === "Softmax") node.opType = "LogSoftmax";
    await writeFile(other, writeModel(model));
    for (let times = 0; times < 2; times += 1) {
      await using session = await opened(cacheFolder, other);
      assert.equal(session.isOneText, false);
    }
    assert.equal((await stat(join(cacheFolder, (await readdir(cacheFolder))[0] ?? ""))).size, 0);
    await writeFile(join(folder, "file"), "");
    await using session = await opened(join(folder, "file"));
    assert.equal(session.isOneText, false);
  });
});
