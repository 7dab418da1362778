import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { builtCommand, errorOf, openHome, start } from "../support.ts";

test("an address that cannot be listened on is named, with what to change", async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const ragctl = (...words: readonly string[]) =>
    start(home.path, home.base, [...builtCommand, ...words]).ended;
  const serve = (...flags: readonly string[]) => ragctl("serve", ...flags);
  const impossible = await serve("--port", "99999");
  assert.equal(impossible.status, 2);
  assert.match(impossible.stderr, /'99999' is invalid\. It must be a port from 0 to 65535\./);

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  const port = typeof address === "object" ? String(address?.port) : "";
  const busy = errorOf(await serve("--port", port, "--format", "json"));
  taken.close();
  assert.equal(busy["code"], "HOST_UNAVAILABLE");
  assert.match(String(busy["message"]), /: the port is in use$/);
  assert.match(String(busy["hint"]), /--port 0/);

  assert.equal((await ragctl("principals", "key", "add", "owner")).status, 0);
  // An address for documentation (RFC 5737): no machine has it.
  const elsewhere = ["--host", "203.0.113.1", "--behind-proxy", "--origin", "https://rag.example.org"];
  const foreign = errorOf(await serve(...elsewhere, "--port", "0", "--format", "json"));
  assert.match(String(foreign["message"]), /203\.0\.113\.1/);
  assert.match(String(foreign["hint"]), /--host/);
});
