import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { AnswerPlan } from "../../../src/core/answers/budget.ts";
import {
  type AnswerRates,
  type AnswerWishes,
  describeOmissions,
  durationOf,
  minimumBudgetMs,
  minimumPlan,
  planAnswer,
} from "../../../src/pipeline/budget/plan.ts";

const wishes: AnswerWishes = {
  formulations: 3,
  passages: 5,
  passageTokens: 180,
  contextTokens: 1600,
  answerTokens: 512,
};
/** A 1.5 B model on two cores: 95 tokens/s read, 25 written. */
const rates: AnswerRates = {
  prepareMs: 200,
  searchMs: 60,
  model: {
    loadMs: 0,
    prefillMsPerToken: 1000 / 95,
    decodeMsPerToken: 40,
    judgeMsPerToken: 1,
    overheadTokens: 200,
  },
};

const anyMs = (max: number) => fc.double({ min: 0, max, noNaN: true });
const anyModel = fc.record({
  loadMs: anyMs(20_000),
  prefillMsPerToken: anyMs(100),
  decodeMsPerToken: anyMs(500),
  judgeMsPerToken: anyMs(50),
  overheadTokens: fc.nat(2000),
});
const anyRates: fc.Arbitrary<AnswerRates> = fc.record({
  prepareMs: anyMs(5000),
  searchMs: anyMs(2000),
  model: fc.option(anyModel),
});
const anyWishes: fc.Arbitrary<AnswerWishes> = fc.record({
  formulations: fc.integer({ min: 1, max: 6 }),
  passages: fc.integer({ min: 1, max: 20 }),
  passageTokens: fc.integer({ min: 1, max: 400 }),
  contextTokens: fc.integer({ min: 64, max: 4000 }),
  answerTokens: fc.integer({ min: 1, max: 2048 }),
});
const anyBudget = fc.double({ min: 1, max: 200_000, noNaN: true });

/** Everything that counts as evidence or effort of a plan. */
const amounts = (plan: AnswerPlan): readonly number[] => [
  Number(plan.kind === "write"),
  plan.formulations,
  plan.passages,
  plan.promptTokens,
  plan.answerTokens,
];

describe("planning an answer for a time", () => {
  it("never plans beyond the time, whatever the machine", () => {
    fc.assert(
      fc.property(anyRates, anyWishes, anyBudget, (someRates, someWishes, budgetMs) => {
        const plan = planAnswer(someRates, someWishes, budgetMs);
        assert.ok(plan === null || durationOf(plan) <= budgetMs);
      }),
    );
  });

  it("never has less of anything with more time", () => {
    fc.assert(
      fc.property(anyRates, anyWishes, anyBudget, anyBudget, (someRates, someWishes, one, other) => {
        const small = planAnswer(someRates, someWishes, Math.min(one, other));
        const large = planAnswer(someRates, someWishes, Math.max(one, other));
        if (small === null) return;
        assert.ok(large !== null);
        const before = amounts(small);
        for (const [at, amount] of amounts(large).entries()) assert.ok(amount >= (before[at] ?? 0));
      }),
    );
  });

  it("plans nothing exactly where the time is below the least", () => {
    fc.assert(
      fc.property(anyRates, anyWishes, anyBudget, (someRates, someWishes, budgetMs) => {
        const isNothing = planAnswer(someRates, someWishes, budgetMs) === null;
        assert.equal(isNothing, budgetMs < minimumBudgetMs(someRates));
      }),
    );
  });

  it("has a plan for the least time, and not a bit more than that", () => {
    fc.assert(
      fc.property(anyRates, anyWishes, (someRates, someWishes) => {
        const least = minimumBudgetMs(someRates);
        const plan = minimumPlan(someRates, someWishes);
        assert.equal(durationOf(plan), least);
        assert.deepEqual(planAnswer({ ...someRates, model: null }, someWishes, least)?.kind, plan.kind);
      }),
    );
  });

  it("quotes where writing would not end in time, and says so", () => {
    const plan = planAnswer(rates, wishes, 3000);
    assert.ok(plan !== null);
    assert.deepEqual([plan.kind, plan.formulations, plan.passages], ["quote", 3, 0]);
    assert.match(describeOmissions(plan, wishes, true)[0] ?? "", /sentences are quoted/);
  });

  it("reads more passages before it writes at length", () => {
    const [short, long] = [planAnswer(rates, wishes, 12_000), planAnswer(rates, wishes, 25_000)];
    assert.ok(short !== null && long !== null);
    assert.deepEqual([short.kind, long.kind], ["write", "write"]);
    assert.ok(short.passages < 5 && long.passages === 5, `${short.passages}, ${long.passages}`);
    assert.ok(long.answerTokens > 96);
  });

  it("leaves nothing out but the model's decisions where there is time for all", () => {
    const plan = planAnswer(rates, wishes, 600_000);
    assert.ok(plan !== null);
    assert.deepEqual(describeOmissions(plan, wishes, true), ["the model's help with unclear questions"]);
  });

  it("counts the loading of a model that is not in memory", () => {
    const cold = { ...rates, model: rates.model && { ...rates.model, loadMs: 5000 } };
    const [warmPlan, coldPlan] = [planAnswer(rates, wishes, 8000), planAnswer(cold, wishes, 8000)];
    assert.deepEqual([warmPlan?.kind, coldPlan?.kind], ["write", "quote"]);
  });
});
