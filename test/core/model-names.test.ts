import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isHubName, modelIdOf } from "../../src/core/answers/model-names.ts";
import { loadManifest } from "../../src/models/manifest.ts";

const path = fileURLToPath(new URL("../../models/manifest.yaml", import.meta.url));

test("every model of the manifest is known by its own id, and a hub's name leads to one of them", async () => {
  const manifest = await loadManifest(path);
  for (const id of manifest.keys()) assert.ok(manifest.has(modelIdOf(id)), id);
  for (const name of ["BAAI/bge-small-en-v1.5", "intfloat/e5-small-v2", "BAAI/bge-reranker-v2-m3"])
    assert.ok(isHubName(name) && manifest.has(modelIdOf(name)), name);
  for (const name of ["constructor", "a/constructor", "bge-m3", "./bge-m3", "a/b/bge-m3"])
    assert.ok(!isHubName(name), name);
});
