import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { answerer, openHome, skipAnswerer } from "../support.ts";

test("a model of this machine that --llm-model names keeps passages from an active provider", {
  skip: skipAnswerer,
}, async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(500).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  try {
    await using home = await openHome("", ["bge-small-en-v1.5-int8", "milvus-lite-2.5.1", answerer]);
    await home.json([
      "ingest",
      await home.folder("notes", { "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n" }),
    ]);
    const address = `base_url=http://127.0.0.1:${port}/v1`;
    for (const component of ["llm", "reflection"])
      await home.json([
        ...["providers", "add", `${component}/openai-compatible`],
        ...["--option", address, "--option", "model=far"],
      ]);
    const question = ["ask", "How many tonnes does the crane of the north hall lift?"];
    const named = ["--llm-model", answerer, "--set", "answer.write=always"];
    const { draft } = await home.json([...question, ...named], [0, 3]);
    // A small model writes below its quotes.
    const { model } = draft as { readonly model: string };
    assert.deepEqual([asked, model], [0, answerer]);
    await home.run(question);
    assert.ok(asked > 0, "without the flag the provider is asked");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
