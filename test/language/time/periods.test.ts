import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asksForLatest, comparePeriods, periodEnd, periodsIn } from "../../../src/language/time/periods.ts";
import { assertLinear } from "../../helpers/linear.ts";

const compared = (left: string, right: string): string => {
  const [one] = periodsIn(left);
  const [other] = periodsIn(right);
  assert.ok(one !== undefined && other !== undefined, `${left} | ${right}`);
  return comparePeriods(one, other);
};

describe("a period in other words", () => {
  for (const other of [
    "fiscal year 2023",
    "fiscal 2023",
    "FY23",
    "FY 2023",
    "FY'23",
    "financial year 2022/23",
    "2023 fiscal year",
    "the year ended December 31, 2023",
    "fiscal year ended 30 June 2023",
    "the twelve months ended 2023-09-30",
    "Geschäftsjahr 2023",
    "Geschäftsjahr 2022/2023",
    "GJ 2023",
    "exercice 2023",
    "năm tài chính 2023",
    "in 2023",
  ])
    it(`is the same: FY2023 and ${other}`, () => assert.equal(compared("FY2023", other), "same"));

  for (const other of [
    "third quarter of 2023",
    "the third quarter of fiscal year 2023",
    "Q3 FY23",
    "3Q23",
    "Q3'23",
    "2023 Q3",
    "three months ended September 30, 2023",
    "13 weeks ended 28 October 2023",
    "drittes Quartal 2023",
    "3. Quartal des Geschäftsjahres 2023",
    "troisième trimestre 2023",
    "quý 3 năm 2023",
  ])
    it(`is the same: Q3 2023 and ${other}`, () => assert.equal(compared("Q3 2023", other), "same"));

  it("may be a year that ends in January, called by either year", () => {
    for (const year of ["FY2022", "FY2023"])
      assert.equal(compared(year, "fiscal year ended January 28, 2023"), "same");
    assert.equal(compared("FY2021", "fiscal year ended January 28, 2023"), "different");
  });
});

describe("another period", () => {
  for (const [left, right] of [
    ["FY2023", "fiscal 2022"],
    ["FY2023", "Q4 FY2023"],
    ["Q3 2023", "Q2 2023"],
    ["first half of 2023", "second half of 2023"],
    ["year ended June 30, 2023", "three months ended June 30, 2023"],
    ["quý 1 năm 2024", "quý 2 năm 2024"],
    ["Geschäftsjahr 2021/22", "Geschäftsjahr 2022/23"],
  ] as const)
    it(`is different: ${left} and ${right}`, () => assert.equal(compared(left, right), "different"));

  it("is unclear where a year alone meets a part of it", () =>
    assert.equal(compared("in 2023", "Q3 2023"), "unclear"));
});

it("reads every period of a text in its order, each once, and no number that is none", () => {
  assert.deepEqual(
    periodsIn("Sales rose to 2,023 units in Q4 2023, from $2022.50 in fiscal 2022 and part HP-2021.").map(
      ({ years, part }) => [years[0], part],
    ),
    [
      [2023, "q4"],
      [2022, "year"],
    ],
  );
});

it("takes time linear in the text", () => {
  assertLinear(periodsIn, ["fiscal ", "year ended ", "q1 of the ", "2023 ", "first quarter of ", "'23"]);
});

it("reads a part of a year that nobody names, and the year of a date", () => {
  assert.equal(compared("Q4 2023", "in the fourth quarter"), "same");
  assert.equal(compared("FY2023", "in the fourth quarter"), "different");
  assert.equal(compared("FY2022", "January 28, 2023"), "same");
});

it("reads F2019 as a fiscal year, and a part of a year before a slash", () => {
  const read = (text: string) => periodsIn(text).map(({ years, part }) => [...years, part]);
  assert.deepEqual(read("F2019 and FY19, 1H22, Q1/2022"), [
    [2019, "year"],
    [2019, "year"],
    [2022, "h1"],
    [2022, "q1"],
  ]);
});

it("tells when a period ends, and whether the newest is asked for", () => {
  assert.deepEqual(periodsIn("Q2 2023, 2023, second half of 2022, third quarter").map(periodEnd), [
    2023.5,
    2024,
    2023,
    undefined,
  ]);
  for (const question of [
    "the most recent 10-Q",
    "im jüngsten Bericht",
    "le rapport le plus récent",
    "báo cáo mới nhất",
  ])
    assert.ok(asksForLatest(question), question);
  assert.ok(!asksForLatest("What is the latency?"));
});
