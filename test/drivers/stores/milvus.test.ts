import assert from "node:assert/strict";
import { it } from "node:test";
import { RagctlError } from "../../../src/core/errors.ts";
import open from "../../../src/drivers/stores/milvus.ts";
import { storeContract } from "../../contracts/store.ts";

const uri = process.env["RAGCTL_TEST_MILVUS_URI"] ?? "";
const token = process.env["RAGCTL_TEST_MILVUS_TOKEN"];
const skip = uri === "" ? "set RAGCTL_TEST_MILVUS_URI to the address of a Milvus server" : false;

for (const lexical of ["bm25", "sparse"] as const) {
  storeContract(
    `a Milvus server with ${lexical}`,
    lexical,
    () => open({ id: "server", uri, ...(token ? { token } : {}) }),
    skip,
  );
}

it("says that an address nobody listens at cannot be reached", async () => {
  await using store = open({ id: "far", uri: "http://127.0.0.1:9", connectTimeoutMs: 50 });
  await assert.rejects(store.collections(), (error: unknown) => {
    assert.ok(error instanceof RagctlError);
    assert.equal(error.code, "STORE_UNAVAILABLE");
    assert.match(error.message, /"far" at http:\/\/127\.0\.0\.1:9/);
    return true;
  });
});

it("refuses an address that is none", async () => {
  await using store = open({ id: "odd", uri: "milvus.example" });
  await assert.rejects(
    store.collections(),
    (error: unknown) => error instanceof RagctlError && error.code === "CONFIG_INVALID",
  );
});
