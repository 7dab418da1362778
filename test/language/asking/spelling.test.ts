import assert from "node:assert/strict";
import { test } from "node:test";
import {
  withCorrectedNames as correct,
  indexNames,
  plainWordsIn,
  withCorrectedWords,
} from "../../../src/language/asking/spelling.ts";

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

test("plain words are those in lower case of six letters or more, without numbers, names and German", () => {
  assert.deepEqual(
    plainWordsIn("what is the advertsing expense of Netflix in pump-2 or pump_house and kg20?"),
    ["advertsing", "expense"],
  );
  assert.deepEqual(
    plainWordsIn(
      'who is johnny@exampel.com, www.exampel.org/reciept or config.servor with "reciept" in `lenght()`?',
    ),
    [],
  );
  assert.deepEqual(plainWordsIn("is a reciept/invoice (advertsing), or what?"), ["advertsing"]);
  assert.deepEqual(plainWordsIn("Wie werden die Schrauben angezogen und womit?"), []);
  assert.deepEqual(plainWordsIn("Những trường nào thuộc thành phố, và nghiem ngat?"), []);
  assert.ok(
    plainWordsIn(Array.from({ length: 26 }, (_, at) => `word${"abcdefghijklmnopqrstuvwxyz"[at]}ed`).join(" "))
      .length <= 12,
  );
});

test("a plain word is spelt as the one known word it is a slip away from, wherever it stands by itself", () => {
  const known = indexNames(new Set(["advertising", "station", "merian", "marian"]));
  const question = "was advertsing for unadvertsing more than advertsing?";
  assert.deepEqual(withCorrectedWords(question, ["advertsing"], known), {
    text: "was advertising for unadvertsing more than advertising?",
    misspelt: [{ typed: "advertsing", name: "advertising" }],
  });
  for (const unclear of ["morian", "station", "advertisings"])
    assert.deepEqual(withCorrectedWords(`a ${unclear}`, [unclear], known).misspelt, [], unclear);
});
