import assert from "node:assert/strict";
import { test } from "node:test";
import { clampChunkSizes } from "../../../src/app/documents/ingest.ts";
import { load } from "../../config/support.ts";

test("a size in tokens that the embedding model would cut off is lowered, which is said in one line; one in characters is not", () => {
  const fitted = (size: string, overlap: string, preset: string) => {
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message) };
    const model = { id: "bge-small", maxTokens: 512 };
    const env = { CHUNK_SIZE: size, CHUNK_OVERLAP: overlap, RAGCTL_CHUNK_PRESET: preset };
    const { size: tokens, overlap: shared } = clampChunkSizes(load({ env }).settings, model, log);
    return [tokens, shared, ...warnings];
  };
  const warning = "chunks have at most 512 tokens, not 600 (chunk.size): bge-small reads no more";
  for (const preset of ["hybrid", "window"])
    assert.deepEqual(fitted("600", "100", preset), [512, 100, warning]);
  // Each chunk would else add a word to the one before.
  assert.deepEqual(fitted("600", "550", "window"), [512, 256, warning]);
  assert.deepEqual(fitted("600", "550", "recursive"), [600, 550]);
  assert.deepEqual(fitted("512", "400", "window"), [512, 400]);
  assert.deepEqual(fitted("0", "-1", "window"), [0, -1]);
});
