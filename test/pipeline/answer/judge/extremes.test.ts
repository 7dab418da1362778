import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const votes = `Results of the election

Nominee | Votes for | Votes against | Abstentions
Ada Brandt | 53,876,257 | 6,074,467 | 101,200
Carl Dunn | 43,200,101 | 16,101,900 | 99,800
Eva Falk | 57,100,400 | 2,950,010 | 103,500
Total | 154,176,758 | 25,126,377 | 304,500`;
const boroughs = `Borough | Capacity, sq ft | Share rezoned
North | 980,000 | 18.4%
East | 1,606,000 | 13.9%
South | 435,000 | 22.9%
City | 3,021,000 | 17.7%`;
const against = "Did a nominee have substantially more votes against than the other nominees?";
const league = `Club | Rank | Points
Ash | 1 | 60
Birch | 2 | 51
Cedar | 3 | 40`;
const lengths = `Kabel | Länge in m | Gewicht in kg
K1 | 120 | 14
K2 | 340 | 9
K3 | 250 | 21`;

describe("what stands out in a column is the row that its values say", () => {
  for (const [question, text, statement] of [
    [against, votes, "Ada Brandt had substantially more votes against than the other nominees."],
    ["Who received the most votes against?", votes, "Ada Brandt received the most votes against."],
    ["Which nominee had the fewest abstentions?", votes, "Eva Falk had the fewest abstentions."],
    ["Which borough has the highest capacity?", boroughs, "South has the highest capacity."],
    ["Which borough has the lowest share rezoned?", boroughs, "North has the lowest share rezoned."],
    ["Welches Kabel hat die größte Länge?", lengths, "K3 hat die größte Länge."],
  ] as const)
    it(`so that “${statement}” is removed`, () => {
      assert.match(reasonOf(question, text, statement) ?? "", /it is “.+” that stands out so$/);
    });

  for (const [question, text, statement] of [
    [against, votes, "Carl Dunn had substantially more votes against than the other nominees."],
    ["Who received the most votes against?", votes, "Carl Dunn received the most votes against, 16,101,900."],
    ["Which nominee had the fewest abstentions?", votes, "Carl Dunn had the fewest abstentions."],
    ["Which borough has the highest capacity?", boroughs, "East has the highest capacity."],
    ["Which borough has the second highest capacity?", boroughs, "North has the second highest capacity."],
    ["Which club has the highest rank?", league, "Ash has the highest rank."],
    ["Welches Kabel hat die größte Länge?", lengths, "K2 hat die größte Länge."],
    [
      "Which of North and South has the highest capacity?",
      boroughs,
      "North has the highest capacity, 980,000.",
    ],
    ["Which coastal borough has the highest capacity?", boroughs, "South has the highest capacity, 435,000."],
  ] as const)
    it(`so that “${statement}” is kept`, () => {
      assert.equal(reasonOf(question, text, statement), undefined);
    });
});

it("an upper amount stands out as the highest, in words of its own", () => {
  const question = "What is the highest total cost estimated for the interview study?";
  assert.equal(
    reasonOf(question, "Interviews are priced at £75 a day.\nEstimated upper total cost = £2600", "£2600"),
    undefined,
  );
  assert.match(
    reasonOf(question, "Interviews are priced at £75 a day.\nEstimated total cost = £2600", "£2600") ?? "",
    /the highest/,
  );
});
