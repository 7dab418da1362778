import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSize } from "../../../src/app/documents/ingest.ts";
import { load } from "../../config/support.ts";

const check = (env: Readonly<Record<string, string>>) => checkSize(load({ env }).settings, "bge-small", 512);

test("a size in tokens that the embedding model would cut off is refused by name; one in characters is not", () => {
  for (const preset of ["hybrid", "window"])
    assert.throws(() => check({ CHUNK_SIZE: "600", RAGCTL_CHUNK_PRESET: preset }), {
      code: "CONFIG_INVALID",
      message: `chunk.size is 600 tokens (${preset}), but bge-small reads at most 512`,
    });
  check({ CHUNK_SIZE: "600", RAGCTL_CHUNK_PRESET: "recursive" });
  check({ CHUNK_SIZE: "512", RAGCTL_CHUNK_PRESET: "window" });
  check({ RAGCTL_CHUNK_PRESET: "window" });
});
