import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { documents, openHome, skipChain } from "../cli/support.ts";
import { startServing } from "./serving.ts";

test("an assistant reaches the documents under /mcp with a key, and what its principal may not read is not there", {
  skip: skipChain,
}, async () => {
  await using home = await openHome();
  await home.json(["agents", "seed"]);
  await home.json(["ingest", documents]);
  const secret = await home.folder("hr", {
    "bands.md": "# Salary bands\n\nBand nine starts at 91 500 EUR.\n",
  });
  await home.json(["ingest", secret, "--collection", "hr_private_docs"]);
  await home.json(["principals", "add", "ada"]);
  const { key } = await home.json(["principals", "key", "add", "ada"]);
  const { child, ended, link } = await startServing(home);
  try {
    const address = new URL("/mcp", link);
    const refused = await fetch(address, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    assert.equal(refused.status, 401);
    const client = new Client({ name: "test", version: "1" });
    const headers = { authorization: `Bearer ${String(key)}` };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "search") && tools.every(({ name }) => name !== "ingest"));
    const found = await client.callTool({ name: "search", arguments: { query: "salary band nine" } });
    assert.doesNotMatch(JSON.stringify(found), /91 500/);
    const listed = await client.callTool({ name: "list_documents", arguments: {} });
    assert.match(JSON.stringify(listed), /policy_handbook\.pdf/);
    assert.doesNotMatch(JSON.stringify(listed), /bands\.md/);
    await client.callTool({ name: "ask", arguments: { query: "Which badges do contractors wear?" } });
    const owner = {
      authorization: `Bearer ${String((await home.json(["principals", "key", "add", "owner"]))["key"])}`,
    };
    const metrics = await fetch(new URL("/metrics", link), { headers: owner });
    assert.deepEqual((await metrics.text()).match(/(?<=^ragctl_answers_total\{.*\} )\d+/gm), ["1"]);
    await client.close();
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});
