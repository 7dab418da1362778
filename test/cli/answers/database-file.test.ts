import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { documents, errorOf, openHome, records, skipChain, states } from "../support.ts";

const notes = join(documents, "commissioning_notes.md");
/** Both instances in one database. */
const at = (uri: string) => ["--milvus-uri", uri];
const hits = (result: Record<string, unknown>) => records(result["hits"]);

it("keeps vectors, and the rows about them, where the call names a database file", {
  skip: skipChain,
}, async () => {
  await using home = await openHome();
  const shared = join(home.base, "shared");
  await mkdir(shared);
  await chmod(shared, 0o755);
  const file = join(shared, "m.db");
  const ingest = ["ingest", notes, "--collection", "plant"];
  const search = ["search", "commissioning", "-c", "plant"];

  assert.equal(states(await home.json([...ingest, ...at(file)]))["commissioning_notes.md"], "added");
  assert.ok(hits(await home.json([...search, ...at(`sqlite:///${file}`)])).length > 0);
  assert.equal((await stat(shared)).mode & 0o777, 0o755);
  assert.ok((await readdir(shared)).includes("m.db"));

  // What one database holds says nothing about another, nor about the home.
  const nested = `sqlite:///${join(home.base, ".milvus", "docling.db")}`;
  for (const flags of [at(nested), []])
    assert.equal(states(await home.json([...ingest, ...flags]))["commissioning_notes.md"], "added");
  assert.equal(states(await home.json([...ingest, ...at(nested)]))["commissioning_notes.md"], "unchanged");
  await home.run(["stop"]);
  assert.ok(hits(await home.json([...search, ...at(file)])).length > 0);
  const question = ["ask", "Who approved the commissioning?", "-c", "plant", ...at(file)];
  assert.deepEqual((await home.json(question, [0, 5]))["unavailable"], []);
  const queued = await home.run([...ingest, "--background", ...at(file), "--format", "json"]);
  assert.equal(errorOf(queued)["code"], "USAGE_INVALID");
});

it("refuses a database that another home has open, and says which process", { skip: skipChain }, async () => {
  await using home = await openHome();
  await using other = await openHome();
  const database = at(join(home.base, "m.db"));
  const search = ["search", "commissioning", "--format", "json", ...database];
  await home.json(["ingest", notes, "--collection", "plant", ...database]);
  assert.equal(errorOf(await other.run(search))["code"], "STORE_BUSY");
  await home.run(["stop"]);
  assert.ok(hits(await other.json(search)).length > 0);
});
