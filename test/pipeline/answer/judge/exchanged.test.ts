import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

const isKept = (sentence: string, text: string, question: string): boolean =>
  judge(`${sentence} [1]`, [{ marker: 1, text, chunk: chunkOf(text) }], question).every(
    ({ support }) => support !== "unsupported",
  );

test("people and things are those of the country they are called after, whichever of both is written", () => {
  const text = "Acme has 120 employees in France and 80 in Spain.";
  const question = "How many French employees does Acme have?";
  assert.ok(isKept("Acme has 120 French employees.", text, question));
  assert.ok(
    !isKept("Acme has 120 French employees.", "Acme has 120 employees in Italy and 80 in Spain.", question),
  );
  for (const [asked, passage, sentence] of [
    ["When did the British leave Malta?", "Britain left Malta in 1979.", "The British left Malta in 1979."],
    [
      "Where is the Swiss office?",
      "The office in Switzerland is in Zurich near Oerlikon.",
      "The Swiss office is in Zurich.",
    ],
    [
      "Who led the Dutch fleet?",
      "The fleet of the Netherlands was led by De Ruyter.",
      "The Dutch fleet was led by De Ruyter.",
    ],
    ["Who buys most?", "Most customers in America buy twice.", "American customers buy most."],
  ] as const)
    assert.ok(isKept(sentence, passage, asked), sentence);
  assert.ok(
    !isKept(
      "Austrian employees have 20 days of vacation.",
      "Employees in Australia have 20 days of vacation, those in Germany 30.",
      "How many days of vacation do Austrian employees have?",
    ),
  );
});

test("a word that denies is held against the one that allows, as it is against a negation", () => {
  for (const [asked, text, right, wrong] of [
    [
      "Is smoking allowed on site?",
      "Smoking is prohibited on site except in the yard.",
      "Smoking is not allowed on site.",
      "Smoking is allowed on site.",
    ],
    [
      "Where is smoking allowed?",
      "Smoking is prohibited on site except in the yard.",
      "Smoking is allowed in the yard.",
      "Smoking is not allowed in the yard.",
    ],
    [
      "Is overtime paid?",
      "Overtime is unpaid for managers.",
      "Overtime is not paid for managers.",
      "Overtime is paid for managers.",
    ],
    [
      "Who may enter the lab?",
      "Only authorised staff may enter the lab.",
      "Unauthorised staff may not enter the lab.",
      "Unauthorised staff may enter the lab.",
    ],
    [
      "Does the warranty cover water damage?",
      "The warranty covers fire damage but excludes water damage.",
      "The warranty does not cover water damage.",
      "The warranty excludes fire damage.",
    ],
    [
      "Is training required?",
      "Training is no longer required for drivers.",
      "Training is not required for drivers.",
      "Training is required for drivers.",
    ],
    [
      "Is the deposit refundable?",
      "The deposit is non-refundable.",
      "The deposit is not refundable.",
      "The deposit is refundable.",
    ],
    [
      "Darf man im Lager rauchen?",
      "Rauchen ist im Lager verboten, im Hof gestattet.",
      "Rauchen ist im Lager verboten.",
      "Rauchen ist im Lager gestattet.",
    ],
  ] as const) {
    assert.ok(isKept(right, text, asked), right);
    assert.ok(!isKept(wrong, text, asked), wrong);
  }
});

test("a figure of one thing is not said of another one that goes by the same name", () => {
  const plans = "The standard plan costs 10 euros a month, the premium plan 25 euros.";
  const offices = "The Hamburg office has 25 seats. The Berlin office has 40.";
  const periods = "The notice period is 3 months; the trial period lasts 6 weeks.";
  for (const [asked, text, right, wrong] of [
    [
      "How much does the premium plan cost?",
      plans,
      "The premium plan costs 25 euros a month.",
      "The premium plan costs 10 euros a month.",
    ],
    [
      "How many seats does the Berlin office have?",
      offices,
      "The Berlin office has 40 seats.",
      "The Berlin office has 25 seats.",
    ],
    [
      "What is the notice period?",
      periods,
      "The notice period is 3 months.",
      "The notice period is 6 weeks.",
    ],
  ] as const) {
    assert.ok(isKept(right, text, asked), right);
    assert.ok(!isKept(wrong, text, asked), wrong);
  }
  const both = "The premium plan costs 25 euros and the standard plan 10 euros.";
  assert.ok(isKept(both, plans, "How much do the plans cost?"));
});

test("a page is of what the first page of its document is about", () => {
  const first = "The Cessna 172 flipped at Weiser Air Park in Houston.";
  const second = "The pilot of the Cessna 172 said that more rudder would have prevented the accident.";
  const question =
    "What did the pilot of the Cessna 172 at Weiser Air Park say would have prevented the accident?";
  const answer =
    "The pilot of the Cessna 172 at Weiser Air Park said that more rudder would have prevented the accident. [2]";
  const supportWith = (documentOfFirst: string) =>
    judge(
      answer,
      [
        { marker: 1, text: first, chunk: chunkOf(first, { documentId: documentOfFirst, pages: [1] }) },
        { marker: 2, text: second, chunk: chunkOf(second, { documentId: "report", pages: [2] }) },
      ],
      question,
    ).map(({ support }) => support);
  assert.deepEqual(supportWith("report"), ["supported"]);
  assert.deepEqual(supportWith("other"), ["unsupported"]);
});
