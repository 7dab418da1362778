import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/core/run.ts";
import { fakeEmbedder } from "../pipeline/fakes.ts";
import { openWorld } from "./world.ts";

/** An embedder that has no long word whole, so that a search looks each of them up first. */
function pieceEmbedder(): ReturnType<typeof fakeEmbedder> {
  const embedder = fakeEmbedder();
  return { ...embedder, tokenizer: { ...embedder.tokenizer, count: (text) => Math.ceil(text.length / 6) } };
}

/** A run that keeps the phases it logs. */
function loggedRun(run: Run): { readonly run: Run; readonly logged: string[] } {
  const logged: string[] = [];
  const event: Run["log"]["event"] = (name, { phase } = {}) =>
    void (name === "phase" && logged.push(String(phase)));
  return { run: { ...run, log: { ...run.log, event } }, logged };
}

test("a question logs each phase of its answer once, those of the graph too", async (context) => {
  const { core, run } = await openWorld(context, pieceEmbedder());
  const asking = loggedRun(run("owner"));
  const query = "What does the generalknowlegdesecret say of part 1?";
  const events = await Array.fromAsync(core.app.ask({ query, topK: 5, collections: [] }, asking.run));
  const end = events.at(-1);
  assert.ok(end?.type === "answer-end");
  assert.deepEqual(
    asking.logged,
    end.answer.phases.map(({ phase }) => phase),
  );
  assert.deepEqual(asking.logged.slice(0, 2), ["open", "agents"]);
  assert.equal(new Set(asking.logged).size, asking.logged.length, asking.logged.join(" "));
});

test("a search logs each phase of its result once", async (context) => {
  const { core, run } = await openWorld(context, pieceEmbedder());
  const searching = loggedRun(run("owner"));
  const request = { query: "the generalknowlegdesecret", topK: 3, collections: [], mode: "hybrid" as const };
  const { phases } = await core.app.search(request, searching.run);
  assert.deepEqual(
    searching.logged,
    phases.map(({ phase }) => phase),
  );
  assert.ok(searching.logged.includes("retrieve"));
});
