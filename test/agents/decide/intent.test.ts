import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createIntentRouter, intentFromPatterns } from "../../../src/agents/decide/intent.ts";
import type { Utterances } from "../../../src/agents/decide/utterances.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { processorMs } from "../../helpers/processor-time.ts";
import { fakeDrivers, recordedRun, talk } from "../fakes.ts";

const utterances: Utterances = {
  retrieval: ["torque of the pump bolts", "leave policy for managers", "warranty of the dryer"],
  direct: ["do you enjoy chess", "do you dream", "are you happy"],
  multi_part: ["price and also delivery"],
  clarify: ["help with a thing"],
  other: ["book a taxi", "play music", "order pizza"],
};

describe("the intent of a question, by form", () => {
  it("takes greetings, thanks, farewells and questions about the assistant for direct, in four languages", () => {
    for (const text of [
      "Hi!",
      "good morning everyone",
      "thanks a lot, bye",
      "heyyy",
      "Who are you?",
      "what can you do",
      "Which documents do you have?",
      "Xin chào",
      "Bạn là ai?",
      "Merci beaucoup !",
      "Wer bist du?",
    ]) {
      assert.equal(intentFromPatterns(text, [])?.intent, "direct", text);
    }
  });

  it("does not take a question for a greeting because it opens with one", () => {
    assert.equal(intentFromPatterns("Hello, when is payday in December?", []), null);
    assert.equal(intentFromPatterns("Which documents do you have about asbestos removal?", []), null);
    assert.equal(intentFromPatterns("Thanks, and what is the deductible of the dental plan?", []), null);
  });

  it("asks back when no word names a subject", () => {
    for (const text of [
      "",
      "???",
      "tell me more",
      "how does it work?",
      "the document",
      "why?",
      "Cái đó là gì?",
    ]) {
      assert.equal(intentFromPatterns(text, [])?.intent, "clarify", text);
    }
  });

  it("does not ask back for a bare key word, nor when something was said before", () => {
    assert.equal(intentFromPatterns("onboarding", []), null);
    assert.equal(intentFromPatterns("How long is winter tyre storage?", []), null);
    assert.equal(intentFromPatterns("how does it work?", talk("What is the HP-200?", "A pump.")), null);
  });

  it("sees several questions joined in one", () => {
    for (const text of [
      "Where is the exit? Who has the key?",
      "What is the price and how long is the delivery?",
      "1) weight 2) power",
      "Compare plan A with plan B",
      "Giá bao nhiêu và giao hàng trong bao lâu?",
    ]) {
      assert.equal(intentFromPatterns(text, [])?.intent, "multi_part", text);
    }
  });

  it("leaves one question about several things, a relative clause and a wish about the answer's form as one", () => {
    for (const text of [
      "What are the rules for food and drink?",
      "How large is the loan, which was granted in 2020?",
      "What was the margin in 2021? Answer in percent.",
      "Since when has Mr. Miller been on the board?",
      "What is the name and state of incorporation?",
    ]) {
      assert.equal(intentFromPatterns(text, []), null, text);
    }
  });
});

describe("the intent router", () => {
  it("answers a greeting by rule without embedding anything", async () => {
    const drivers = fakeDrivers();
    const decision = await createIntentRouter(utterances, drivers).classify("Hello there", [], recordedRun());
    assert.deepEqual([decision.intent, decision.via, drivers.calls.length], ["direct", "rule", 0]);
  });

  it("embeds all utterances in one call, and the question apart from them", async () => {
    const drivers = fakeDrivers();
    await createIntentRouter(utterances, drivers).classify("torque of the bolts", [], recordedRun());
    assert.deepEqual(
      drivers.calls.map((texts) => texts.length),
      [1, 11],
    );
  });

  it("decides by the nearest class and gives the score of each, other included", async () => {
    const decision = await createIntentRouter(utterances, fakeDrivers(), {
      nearest: 1,
      margin: 0.5,
    }).classify("torque of the pump bolts", [], recordedRun());
    assert.deepEqual([decision.intent, decision.via], ["retrieval", "router"]);
    assert.deepEqual(Object.keys(decision.scores).sort(), [
      "clarify",
      "direct",
      "multi_part",
      "other",
      "retrieval",
    ]);
    assert.ok((decision.scores["retrieval"] ?? 0) > 0.99);
  });

  it("takes what is near to small talk for direct, but not when it names somebody or speaks of the asker", async () => {
    const router = createIntentRouter(utterances, fakeDrivers(), { nearest: 1, margin: 0.2 });
    assert.equal((await router.classify("do you enjoy chess much", [], recordedRun())).intent, "direct");
    assert.equal(
      (await router.classify("do you enjoy chess with Carlsen 2024", [], recordedRun())).intent,
      "retrieval",
    );
    assert.equal((await router.classify("do you enjoy my chess", [], recordedRun())).intent, "retrieval");
  });

  it("searches what is nearest to other", async () => {
    const decision = await createIntentRouter(utterances, fakeDrivers(), {
      nearest: 1,
      margin: 0.2,
    }).classify("play music", [], recordedRun());
    assert.deepEqual([decision.intent, decision.via], ["retrieval", "default"]);
  });

  it("asks the model under a grammar only when the lead is not clear, and searches where no model is there", async () => {
    const drivers = fakeDrivers(["direct"]);
    const unclear = await createIntentRouter(utterances, drivers, { nearest: 1, margin: 99 }).classify(
      "do you enjoy chess",
      [],
      recordedRun(),
    );
    assert.deepEqual([unclear.intent, unclear.via, drivers.asked.length], ["direct", "model", 1]);
    const without = await createIntentRouter(utterances, fakeDrivers(), { nearest: 1, margin: 99 }).classify(
      "do you enjoy chess",
      [],
      recordedRun(),
    );
    assert.deepEqual([without.intent, without.via], ["retrieval", "default"]);
  });

  it("searches when the model answers something that is no intent or fails, and warns of the failure", async () => {
    const run = recordedRun();
    for (const line of ["banana", new RagctlError("PROVIDER_FAILED", "the endpoint is down")]) {
      const decision = await createIntentRouter(utterances, fakeDrivers([line]), {
        nearest: 1,
        margin: 99,
      }).classify("do you enjoy chess", [], run);
      assert.deepEqual([decision.intent, decision.via], ["retrieval", "default"]);
    }
    assert.equal(run.warnings.length, 1);
  });

  it("stops when the run is cancelled", async () => {
    const router = createIntentRouter(utterances, fakeDrivers());
    await assert.rejects(router.classify("torque of the bolts", [], recordedRun(AbortSignal.abort())), {
      name: "AbortError",
    });
  });

  it("stands a question of 100 kB in well under a second", async () => {
    const router = createIntentRouter(utterances, fakeDrivers());
    const question = "What is the weight, and why? ".repeat(3500);
    const tookMs = await processorMs(() => router.classify(question, [], recordedRun()));
    assert.ok(tookMs < 1000, `${tookMs} ms`);
  });
});
