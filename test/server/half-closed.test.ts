import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServedApp } from "../../src/app/serving.ts";
import type { AnswerEvent } from "../../src/core/answers/answer.ts";
import type { Run } from "../../src/core/run.ts";
import { openSocketSite } from "./support.ts";

/** How long the answers of these tests take, ms: several times what tells a client that left. */
const answerMs = 400;

/** A server whose answers take a while and end early by their signal, and raw clients that ask it. */
async function openSlow(context: TestContext) {
  const asked = Promise.withResolvers<AbortSignal>();
  const wait = (signal: AbortSignal, ms: number): Promise<void> => {
    asked.resolve(signal);
    return sleep(ms, undefined, { signal });
  };
  const search: ServedApp["search"] = async ({ query, topK }, { signal }) => {
    await wait(signal, query === "for ever" ? 60_000 : answerMs);
    return { query, topK, hits: [], named: [], unavailable: [], phases: [] };
  };
  async function* ask(
    { query }: { query: string },
    { signal }: Pick<Run, "signal">,
  ): AsyncGenerator<AnswerEvent> {
    yield { type: "text-delta", text: "begun" };
    await wait(signal, query === "for ever" ? 60_000 : answerMs);
    yield { type: "text-delta", text: "ended" };
  }
  const { url, authorization } = await openSocketSite(context, { search, ask });
  const { hostname, port, host } = new URL(url);
  const client = (path: string, query: string, version = "1.1") => {
    const body = JSON.stringify({ query });
    const head = [
      `POST ${path} HTTP/${version}`,
      ...[`Host: ${host}`, `Authorization: ${authorization}`, "Accept: text/event-stream"],
      ...["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`],
    ];
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    context.after(() => socket.destroy());
    const said: string[] = [];
    socket.on("error", () => undefined).on("data", (data) => said.push(data.toString("latin1")));
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    return { socket, said: once(socket, "end").then(() => said.join("")) };
  };
  return { client, signal: asked.promise };
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, "abort", { signal: AbortSignal.timeout(5_000) });

test("a client that closed its direction reads its answer, and its connection ends with that", async (context) => {
  const { client } = await openSlow(context);
  const { socket, said } = client("/v1/search", "policy");
  socket.end();
  const text = await said;
  assert.match(text, /^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\nConnection: close\r\n/i);
  assert.match(text, /"query":"policy"/);
});

test("a client that closed its direction reads a stream of events to its end", async (context) => {
  const { client } = await openSlow(context);
  const { socket, said } = client("/v1/ask", "policy");
  socket.end();
  const text = await said;
  assert.match(text, /HTTP\/1\.1 200 OK\r\n[\s\S]*begun[\s\S]*\n: ping\n\n[\s\S]*ended/);
});

for (const path of ["/v1/search", "/v1/ask"])
  for (const how of ["at once", "after it closed its direction"])
    test(`the work for a client of ${path} that leaves ${how} ends`, async (context) => {
      const { client, signal } = await openSlow(context);
      const { socket } = client(path, "for ever");
      const its = await signal;
      if (how !== "at once") {
        socket.end();
        await sleep(answerMs);
        assert.equal(its.aborted, false);
      }
      const since = performance.now();
      socket.destroy();
      await aborted(its);
      context.diagnostic(`ended after ${Math.round(performance.now() - since)} ms`);
    });

test("a client of HTTP/1.0, which knows no answer before the answer, counts as gone once it closed its direction", async (context) => {
  const { client, signal } = await openSlow(context);
  const { socket } = client("/v1/search", "for ever", "1.0");
  const its = await signal;
  socket.end();
  await aborted(its);
});
