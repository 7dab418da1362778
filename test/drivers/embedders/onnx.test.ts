import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { OnnxEmbedderSettings } from "../../../src/drivers/embedders/onnx.ts";
import open from "../../../src/drivers/embedders/onnx.ts";
import { listProviders } from "../../../src/drivers/runtime/onnx.ts";
import { embedderContract } from "../../contracts/embedder.ts";
import { denseScore } from "../../helpers/scores.ts";

const never = new AbortController().signal;
const home = process.env["RAGCTL_TEST_HOME"] ?? join(homedir(), ".local/share/ragctl");
const folder = join(home, "models", "bge-small-en-v1.5-int8");
const skip = existsSync(join(folder, "model.onnx")) ? false : `${join(folder, "model.onnx")} is absent`;
const small: OnnxEmbedderSettings = {
  id: "bge-small-en-v1.5-int8",
  architecture: "bert",
  pooling: "cls",
  queryPrefix: "Represent this sentence for searching relevant passages: ",
  passagePrefix: "",
  maxTokens: 512,
  dimensions: 384,
  modelPath: join(folder, "model.onnx"),
  tokenizerPath: join(folder, "tokenizer.json"),
  modelSha256: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
  device: "cpu",
  threads: 2,
  precision: "int8",
};
const tinyFolder = join(import.meta.dirname, "../../../fixtures/models/bge-m3-tiny");
const tiny: OnnxEmbedderSettings = {
  ...small,
  id: "tiny",
  architecture: "bge-m3",
  queryPrefix: "",
  maxTokens: 256,
  dimensions: 32,
  precision: "fp32",
  modelPath: join(tinyFolder, "model.onnx"),
  tokenizerPath: join(tinyFolder, "tokenizer.json"),
};

embedderContract("ONNX with bge-small int8", () => open(small), skip);
embedderContract(
  "ONNX with bge-small int8 in its form for one text a run",
  () => open({ ...small, cacheFolder: join(folder, ".encoder") }),
  skip,
);

describe("the ONNX embedder with bge-small", { skip }, () => {
  // Reference: Python onnxruntime 1.31.1 and tokenizers 0.23.3 on the same file, start token's state,
  // normalised. Int8 kernels differ between processors, hence the tolerance; the question is nearly a tie for
  // this model.
  it("agrees with Python's onnxruntime on a question and three passages", async () => {
    await using embedder = await open(small);
    const passages = [
      "The warranty covers the pump for five years.",
      "Office hours are nine to five.",
      "The pump weighs four kilograms.",
    ];
    const [question] = await embedder.embed(
      ["How long is the pump guaranteed?"],
      { purpose: "query" },
      never,
    );
    const stored = await embedder.embed(passages, { purpose: "passage" }, never);
    for (const [at, wanted] of [0.6558, 0.4482, 0.6569].entries()) {
      const score = denseScore(question?.dense ?? assert.fail(), stored[at]?.dense ?? assert.fail());
      assert.ok(Math.abs(score - wanted) < 2e-2, `${score} is not ${wanted}`);
    }
  });

  it("prefixes a question and not a passage", async () => {
    await using embedder = await open(small);
    const text = "a text";
    const [query] = await embedder.embed([text], { purpose: "query" }, never);
    const [passage] = await embedder.embed([text], { purpose: "passage" }, never);
    const [prefixed] = await embedder.embed([small.queryPrefix + text], { purpose: "passage" }, never);
    assert.notDeepEqual(query?.dense, passage?.dense);
    assert.deepEqual(query?.dense, prefixed?.dense);
  });

  it("gives the same vectors with one thread as with two", async () => {
    await using one = await open({ ...small, threads: 1 });
    await using two = await open(small);
    const texts = ["a", "b c", "d ".repeat(200)];
    assert.deepEqual(
      await one.embed(texts, { purpose: "passage" }, never),
      await two.embed(texts, { purpose: "passage" }, never),
    );
  });
});

