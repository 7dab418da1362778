import assert from "node:assert/strict";
import { it } from "node:test";
import { sentences } from "../../../src/language/sentences.ts";
import { stem } from "../../../src/language/terms.ts";
import { bestQuote, termCoverage } from "../../../src/pipeline/answer/extract.ts";

it("splits sentences by language rules, not at abbreviations, and at line ends", () => {
  assert.deepEqual(sentences("Acme Inc. grew by 3.5 percent. Dr. Lee left.\nNext line"), [
    "Acme Inc. grew by 3.5 percent.",
    "Dr. Lee left.",
    "Next line",
  ]);
});

it("quotes the nearest sentence of a passage", () => {
  assert.equal(
    bestQuote(
      "Revenue rose to 12 million.",
      "Costs fell. Revenue rose by 4 to 12 million euros. Staff stayed.",
    ),
    "Revenue rose by 4 to 12 million euros.",
  );
});

it("quotes the sentence that shares most with a claim, numbers counting twice, however long it is", () => {
  const passage =
    "stanford.example/spacy\nThe badge replacement fee at Bergedorf is 12 euro.\nFor the experiments with long documents we took three models, Stanford NER, spaCy and a recurrent network, as they come.\nIn 2021 we took none.";
  assert.match(
    bestQuote("The models are Stanford NER, spaCy and a recurrent network.", passage),
    /^For the experiments/,
  );
  assert.equal(
    bestQuote("The fee is 12 euro.", passage),
    "The badge replacement fee at Bergedorf is 12 euro.",
  );
  assert.equal(bestQuote("It was 2021.", passage), "In 2021 we took none.");
});

it("weighs an invented number against a sentence", () => {
  const passage = "Revenue was 12 million in 2020.";
  assert.ok(
    termCoverage("Revenue was 12 million in 2020.", passage) >
      termCoverage("Revenue was 15 million in 2021.", passage),
  );
  assert.equal(termCoverage("Revenue was 12 million.", passage), 1);
});

it("meets plurals and endings with their stem", () => {
  for (const [left, right] of [
    ["stores", "store"],
    ["opened", "opens"],
    ["companies", "company"],
    ["stopped", "stop"],
  ] as const)
    assert.equal(stem(left), stem(right));
});

const sheet = [
  "Sales",
  "",
  "From sales.xlsx, sheet 'Sales':",
  "- Product: Widget A",
  "- Region: North",
  "- Revenue: 10000",
  "- Product: Widget B",
  "- Region: South",
  "- Revenue: 12000",
  "- Product: Widget C",
  "- Revenue: 4400",
].join("\n");

it("quotes the row of a spreadsheet, not the line that says where it is from", () => {
  assert.equal(
    bestQuote("Widget B had sales of 12000 in the South.", sheet),
    "- Product: Widget B\n- Region: South\n- Revenue: 12000",
  );
  assert.equal(bestQuote("Widget C: 4400", sheet), "- Product: Widget C\n- Revenue: 4400");
});

it("quotes the sentence that shows the numbers of a claim, not a heading with more of its words", () => {
  const passage =
    "Most credits in one main semester\n\nStudents with a mean of 8.0 may register for up to 30 credits.";
  assert.equal(
    bestQuote("The most credits in one main semester are 30 credits.", passage),
    "Students with a mean of 8.0 may register for up to 30 credits.",
  );
});

it("quotes an item of a list by its words, not by its number", () => {
  const steps = "Descaling\n1. Fill the tank with 2 l of water.\n2. Press the button for five seconds.";
  assert.equal(
    bestQuote("2. Press the button for five seconds.", steps),
    "Press the button for five seconds.",
  );
  assert.equal(bestQuote("1. Fill the tank with 2 l of water.", steps), "Fill the tank with 2 l of water.");
});

it("quotes the row of a table that says it, not a header that has the name and its number", () => {
  const data = [
    "Table 3: technical data",
    "Property | HP-200A | HP-200S",
    "Casing | Cast iron | Duplex steel",
    "Liquid temperature | -10 to 110 °C | -30 to 140 °C",
  ].join("\n");
  assert.equal(
    bestQuote("Yes, the HP-200S pump can handle a liquid at 120 °C.", data),
    "Liquid temperature | -10 to 110 °C | -30 to 140 °C",
  );
  assert.equal(
    bestQuote("HP-200A and HP-200S", "Property | HP-200A | HP-200S"),
    "Property | HP-200A | HP-200S",
  );
});
