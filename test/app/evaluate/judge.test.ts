import assert from "node:assert/strict";
import { it } from "node:test";
import { judgeDrafts } from "../../../src/app/evaluate/judge.ts";
import { judgeText } from "../../../src/cli/evaluate/text.ts";
import { judgeShape } from "../../../src/shapes/evaluation.ts";

const prices = "A train ticket costs 89 euros. A plane ticket costs 149 euros.";
const question = "How much more does the plane cost than the train?";
const lines = [
  { question, passages: [prices], draft: "The plane ticket costs 60 euros more. [1]", right: true },
  {
    question,
    passages: [{ text: prices }],
    draft: "The plane ticket costs 70 euros more. [1]",
    right: false,
  },
  {
    question: "What does it cost?",
    passages: [prices],
    draft: "It was founded by Jane Roe. [1]",
    right: false,
  },
  { question },
];

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

it("counts over labelled drafts what each tie and rule removes, and what is saved by working numbers out", async () => {
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const report = await judgeDrafts({ name: "drafts.jsonl", bytes: bytesOf(text) }, "0.0.0");
  const { right, wrong, rightKept, wrongRemoved, rules, excluded } = report;
  assert.deepEqual([right, wrong, rightKept, wrongRemoved, excluded.length], [1, 2, 1, 2, 1]);
  const worth = new Map(rules.map((each) => [each.rule, each]));
  assert.equal(worth.get("reckoned")?.keptRight, 1);
  assert.equal(worth.get("number")?.wrong, 1);
  assert.match(judgeText(report, "drafts.jsonl"), /kept 1 of 1 right ones, removed 2 of 2 wrong ones/);
  assert.equal(judgeShape(report).rules.length, rules.length);
});

it("says of a file without labelled drafts what a line must have", async () => {
  await assert.rejects(judgeDrafts({ name: "none.jsonl", bytes: bytesOf("{}") }, "0.0.0"), {
    code: "USAGE_INVALID",
  });
});
