import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { openSocketSite } from "./support.ts";

test("the client of OpenAI lists models, asks, streams, and reads errors", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context);
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const models = await Array.fromAsync(client.models.list());
  assert.deepEqual(models[0]?.id, "ragctl");
  const messages = [
    { role: "system" as const, content: "You are a pirate." },
    { role: "user" as const, content: "Hello." },
    { role: "assistant" as const, content: "Good day." },
    { role: "user" as const, content: "What is the companypoliciessecret of part 0?" },
  ];
  const answer = await client.chat.completions.create({ model: "ragctl", messages, temperature: 1 });
  const text = answer.choices[0]?.message.content ?? "";
  assert.ok(text.length > 0);
  const { ragctl } = answer as unknown as {
    readonly ragctl: { readonly response: string; readonly citations: readonly unknown[] };
  };
  assert.ok(text.startsWith(ragctl.response));
  if (ragctl.citations.length > 0) assert.match(text, /Sources:\n\[1\] /);
  const stream = await client.chat.completions.create({
    model: "ragctl",
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const parts = await Array.fromAsync(stream);
  assert.equal(parts.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), text);
  assert.equal(
    parts.find(({ choices }) => choices[0]?.finish_reason === "stop")?.object,
    "chat.completion.chunk",
  );
  assert.equal(typeof parts.at(-1)?.usage?.total_tokens, "number");
  await assert.rejects(client.chat.completions.create({ model: "gpt-9", messages }), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.match(error.message, /no model "gpt-9"/);
    return true;
  });
  const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${running.url}/v1`, maxRetries: 0 });
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
});
