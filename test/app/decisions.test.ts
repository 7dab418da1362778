import assert from "node:assert/strict";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { openWorld, said, secretOf } from "./world.ts";

const request = { query: "secret", topK: 20, collections: [], mode: "hybrid" } as const;

test("while another process holds the registry nothing is answered whose decisions are not recorded, and none is lost", async (context) => {
  const { core, run, registry } = await openWorld(context);
  await core.principals.add({ name: "ada", kind: "person", departments: [] });
  await registry.statement("PRAGMA busy_timeout = 50").get();
  const holder = new Sqlite(registry.place);
  context.after(() => holder.close());
  holder.exec("BEGIN IMMEDIATE");
  const ada = { ...run("ada"), id: "while-held" };
  const refused = [
    await said(() => core.app.search(request, ada)),
    await said(() => core.app.search({ ...request, collections: ["hr_private_docs"] }, ada)),
    await said(() => core.app.show(`${secretOf("general_knowledge")}.md`, ada)),
  ];
  assert.deepEqual(new Set(refused.map(({ code }) => code)), new Set(["REGISTRY_BUSY"]));
  assert.deepEqual(await core.decisions.list({ principal: "ada" }), []);
  holder.exec("COMMIT");
  const { hits } = await core.app.search(request, { ...run("ada"), id: "afterwards" });
  assert.ok(hits.length > 0);
  const runs = (await core.decisions.list({ principal: "ada", limit: 1000 })).map(({ runId }) => runId);
  assert.deepEqual(new Set(runs), new Set(["while-held", "afterwards"]));
});
