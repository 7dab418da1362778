import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { z } from "../../../src/core/schema.ts";
import openEntailment from "../../../src/drivers/classifiers/entailment.ts";
import { openPairs, type PairSettings } from "../../../src/drivers/classifiers/pairs.ts";
import openReranker from "../../../src/drivers/classifiers/reranker.ts";

const root = join(import.meta.dirname, "../../..");
const models = join(root, "fixtures/models");
const never = new AbortController().signal;

const goldens = z.array(
  z.looseObject({ first: z.string(), second: z.string(), logits: z.array(z.number()) }),
);
const expected = (name: string) =>
  goldens.parse(JSON.parse(readFileSync(join(models, name, "expected.json"), "utf8")));
const pairsOf = (name: string) => expected(name).map(({ first, second }) => [first, second] as const);

const settingsOf = (folder: string, rest: Partial<PairSettings> = {}): PairSettings => ({
  id: "tiny",
  folder,
  modelPath: join(folder, "model.onnx"),
  tokenizerPath: join(folder, "tokenizer.json"),
  threads: 1,
  ...rest,
});
const tiny = (name: string, rest: Partial<PairSettings> = {}) => settingsOf(join(models, name), rest);

/** A copy of a tiny model that a test can spoil. */
async function copyOf(context: TestContext, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-classifier-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await cp(join(models, name), folder, { recursive: true });
  return folder;
}

function near(
  actual: readonly (readonly number[])[],
  wanted: readonly (readonly number[])[],
  tolerance: number,
) {
  for (const [at, row] of wanted.entries())
    for (const [label, value] of row.entries())
      assert.ok(
        Math.abs((actual[at]?.[label] ?? Number.NaN) - value) <= tolerance,
        `${actual[at]?.[label]} is not ${value} for pair ${at}`,
      );
}

describe("a classifier of pairs", () => {
  for (const name of ["reranker-tiny", "entailment-tiny", "reranker-xlmr-tiny"]) {
    for (const precision of ["fp32", "int8"] as const) {
      it(`gives the logits of the numpy reference to 1e-4 for ${name}, ${precision === "fp32" ? "in batches" : "one pair a run"}`, async () => {
        await using pairs = await openPairs(tiny(name, { precision }));
        const logits = await pairs.logits(pairsOf(name), never);
        near(
          logits.map((row) => [...row]),
          expected(name).map((golden) => golden.logits),
          1e-4,
        );
      });
    }
  }

  it("gives a pair of int8 weights the same logits, bit for bit, whatever its neighbours", async () => {
    const quantized = { modelPath: join(models, "reranker-tiny/model_quantized.onnx") };
    const all = pairsOf("reranker-tiny");
    await using single = await openPairs(tiny("reranker-tiny", quantized));
    const together = await single.logits(all, never);
    const alone = await Promise.all(all.map(async (pair) => (await single.logits([pair], never))[0]));
    assert.deepEqual(together, alone);
    // What the rule is for: the same weights in batches give other numbers.
    await using batched = await openPairs(tiny("reranker-tiny", { ...quantized, precision: "fp32" }));
    assert.notDeepEqual(await batched.logits(all, never), alone);
  });

  it("cuts a pair that is longer than the model reads, and says nothing else of it", async () => {
    await using pairs = await openPairs(tiny("reranker-tiny"));
    const long = `annual leave ${"and oil ".repeat(300)}`;
    const [cut, longer] = await pairs.logits(
      [
        ["annual leave", long],
        ["annual leave", `${long} seal bolts`],
      ],
      never,
    );
    assert.deepEqual(cut, longer);
  });

  it("reads the layout of the hub, weights in a folder onnx", async (context) => {
    const folder = await copyOf(context, "reranker-tiny");
    await cp(join(folder, "model.onnx"), join(folder, "onnx/model.onnx"), { recursive: true });
    await rm(join(folder, "model.onnx"));
    await using pairs = await openPairs(settingsOf(folder, { modelPath: join(folder, "onnx/model.onnx") }));
    assert.equal((await pairs.logits(pairsOf("reranker-tiny"), never)).length, 16);
  });

  it("stops when it is told to, and goes on with the next call", async () => {
    await using pairs = await openPairs(tiny("reranker-tiny"));
    await assert.rejects(pairs.logits(pairsOf("reranker-tiny"), AbortSignal.abort()), { name: "AbortError" });
    const many = Array.from({ length: 3000 }, (_, at) => ["seal", `${at} ${"bolts ".repeat(100)}`] as const);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    await assert.rejects(pairs.logits(many, controller.signal), { name: "AbortError" });
    assert.equal((await pairs.logits([["seal", "bolt"]], never)).length, 1);
  });
});

