import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { machineName } from "../../../src/app/budget/machine.ts";
import type { Answer, LanguageModel } from "../../../src/core/answers/answer.ts";
import type { AskRequest } from "../../../src/core/app.ts";
import { fakeModel } from "../../pipeline/fixtures.ts";
import { openCore, openWorld, said } from "../world.ts";

const id = "fake-model";

/** A model that, while `isLate`, is cut off by its deadline before it has written anything. */
function lateOnDemand(model: ReturnType<typeof fakeModel>) {
  const made = {
    ...model,
    id,
    isLate: false,
    async *generate(...request: Parameters<LanguageModel["generate"]>) {
      for await (const event of model.generate(...request))
        if (!made.isLate) yield event;
        else if (event.type === "generation-end") yield { ...event, reason: "deadline" as const };
    },
  };
  return made;
}

/** A world with an answering model, and what past runs took here. */
async function openTimed(
  context: Pick<TestContext, "after">,
  rates: Readonly<Record<string, number>> | null,
  isLoaded = true,
) {
  const world = await openWorld(context);
  const model = lateOnDemand(fakeModel("The first part holds it. [1]"));
  const core = openCore({
    ...world.parts,
    settings: {
      ...world.parts.settings,
      answer: { ...world.parts.settings.answer, threshold: 0, write: "always" },
    },
    localModels: {
      open: async () => model satisfies LanguageModel,
      outlook: async () => ({ id, fileBytes: 1e9, isLoaded, isRemote: false, fingerprint: "" }),
    },
  });
  const subject = world.parts.settings.embed.model;
  await core.rates.add(machineName(), subject, { prepare_ms: 20, search_ms: 10 }, 12);
  if (rates !== null) await core.rates.add(machineName(), id, { measured_at_ms: Date.now(), ...rates }, 12);
  const ask = async (more: Partial<AskRequest>): Promise<Answer> => {
    const query = "What does the first part of generalknowledgesecret hold?";
    const events = await Array.fromAsync(
      core.app.ask({ query, topK: 5, collections: ["general_knowledge"], ...more }, world.run("owner")),
    );
    const end = events.at(-1);
    if (end?.type !== "answer-end") throw new TypeError("no answer");
    return end.answer;
  };
  return { core, ask, model, asked: model.asked };
}

const quick = {
  load_ms: 100,
  prefill_ms_per_token: 0.1,
  decode_ms_per_token: 0.1,
  judge_ms_per_token: 0.1,
  overhead_tokens: 100,
};
const slow = { ...quick, prefill_ms_per_token: 1000, decode_ms_per_token: 1000 };

describe("a question with a budget", () => {
  it("is answered by the model where it would end in time, and reports its time", async (context) => {
    const { ask, asked } = await openTimed(context, quick);
    const { budget, verdict } = await ask({ budget: "60s" });
    assert.ok(budget !== undefined);
    assert.deepEqual([budget.promisedMs, budget.rates, budget.plan.kind], [60_000, "measured", "write"]);
    assert.ok(budget.usedMs > 0 && budget.usedMs < 60_000);
    assert.ok(asked.length > 0, verdict.reason);
  });

  it("is quoted where the model would not end in time, without the model being opened", async (context) => {
    const { ask, asked } = await openTimed(context, slow);
    const { budget, verdict } = await ask({ budget: "30s" });
    assert.equal(budget?.plan.kind, "quote");
    assert.match(budget?.leftOut.join("; ") ?? "", /sentences are quoted/);
    assert.notEqual(verdict.status, "answered");
    assert.equal(asked.length, 0);
  });

  it("names the least that would do where the time is too short, and leaves no run", async (context) => {
    const { ask, core } = await openTimed(context, quick);
    const { code, text } = await said(() => ask({ budget: "10ms" }));
    assert.equal(code, "USAGE_INVALID");
    assert.match(text, /a budget of 10 ms is too short: .* takes at least 32 ms .* → use at least 100ms/);
    assert.deepEqual(await core.runs.list(), []);
    assert.match(
      (await said(() => ask({ budget: "soon" }))).text,
      /is not a time → use a time such as 800ms, 10s or 2m/,
    );
  });

  it("lets a model nothing is known of write a few words first, and remembers how fast it was", async (context) => {
    const { ask, core, asked } = await openTimed(context, null);
    const { budget } = await ask({ budget: "60s" });
    assert.notEqual(budget?.rates, "measured");
    assert.match(asked[0]?.messages[1]?.text ?? "", /Count from one to ten/);
    assert.ok((await core.rates.of(machineName(), id)).size > 0);
  });

  it("measures a model again that was too slow long ago, as quoting measures none", async (context) => {
    const { ask, core, asked } = await openTimed(context, slow);
    assert.equal((await ask({ budget: "30s" })).budget?.plan.kind, "quote");
    assert.equal(asked.length, 0);
    await core.rates.add(machineName(), id, { measured_at_ms: Date.now() - 3_600_000 }, 12);
    await ask({ budget: "30s" });
    assert.match(asked[0]?.messages[1]?.text ?? "", /Count from one to ten/);
  });

  it("learns from a model that was cut off before its first sentence, and promises less", async (context) => {
    const { ask, core, model } = await openTimed(context, quick);
    model.isLate = true;
    const { model: writer, budget } = await ask({ budget: "60s" });
    assert.equal(writer, null);
    assert.match(budget?.leftOut.join("; ") ?? "", /time ran out/);
    assert.equal((await core.rates.of(machineName(), id)).get("decode_ms_per_token")?.length, 2);
  });

  it("keeps what every answer took, and forgets the oldest", async (context) => {
    const { ask, core } = await openTimed(context, quick);
    for (let round = 0; round < 14; round++) await ask({});
    const samples = await core.rates.of(machineName(), core.settings.embed.model);
    assert.equal(samples.get("prepare_ms")?.length, 12);
    assert.ok(!samples.get("prepare_ms")?.includes(20));
    assert.equal((await core.rates.of("another machine", core.settings.embed.model)).size, 0);
  });

  it("says with the passages what writing usually takes, once a model wrote", async (context) => {
    const { ask, core } = await openTimed(context, null);
    const told = async (): Promise<readonly (number | undefined)[]> => {
      const request = {
        query: "What does the first part of generalknowledgesecret hold?",
        topK: 5,
        collections: ["general_knowledge"],
      };
      const owner = { id: "told", principal: "owner", signal: new AbortController().signal };
      const log = { event: () => undefined, warn: () => undefined };
      const events = await Array.fromAsync(core.app.ask(request, { ...owner, log }));
      return events.flatMap((event) => (event.type === "context-ready" ? [event.usualMs] : []));
    };
    await ask({});
    const samples = (await core.rates.of(machineName(), id)).get("write_ms") ?? [];
    assert.equal(samples.length, 1);
    assert.deepEqual(await told(), samples);
  });

  it("is replayed by its plan, without its deadline", async (context) => {
    const { ask, core } = await openTimed(context, quick);
    await ask({ budget: "1s" });
    const [run] = await core.runs.list();
    const owner = { id: "again", principal: "owner", signal: new AbortController().signal };
    const log = { event: () => undefined, warn: () => undefined };
    const report = await core.app.replay(run?.id ?? "", "run", { ...owner, log });
    assert.equal(report.firstDifference, null, JSON.stringify(report.steps));
  });
});
