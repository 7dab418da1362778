import assert from "node:assert/strict";
import { it } from "node:test";
import type { LanguageModel } from "../../../../src/core/answers/answer.ts";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { synthesize, synthesizeDefaults } from "../../../../src/pipeline/answer/synthesize.ts";
import { fakeModel, hitOf, runOf } from "../../fixtures.ts";

const asked = "What is LOTO and what PPE is required?";
const steps = "Lock-out and tag-out in six steps\nTell the crew. Hang your own red padlock and tag.";
const hits = [
  hitOf(steps, { id: "v1-0", sourceName: "training.pptx", headings: ["Lock-out and tag-out in six steps"] }),
  hitOf("NPSH required at rated flow | 3.4 m | 3.8 m", { id: "v2-0", sourceName: "pump.pdf" }),
  hitOf("Safety shoes and eye protection are the personal protective equipment of the workshop.", {
    id: "v3-0",
    sourceName: "policy.pdf",
  }),
];

async function draftOf(question: string, model: LanguageModel | null = null, found = hits) {
  const drafts = synthesize(
    question,
    found,
    { ...synthesizeDefaults, parts: question.split(/, and | and (?=what)/) },
    { model: async () => model, fence: () => "f00d" },
    runOf(),
  );
  let step = await drafts.next();
  while (step.done !== true) step = await drafts.next();
  return step.value;
}

it("quotes each part of a question by its own words, not by those of the other", async () => {
  const { text, citations } = await draftOf(asked);
  assert.match(text, /Hang your own red padlock and tag\. \[1\]/);
  assert.match(text, /^Safety shoes and eye protection .* \[\d\]$/m);
  assert.doesNotMatch(text, /NPSH/);
  assert.deepEqual(citations.map(({ sourceFile }) => sourceFile).toSorted(), ["policy.pdf", "training.pptx"]);
});

it("names the part that no passage answers", async () => {
  const { text } = await draftOf("How many roses are in the garden, and who is the king of Sweden?", null, [
    hitOf("The garden has 40 roses."),
  ]);
  assert.match(text, /^The garden has 40 roses\. \[1\]\nNo passage answers: “who is the king of Sweden\?”$/);
});

it("quotes the part that a model left out, and keeps what it wrote of the other", async () => {
  const model = fakeModel("Safety shoes and eye protection are the PPE required. [3]");
  const { text, verdict } = await draftOf(asked, model);
  assert.match(text, /^Safety shoes and eye protection are the PPE required\. \[\d\]\n.*red padlock/);
  assert.equal(verdict.status, "answered");
});

it("names the part whose sentence the judge took out", async () => {
  const model = fakeModel(
    "Safety shoes are the PPE required for LOTO. [3] LOTO was invented by 90 pirates. [1]",
  );
  const { text, verdict } = await draftOf(asked, model);
  assert.doesNotMatch(text, /pirates/);
  assert.match(text, /\nNot answered: “What is LOTO”$/);
  assert.match(verdict.reason, /Not answered: “What is LOTO”$/);
});

it("names no part where each has a sentence", async () => {
  const model = fakeModel(
    "LOTO is lock-out and tag-out in six steps. [1] Safety shoes are the PPE required. [3]",
  );
  const { text } = await draftOf(asked, model);
  assert.doesNotMatch(text, /Not answered/);
});

it("names no part that a clause about the same subject answers in other words", async () => {
  const model = fakeModel("The pressure of pump P-101 is 150 PSI, and it is running. [1]");
  const { text } = await draftOf("What is the pressure of pump P-101 and what is its status?", model, [
    hitOf("- Tag: P-101\n- Pressure (PSI): 150\n- Status: running"),
  ]);
  assert.equal(text, "The pressure of pump P-101 is 150 PSI, and it is running. [1]");
});

it("names a part that only its neighbour's answer was found for", async () => {
  const boiler = [hitOf("The boiler pressure is 1.2 bar.")];
  const { text } = await draftOf(
    "What is the boiler pressure, and how many guests were there?",
    null,
    boiler,
  );
  assert.equal(text, "The boiler pressure is 1.2 bar. [1]\nNo passage answers: “how many guests were there”");
  const run = [hitOf("The agreement starts on 1 March and runs for three years.")];
  const both = await draftOf("How long does the agreement run, and when does it start?", null, run);
  assert.equal(both.text, "The agreement starts on 1 March and runs for three years. [1]");
});

it("takes an acronym as spelled out with small words between, and a long form for it", () => {
  const passage = { marker: 1, chunk: (hits[0] ?? hitOf("")).chunk, text: steps };
  for (const [sentence, question] of [
    ["LOTO begins with telling the crew, then the red padlock is hung. [1]", "What is LOTO?"],
  ] as const) {
    const [verdict] = judge(sentence, [passage], question);
    assert.notEqual(verdict?.reason, "no passage mentions LOTO");
  }
});

it("takes a sentence that says how to answer for no part", async () => {
  const found = [hitOf("The ports of Oslo and Bergen name Japan as a rising market. Values are rounded.")];
  const model = fakeModel("The ports of Lagos name Japan as a rising market. [1]");
  const question = "Which ports name Japan as a rising market? Give me a percantage value.";
  assert.equal((await draftOf(question, model, found)).verdict.status, "refused");
});
