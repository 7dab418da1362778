import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shouldReply } from "../../../src/agents/decide/reply-wanted.ts";
import type { Turn } from "../../../src/core/answers/agent.ts";
import { fakeDrivers, talk } from "../fakes.ts";

const signal = new AbortController().signal;

describe("whether a message wants a reply", () => {
  /** The decision, and how often the model was asked. */
  async function decided(text: string, history: readonly Turn[], ...lines: readonly string[]) {
    const drivers = fakeDrivers(lines.length === 0 ? undefined : lines);
    const { wanted } = await shouldReply(text, history, drivers.model, signal);
    return [wanted, drivers.asked.length];
  }

  it("is told by form, whatever the model would say", async () => {
    assert.deepEqual(await decided("I had lunch at the canteen today.", [], "YES"), [false, 0]);
    assert.deepEqual(await decided("lol nice", [], "YES"), [false, 0]);
    assert.deepEqual(await decided("How long does a session last?", [], "NO"), [true, 0]);
    assert.deepEqual(await decided("and how many wrong codes lock the token", [], "NO"), [true, 0]);
    assert.deepEqual(await decided("ragctl, the drain plug", [], "NO"), [true, 0]);
  });

  it("is told by the model where the form is unclear, and without one by how the message begins", async () => {
    assert.deepEqual(await decided("torque casing bolts", [], "YES"), [true, 1]);
    assert.deepEqual(await decided("torque casing bolts", [], "NO"), [false, 1]);
    assert.deepEqual(await decided("torque casing bolts", []), [false, 0]);
    assert.deepEqual(await decided("show torques", []), [true, 0]);
  });

  it("is told by what the assistant said last where the message goes on with it", async () => {
    const torque = talk("What torque do the casing bolts need?", "They need 125 Nm [1].");
    assert.deepEqual(await decided("And the drain plug", torque, "NO"), [true, 0]);
    assert.deepEqual(await decided("the HP-200", talk("Which torque?", "Which pump do you mean?"), "NO"), [
      true,
      0,
    ]);
    for (const text of ["The HP-200A.", "It is the HP-200S", "Yes."])
      assert.deepEqual(await decided(text, talk("Which torque?", "Which pump do you mean?"), "NO"), [
        true,
        0,
      ]);
    assert.deepEqual(await decided("thanks", torque, "YES"), [false, 0]);
  });
});
