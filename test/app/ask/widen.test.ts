import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskRequest } from "../../../src/core/app.ts";
import { chunkOf } from "../../helpers/chunk.ts";
import { openWorld } from "../world.ts";

test("a hit is read with what stands around it only as far as the request admits", async (context) => {
  const { core, parts, run } = await openWorld(context);
  const [document] = await core.documents.latest(["general_knowledge"]);
  assert.ok(document !== undefined);
  const { versionId, id: documentId } = document;
  const place = { documentId, versionId, collection: "general_knowledge", department: "plant" };
  const chunks = (
    [
      ["paragraph", "Costs"],
      ["table", "Costs"],
      ["table", "Prices"],
    ] as const
  ).map(([contentType, heading], ordinal) =>
    chunkOf({ ...place, id: `${versionId}-${ordinal}`, ordinal, contentType, headings: [heading] }),
  );
  const store = await parts.store("public");
  await store.delete("general_knowledge", { all: [] });
  const embedding = { dense: new Float32Array(2) };
  await store.write(
    "general_knowledge",
    chunks.map((chunk) => ({ chunk, embedding })),
  );
  const [, middle] = chunks;
  assert.ok(middle !== undefined);
  const around = async (narrowed: Partial<AskRequest>): Promise<readonly number[]> => {
    const request = { topK: 5, collections: [], ...narrowed };
    const hit = { chunk: middle, score: 1, via: "fused" as const };
    const [wide] = await core.retrieval.widen([hit], 5, 1, request, run("owner"), null);
    return (wide?.around ?? []).map(({ ordinal }) => ordinal);
  };
  assert.deepEqual(await around({}), [0, 1, 2]);
  assert.deepEqual(await around({ contentTypes: ["table"] }), [1, 2]);
  assert.deepEqual(await around({ texts: [{ text: "headings", contains: ["Costs"] }] }), [0, 1]);
  assert.deepEqual(await around({ department: "office" }), []);
  assert.deepEqual(await around({ documents: [documentId] }), [0, 1, 2]);
});
