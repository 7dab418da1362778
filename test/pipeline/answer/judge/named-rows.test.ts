import assert from "node:assert/strict";
import { it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const prices = `part_number | description | supplier | unit_price_eur
HP2-1220 | Mechanical seal | Sealtec GmbH | 418.50
HP2-1402 | Bearing 6310-C3 | Bergen Bearings | 57.90
HP2-1403 | Bearing 6308-C3 | Bergen Bearings | 44.10
HP2-1518 | Wear ring, bronze | Nordfjord Foundry | 96.75`;
const asked = "Which parts does Bergen Bearings supply?";

it("removes a row that is of another name than the question's", () => {
  for (const statement of ["Part: HP2-1518", "Bergen Bearings supplies HP2-1220, HP2-1402 and HP2-1403."])
    assert.match(reasonOf(asked, prices, statement) ?? "", /is of another name/);
});

it("keeps the rows of the name, and all where the question compares them or leaves the name out", () => {
  assert.equal(reasonOf(asked, prices, "Bergen Bearings supplies HP2-1402 and HP2-1403."), undefined);
  const other = "Which parts do other suppliers than Bergen Bearings sell?";
  assert.equal(reasonOf(other, prices, "HP2-1220 and HP2-1518"), undefined);
});