describe("a reranker", () => {
  it("puts the passage that answers before the others, with scores in [0, 1]", async () => {
    await using reranker = await openReranker(tiny("reranker-tiny"));
    const passages = ["Replace the oil.", "The torque of the seal bolts is 14 Nm.", "Replace the oil."];
    const scores = await reranker.score("torque of the seal bolts", passages, never);
    assert.ok((scores[1] ?? 0) > 0.9 && (scores[0] ?? 1) < 0.5, scores.join());
    assert.equal(scores[0], scores[2]);
    assert.deepEqual(await reranker.score("anything", [], never), []);
  });
});

describe("an entailment model", () => {
  it("tells what follows from a passage from what does not", async () => {
    await using entailment = await openEntailment(tiny("entailment-tiny"));
    const passage = "Three days of annual leave may be carried over to the next year.";
    const sure = await entailment.judge(passage, "Three days of annual leave may be carried over.", never);
    assert.deepEqual([sure.entailed, sure.label], [true, "entailment"]);
    const other = await entailment.judge(passage, "The torque of the seal bolts is 14 Nm.", never);
    assert.deepEqual([other.entailed, other.label], [false, "neutral"]);
    assert.ok(other.probability > 0.9);
  });
});

describe("what is wrong with a classifier's folder is named", () => {
  it("a missing file", async (context) => {
    for (const name of ["config.json", "tokenizer.json"]) {
      const folder = await copyOf(context, "reranker-tiny");
      await rm(join(folder, name));
      await assert.rejects(openReranker(settingsOf(folder)), {
        code: "MODEL_MISSING",
        message: new RegExp(`cannot read .*${name}`),
      });
    }
    const folder = await copyOf(context, "reranker-tiny");
    await rm(join(folder, "model.onnx"));
    await assert.rejects(openReranker(settingsOf(folder)), {
      code: "MODEL_UNREADABLE",
      message: /model\.onnx/,
    });
  });

  it("another architecture, damaged weights, labels that do not fit", async (context) => {
    const folder = await copyOf(context, "reranker-tiny");
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    const fails = async (change: object, expectedError: object) => {
      await writeFile(join(folder, "config.json"), JSON.stringify({ ...config, ...change }));
      await assert.rejects(
        (async () => {
          await using reranker = await openReranker(settingsOf(folder));
          await reranker.score("seal", ["bolt"], never);
        })(),
        expectedError,
      );
    };
    await fails(
      { architectures: ["BertModel"] },
      { code: "MODEL_UNREADABLE", message: /describes a BertModel/ },
    );
    await fails(
      { architectures: undefined },
      { code: "MODEL_UNREADABLE", message: /is not a model's config\.json/ },
    );
    await fails(
      { model_type: "abacus" },
      { code: "MODEL_UNREADABLE", message: /tiny is not a runnable model/ },
    );
    await fails({ id2label: { 0: "a", 1: "b" } }, { code: "MODEL_UNREADABLE", message: /2 labels \(a, b\)/ });
    await assert.rejects(openEntailment(tiny("reranker-tiny")), {
      code: "MODEL_UNREADABLE",
      message: /has the labels LABEL_0/,
    });
    await rename(join(folder, "tokenizer.json"), join(folder, "model.onnx"));
    await cp(join(models, "reranker-tiny/tokenizer.json"), join(folder, "tokenizer.json"));
    await fails({}, { code: "MODEL_UNREADABLE", message: /tiny is not a runnable model/ });
  });

  it("weights of another shape than config.json says", async (context) => {
    const folder = await copyOf(context, "entailment-tiny");
    const path = join(folder, "config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...config, id2label: { 0: "LABEL_0" } }));
    await using reranker = await openReranker(settingsOf(folder));
    await assert.rejects(reranker.score("seal", ["bolt"], never), {
      message: /logits of 3 .* has 1 labels/,
    });
  });
});

it("opens no socket, even where a file is missing", () => {
  const script = `
    const net = await import("node:net");
    const tried = [];
    net.Socket.prototype.connect = function (...given) { tried.push(given); throw new Error("a socket"); };
    globalThis.fetch = async (address) => { tried.push(address); throw new Error("a request"); };
    const { openClassifier } = await import("./src/drivers/classifiers/classifier.ts");
    const folder = process.argv[1];
    const settings = { id: "tiny", folder, modelPath: folder + "/model.onnx", threads: 1, padId: 0, labels: 1 };
    const classifier = await openClassifier(settings);
    await classifier.classify([{ ids: [2, 3], typeIds: [0, 0], truncated: 0 }]);
    const missing = { ...settings, modelPath: folder + "/absent.onnx" };
    await openClassifier(missing).then(() => tried.push("opened"), () => undefined);
    console.log(JSON.stringify(tried));
  `;
  const parameters = ["--input-type=module", "-e", script, join(models, "reranker-tiny")];
  assert.equal(execFileSync(process.execPath, parameters, { cwd: root, encoding: "utf8" }), "[]\n");
});
