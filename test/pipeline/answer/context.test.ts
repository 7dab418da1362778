import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { context } from "../../../src/pipeline/answer/context.ts";
import { bestQuote, extract } from "../../../src/pipeline/answer/extract.ts";
import { readQuestion } from "../../../src/pipeline/answer/question.ts";
import { countWords as count, hitOf } from "../fixtures.ts";

const options = { maxTokens: 500, maxPassages: 5, count };

it("numbers passages from one, best first", () => {
  const { passages } = context(
    readQuestion("q"),
    [hitOf("Alpha is first."), hitOf("Beta is second thing.")],
    options,
  );
  assert.deepEqual(
    passages.map((passage) => [passage.marker, passage.text]),
    [
      [1, "Alpha is first."],
      [2, "Beta is second thing."],
    ],
  );
});

it("shows the part of a text without stops that bears on the question", () => {
  const run = (from: number): string =>
    Array.from({ length: 60 }, (_, at) => `seal${from + at} valve`).join(" ");
  const text = `${run(0)} the torque of the Vortex coupling is 611 Nm ${run(100)}`;
  const { passages } = context(readQuestion("What is the torque of the Vortex coupling?"), [hitOf(text)], {
    ...options,
    focusTokens: 40,
  });
  assert.match(passages[0]?.text ?? "", /torque of the Vortex coupling is 611 Nm/);
  assert.ok(count(passages[0]?.text ?? "") < 120, passages[0]?.text);
});

it("leaves out and counts repeats: equal up to case and spaces, contained, or nearly the same wording", () => {
  const long =
    "The annual fee is four hundred euros and it is paid in two equal parts each year by every member of the club";
  const found = context(
    readQuestion("q"),
    [
      hitOf(long),
      hitOf(` ${long.toUpperCase()} .`),
      hitOf("paid in two equal parts"),
      hitOf(`${long} today`),
      hitOf("Other text."),
    ],
    options,
  );
  assert.equal(found.passages.length, 2);
  assert.equal(found.dropped.duplicate, 3);
});

it("skips what does not fit, takes a later one that does, and counts what was left out", () => {
  const found = context(
    readQuestion("q"),
    [hitOf("short one"), hitOf("word ".repeat(80).trim()), hitOf("another short")],
    {
      ...options,
      maxTokens: 90,
    },
  );
  assert.deepEqual(
    found.passages.map((passage) => passage.text),
    ["short one", "another short"],
  );
  assert.equal(found.dropped.overBudget, 1);
});

it("cuts the best hit around the sentences that bear on the question when it alone is too long", () => {
  const filler = Array.from({ length: 20 }, (_, index) => `Filler number ${index} says nothing at all.`).join(
    " ",
  );
  const { passages } = context(
    readQuestion("When was the bridge opened?"),
    [hitOf(`${filler} The bridge was opened in 1932. ${filler}`)],
    {
      ...options,
      maxTokens: 60,
    },
  );
  assert.match(passages[0]?.text ?? "", /opened in 1932/);
  assert.ok(count(passages[0]?.text ?? "") <= 36);
});

it("keeps a table's header row with the rows that match", () => {
  const rows = Array.from({ length: 40 }, (_, index) => `Item ${index} | ${index * 10} | ${index * 20}`);
  const table = ["Product | 2022 | 2023", ...rows, "Coffee beans | 77 | 88", ...rows].join("\n");
  const { passages } = context(
    readQuestion("coffee beans in 2023"),
    [hitOf(table, { contentType: "table" })],
    {
      ...options,
      focusTokens: 40,
    },
  );
  assert.match(passages[0]?.text ?? "", /^Product \| 2022 \| 2023\n[\s\S]*Coffee beans \| 77 \| 88/);
});

it("marks where rows of a table are left out: after its header, between two, and behind the last", () => {
  const rows = (from: number): string[] =>
    Array.from({ length: 30 }, (_, at) => `Item ${from + at} | ${from + at}0`);
  const lines = [
    "Product | 2023",
    ...rows(0),
    "Coffee beans | 77",
    ...rows(30),
    "Coffee filters | 78",
    ...rows(60),
  ];
  const asked = readQuestion("How many coffee beans and coffee filters in 2023?");
  const shown = (text: string, focusTokens = 8): string =>
    context(asked, [hitOf(text)], { ...options, focusTokens }).passages[0]?.text ?? "";
  assert.equal(
    shown([...lines, "The stock is counted in May."].join("\n")),
    "Product | 2023\n…\nCoffee beans | 77\n…\nCoffee filters | 78\n…",
  );
  const two = [
    "Product | 2023",
    "Coffee beans | 77",
    ...rows(0),
    "The prices of next year follow:",
    "Price | 2024",
    ...rows(0),
    "Coffee beans | 5",
  ];
  assert.equal(
    shown(two.join("\n"), 12),
    "Product | 2023\nCoffee beans | 77\n…\n\nPrice | 2024\n…\nCoffee beans | 5",
  );
  const whole = lines.filter((line) => !line.startsWith("Item")).join("\n");
  assert.equal(shown(whole), whole);
});

