import assert from "node:assert/strict";
import { test } from "node:test";
import { similar } from "../../src/operations/documents/similar.ts";
import { openScene, skipScene } from "../app/scene.ts";

const pump = "# Cooling pump\n\nThe cooling pump moves water. Replace the seal of the pump every year.\n";
const files = {
  "pump.md": pump,
  "seal.md":
    "# Seals\n\nA worn seal lets water out of the pump. The pump must stop before the seal is replaced.\n",
  "leave.md":
    "# Parental leave\n\nEmployees get 19 weeks of paid parental leave after the birth of a child.\n",
};

test("documents like one are listed nearest first, of those that may be read, and never itself", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", files);
  await scene.ingest("secrets_private_docs", "private", { "pump-secret.md": `${pump}\nIts code is 4711.\n` });
  await scene.app.permissions.addPrincipal({ name: "ada" }, scene.as("owner"));
  const names = async (principal: string, input: Readonly<Record<string, unknown>>) => {
    const context = { run: scene.as(principal), topK: 5, surface: "tool" } as const;
    const { data } = await similar.call(scene.app, input, context);
    const { similar: found } = data as { similar: { document: string; score: number; collection: string }[] };
    assert.deepEqual(
      found.toSorted((one, other) => other.score - one.score),
      found,
    );
    return found.map(({ document }) => document);
  };
  assert.deepEqual(await names("owner", { document: "pump.md" }), ["pump-secret.md", "seal.md", "leave.md"]);
  assert.deepEqual(await names("owner", { document: "pump.md", limit: 1 }), ["pump-secret.md"]);
  assert.deepEqual(await names("ada", { document: "pump.md" }), ["seal.md", "leave.md"]);
  const among = { document: "pump.md", collections: ["secrets_private_docs"] };
  assert.deepEqual(await names("owner", among), ["pump-secret.md"]);
  await assert.rejects(names("ada", among), { code: "NOT_FOUND" });
  await assert.rejects(names("ada", { document: "pump-secret.md" }), { code: "NOT_FOUND" });
});
