import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { encoderFiles } from "../../../src/app/engines/models.ts";
import { checkModelFiles } from "../../../src/app/owner/doctor/doctor.ts";
import { embedEntry, modelsOf, someBytes, temporaryFolder } from "../../models/fixtures.ts";

test("an encoder whose weights were altered opens for nobody, and doctor names its file", async (context) => {
  const folder = await temporaryFolder(context);
  const [model, tokenizer] = [someBytes(5000), someBytes(300)];
  const files = { "model.onnx": model, "tokenizer.json": tokenizer };
  const source = {
    ...{ type: "hub", repo: "a/b", revision: "main" },
    files: { "model.onnx": "model.onnx", "tokenizer.json": "tokenizer.json" },
  };
  const models = await modelsOf(folder, [embedEntry("m", files, [source], true)]);
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  await models.import("m", folder);
  const encoder = await encoderFiles("m", models);
  const path = join(models.home, "models/m/model.onnx");
  assert.equal((await encoder.paths()).modelPath, path);
  assert.deepEqual(await checkModelFiles({ models }), {
    status: "ok",
    message: "1 model, all unaltered",
    hint: "",
  });
  const altered = Buffer.from(model);
  altered[2500] = (altered[2500] ?? 0) ^ 1;
  await writeFile(path, altered);
  await assert.rejects(encoder.paths(), {
    code: "HASH_MISMATCH",
    message: `${path} was altered: it differs from the published file of m`,
    hint: `run: rm ${path} && ragctl models pull m`,
  });
  assert.deepEqual(await checkModelFiles({ models }), {
    status: "failed",
    message: "altered: models/m/model.onnx",
    hint: "delete these files, then run: ragctl models pull m",
  });
});
