import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeAuthority } from "../../helpers/certificates.ts";
import { kafkaOf, kafkaSettings, noKafka, transportOf } from "../../helpers/kafka.ts";
import { temporaryFolder } from "../../registry/support.ts";

/** The error of sending one message; "" for none. */
async function sent(context: TestContext, settings: Parameters<typeof transportOf>[1]): Promise<string> {
  const transport = await transportOf(context, settings)();
  try {
    await transport.send([{ key: "k", value: "v" }]);
    return "";
  } catch (error) {
    assert.ok(error instanceof Error && "code" in error);
    return `${String(error.code)} ${error.message}`;
  }
}

test("a broker is spoken to by TLS, with a name and password, and tells neither", {
  skip: noKafka,
}, async (context) => {
  const folder = temporaryFolder(context);
  const authority = makeAuthority(folder, "authority");
  const { certificatePath, keyPath } = authority.issue("localhost", { loopback: true });
  const tlsPath = join(folder, "server.both.pem");
  writeFileSync(tlsPath, readFileSync(keyPath, "utf8") + readFileSync(certificatePath, "utf8"));
  const { brokers } = await kafkaOf(context, { users: { ragctl: "hunter2" }, tlsPath });
  const login = { tls: "on", sasl: "plain", username: "ragctl", password: "hunter2" } as const;
  const right = { ...kafkaSettings(brokers, "jobs"), ...login, authorityFile: authority.certificatePath };
  assert.equal(await sent(context, right), "");
  const transport = await transportOf(context, right)();
  assert.equal(await transport.lag(), 1);
  const delivery = await transport.receive(60_000, context.signal);
  assert.deepEqual([delivery?.key, delivery?.value.toString()], ["k", "v"]);
  await delivery?.settle();
  assert.equal(await transport.lag(), 0);
  for (const [wrong, reason] of [
    [{ password: "swordfish" }, /^NETWORK_UNAVAILABLE Kafka at .* does not respond: .*[Aa]uthentication/],
    [{ authorityFile: "" }, /^NETWORK_UNAVAILABLE .*certificate/],
    [{ authorityFile: join(folder, "none.pem") }, /^CONFIG_INVALID .*none\.pem/],
    [{ sasl: "off" }, /^NETWORK_UNAVAILABLE/],
    [{ tls: "off" }, /^NETWORK_UNAVAILABLE/],
  ] as const) {
    const told = await sent(context, { ...right, ...wrong });
    assert.match(told, reason, JSON.stringify(wrong));
    assert.doesNotMatch(told, /hunter2|swordfish/);
  }
});
