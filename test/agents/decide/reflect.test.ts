import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFaithfulRewrite, rewriteFollowUp } from "../../../src/agents/decide/reflect.ts";
import { detectDependence } from "../../../src/language/dependence.ts";
import { fakeDrivers, recordedRun, talk } from "../fakes.ts";

const warranty = talk(
  "How long is the warranty of the HP-200 pump?",
  "The warranty lasts 24 months from delivery [1].",
);
const leave = talk("How many days of annual leave do employees in France get?", "They get 25 days [1].");
const founder = talk(
  "Who founded Acme Corporation?",
  "Acme Corporation was founded by Jane Miller in 1921 [2].",
);
const byRule = async (question: string, history = warranty): Promise<string | null> =>
  (await rewriteFollowUp(question, history, fakeDrivers(), recordedRun())).rewritten;

describe("reflection", () => {
  it("does nothing and asks nobody without a history, and for a question that stands alone", async () => {
    const drivers = fakeDrivers(["never asked"]);
    for (const [question, history] of [
      ["How does it work?", []],
      ["What is the capital of France?", warranty],
      ["How do I reset my password if it is locked?", warranty],
      ["How long does it take to get a badge?", warranty],
      ["Why did Melanie choose the colours for her pottery?", warranty],
      ["Which policy covers trips that last a week?", warranty],
      ["What changed this year?", warranty],
      ["Is parking free and is there a shuttle?", warranty],
    ] as const) {
      assert.deepEqual(
        (await rewriteFollowUp(question, history, drivers, recordedRun())).via,
        "none",
        question,
      );
    }
    assert.equal(drivers.asked.length, 0);
  });

  it("finds pronouns, demonstratives, comparatives, ellipses and fragments that lean on the history", () => {
    for (const text of [
      "Does it leak?",
      "When did she die?",
      "What does that mean?",
      "Which one is cheaper?",
      "And in Germany?",
      "What about the HP-300?",
      "2022?",
      "Why?",
      "Who is responsible for that?",
      "When did the board approve it?",
      "Nó nặng bao nhiêu?",
      "còn HP-300 thì sao?",
      "Und für Deutschland?",
    ]) {
      assert.notEqual(detectDependence(text), null, text);
    }
  });

  it("puts what is different into the earlier question: a name, a year, a phrase with its preposition", async () => {
    assert.equal(await byRule("What about the HP-300?"), "How long is the warranty of the HP-300 pump?");
    assert.equal(
      await byRule("and in Germany?", leave),
      "How many days of annual leave do employees in Germany get?",
    );
    assert.equal(
      await byRule("and in 2022?", talk("What was net revenue in 2021?", "It was 4.2 million.")),
      "What was net revenue in 2022?",
    );
    assert.equal(
      await byRule("còn HP-300 thì sao?", talk("Bảo hành máy bơm HP-200 kéo dài bao lâu?", "24 tháng.")),
      "Bảo hành máy bơm HP-300 kéo dài bao lâu?",
    );
  });

  it("takes signs of a follow-up as they are", async () => {
    assert.equal(
      await byRule("and in $& or $$?", leave),
      "How many days of annual leave do employees in $& or $$ get?",
    );
  });

  it("joins what is different to the earlier question where nothing can be replaced", async () => {
    assert.equal(
      await byRule("And for managers?", leave),
      "How many days of annual leave do employees in France get – for managers?",
    );
  });

  it("carries the subject of the last question and the names of the last answer, but no number of it", async () => {
    assert.equal(await byRule("Does it cover the seals?"), "Does it cover the seals? (warranty HP-200 pump)");
    assert.equal(
      await byRule("When did she die?", founder),
      "When did she die? (founded Acme Corporation Jane Miller)",
    );
  });

  it("looks past follow-ups to the question they lean on", async () => {
    assert.match(
      (await byRule("Is it renewable?", [...warranty, ...talk("Why?", "Because of the seals.")])) ?? "",
      /HP-200/,
    );
  });

  it("builds on the last question as it was resolved, not on the first", async () => {
    const hotel = [
      ...talk("What is the hotel limit per night in North America?", "It is 210 EUR [1]."),
      ...talk("And in Asia?", "It is 150 EUR [1]."),
    ];
    assert.equal(
      await byRule("And the daily allowance there?", hotel),
      "What is the hotel limit per night in Asia – the daily allowance there?",
    );
    const years = [
      ...talk("What was net revenue in 2021?", "4.2 million."),
      ...talk("and in 2022?", "4.4 million."),
    ];
    assert.equal(await byRule("and in 2023?", years), "What was net revenue in 2023?");
    assert.equal(
      await byRule("And for managers?", [
        ...leave,
        ...talk("and in Germany?", "30 days."),
        ...talk("Why?", "By law."),
      ]),
      "How many days of annual leave do employees in Germany get – for managers?",
    );
  });

  it("takes the model's rewrite when it is faithful", async () => {
    const drivers = fakeDrivers(["Does the warranty of the HP-200 pump cover the seals?"]);
    const reflection = await rewriteFollowUp("Does it cover the seals?", warranty, drivers, recordedRun());
    assert.deepEqual(
      [reflection.via, reflection.rewritten],
      ["model", "Does the warranty of the HP-200 pump cover the seals?"],
    );
    assert.match(drivers.asked[0] ?? "", /Assistant: The warranty lasts 24 months/);
  });

  it("falls back to the rule when the rewrite drops a word, invents one, adds nothing or the model fails", async () => {
    for (const line of [
      "Does the HP-200 pump work?",
      "Does the warranty of the HP-900 cover the seals?",
      "Does it cover the seals?",
      "",
      new Error("out of memory"),
    ]) {
      const run = recordedRun();
      const reflection = await rewriteFollowUp(
        "Does it cover the seals?",
        warranty,
        fakeDrivers([line]),
        run,
      );
      assert.deepEqual(
        [reflection.via, reflection.rewritten],
        ["rule", "Does it cover the seals? (warranty HP-200 pump)"],
      );
      assert.equal(run.warnings.length, line instanceof Error ? 1 : 0);
    }
  });

  it("asks no model where the rule is sure, and takes no rewrite that leaves out what the talk is about", async () => {
    const sure = fakeDrivers(["How long is the warranty of the HP-300?"]);
    assert.equal(
      (await rewriteFollowUp("What about the HP-300?", warranty, sure, recordedRun())).via,
      "rule",
    );
    assert.equal(sure.asked.length, 0);
    assert.equal(
      (
        await rewriteFollowUp(
          "Does it cover the seals?",
          warranty,
          fakeDrivers(["Does the warranty cover the seals?"]),
          recordedRun(),
        )
      ).via,
      "rule",
    );
  });

  it("trusts no rewrite that is far longer than the question", () => {
    assert.equal(
      isFaithfulRewrite(
        `Does it cover the seals of the ${"HP-200 pump ".repeat(20)}?`,
        "Does it cover the seals?",
        warranty,
      ),
      false,
    );
  });
});