it("quotes rows around a mark as rows of one table, and never the mark", () => {
  const rows = (from: number): string[] =>
    Array.from({ length: 30 }, (_, at) => `Item ${from + at} | ${from + at}0 | 5`);
  const table = ["Product | 2022 | 2023", ...rows(0), "Coffee beans | 77 | 88", ...rows(30)].join("\n");
  const asked = readQuestion("How many coffee beans in 2023?");
  const cut = context(asked, [hitOf(table)], { ...options, focusTokens: 8 });
  assert.deepEqual(
    extract(asked, cut, 3).map(({ text }) => text),
    ["Product | 2022 | 2023", "Coffee beans | 77 | 88"],
  );
  assert.equal(bestQuote("88 coffee beans", cut.passages[0]?.text ?? ""), "Coffee beans | 77 | 88");
});

it("shows what every tool found, in their order: one long finding leaves its share of the budget to the others", () => {
  const rows = (name: string) =>
    Array.from({ length: 60 }, (_, index) => `${name} ${index} is ${index * 7} metres tall.`).join("\n");
  const findings = ["mast", "crane", "tower"].map((name) =>
    hitOf(rows(name), { method: "tool:database_query" }),
  );
  const { passages, tokenCount } = context(readQuestion("How tall is the crane?"), findings, {
    ...options,
    maxTokens: 300,
  });
  assert.deepEqual(
    passages.map(({ text }) => text.slice(0, 4)),
    ["mast", "cran", "towe"],
  );
  assert.ok(tokenCount <= 300);
});

it("never exceeds the budget, and accounts for every hit", () => {
  const hits = fc.array(
    fc.lorem({ maxCount: 60 }).map((text) => hitOf(text)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      hits,
      fc.integer({ min: 30, max: 300 }),
      fc.integer({ min: 0, max: 40 }),
      (found, maxTokens, focusTokens) => {
        const { passages, tokenCount, dropped } = context(readQuestion("dolor sit amet"), found, {
          maxTokens,
          maxPassages: 5,
          focusTokens,
          count,
        });
        assert.ok(tokenCount <= maxTokens && passages.length <= 5);
        assert.equal(passages.length + dropped.duplicate + dropped.overBudget, found.length);
      },
    ),
    { numRuns: 100 },
  );
});

it("keeps lines in other words for what is asked: those that may stand for them, and those it is told", () => {
  const rest =
    "The fiscal year of the mill had good months in the sales of flour and of bran besides. ".repeat(6);
  const table = `Millions | 2016\nCost of revenue | 32\nRents of the mill | 5\n${rest}\nTel: 01983 87\n${rest}`;
  const shown = (question: string, wording?: string): string =>
    context(readQuestion(question), [hitOf(table)], {
      ...options,
      focusTokens: 16,
      ...(wording !== undefined && { wording }),
    }).passages[0]?.text ?? "";
  const asked = "What were the COGS of the mill in its fiscal year?";
  assert.doesNotMatch(shown(asked), /Cost of revenue/);
  assert.match(shown(asked, "cost of sales cost of revenue"), /Cost of revenue \| 32/);
  assert.match(shown("What is the telephone number?"), /Tel: 01983 87/);
});

const tellsOfMills = (name: string): string =>
  Array.from({ length: 30 }, (_, at) => `The ${name} of the mill turns wheel ${at} by water.`).join(" ");

it("gives the best passages more room than those after them", () => {
  const { passages } = context(
    readQuestion("What turns the wheels of the mill?"),
    ["brook", "ditch", "river", "stream"].map((name) => hitOf(tellsOfMills(name))),
    { ...options, maxTokens: 1000, focusTokens: 40 },
  );
  const sizes = passages.map(({ text }) => count(text));
  assert.deepEqual(sizes, [80, 40, 30, 10]);
});

it("prefers sentences with a number where one is asked for", () => {
  const said = "The output of the mill in 2019 was discussed. ".repeat(8);
  const text = `${said} In 2019 the mill had an output which reached some 470 sacks a day. ${said}`;
  const shown = (question: string): string =>
    context(readQuestion(question), [hitOf(text)], { ...options, focusTokens: 16 }).passages[0]?.text ?? "";
  assert.match(shown("How many sacks a day was the output of the mill in 2019?"), /470/);
  assert.doesNotMatch(shown("Who discussed the output of the mill in 2019?"), /470/);
});

it("keeps a heading apart from the sentence under it where a passage is cut down", () => {
  const passage = `4 Health and safety\n\n4.1 Protective equipment\n\nSafety shoes are worn. ${"The hall is swept daily. ".repeat(30)}`;
  const { passages } = context(
    readQuestion("Which protective equipment is worn for safety?"),
    [hitOf(passage)],
    {
      ...options,
      focusTokens: 12,
    },
  );
  assert.match(passages[0]?.text ?? "", /^4\.1 Protective equipment\nSafety shoes are worn\./m);
});

it("passes over what an attempt before has read", () => {
  const hits = ["Alpha is first.", "Beta is second thing."].map((text) => hitOf(text));
  const readBefore = new Set([hits[0]?.chunk.id ?? ""]);
  const { passages } = context(readQuestion("q"), hits, { ...options, readBefore });
  assert.deepEqual(
    passages.map(({ marker, text }) => [marker, text]),
    [[1, "Beta is second thing."]],
  );
});