describe("the ONNX embedder", () => {
  it("runs equal texts of one call once", async () => {
    await using embedder = await open(tiny);
    const embeddings = await embedder.embed(["a", "b", "a", "a"], { purpose: "passage" }, never);
    assert.equal(embeddings.length, 4);
    assert.equal(new Set(embeddings).size, 2);
  });

  it("has a fingerprint that changes with whatever changes vectors", async () => {
    const changes: Partial<OnnxEmbedderSettings>[] = [
      {},
      { modelSha256: "1".repeat(64) },
      { pooling: "mean" },
      { queryPrefix: "q: " },
      { passagePrefix: "q: " },
      { maxTokens: 128 },
      { precision: "fp16" },
    ];
    const fingerprints: string[] = [];
    for (const change of [...changes, { threads: 1 }]) {
      await using embedder = await open({ ...tiny, ...change });
      fingerprints.push(embedder.fingerprint);
    }
    assert.equal(new Set(fingerprints).size, changes.length);
    assert.equal(fingerprints.at(-1), fingerprints[0]);
  });

  it("falls back from a CUDA that is not there, and says why", async (test) => {
    const cuda = (await listProviders()).find(({ name }) => name === "cuda");
    if (cuda?.installed) return test.skip("the CUDA provider is installed here");
    await using embedder = await open({ ...tiny, device: "cuda" });
    assert.equal(embedder.provider, "cpu");
    assert.match(embedder.fallback, /CUDA/);
    await using automatic = await open({ ...tiny, device: "auto" });
    assert.equal(automatic.fallback, "");
  });

  it("lists the CPU among its providers", async () => {
    assert.ok((await listProviders()).some(({ name, installed }) => name === "cpu" && installed));
  });

  it("tells a missing file from a damaged one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ragctl-onnx-"));
    try {
      const damaged = join(folder, "model.onnx");
      await writeFile(damaged, "<html>not found</html>");
      await assert.rejects(open({ ...tiny, modelPath: damaged }), {
        code: "MODEL_UNREADABLE",
        message: /model\.onnx/,
        hint: /ragctl models pull/,
      });
      await assert.rejects(open({ ...tiny, tokenizerPath: damaged }), { code: "MODEL_UNREADABLE" });
      await assert.rejects(open({ ...tiny, modelPath: join(folder, "none.onnx") }), {
        code: "MODEL_MISSING",
      });
      await assert.rejects(open({ ...tiny, tokenizerPath: join(folder, "none.json") }), {
        code: "MODEL_MISSING",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("refuses a model of other dimensions than its entry says", async () => {
    await using embedder = await open({ ...tiny, dimensions: 64 });
    await assert.rejects(embedder.embed(["a"], { purpose: "passage" }, never), {
      code: "MODEL_UNREADABLE",
      message: /32.*64/,
    });
  });

  it("rejects what is still running when it is closed", async () => {
    const embedder = await open(tiny);
    const running = assert.rejects(
      embedder.embed(
        Array.from({ length: 300 }, (_, at) => `text ${at}`),
        { purpose: "passage" },
        never,
      ),
      { code: "INTERNAL" },
    );
    await embedder[Symbol.asyncDispose]();
    await running;
    await assert.rejects(embedder.embed(["a"], { purpose: "passage" }, never), {
      code: "INTERNAL",
      message: /closed/,
    });
  });

  it("prints nothing, lets a process end on its own, and keeps the exit status of one that ends while it runs", async (test) => {
    const driver = pathToFileURL(join(import.meta.dirname, "../../../src/drivers/embedders/onnx.ts")).href;
    const model = skip === false ? small : tiny;
    const script = (after: string): string => `
      const { default: open } = await import(${JSON.stringify(driver)});
      const embedder = await open(${JSON.stringify({ ...model, device: "auto" })});
      const signal = new AbortController().signal;
      ${after}`;
    const folder = await mkdtemp(join(tmpdir(), "ragctl-onnx-"));
    test.after(() => rm(folder, { recursive: true }));
    const end = async (after: string) => {
      const path = join(folder, "script.mjs");
      await writeFile(path, script(after));
      const { status, stdout, stderr } = spawnSync(process.execPath, [path], {
        encoding: "utf8",
        timeout: 30_000,
      });
      return { status, stdout, stderr };
    };
    const quiet = { stdout: "", stderr: "" };
    assert.deepEqual(await end(`await embedder.embed(["a", "b", "c"], { purpose: "query" }, signal);`), {
      status: 0,
      ...quiet,
    });
    const busy = `embedder.embed(Array.from({ length: 300 }, (_, at) => at + " word".repeat(200)), { purpose: "passage" }, signal).catch(() => {});`;
    for (const delayMs of [5, 150])
      assert.deepEqual(await end(`${busy} setTimeout(() => process.exit(5), ${delayMs});`), {
        status: 5,
        ...quiet,
      });
  });
});