describe("the third turn of a talk is about what the second was", () => {
  const cost = ["What does the mechanical seal of the HP-200 cost?", "It costs 148.00 EUR [1]."] as const;
  for (const [turns, question, rewritten] of [
    [
      [...cost, "What about the HP-300?", "It costs 186.00 EUR [2]."],
      "and its supplier?",
      "and its supplier? (mechanical seal HP-300)",
    ],
    [
      [
        "Which pumps are in the pump hall?",
        "P-101 [1].",
        "What about the second one?",
        "P-102 is an HP-300 [1].",
      ],
      "And its supplier?",
      "And its supplier? (pumps hall second P-102 HP-300)",
    ],
    [
      [
        "How many days of annual leave do employees get?",
        "28 [1].",
        "And for part-timers?",
        "In proportion [1].",
      ],
      "Who approves it?",
      "Who approves it? (days annual leave employees part-timers)",
    ],
    [
      [
        "What is the torque of the casing bolts of the HP-200?",
        "45 Nm [1].",
        "And for the HP-300?",
        "60 Nm [1].",
      ],
      "And how are they lubricated?",
      "And how are they lubricated? (torque casing bolts HP-300)",
    ],
    [
      ["What is the meal allowance in Norway?", "60 EUR [1].", "In Germany?", "40 EUR [1]."],
      "And the hotel limit?",
      "What is the meal allowance in Germany – the hotel limit?",
    ],
    [
      ["What is the NPSH of the HP-200?", "3.4 m [1].", "What about the HP-300?", "3.8 m [1]."],
      "And for the HP-150?",
      "What is the NPSH of the HP-150?",
    ],
    [
      ["What is the warranty of the HP-200 pump?", "24 months [1].", "Why?", "By the standard terms [1]."],
      "And for the HP-300?",
      "What is the warranty of the HP-300 pump?",
    ],
    [
      ["How much budget was spent by February 2026?", "118,000 EUR [1].", "And in 2025?", "92,000 EUR [1]."],
      "What was it for?",
      "What was it for? (budget spent February 2025)",
    ],
    [
      ["How do I reset my password?", "Call the desk [1].", "How long does that take?", "15 minutes [1]."],
      "And what if it is locked?",
      "And what if it is locked? (reset password take)",
    ],
    [
      ["Bơm P-107 nặng bao nhiêu?", "62 kg [1].", "Còn P-110 thì sao?", "70 kg [1]."],
      "Nó ở đâu?",
      "Nó ở đâu? (Bơm P-110 nặng)",
    ],
  ] as const)
    it(`“${turns[0]}” – “${turns[2]}” – “${question}”`, async () => {
      assert.equal(await byRule(question, talk(...turns)), rewritten);
    });

  it("and puts a code in the place of a code only, not of a date", async () => {
    const meeting = talk("Who attended the meeting of 12 March?", "Karin Moe [1].");
    assert.doesNotMatch((await byRule("What about P-110?", meeting)) ?? "", /meeting of P-110/);
  });
});
