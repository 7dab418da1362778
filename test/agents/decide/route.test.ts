import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { baselineQuestions } from "../../../src/agents/decide/cohort.ts";
import { agentTexts, routeAgent } from "../../../src/agents/decide/route.ts";
import { upperQuantile } from "../../../src/agents/decide/statistics.ts";
import { agentOf, fakeDrivers, recordedRun } from "../fakes.ts";

const hr = agentOf({
  name: "HR Assistant",
  department: "hr",
  description: "Answers questions about leave, payroll and hiring.",
  topics: ["vacation days", "salary"],
});
const it_ = agentOf({
  name: "IT Support",
  department: "it",
  description: "Answers questions about passwords, laptops and networks.",
  examples: ["How do I reset my password?"],
});
const general = agentOf({
  name: "General Assistant",
  department: "general",
  description: "Everything else.",
});

describe("the choice of an agent", () => {
  it("takes the agent nearest to the question and names the runner-up and the threshold", async () => {
    const choice = await routeAgent(
      "How do I reset my laptop password?",
      [general, hr, it_],
      fakeDrivers(),
      recordedRun(),
    );
    assert.equal(choice.agent?.name, "IT Support");
    assert.deepEqual(
      choice.scores.map(({ agent }) => agent),
      ["IT Support", "HR Assistant"],
    );
    assert.match(choice.reason, /^IT Support 0\.\d\d, then HR Assistant -?0\.\d\d; 0\.\d\d is needed$/);
  });

  it("leaves what suits no specialist to the general assistant, and to none where there is none", async () => {
    const question = "How tall is the highest mountain in Europe?";
    const choice = await routeAgent(question, [general, hr, it_], fakeDrivers(), recordedRun());
    assert.equal(choice.agent?.name, "General Assistant");
    assert.match(choice.reason, /no suitable agent/);
    assert.equal((await routeAgent(question, [hr, it_], fakeDrivers(), recordedRun())).agent, null);
  });

  it("never chooses an agent that is disabled", async () => {
    const choice = await routeAgent(
      "How do I reset my password?",
      [hr, { ...it_, enabled: false }],
      fakeDrivers(),
      recordedRun(),
    );
    assert.ok(choice.scores.every(({ agent }) => agent !== "IT Support"));
  });

  it("embeds nothing when no specialist may be used", async () => {
    const drivers = fakeDrivers();
    assert.equal(
      (await routeAgent("password", [general], drivers, recordedRun())).agent?.name,
      "General Assistant",
    );
    assert.deepEqual(
      [(await routeAgent("password", [], drivers, recordedRun())).agent, drivers.calls.length],
      [null, 0],
    );
  });

  it("compares with description, what it lists, topics and examples, bare terms named with their department", () => {
    assert.deepEqual(agentTexts(hr), [
      "Answers questions about leave, payroll and hiring.",
      "vacation days (hr)",
      "salary (hr)",
      "leave (hr)",
      "payroll (hr)",
      "hiring (hr)",
    ]);
  });

  it("asks more of the nearest text the more texts there are", () => {
    assert.ok(Math.abs(upperQuantile(0.025) - 1.96) < 0.001);
    assert.ok(upperQuantile(0.5 / 200) > upperQuantile(0.5 / 20));
    assert.equal(new Set(baselineQuestions).size, baselineQuestions.length);
  });

  it("stops when the run is cancelled", async () => {
    await assert.rejects(routeAgent("password", [hr], fakeDrivers(), recordedRun(AbortSignal.abort())), {
      name: "AbortError",
    });
  });
});
