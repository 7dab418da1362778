import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkStatement } from "../../../../src/pipeline/answer/verify/verify.ts";
import { chunkOf } from "../../fixtures.ts";

/** A text, below headings. */
type Text = readonly [text: string, ...headings: readonly string[]];

/** The verdict on a statement against texts, each of a document of its own, and the quotes for it. */
async function verdictOn(statement: string, ...texts: readonly Text[]) {
  const hits = texts.map(([text, ...headings], at) => ({
    chunk: chunkOf(text, { id: `v${at}-0`, documentId: `d${at}`, headings }),
  }));
  const checked = await checkStatement(statement, hits, null, new AbortController().signal);
  return [checked.verdict, ...checked.sources.map(({ quote }) => quote)];
}

const leave: Text = [
  "Years of service | Days of annual leave\n0 to 2 | 24\n3 to 5 | 26\n6 to 9 | 28\n10 and more | 30",
  "2 Leave",
];
const pumps: Text = [
  "From pumps.xlsx, sheet 'Pumps':\n- Tag: P-3\n- Place: hall 3\n- Last service: 2026-05-04\n\n- Tag: P-4\n- Place: hall 4\n- Last service: 2026-05-09",
  "Pumps",
];
const torques: Text = [
  "Position | Fastener | Thread | Torque\n101 | Casing cover bolts | M16 | 125 Nm\n102 | Bearing cover bolts | M10 | 34 Nm\n104 | Seal gland nuts | M8 | 14 Nm",
  "3 Tightening torques",
];
const badges: Text = ["A visitor's badge is valid for one day, a contractor's badge for two days."];

describe("a statement is supported", () => {
  it("by the row that it names, of a table or a sheet", async () => {
    assert.deepEqual(await verdictOn("Annual leave is 26 days for 3 to 5 years of service.", leave), [
      "supported",
      "3 to 5 | 26",
    ]);
    assert.deepEqual(await verdictOn("Pump P-3 was last serviced on 4 May 2026.", pumps), [
      "supported",
      "P-3 | hall 3 | 2026-05-04",
    ]);
  });

  it("by the clause that it is about, and by one end of a range", async () => {
    assert.deepEqual(await verdictOn("A contractor's badge is valid for two days.", badges), [
      "supported",
      badges[0],
    ]);
    const ramp = "The ramp takes between 30 and 50 seconds.";
    assert.deepEqual(await verdictOn("The ramp takes at least 30 seconds.", [ramp]), ["supported", ramp]);
  });
});

describe("a statement is contradicted", () => {
  it("by another value in the row that it names", async () => {
    assert.deepEqual(await verdictOn("Annual leave is 24 days for 3 to 5 years of service.", leave), [
      "contradicted",
      "3 to 5 | 26",
    ]);
    assert.deepEqual(await verdictOn("Pump P-3 was last serviced on 9 May 2026.", pumps), [
      "contradicted",
      "P-3 | hall 3 | 2026-05-04",
    ]);
  });

  it("by the row that it names beside its number, although another row has the value", async () => {
    assert.deepEqual(await verdictOn("The casing cover bolts are tightened to 34 Nm.", torques), [
      "contradicted",
      "101 | Casing cover bolts | M16 | 125 Nm",
    ]);
    assert.deepEqual(await verdictOn("The casing cover bolts are tightened to 125 Nm.", torques), [
      "supported",
      "101 | Casing cover bolts | M16 | 125 Nm",
    ]);
  });

  it("by the clause on its subject, although another has its value", async () => {
    assert.deepEqual(await verdictOn("A visitor's badge is valid for two days.", badges), [
      "contradicted",
      badges[0],
    ]);
  });

  it("by a sentence of its words that says the opposite", async () => {
    const rule = "Alcohol is not reimbursed, except at a dinner with customers.";
    assert.deepEqual(await verdictOn("Alcohol is reimbursed.", [rule]), ["contradicted", rule]);
  });
});

describe("a statement is not found", () => {
  it("if what is like it is of another time", async () => {
    assert.deepEqual(
      await verdictOn("The notice period was six weeks in 2024.", [
        "In 2026 the notice period is eight weeks.",
      ]),
      ["not_found"],
    );
  });

  it("if what is like it is of another thing", async () => {
    const sites: Text = ["Site | 2024 | 2025\nHallmere | 410 | 480\nBrackwell | 388 | 395", "Costs"];
    const [verdict] = await verdictOn("The cost of the site in Lyme was 395 in 2025.", sites);
    assert.equal(verdict, "not_found");
    const [ofModel] = await verdictOn("The HP-200A has a flow of 195 m3/h.", [
      "Tag | Model | Flow (m3/h)\nP-110 | HP-200A | 210\nP-111 | HP-300A | 195",
      "Pumps",
    ]);
    assert.notEqual(ofModel, "contradicted");
  });
});

it("documents disagree about a statement if one supports and another contradicts it", async () => {
  const other = "With 3 to 5 years of service annual leave is 25 days.";
  const statement = "Annual leave is 26 days for 3 to 5 years of service.";
  for (const [texts, quotes] of [
    [
      [leave, [other]],
      ["3 to 5 | 26", other],
    ],
    [
      [[other], leave],
      ["3 to 5 | 26", other],
    ],
  ] as const)
    assert.deepEqual(await verdictOn(statement, ...texts), ["documents_disagree", ...quotes]);
});
