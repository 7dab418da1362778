import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type MilvusClient, RbacObjects } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../../src/core/errors.ts";
import { matchAllFilter } from "../../../src/core/retrieval.ts";
import openStore, { type MilvusOptions } from "../../../src/drivers/stores/milvus.ts";
import { connect } from "../../../src/drivers/stores/milvus-connection.ts";
import { chunkOf, dimensions, embedded, vectorOf } from "../../contracts/store.ts";
import { makeAuthority } from "../../helpers/certificates.ts";
import { milvusFixture, skipMilvus } from "../../helpers/milvus-servers.ts";

const spec = { name: "main", dimensions, lexical: "bm25", fingerprint: "f" } as const;
const { signal } = new AbortController();
/** The only user of a new server. Source: documentation of Milvus. */
const root = "root:Milvus";

describe("a Milvus that asks who comes", { skip: skipMilvus("standalone") }, () => {
  const fixture = milvusFixture("standalone");
  after(() => fixture.dispose());
  const lexicalIndex = async () => (await fixture.lexicalIndexes()).of("server");

  /** The code of the error that listing the collections ends in, and its message; "" where it does not. */
  const outcome = async (options: Omit<MilvusOptions, "id">): Promise<string> => {
    await using store = openStore({ id: "far", connectTimeoutMs: 5_000, startTimeoutMs: 1_000, ...options });
    return store.collections().then(
      () => "",
      (error: unknown) =>
        error instanceof RagctlError ? `${error.code} ${error.message} ${error.hint}` : String(error),
    );
  };

  it("lets in who shows the right token over TLS, and tells the others what does not fit", async () => {
    const authority = makeAuthority(fixture.folder, "authority");
    const other = makeAuthority(fixture.folder, "other");
    const certificate = authority.issue("milvus.test", { loopback: true });
    const server = await fixture.start({ authorization: true, tls: certificate });
    const { uri } = server;
    const tls = { authorityPath: authority.certificatePath };
    assert.equal(await outcome({ uri, tls, token: root }), "");
    assert.equal(await outcome({ uri, tls: { ...tls, serverName: "milvus.test" }, token: root }), "");
    assert.match(
      await outcome({ uri, tls: { ...tls, serverName: "other.test" }, token: root }),
      /^STORE_UNAVAILABLE .*(?:altnames|other\.test)/,
    );
    assert.match(
      await outcome({ uri, tls: { authorityPath: other.certificatePath }, token: root }),
      /^STORE_UNAVAILABLE .*certificate/,
    );
    assert.match(await outcome({ uri, token: root }), /^STORE_UNAVAILABLE .*certificate/);
    assert.match(await outcome({ uri: uri.replace("https", "http"), token: root }), /^STORE_UNAVAILABLE/);
    for (const token of ["root:wrong", "nobody:Milvus"])
      assert.match(await outcome({ uri, tls, token }), /^STORE_UNAVAILABLE .*refused the credentials.*token/);
    assert.match(await outcome({ uri, tls }), /^STORE_UNAVAILABLE .*refused the credentials.*token/);
    await using store = openStore({ id: "far", uri, tls, token: root, lexicalIndex });
    await store.ensure(spec);
    await store.write(spec.name, [embedded(chunkOf(0))]);
    const { dense, lexical } = await store.search(
      spec.name,
      { dense: vectorOf(0), text: "number", limit: 3, filter: matchAllFilter },
      signal,
    );
    assert.deepEqual([dense.length, lexical.length], [1, 1]);
    const closed = { ...spec, name: "closed" } as const;
    await store.ensure(closed);
    await store.write(closed.name, [embedded(chunkOf(0))]);

    // A second wall: a user who may only read this collection.
    await using connection = await connect({ id: "far", uri, tls, token: root });
    const call = <T>(use: (client: MilvusClient) => Promise<T>) => connection.call("set up", use);
    await call((client) => client.createUser({ username: "reader", password: "reading" }));
    await using reader = openStore({ id: "far", uri, tls, token: "reader:reading", lexicalIndex });
    const ask = (name: string = spec.name) =>
      reader.search(name, { dense: vectorOf(0), limit: 3, filter: matchAllFilter }, signal);
    await assert.rejects(ask(), (error: unknown) => {
      assert.ok(error instanceof RagctlError);
      assert.equal(error.code, "STORE_UNAVAILABLE");
      assert.match(
        `${error.message} ${error.hint}`,
        /has no permission.*PrivilegeLoad.*role with this privilege/,
      );
      return true;
    });
    await call((client) => client.createRole({ roleName: "readers" }));
    const privileges = [
      [RbacObjects.Global, "*", "DescribeCollection"],
      [RbacObjects.Global, "*", "ShowCollections"],
      [RbacObjects.Collection, spec.name, "IndexDetail"],
      [RbacObjects.Collection, spec.name, "Load"],
      [RbacObjects.Collection, spec.name, "GetLoadingProgress"],
      [RbacObjects.Collection, spec.name, "Search"],
      [RbacObjects.Collection, spec.name, "Query"],
    ] as const;
    for (const [object, objectName, privilegeName] of privileges)
      await call((client) =>
        client.grantRolePrivilege({ roleName: "readers", object, objectName, privilegeName }),
      );
    await call((client) => client.addUserToRole({ username: "reader", roleName: "readers" }));
    assert.equal((await ask()).dense.length, 1);
    await assert.rejects(ask(closed.name), /has no permission to load collection "closed"/);
    await assert.rejects(Array.fromAsync(reader.list(closed.name, matchAllFilter)), /has no permission/);
    await assert.rejects(reader.write(spec.name, [embedded(chunkOf(1))]), /has no permission/);
    await assert.rejects(reader.drop(spec.name), /has no permission/);
    await server.stop();
  });

  it("takes only clients whose certificate its authority signed, where it asks for one", async () => {
    const authority = makeAuthority(fixture.folder, "mutual");
    const other = makeAuthority(fixture.folder, "stranger");
    const certificate = authority.issue("milvus.test", { loopback: true });
    const { uri } = await fixture.start({
      tls: { ...certificate, authorityPath: authority.certificatePath },
    });
    const tls = { authorityPath: authority.certificatePath };
    assert.equal(await outcome({ uri, tls: { ...tls, ...authority.issue("client") } }), "");
    assert.match(await outcome({ uri, tls }), /^STORE_UNAVAILABLE .*/);
    assert.match(await outcome({ uri, tls: { ...tls, ...other.issue("client") } }), /^STORE_UNAVAILABLE/);
    const { keyPath } = other.issue("key");
    assert.match(
      await outcome({ uri, tls: { ...tls, ...authority.issue("client"), keyPath } }),
      /^CONFIG_INVALID .*key values mismatch.*milvus\.keyFile/,
    );
    assert.match(
      await outcome({ uri, tls: { ...tls, certificatePath: "/none.pem", keyPath } }),
      /^CONFIG_INVALID .*\/none\.pem cannot be read/,
    );
  });
});
