import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { doctor } from "../../../../src/app/owner/doctor/doctor.ts";
import { checkProvider } from "../../../../src/app/owner/doctor/provider.ts";
import { checkSize, largestLocalCollection } from "../../../../src/app/owner/doctor/size.ts";
import { checkVectors } from "../../../../src/app/owner/doctor/vectors.ts";
import { openWorld, said, secretOf } from "../../world.ts";

test("doctor counts what the stores hold, and names the command that brings lost vectors back", async (context) => {
  const { core, parts } = await openWorld(context);
  assert.deepEqual(await checkVectors(core), {
    status: "ok",
    message: "5 collections, 10 chunks, matching the registry",
    hint: "",
  });
  const [chunk] = await core.documents.latest(["hr_private_docs"]);
  const store = await parts.store("private");
  await store.delete("hr_private_docs", { field: "id", in: [`${chunk?.versionId}-1`] });
  await store.drop("finance_private_docs");
  const { status, message, hint } = await checkVectors(core);
  assert.equal(status, "failed");
  assert.match(message, /1 of 1 documents in finance_private_docs.*1 of 1 documents in hr_private_docs/);
  assert.match(
    hint,
    /ragctl reembed --collection finance_private_docs; ragctl reembed --collection hr_private_docs/,
  );
  assert.ok(!message.includes(secretOf("hr_private_docs")));
});

test("doctor names a damaged registry as every command does, and a backup as the way back", async (context) => {
  const { core } = await openWorld(context);
  const registry = {
    ...core.registry,
    check: async () => ["*** in database main ***\nTree 5 page 9: bad", "x"],
  };
  const engines = {
    ...core,
    models: { list: async () => [], altered: async () => [] },
    gpu: async () => null,
  };
  const checks = await doctor(engines, { ...core, registry });
  const found = checks.find(({ name }) => name === "registry");
  assert.equal(found?.status, "failed");
  assert.match(
    found.message,
    /^REGISTRY_CORRUPT: the registry \S+ is damaged \(2 faults; the first: \*\*\* in database main \*\*\* Tree 5 page 9: bad\)$/,
  );
  assert.match(found.hint, /ragctl backup restore FOLDER --force/);
});

test("doctor names collections that a store holds and the registry does not know, those of rooms excepted", async (context) => {
  const { core, parts } = await openWorld(context);
  const store = await parts.store("public");
  for (const name of ["orphan", "chat_messages_0011"])
    await store.ensure({ name, dimensions: 2, lexical: "bm25", fingerprint: "f" });
  const { status, message } = await checkVectors(core);
  assert.deepEqual([status, message], ["warning", "not in this registry: public/orphan"]);
});

test("a store that does not answer is said to be uncounted, and the others are counted", async (context) => {
  const { core } = await openWorld(context);
  const store: typeof core.collectionStore = async (instance) => {
    if (instance === "private") throw new Error("down");
    return core.collectionStore(instance);
  };
  const { status, message } = await checkVectors({ ...core, collectionStore: store });
  assert.equal(status, "warning");
  assert.match(message, /not checked: engineering_private_docs \(INTERNAL\), finance_private_docs/);
});

test("doctor says which collections have outgrown the store of the home, and not of those on a server", async (context) => {
  const { core } = await openWorld(context);
  const list = (await core.collections.list()).map((collection) => ({
    ...collection,
    chunks: collection.name === "hr_private_docs" ? largestLocalCollection + 1 : collection.chunks,
  }));
  const collections = { ...core.collections, list: async () => list };
  const { status, message, hint } = await checkSize({ ...core, collections });
  assert.equal(status, "warning");
  assert.match(message, /^hr_private_docs has 1000001 chunks: .* above 1000000 chunks/);
  assert.match(
    hint,
    /milvus\.privateUri to its address, then: ragctl collections migrate hr_private_docs --from local$/,
  );
  const milvus = { ...core.settings.milvus, privateUri: "http://127.0.0.1:19530" };
  const served = await checkSize({ collections, settings: { ...core.settings, milvus } });
  assert.deepEqual(served, { status: "ok", message: "the largest collection has 1000001 chunks", hint: "" });
  const single = {
    ...core.collections,
    list: async () => list.slice(0, 1).map((each) => ({ ...each, chunks: 1 })),
  };
  assert.equal(
    (await checkSize({ ...core, collections: single })).message,
    "the largest collection has 1 chunk",
  );
});

/** An endpoint that answers every request so; its address. */
async function endpoint(context: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`;
}

const check = (base_url: string, provider: "openai-compatible" | "ollama" = "openai-compatible") =>
  checkProvider({ provider, config: { base_url, model: "small" } }, () => undefined);

test("doctor names the provider that answers and what its endpoint says", async (context) => {
  const listed = JSON.stringify({ data: [{ id: "small" }] });
  const at = await endpoint(context, 200, listed);
  assert.deepEqual(await check(at), {
    status: "ok",
    message: `small of openai-compatible at ${at}: responds and has the model`,
    hint: "",
  });
  const other = await check(
    await endpoint(context, 200, JSON.stringify({ models: [{ name: "large:latest" }] })),
    "ollama",
  );
  assert.equal(other.status, "warning");
  assert.match(
    `${other.message} ${other.hint}`,
    /does not list that model; it lists large:latest .*--option model=NAME/,
  );
  const plain = await check(await endpoint(context, 404, "no such page"));
  assert.match(plain.message, /responds, but lists no models/);
});

test("an endpoint that is down, or refuses the key, is a failed check with the way out", async (context) => {
  const down = await said(() => check("http://127.0.0.1:9/v1"));
  assert.equal(down.code, "PROVIDER_UNAVAILABLE");
  assert.match(down.text, /cannot be reached/);
  const refused = await said(async () => check(await endpoint(context, 401, "")));
  assert.equal(refused.code, "PROVIDER_FAILED");
  assert.match(refused.text, /rejected the key/);
});
