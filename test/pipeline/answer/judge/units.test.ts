import assert from "node:assert/strict";
import { it } from "node:test";
import { declaredScales } from "../../../../src/language/quantities.ts";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";
import { reasonOf } from "./verdicts.ts";

const report = `EUR thousand | 2024 | 2023
Electricity sales | 4,812 | 4,455
Margin % | 22.9 | 21.6
Energy sold (MWh) | 88,200 | 84,100

Turbine | MWh 2023 | MWh 2024
T1 | 1,400 | 1,500`;

const reasonFor = (answer: string, question: string): string =>
  judge(`${answer} [1]`, [{ marker: 1, text: report, chunk: chunkOf(report) }], question)[0]?.reason ?? "";

it("takes away a number of a table that is given another unit than its row, column or corner has", () => {
  const sales = "How much did electricity sales amount to in 2024?";
  assert.equal(reasonFor("4,812 MWh", sales), "4,812 appears in [1] in eur, not mwh");
  assert.equal(
    reasonFor("Electricity sales were 4,812 MWh in 2024.", sales),
    "4,812 appears in [1] in eur, not mwh",
  );
  assert.equal(
    reasonFor("Electricity sales were $4,812 thousand in 2024.", sales),
    "4,812 appears in [1] in eur, not usd",
  );
  assert.equal(
    reasonFor("T1 produced 1,500 kWh in 2024.", "What did T1 produce in 2024?"),
    "1,500 appears in [1] in mwh, not kwh",
  );
});

it("keeps a number with the unit that its row, column or corner has, or with none", () => {
  const sales = "How much did electricity sales amount to in 2024?";
  for (const [answer, question] of [
    ["Electricity sales were EUR 4,812 thousand in 2024.", sales],
    ["Electricity sales were €4,812 thousand in 2024.", sales],
    ["Electricity sales were 4,812 in 2024.", sales],
    ["The margin was 22.9% in 2024.", "What was the margin in 2024?"],
    ["The energy sold was 88,200 MWh in 2024.", "How much energy was sold in 2024?"],
    ["T1 produced 1,500 MWh in 2024.", "What did T1 produce in 2024?"],
  ] as const)
    assert.equal(reasonFor(answer, question), "", answer);
});

it("reads the scale that a table declares beside its currency, in either order and in short", () => {
  for (const corner of [
    "EUR thousand",
    "in thousands of EUR",
    "in Tsd. €",
    "TEUR",
    "T€",
    "Tausend Euro",
    "€000",
  ]) {
    const text = `${corner} | 2024 | 2023\nSales | 4,812 | 4,455`;
    const [verdict] = judge(
      "Sales were 4.812 million euros in 2024. [1]",
      [{ marker: 1, text, chunk: chunkOf(text) }],
      "What were sales in 2024?",
    );
    assert.equal(verdict?.reason, "", corner);
  }
  assert.deepEqual(declaredScales("in mio. eur"), [1e6]);
  assert.deepEqual(declaredScales("đơn vị: triệu đồng"), [1e6]);
  assert.deepEqual(declaredScales("the budget is 1.4 million euros and 3 thousand dollars"), []);
});

it("reads powers of ten, and the units of currents, sounds, forces, energies and speeds", () => {
  const verdict = (passage: string, answer: string, question: string): string =>
    judge(`${answer} [1]`, [{ marker: 1, text: passage, chunk: chunkOf(passage) }], question)[0]?.support ??
    "";
  const mass = "The sample holds 1.011 × 10¹¹ cells.";
  const cells = "How many cells does the sample hold?";
  assert.notEqual(verdict(mass, "The sample holds 1.011 × 10¹¹ cells.", cells), "unsupported");
  assert.equal(verdict(mass, "The sample holds 1011 cells.", cells), "unsupported");
  assert.equal(verdict(mass, "The sample holds 1.011 × 10¹² cells.", cells), "unsupported");
  const motor = "The motor draws 16 A. It is heard at 85 dB, lifts 12 kN, stores 40 kJ and runs at 90 km/h.";
  for (const [right, wrong] of [
    ["The motor draws 16 A.", "The motor draws 16 kW."],
    ["The motor is heard at 85 dB.", "The motor is heard at 85 Hz."],
    ["The motor lifts 12 kN.", "The motor lifts 12 kg."],
    ["The motor stores 40 kJ.", "The motor stores 40 kWh."],
    ["The motor runs at 90 km/h.", "The motor runs at 90 km."],
  ] as const) {
    const asked = "What does the motor do?";
    assert.notEqual(verdict(motor, right, asked), "unsupported", right);
    assert.equal(verdict(motor, wrong, asked), "unsupported", wrong);
  }
});

const floors = `The halls have almost 2 million square feet of floor space, of which 40,000 square feet are let.

Site | Floor space, by sq ft | Share let
North | 435,000 | 22.9%
South | 980,000 | 18.4%`;

it("keeps a number of a table with the unit that its column is in, where the text beside it has that unit too", () => {
  const question = "What is the floor space of the North site?";
  for (const answer of ["435,000 square feet", "The floor space of the North site is 435,000 square feet."])
    assert.equal(reasonOf(question, floors, answer), undefined, answer);
  assert.notEqual(
    reasonOf(question, floors, "The floor space of the North site is 980,000 square feet."),
    undefined,
  );
});

it("tells areas from lengths", () => {
  const text = "The plot measures 900 square metres and lies 900 metres from the river.";
  const question = "How large is the plot?";
  assert.equal(reasonOf(question, text, "The plot measures 900 square metres."), undefined);
  assert.equal(
    reasonOf(question, "The plot lies 900 metres from the river.", "The plot measures 900 square metres."),
    "900 appears in [1] with a different unit",
  );
});

const buyback =
  "In 2021, we bought back 1,300 shares at average prices of $364.39, totaling approximately $495.";
const balance = "(amounts in millions) | \nTotal debt | 7,531\nDividends | 5,748";
/** Why “$495 million” is removed, over a passage beside others; "" where it is kept. */
function reasonBeside(others: readonly { text: string; documentId?: string }[], text = buyback): string {
  const passages = [{ text }, ...others].map(({ text: own, ...of }, at) => ({
    ...{ marker: at + 1, text: own },
    chunk: chunkOf(own, of),
  }));
  const asked = "How much did the company spend on bought back shares of stock in 2021?";
  return judge("$495 million [1]", passages, asked)[0]?.reason ?? "";
}

it("reads an amount in the scale that the other passages of its document declare, where its own writes none", () => {
  assert.equal(reasonBeside([{ text: balance }]), "");
  const lack = "495 does not appear in [1]";
  assert.equal(reasonBeside([]), lack);
  assert.equal(reasonBeside([{ text: balance, documentId: "d2" }]), lack);
  assert.equal(reasonBeside([{ text: balance }, { text: balance.replace("millions", "thousands") }]), lack);
  assert.equal(reasonBeside([{ text: balance }], `${buyback} Sales were $3.5 billion.`), lack);
});

it("takes a count of what was paid for as no rival of the amount that was paid", () => {
  const text =
    "During 2021 and 2020, we repurchased 1,358,000 and 643,000 units of common stock, at average prices of $364 and $308, respectively, totaling approximately $495 and $198, respectively.";
  const asked = "How much did the company spend on the repurchase of common stock units in 2021?";
  assert.equal(reasonOf(asked, text, "$495"), undefined);
  assert.notEqual(reasonOf(asked, text, "$198"), undefined);
});
