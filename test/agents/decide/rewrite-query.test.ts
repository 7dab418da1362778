import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FailedAttempt, rewriteQuery } from "../../../src/agents/decide/rewrite-query.ts";
import type { Draft } from "../../../src/core/answers/agent.ts";
import { hitOf } from "../../pipeline/fixtures.ts";
import { fakeDrivers, recordedRun } from "../fakes.ts";

const sentences = [
  { text: "The moon is made of cheese.", markers: [1], support: "unsupported", reason: "no", rule: "word" },
] as const;
const draft: Draft = {
  text: "",
  citations: [],
  verdict: {
    status: "refused",
    reason: "cheese does not stand in [1]",
    evidence: 1,
    threshold: 0,
    grounded: "strict",
    sentences,
    removed: 1,
  },
  model: "small",
  context: { question: "", passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  phases: [],
};
const attempt: FailedAttempt = {
  agent: null,
  question: "What is the fee of the crane course?",
  draft,
  gathered: {
    hits: [hitOf("The course costs money.", { headings: ["Course prices"] })],
    phases: [],
    unavailable: [],
  },
  tried: ["What is the fee of the crane course?"],
};
const rewrite = (lines?: readonly (string | Error)[], more: Partial<FailedAttempt> = {}) => {
  const drivers = fakeDrivers(lines);
  return { drivers, result: rewriteQuery({ ...attempt, ...more }, drivers, recordedRun()) };
};

describe("the rewrite of a query", () => {
  it("is the model's, made of the question, the verdict and the passages", async () => {
    const { drivers, result } = rewrite(["crane course price list tuition"]);
    assert.deepEqual(await result, { text: "crane course price list tuition", via: "model" });
    for (const part of ["fee of the crane course", "cheese does not stand", "> The course costs money."])
      assert.ok(drivers.asked[0]?.includes(part), part);
  });

  it("has no word that only the rejected draft has", async () => {
    const { result } = rewrite(["moon cheese crane course price"]);
    assert.deepEqual(await result, { text: "crane course price", via: "model" });
  });

  it("is made by rule where the model is missing, fails, repeats itself or loses the subject", async () => {
    const ruled = { text: "fee crane course cost price charge tariff", via: "rule" };
    for (const lines of [undefined, [new Error("down")], ["fee crane course"], ["moon cheese"]] as const) {
      const tried = [...attempt.tried, "fee crane course"];
      assert.deepEqual(await rewrite(lines, { tried }).result, ruled);
    }
  });

  it("is made by rule, and no model is loaded for it, where none wrote a draft", async () => {
    const { drivers, result } = rewrite(["crane course price list tuition"], {
      draft: { ...draft, model: null },
    });
    assert.deepEqual([(await result)?.via, drivers.asked], ["rule", []]);
  });

  it("has the long form that the passages give an abbreviation", async () => {
    const hits = [hitOf("Hot work permit (HWP) is described in annex 4.")];
    const { result } = rewrite(undefined, {
      question: "Who applies HWP?",
      gathered: { hits, phases: [], unavailable: [] },
      tried: [],
    });
    assert.deepEqual(await result, { text: "applies HWP Hot work permit", via: "rule" });
  });

  it("is another one the second time, and none in the end", async () => {
    const first = await rewrite().result;
    const second = await rewrite(undefined, { tried: [...attempt.tried, first?.text ?? ""] }).result;
    assert.notEqual(second?.text, first?.text);
    const last = await rewrite(undefined, { tried: [first?.text ?? "", second?.text ?? ""] }).result;
    assert.equal(last, null);
  });
});
