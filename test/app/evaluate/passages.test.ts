import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate } from "../../../src/app/evaluate/evaluate.ts";
import { openWorld, secretOf } from "../world.ts";
import { sourceOf } from "./source.ts";

test("an evaluation ranks as many passages as it is asked for, and answers from those of `ask`", async (context) => {
  const { core, run } = await openWorld(context);
  const taken: Record<string, number> = {};
  const surface = {
    ...core.app,
    search: (...[request, of]: Parameters<typeof core.app.search>) => {
      taken["search"] = request.topK;
      return core.app.search(request, of);
    },
    ask: (...[request, of]: Parameters<typeof core.app.ask>) => {
      taken["ask"] = request.topK;
      return core.app.ask(request, of);
    },
  };
  const doc = `${secretOf("general_knowledge")}.md`;
  const request = {
    source: sourceOf([{ id: "one", question: "What is known?", doc, answer: "much" }]),
    ...{ groupBy: "group", topK: 10, collections: [], answers: true, ablate: false, tolerance: 0, gates: [] },
  };
  const events = await Array.fromAsync(evaluate(request, { surface, home: core }, run("owner")));
  const end = events.at(-1);
  assert.ok(end?.type === "eval-end" && "document_hit@10" in (end.report.outcomes[0]?.scores ?? {}));
  assert.deepEqual(taken, { search: 10, ask: core.settings.retrieve.topK });
});
