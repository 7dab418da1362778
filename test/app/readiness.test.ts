import assert from "node:assert/strict";
import { test } from "node:test";
import { createReadinessCheck } from "../../src/app/readiness.ts";
import { openWorld } from "./world.ts";

const here = async () => ({ path: async () => "" });
const missing = async () => ({
  path: async (): Promise<string> => {
    throw new Error("not on this machine");
  },
});

test("a home is ready when registry, embedding model and stores answer, and names those that do not", async (t) => {
  const { core } = await openWorld(t);
  assert.deepEqual(await createReadinessCheck(core, here)(), []);
  assert.deepEqual(await createReadinessCheck(core, missing)(), [
    "embedding model",
    "public store",
    "private store",
  ]);
  const settings = {
    ...core.settings,
    milvus: { ...core.settings.milvus, privateUri: "http://127.0.0.1:9" },
  };
  const store: typeof core.store = async (instance) => {
    if (instance === "private") throw new Error("does not answer");
    return core.store(instance);
  };
  assert.deepEqual(await createReadinessCheck({ ...core, settings, store }, here)(), ["private store"]);
});

test("many who ask at once look once", async (t) => {
  const { core } = await openWorld(t);
  let asked = 0;
  const readiness = createReadinessCheck(core, async () => {
    asked += 1;
    return here();
  });
  await Promise.all([readiness(), readiness(), readiness()]);
  // The embedding model and each of the two local stores.
  assert.equal(asked, 3);
});
