import assert from "node:assert/strict";
import { it } from "node:test";
import type { Answer, AnswerEvent, LanguageModel } from "../../src/core/answer.ts";
import type { Hit } from "../../src/core/retrieval.ts";
import type { Run } from "../../src/core/run.ts";
import { ask, askDefaults } from "../../src/pipeline/ask.ts";
import { fakeModel, hitOf, runOf } from "./fixtures.ts";

const hits = [hitOf("The library opens at nine every day."), hitOf("The garden has 40 roses.", { sourceName: "garden.md", pages: [] })];
const request = { query: "When does the library open?", topK: 5, collections: [] };

async function askAll(
  found: readonly Hit[],
  model: () => Promise<LanguageModel | null>,
  query = request.query,
  run: Run = runOf(),
): Promise<{ events: AnswerEvent[]; answer: Answer }> {
  const events: AnswerEvent[] = [];
  const retrieve = async (): Promise<{ hits: readonly Hit[]; phases: [] }> => ({ hits: found, phases: [] });
  for await (const event of ask({ ...request, query }, { retrieve, model, settings: askDefaults }, run)) events.push(event);
  const last = events.at(-1);
  assert.ok(last?.type === "answer-end", "the last event is answer-end");
  return { events, answer: last.answer };
}

it("streams the context, the text as it comes, then the answer with its citations", async () => {
  const { events, answer } = await askAll(hits, async () => fakeModel("It opens at nine. [1]"));
  assert.equal(events[0]?.type, "context-ready");
  const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
  assert.equal(shown, "It opens at nine. [1]");
  assert.equal(answer.response, shown);
  assert.equal(answer.verdict.status, "answered");
  assert.equal(answer.model, "fake");
  assert.deepEqual(
    answer.citations.map((citation) => citation.marker),
    [1],
  );
});

it("times each phase and logs one event for each", async () => {
  const run = runOf();
  const { answer } = await askAll(hits, async () => fakeModel("It opens at nine. [1]"), request.query, run);
  const names = ["evidence", "load", "context", "generate", "ground"];
  assert.deepEqual(
    answer.phases.map((phase) => phase.phase),
    names,
  );
  assert.deepEqual(
    run.events,
    names.map(() => "phase"),
  );
  assert.ok(answer.phases.every((phase) => phase.durationMs >= 0));
  assert.equal(answer.phases.find((phase) => phase.phase === "generate")?.counts["promptTokens"], 9);
});

it("refuses before any model is loaded when the evidence is too thin, and shows the nearest finds", async () => {
  const { answer } = await askAll(hits, () => assert.fail("the model was loaded"), "What is the capital of Mongolia?");
  assert.equal(answer.verdict.status, "refused");
  assert.match(answer.verdict.reason, /Mongolia/);
  assert.ok(answer.verdict.evidence < answer.verdict.threshold);
  assert.match(
    answer.response,
    /^I found no passage[\s\S]*- report\.pdf, page 3: “The library opens at nine every day\.”\n- garden\.md: “The garden has 40 roses\.”$/,
  );
  assert.deepEqual([answer.citations, answer.context.passages], [[], []]);
});

it("shows a statement as soon as the next one begins, with the marker it really has", async () => {
  const { events, answer } = await askAll(hits, async () => fakeModel("It opens at nine. [1] It opens every day. [1]"));
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  assert.ok(deltas.length >= 2, "the first statement comes before the end");
  assert.equal(deltas.join(""), answer.response);
});

it("refuses when nothing the model wrote stands in the passages, and quotes what was found", async () => {
  const { events, answer } = await askAll(hits, async () => fakeModel("Zebras gallop over purple mountains."));
  assert.equal(answer.verdict.status, "refused");
  assert.match(answer.verdict.reason, /nothing the model wrote stands in the passages/);
  assert.equal(answer.verdict.sentences[0]?.support, "unsupported");
  assert.equal(
    answer.response,
    "I couldn't confidently ground a complete answer from the retrieved context.\nWhat was found:\n- “The library opens at nine every day.” [1]",
  );
  assert.deepEqual(
    answer.citations.map((citation) => citation.marker),
    [1],
  );
  assert.equal(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join(""), answer.response);
});

it("refuses when nothing was found at all", async () => {
  const { answer } = await askAll([], () => assert.fail("the model was loaded"));
  assert.equal(answer.response, "I found no passage that answers this in the collections searched.");
});

it("quotes the passages when no model is installed, and says so", async () => {
  const { answer } = await askAll(hits, async () => null);
  assert.equal(answer.response, "The library opens at nine every day. [1]");
  assert.equal(answer.verdict.status, "extractive");
  assert.match(answer.verdict.reason, /no answering model/);
  assert.equal(answer.model, null);
});

it("asks the model under a grammar that knows only the markers given", async () => {
  const model = fakeModel("It opens at nine. [1]");
  await askAll(hits, async () => model);
  assert.match(model.asked[0]?.options.grammar ?? "", /\("1" \| "2"\)/);
});

it("stops when the run is aborted", async () => {
  await assert.rejects(
    askAll(hits, async () => null, request.query, runOf(AbortSignal.abort(new Error("enough")))),
    /enough/,
  );
});
