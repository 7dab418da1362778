import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { stringify } from "yaml";
import { createEmbedders } from "../../src/app/engines/embedders.ts";
import { createLocalModels } from "../../src/app/engines/local-models.ts";
import { load } from "../config/support.ts";
import { testHome } from "../contracts/store.ts";
import { modelsOf, temporaryFolder } from "../models/fixtures.ts";

const bge = join(testHome, "models", "bge-small-en-v1.5-int8");
const gguf = join(testHome, "models", "smollm2-135m-instruct-q4_1", "model.gguf");
const facts = {
  architecture: "bert",
  precision: "int8",
  language: "english",
  dimensions: 384,
  pooling: "cls",
  queryPrefix: "",
  passagePrefix: "",
  maxTokens: 512,
};
const unrelated = {
  id: "small-generator",
  task: "generate",
  licence: "MIT",
  generate: { contextTokens: 8 },
  files: [{ name: "model.gguf", sizeBytes: 1, sha256: "0".repeat(64) }],
  sources: [{ type: "file", path: ".", files: { "model.gguf": "m" } }],
};

async function opened(context: TestContext, model: string) {
  const folder = await temporaryFolder(context);
  const models = await modelsOf(folder, [unrelated]);
  const resources = new AsyncDisposableStack();
  context.after(() => resources.disposeAsync());
  return createEmbedders(
    load({ flags: { home: folder, "embed.model": model, "embed.threads": 1 } }).settings,
    async () => models,
    resources,
  );
}

test("a folder of one's own embeds, and its fingerprint is its content wherever it lies", {
  skip: !existsSync(bge) && `no ${bge}`,
}, async (context) => {
  const folder = await temporaryFolder(context);
  const [first, second] = [join(folder, "a"), join(folder, "b")];
  await mkdir(first);
  for (const name of ["model.onnx", "tokenizer.json"]) await symlink(join(bge, name), join(first, name));
  await writeFile(join(first, "embed.yaml"), stringify(facts));
  const embedders = await opened(context, first);
  const embedder = await embedders.of()();
  const [vector] = await embedder.embed(
    ["a crane lifts"],
    { purpose: "query" },
    new AbortController().signal,
  );
  assert.equal(vector?.dense.length, 384);
  const known = await embedders.facts();
  assert.deepEqual([embedder.id, embedder.fingerprint], [first, known.fingerprint]);
  assert.ok(!known.fingerprint.includes(folder));
  await cp(first, second, { recursive: true, dereference: true });
  assert.equal((await (await opened(context, second)).facts()).fingerprint, known.fingerprint);
  // Descriptions of earlier versions also state `normalize`.
  await writeFile(join(second, "embed.yaml"), stringify({ ...facts, normalize: true }));
  assert.equal((await (await opened(context, second)).facts()).fingerprint, known.fingerprint);
  await writeFile(join(second, "tokenizer.json"), "{}");
  assert.notEqual((await (await opened(context, second)).facts()).fingerprint, known.fingerprint);
});

test("what is wrong with a folder of one's own is named", async (context) => {
  const folder = await temporaryFolder(context);
  const own = join(folder, "own");
  const fails = async (path: string, expected: object): Promise<void> =>
    assert.rejects((await opened(context, path)).facts(), expected);
  await fails(own, { code: "MODEL_MISSING", message: `embed.model is ${own}, which does not exist` });
  await writeFile(join(folder, "file"), "");
  await fails(join(folder, "file"), {
    code: "CONFIG_INVALID",
    message: /which is not a folder/,
    hint: /model\.onnx, tokenizer\.json and embed\.yaml/,
  });
  await mkdir(own);
  await writeFile(join(own, "model.onnx"), "x");
  await fails(own, {
    code: "MODEL_MISSING",
    message: /lacks tokenizer\.json, embed\.yaml$/,
    hint: /dimensions: 384/,
  });
  await writeFile(join(own, "tokenizer.json"), "{}");
  await writeFile(
    join(own, "embed.yaml"),
    stringify({ ...facts, pooling: "max", dimensions: undefined, size: 3 }),
  );
  await fails(own, { code: "CONFIG_INVALID", message: /dimensions.*pooling.*size/ });
  await writeFile(join(own, "embed.yaml"), "a: [");
  await fails(own, { code: "CONFIG_INVALID", message: /is not valid YAML/ });
});

test("a folder that only a collection was embedded with is named with the collection, and with the way out", async (context) => {
  const folder = await temporaryFolder(context);
  const gone = join(folder, "gone");
  const embedders = await opened(context, "bge-small-en-v1.5-int8");
  const expected = {
    code: "MODEL_MISSING",
    message: new RegExp(`the collection manuals is missing: ${gone} `),
    hint: /ragctl reembed --collection manuals --model bge-small-en-v1\.5-int8$/,
  };
  await assert.rejects(embedders.facts(gone, "manuals"), expected);
  const open = embedders.of(gone, "manuals");
  await assert.rejects(open(), expected);
  assert.equal(embedders.of(gone, "manuals"), open);
  assert.equal(
    embedders.of(gone, "notes"),
    open,
    "a question is embedded once for all collections of a model",
  );
  const chosen = await opened(context, gone);
  await assert.rejects(chosen.facts(gone, "manuals"), { message: /^embed\.model is / });
});

test("a path names the language model, and what is wrong with it is named", {
  skip: !existsSync(gguf) && `no ${gguf}`,
}, async (context) => {
  const folder = await temporaryFolder(context);
  const models = await modelsOf(folder, [unrelated]);
  const use = (path: string) => {
    const { settings } = load({ flags: { "answer.model": path, "answer.contextTokens": 64 } });
    return createLocalModels(settings, async () => models, new AsyncDisposableStack()).open(null);
  };
  const mine = join(folder, "mine.gguf");
  await assert.rejects(use(mine), {
    code: "MODEL_MISSING",
    message: `answer.model is ${mine}, which does not exist`,
  });
  await assert.rejects(use(folder), { code: "CONFIG_INVALID", message: /which is not a file/ });
  await writeFile(mine, "no GGUF at all, but text");
  await assert.rejects(use(mine), { code: "MODEL_UNREADABLE" });
  await rm(mine);
  await symlink(gguf, join(folder, "link.gguf"));
  await rename(join(folder, "link.gguf"), mine);
  await using model = await use(mine);
  assert.match(model?.id ?? "", /^mine\.gguf@[0-9a-f]{8}$/);
});

test("an id of no model that answers is refused, with those that do", async (context) => {
  const models = await modelsOf(await temporaryFolder(context), [unrelated]);
  const { settings } = load({ flags: { "answer.model": "nonesuch" } });
  await assert.rejects(
    createLocalModels(settings, async () => models, new AsyncDisposableStack()).open(null),
    {
      code: "CONFIG_INVALID",
      message: "no answering model is called nonesuch",
      hint: "choose small-generator, or the path of a GGUF file",
    },
  );
});
