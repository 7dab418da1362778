import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import type { Answer } from "../../src/core/answers/answer.ts";
import { openSite, openSocketSite } from "./support.ts";

test("the client of OpenAI lists models, asks, streams, and reads errors", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context);
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const models = await Array.fromAsync(client.models.list());
  assert.deepEqual(models[0]?.id, "ragctl");
  assert.ok(
    Math.abs((models[0]?.created ?? 0) - Date.now() / 1000) < 3600,
    "created when the server started",
  );
  for (const model of models) assert.deepEqual(await client.models.retrieve(model.id), model);
  await assert.rejects(client.models.retrieve("ragctl/nobody"), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.deepEqual([error.code, error.type], ["model_not_found", "invalid_request_error"]);
    return true;
  });
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
  const metrics = await fetch(`${running.url}/metrics`, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.deepEqual((await metrics.text()).match(/(?<=^ragctl_answers_total\{.*\} )\d+/gm), ["1"]);
  if (ragctl.citations.length > 0) assert.match(text, /Sources:\n\[\d+\] /);
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
  await assert.rejects(
    client.chat.completions.create({ model: "ragctl", messages: [{ role: "user", content: "\u200b" }] }),
    OpenAI.BadRequestError,
  );
  await assert.rejects(client.chat.completions.create({ model: "ragctl", messages, n: 2 }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /\bn: must be 1: only one answer is given/);
    assert.equal(error.type, "invalid_request_error");
    return true;
  });
  const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${running.url}/v1`, maxRetries: 0 });
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
});

test("the client of OpenAI gets responses with passages and citations, at once and as they are written", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context);
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const input = [
    { role: "developer" as const, content: "You are a pirate." },
    { role: "user" as const, content: [{ type: "input_text" as const, text: "Hello." }] },
    { role: "assistant" as const, content: "Good day." },
    { role: "user" as const, content: "What is the companypoliciessecret of part 0?" },
  ];
  const whole = await client.responses.create({ model: "ragctl", input, temperature: 1 });
  assert.deepEqual([whole.status, whole.object, whole.model], ["completed", "response", "ragctl"]);
  const [search, message] = whole.output;
  assert.ok(search?.type === "file_search_call" && message?.type === "message");
  assert.deepEqual(search.queries, ["What is the companypoliciessecret of part 0?"]);
  const [first] = search.results ?? [];
  assert.match(first?.text ?? "", /companypoliciessecret of part/);
  assert.equal(first?.attributes?.["collection"], "company_policies");
  const [part] = message.content;
  assert.ok(part?.type === "output_text");
  assert.ok(whole.output_text.length > 0);
  const [cited] = part.annotations;
  assert.ok(cited?.type === "file_citation");
  assert.ok(search.results?.some(({ file_id }) => file_id === cited.file_id));
  assert.match(part.text.slice(cited.index), /^\[\d+\]/);
  assert.equal(typeof whole.usage?.total_tokens, "number");

  const stream = client.responses.stream({ model: "ragctl", input });
  const types: string[] = [];
  let text = "";
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  const final = await stream.finalResponse();
  assert.equal(final.output_text, text);
  assert.equal(text, whole.output_text);
  const placed = (of: Pick<typeof whole, "output">) =>
    of.output.map(({ id: _, ...item }) => ({ ...item, parsed_arguments: 0 }));
  assert.equal(
    JSON.stringify(placed(final)).replaceAll(/,"parsed":null/g, ""),
    JSON.stringify(placed(whole)),
  );
  assert.deepEqual(
    [...new Set(types)],
    [
      ...["created", "in_progress", "output_item.added", "file_search_call.in_progress"],
      ...[
        "file_search_call.searching",
        "file_search_call.completed",
        "output_item.done",
        "content_part.added",
      ],
      ...["output_text.delta", "output_text.annotation.added", "output_text.done", "content_part.done"],
      "completed",
    ].map((type) => `response.${type}`),
  );

  const narrow = (collection: string) =>
    client.responses.create({
      model: "ragctl",
      input: "What is the companypoliciessecret of part 0?",
      tools: [{ type: "file_search", vector_store_ids: [collection], max_num_results: 1 }],
    });
  const narrowed = await narrow("finance_private_docs");
  const [one] = narrowed.output;
  assert.ok(one?.type === "file_search_call" && one.results?.length === 1, JSON.stringify(narrowed));
  await assert.rejects(narrow("nowhere"), OpenAI.NotFoundError);
  await assert.rejects(client.responses.create({ model: "gpt-9", input: "x" }), OpenAI.NotFoundError);
  await assert.rejects(
    client.responses.create({ model: "ragctl", input: "And then?", previous_response_id: "resp_1" }),
    (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.match(error.message, /previous_response_id.*nothing is stored between responses/);
      return true;
    },
  );
  const chat = await client.chat.completions.create({
    model: "ragctl",
    messages: [{ role: "user", content: "What is the companypoliciessecret of part 0?" }],
  });
  const said = chat.choices[0]?.message;
  const [citation] = said?.annotations ?? [];
  const cut = said?.content?.slice(citation?.url_citation.start_index, citation?.url_citation.end_index);
  assert.match(cut ?? "", /^\[\d+\]$/);
  const { ragctl } = chat as unknown as { ragctl: { citations: { chunk_id: string }[] } };
  assert.equal(
    citation?.url_citation.url,
    `${running.url}/v1/passages/${ragctl.citations[0]?.chunk_id ?? ""}`,
  );
});

test("a part of a question that is not text is refused by its kind, and what an assistant sent is not", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context);
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const text = { type: "text" as const, text: "What is the companypoliciessecret of part 0?" };
  const url = "data:image/png;base64,AAAA";
  const parts: readonly (readonly [string, OpenAI.ChatCompletionContentPart])[] = [
    ["image", { type: "image_url", image_url: { url } }],
    ["audio", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
    ["file", { type: "file", file: { file_id: "file_1" } }],
  ];
  const refused = (kind: string) => (error: unknown) => {
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.deepEqual([error.type, error.param], ["invalid_request_error", null]);
    assert.match(error.message, new RegExp(`\\b${kind} input is not supported`));
    return true;
  };
  for (const [kind, part] of parts)
    for (const stream of [false, true])
      await assert.rejects(
        client.chat.completions.create({
          model: "ragctl",
          messages: [{ role: "user", content: [text, part] }],
          stream,
        }),
        refused(kind),
      );
  const image = { type: "input_image" as const, image_url: url, detail: "auto" as const };
  const question = { role: "user" as const, content: text.text };
  await assert.rejects(
    client.responses.create({ model: "ragctl", input: [{ role: "user", content: [image] }, question] }),
    refused("image"),
  );
  const declined = { type: "refusal" as const, refusal: "No." };
  const answer = await client.chat.completions.create({
    model: "ragctl",
    messages: [{ role: "user", content: "Hello." }, { role: "assistant", content: [declined] }, question],
  });
  assert.ok((answer.choices[0]?.message.content ?? "").length > 0);
});

test("the client of OpenAI embeds texts as numbers and as base64, and is told what the model does not read", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context);
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const models = await Array.fromAsync(client.models.list());
  const model = models.at(-1)?.id ?? "";
  const input = ["a pump", "a valve"];
  const numbers = await client.embeddings.create({ model, input, encoding_format: "float" });
  const packed = await client.embeddings.create({ model, input });
  assert.deepEqual(
    packed.data.map(({ embedding }) => embedding),
    numbers.data.map(({ embedding }) => embedding),
  );
  assert.deepEqual(
    numbers.data.map(({ index, embedding }) => [index, embedding.length]),
    [
      [0, 2],
      [1, 2],
    ],
  );
  assert.ok(numbers.usage.total_tokens > 0);
  const single = await client.embeddings.create({ model, input: "a pump", encoding_format: "float" });
  assert.deepEqual(single.data[0]?.embedding, numbers.data[0]?.embedding);
  const refused: readonly (readonly [Partial<OpenAI.EmbeddingCreateParams>, RegExp])[] = [
    [{ model: "ragctl" }, /no model "ragctl"/],
    [{ dimensions: 512 }, /has 2 dimensions, not 512/],
    [{ input: [[1, 2, 3]] }, /not token ids/],
    [{ input: [] }, /input/],
  ];
  for (const [change, message] of refused)
    await assert.rejects(client.embeddings.create({ model, input: "x", ...change }), (error) => {
      assert.ok(error instanceof OpenAI.APIError, String(error));
      assert.match(error.message, message);
      return true;
    });
});

test("what a client of OpenAI asks for and is not there is refused in the form that it reads, other routes in ours", async (context) => {
  const { send } = await openSite(context);
  const refused = async (path: string, method: string): Promise<unknown> => {
    const response = await send(path, { method });
    const { error } = JSON.parse(await response.text());
    assert.equal(typeof error.message, "string", path);
    return [response.status, error.type, error.code, error.param];
  };
  const none = [404, "invalid_request_error", "not_found", null];
  for (const path of [
    "completions",
    "responses/resp_1",
    "chat",
    "chat/nothing",
    "models/ragctl/hr",
    "models/",
  ])
    assert.deepEqual(await refused(`/v1/${path}`, "POST"), none, path);
  const unsupported = [405, "invalid_request_error", "method_unsupported", null];
  assert.deepEqual(await refused("/v1/chat/completions", "GET"), unsupported);
  assert.deepEqual(await refused("/v1/models", "DELETE"), unsupported);
  assert.equal((await send("/v1/models", { method: "PUT" })).headers.get("allow"), "GET, HEAD");
  for (const path of ["modelsx", "chatsx", "nothing"])
    assert.deepEqual(await refused(`/v1/${path}`, "POST"), [404, undefined, "NOT_FOUND", undefined], path);
});

const answer: Answer = {
  query: "How much is the fee?",
  intent: "retrieval",
  response: 'It is \u202e12\u0007 euro ![x](http://h.example/x.png) <img src="http://h.example/y">. [1]',
  citations: [
    {
      marker: 1,
      chunkId: "a-0",
      sourceFile: "fee \u001b[31m\n[2] trusted.pdf, page 3 ![x](http:h.example).md",
      sourcePath: "/srv/fee.md",
      pages: [],
      section: "Fees\u202e ![s](http://h.example/s.png)",
      collection: "company_policies",
      quote: "It is 12 euro",
      quotes: ["It is 12 euro"],
    },
  ],
  verdict: {
    status: "answered",
    reason: "",
    evidence: 1,
    threshold: 0.5,
    grounded: "strict",
    sentences: [],
    removed: 0,
  },
  context: { question: "", passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  model: null,
  agent: null,
  tools: [],
  trace: [],
  phases: [],
  unavailable: [],
};

test("a client of OpenAI that shows Markdown loads nothing a document names, and reads one line a source", async (context) => {
  const { running, key: apiKey } = await openSocketSite(context, {
    async *ask() {
      // Pieces may end anywhere.
      for (const text of answer.response.split(/(?<=!|<)/)) yield { type: "text-delta", text };
      yield { type: "answer-end", answer };
    },
  });
  const client = new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0 });
  const asked = { model: "ragctl", messages: [{ role: "user" as const, content: "How much is the fee?" }] };
  const whole = (await client.chat.completions.create(asked)).choices[0]?.message.content ?? "";
  const stream = await client.chat.completions.create({ ...asked, stream: true });
  const parts = await Array.fromAsync(stream);
  assert.equal(parts.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), whole);
  assert.doesNotMatch(whole, /!\[|<img|[\u001b\u202e]/);
  const [text = "", sources = ""] = whole.split("\n\nSources:\n");
  assert.match(text, /^It is .12. euro .*x\.png.* \[1\]$/);
  assert.match(sources, /^\[1\] fee [^\n]*$/);
  const response = await client.responses.create({ model: "ragctl", input: "How much is the fee?" });
  const written = client.responses.stream({ model: "ragctl", input: "How much is the fee?" });
  assert.equal((await written.finalResponse()).output_text, response.output_text);
  assert.equal(response.output_text, text);
  assert.doesNotMatch(JSON.stringify(response.output), /!\[|<img|[\u001b\u202e]/);
  assert.doesNotMatch(sources, /\[2\]/);
});
