import assert from "node:assert/strict";
import { test } from "node:test";
import { withCorrectedNames as correct, indexNames } from "../../../src/language/asking/spelling.ts";

const names = indexNames(
  new Set([
    ..."netflix activisionblizzard costco boeing germany seniors 2015 american water works waterworks".split(
      " ",
    ),
    ..."merrion merrian pfizer".split(" "),
  ]),
);
const withCorrectedNames = (question: string, index: typeof names): string => correct(question, index).text;

test("a name of a document with one letter missing, too many, another or swapped is spelt as it is called", () => {
  for (const written of ["Neflix", "Nettflix", "Netflax's", "Netfilx"]) {
    const name = `Netflix${written.endsWith("'s") ? "'s" : ""}`;
    assert.equal(
      withCorrectedNames(`What is the advertising expense of ${written} in FY 2015?`, names),
      `What is the advertising expense of ${name} in FY 2015?`,
    );
  }
});

test("the words of a name that a file joins are corrected where they stand", () => {
  for (const [written, corrected] of [
    ["Activsion Blizzard", "Activision Blizzard"],
    ["Activisio Blizzard", "Activision Blizzard"],
    ["ACTIVISION BLIZARD", "ACTIVISION BLIZZARD"],
  ])
    assert.equal(
      withCorrectedNames(`What is the ratio for ${written} in 2019?`, names),
      `What is the ratio for ${corrected} in 2019?`,
    );
});

test("two misspelt names are both corrected", () => {
  assert.equal(
    withCorrectedNames("Did Neflix earn more than Boieng?", names),
    "Did Netflix earn more than Boeing?",
  );
});

test("other words stay as they are written", () => {
  for (const question of [
    "Which sensors are connected to the ECU?",
    "Sensors of the ECU: which are there?",
    "What do German customers think?",
    "What does “Neflix” mean?",
    "What is in Neflix.pdf?",
    "Is it Merrien?",
    "What does Costa sell?",
    "What is Netflix worth, and what Netflixs?",
    "Was kosten die Seniurs von heute und die Sensoren?",
  ])
    assert.equal(withCorrectedNames(question, names), question, question);
});
