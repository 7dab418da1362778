import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { documents, errorOf, type Home, openHome, records, skipChain } from "../support.ts";

const used = "bge-small-en-v1.5-int8";
const other = "e5-small-v2-int8";

describe("an embedding model that is named for an ingest", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
  });
  after(() => home[Symbol.asyncDispose]());
  const file = join(documents, "equipment_manual.pdf");
  const refused = async (...flags: readonly string[]) => {
    const ended = await home.run(["ingest", file, ...flags, "--format", "json"]);
    const { code, message, hint } = errorOf(ended);
    return [ended.status, code, message, hint];
  };

  it("is that of a new collection", async () => {
    await home.json(["ingest", file, "-c", "manuals", "--embedding-model", used]);
    const { collections } = await home.json(["collections"]);
    assert.deepEqual(
      records(collections).map(({ embedder }) => embedder),
      [used],
    );
    const [status, code, message] = await refused("-c", "novels", "--embedding-model", other);
    assert.deepEqual([status, code], [7, "MODEL_MISSING"]);
    assert.match(String(message), /e5-small-v2-int8/);
  });

  it("must be the one that a collection has, which another command changes", async () => {
    await home.json(["ingest", file, "-c", "manuals", "--embedding-model", used]);
    for (const name of [other, "./none"])
      assert.deepEqual(await refused("-c", "manuals", "--embedding-model", name), [
        2,
        "USAGE_INVALID",
        `manuals is embedded with ${used}, not ${name === other ? other : join(home.base, "none")}`,
        `change it first: ragctl reembed --collection manuals --model ${name === other ? other : join(home.base, "none")}`,
      ]);
  });

  it("cannot be carried by a job", async () => {
    assert.deepEqual((await refused("--background", "--embedding-model", used)).slice(0, 3), [
      2,
      "USAGE_INVALID",
      "--embedding-model cannot be combined with --background",
    ]);
  });
});
