import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { root, skipChain } from "../cli/support.ts";
import { testHome, withFolder } from "../contracts/store.ts";

it("closes an embedder that is at work before the process ends", { skip: skipChain }, async () => {
  const folder = join(testHome, "models/bge-small-en-v1.5-int8");
  const settings = {
    ...{
      id: "m",
      architecture: "bert",
      pooling: "cls",
      queryPrefix: "",
      passagePrefix: "",
      maxTokens: 512,
      dimensions: 384,
    },
    ...{
      modelPath: join(folder, "model.onnx"),
      tokenizerPath: join(folder, "tokenizer.json"),
      modelSha256: "0",
      device: "cpu",
      threads: 1,
      precision: "int8",
    },
  };
  const script = `
    const { default: open } = await import(${JSON.stringify(join(root, "dist/drivers/embedders/onnx.js"))});
    const embedder = await open(${JSON.stringify(settings)});
    const abort = new AbortController();
    const texts = Array.from({ length: 20 }, (_, i) => "valve " + i + " opens slowly ".repeat(120));
    const embedding = embedder.embed(texts, { purpose: "passage" }, abort.signal).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort.abort(new Error("stopped"));
    await embedding;
    await embedder[Symbol.asyncDispose]();
    process.stdout.write("closed");`;
  await withFolder(async (base) => {
    const file = join(base, "close.mjs");
    await writeFile(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    assert.equal(stdout, "closed");
  });
});
