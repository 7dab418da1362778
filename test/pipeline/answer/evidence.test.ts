import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isWithinOneTypo, namesIn } from "../../../src/language/names.ts";
import { evidence, evidenceDefaults } from "../../../src/pipeline/answer/evidence.ts";
import { analyzeQuestion } from "../../../src/pipeline/answer/question.ts";
import { describeInsufficiency } from "../../../src/pipeline/answer/refuse.ts";
import { chunkOf, hitOf } from "../fixtures.ts";

const hits = [
  hitOf("Total current liabilities at year end 2017 were 5,466 million dollars.", {
    sourceName: "NETFLIX_2017_10K.pdf",
  }),
];

it("finds enough where the passage speaks of what is asked", () => {
  assert.ok(
    evidence(analyzeQuestion("What were Netflix's total current liabilities at year end FY2017?"), hits)
      .enough,
  );
});

it("finds too little when the company asked about occurs nowhere, and names it", () => {
  const found = evidence(
    analyzeQuestion("What were Coca Cola's total current liabilities at year end FY2017?"),
    hits,
  );
  assert.equal(found.enough, false);
  assert.deepEqual(found.missingNames, ["Coca Cola"]);
});

it("finds a state of the US by its code behind the name of a place", () => {
  const passage = hitOf("Location: Wausau, WI. The Skyhawk nosed over on the snow of the runway.");
  const asked = "What did the Skyhawk do on the runway at Wausau, Wisconsin?";
  assert.deepEqual(evidence(analyzeQuestion(asked), [passage]).missingNames, []);
  const elsewhere = "What did the Skyhawk do on the runway at Wausau, Ohio?";
  assert.deepEqual(evidence(analyzeQuestion(elsewhere), [passage]).missingNames, ["Ohio"]);
});

it("finds too little when a code occurs nowhere, and reads one however it is joined", () => {
  const codes = [
    hitOf("Fault codes of the monitoring unit\nE1: seal leaks\nE12: dry-run protection tripped"),
  ];
  const found = evidence(analyzeQuestion("What does E2 mean?"), codes);
  assert.deepEqual([found.enough, found.missingNames], [false, ["E2"]]);
  assert.deepEqual(evidence(analyzeQuestion("What does E12 mean?"), codes).missingNames, []);
  assert.deepEqual(evidence(analyzeQuestion("Where is P-103?"), [hitOf("P 103 is here")]).missingNames, []);
  assert.deepEqual(
    evidence(analyzeQuestion("What were sales in FY22, Q3, Q22023 and H12024?"), codes).missingNames,
    [],
  );
});

it("finds enough whichever of the first three passages holds what is asked, in any form of its words", () => {
  const asked = analyzeQuestion("What protective equipment do I have to wear?");
  const other = hitOf("Which protection for which job: goggles for acid, ear muffs for the test bay.");
  const answer = hitOf("Protective equipment: safety shoes and eye protection are worn everywhere.");
  for (const passages of [
    [answer, other, other],
    [other, answer, other],
    [other, other, answer],
  ]) {
    const { score, enough, signals } = evidence(asked, passages, evidenceDefaults, 0.66);
    assert.deepEqual([enough, signals.first], [true, 1], String(score));
  }
});

it("asks for more likely than not where a name occurs nowhere, unless nothing is to be refused", () => {
  const text = "Peyton Manning became the first quarterback to lead two different teams to the Super Bowl.";
  const passages = [hitOf(text)];
  const strange = analyzeQuestion("How many teams did Peyton Manakintown lead to a Super Bowl?");
  const found = evidence(strange, passages, { ...evidenceDefaults, threshold: 0.1 });
  assert.deepEqual([found.missingNames, found.threshold], [["Peyton Manakintown"], 0.5]);
  assert.ok(found.score > 0.1 && !found.enough, String(found.score));
  const known = evidence(analyzeQuestion(strange.text.replace("Manakintown", "Manning")), passages);
  assert.deepEqual([known.missingNames, known.threshold, known.enough], [[], 0.24, true]);
  assert.equal(evidence(strange, passages, { ...evidenceDefaults, threshold: 0 }).enough, true);
});

describe("a hit that is read with its page", () => {
  const prose = "Between 2003 and 2007, the City rezoned almost 18 percent of its land area.";
  const table = chunkOf("Borough | Share\nThe Bronx | 18.4%\nQueens, unit Q-4 | 8.1%", {
    id: "v1-1",
    ordinal: 1,
  });
  const alone = hitOf(prose, { id: "v1-0" });
  const page = [{ ...alone, around: [alone.chunk, table] }];
  const asked = analyzeQuestion("What percentage of land area was rezoned in the Bronx from 2003 to 2007?");

  it("is looked through for names and codes as it is read", () => {
    const found = evidence(asked, page);
    assert.deepEqual([found.missingNames, found.namesBeside, found.enough], [[], ["Bronx"], true]);
    const code = evidence(analyzeQuestion("What percentage of land area was rezoned around Q-4?"), page);
    assert.deepEqual([code.missingNames, code.namesBeside], [[], ["Q-4"]]);
    assert.deepEqual(evidence(asked, [alone]).missingNames, ["Bronx"]);
  });

  it("lacks no number that it is read with", () => {
    const priced = [{ ...alone, around: [alone.chunk, chunkOf("Lots | 1250", { id: "v1-2", ordinal: 1 })] }];
    const numbered = analyzeQuestion("Were 1250 or 3400 lots rezoned?");
    assert.deepEqual(evidence(numbered, priced).missingNumbers, ["3400"]);
    assert.deepEqual(evidence(numbered, [alone]).missingNumbers, ["1250", "3400"]);
  });

  it("is weighed otherwise by the chunk that was found", () => {
    const { missingNames: _, isStrange: __, ...own } = evidence(asked, page).signals;
    const { missingNames: ___, isStrange: ____, ...found } = evidence(asked, [alone]).signals;
    assert.deepEqual(own, found);
  });

  it("must answer more likely than not where a name stands only beside what was found", () => {
    assert.equal(evidence(asked, page).threshold, 0.5);
    const named = [hitOf(`${prose} The Bronx had most.`)];
    assert.deepEqual([evidence(asked, named).threshold, evidence(asked, named).namesBeside], [0.24, []]);
  });

  it("is refused for what is true of it", () => {
    const lackOf = (question: string, hits: typeof page): string =>
      describeInsufficiency(question, evidence(analyzeQuestion(question), hits));
    assert.equal(
      lackOf("Who won the cup in the Bronx in 1999?", page),
      "not enough evidence: none of the closest passages contains 1999; only text next to them mentions Bronx",
    );
    assert.equal(
      lackOf("Who won the cup of Xanadu in the Bronx in 1999?", page),
      "not enough evidence: none of the closest passages mentions Xanadu or contains 1999; only text next to them mentions Bronx",
    );
    assert.equal(
      lackOf("Who won the cup in the Bronx?", page),
      "not enough evidence: only text next to the closest passages mentions Bronx",
    );
    assert.equal(
      lackOf("Wer hat 1999 den Pokal gewonnen?", page),
      "die Belege reichen nicht aus: keine der nächstliegenden Textstellen enthält 1999",
    );
  });
});

it("takes the form in which a date is asked for as no name", () => {
  for (const form of ["YYYY-MM-DD", "DD-MM-YYYY", "JJJJ-MM-TT"])
    assert.deepEqual(namesIn(`Format the date of Acme as ${form}.`), ["Acme"]);
  assert.deepEqual(namesIn("What does the COVID-19 plan of AA-DLH say?"), ["COVID-19", "AA-DLH"]);
});

it("forgives a slip of the pen in a name", () => {
  assert.deepEqual(
    evidence(analyzeQuestion("What were total current liabilities of Netfilx in 2017?"), hits).missingNames,
    [],
  );
  assert.ok(
    isWithinOneTypo("netflix", "neflix") &&
      !isWithinOneTypo("apple", "april") &&
      !isWithinOneTypo("2017", "2016"),
  );
});

it("takes the number of a page, and a question in capitals, for no names", () => {
  for (const question of [
    "What is shown in the picture on Page 5?",
    "How many people are in the pictures in Pages 30-35?",
    "WHAT IS THE COLOUR OF THE LOGO?",
    "Was zeigt die Abbildung auf Seite 12?",
  ])
    assert.deepEqual(namesIn(question), [], question);
  assert.deepEqual(namesIn("What did Page and Brin found on Page 5?"), ["Page", "Brin"]);
});

it("takes months and words of address for no names", () => {
  assert.deepEqual(namesIn("What was paid to Acme on January 28, 2023? Round Your answer."), ["Acme"]);
  assert.ok(isWithinOneTypo("ghandi", "gandhi") && !isWithinOneTypo("march", "charm"));
});

it("names years that occur nowhere", () => {
  assert.deepEqual(
    evidence(analyzeQuestion("What were Netflix's liabilities in FY2022?"), hits).missingNumbers,
    ["2022"],
  );
});

it("finds a name written together in a file name", () => {
  const found = evidence(analyzeQuestion("How many stores does Best Buy have?"), [
    hitOf("The company has 978 stores.", { sourceName: "BESTBUY_2023_10K.pdf" }),
  ]);
  assert.deepEqual(found.missingNames, []);
});

it("finds nothing in nothing, and keeps its score between 0 and 1", () => {
  assert.equal(evidence(analyzeQuestion("anything"), []).score, 0);
  for (const cosine of [-1, 0.3, 0.7, 1]) {
    const { score } = evidence(analyzeQuestion("current liabilities"), hits, evidenceDefaults, cosine);
    assert.ok(score >= 0 && score <= 1);
  }
});

it("rises with the cosine", () => {
  const at = (cosine: number): number =>
    evidence(analyzeQuestion("what does the firm owe soon"), hits, evidenceDefaults, cosine).score;
  assert.ok(at(0.8) > at(0.6));
});

it("reads Vietnamese questions", () => {
  const notes = [hitOf("Đối với chuẩn đầu ra ngoại ngữ là tiếng Pháp, sinh viên cần tối thiểu DELF_B1.")];
  assert.ok(evidence(analyzeQuestion("Chuẩn đầu ra tiếng Pháp là gì?"), notes).enough);
  assert.equal(evidence(analyzeQuestion("Thủ đô của Mông Cổ là thành phố nào?"), notes).enough, false);
});

it("takes capitalised runs inside a sentence for names, not its first word", () => {
  assert.deepEqual(namesIn("Does Foot Locker pay? Round it. What of AES's EBITDA in FY2022?"), [
    "Foot Locker",
    "AES",
  ]);
});

it("finds less where many passages speak of the same than where one stands out", () => {
  const asked = analyzeQuestion("How many Pro Bowl players did the Panthers defense have?");
  const answering = hitOf("The Panthers defense had four Pro Bowl players.", { id: "v-0" });
  const other = (at: number, text: string) => hitOf(text, { id: `v-${at}` });
  const alike = [1, 2, 3].map((at) => other(at, `The Panthers defense met Pro Bowl players in game ${at}.`));
  const apart = [1, 2, 3].map((at) => other(at, `The stadium has gate ${at}.`));
  const scoreOf = (others: typeof alike): number => evidence(asked, [answering, ...others]).score;
  assert.ok(scoreOf(apart) > scoreOf(alike));
});

it("finds less where no passage has the year that is asked about beside the rest", () => {
  const asked = analyzeQuestion("What were Netflix's total current liabilities in 2011?");
  const elsewhere = hitOf("The film of 2011 won a prize.", { id: "v-1", sourceName: "films.md" });
  const now = analyzeQuestion("What were Netflix's total current liabilities in 2017?");
  assert.ok(evidence(asked, [...hits, elsewhere]).score < evidence(now, [...hits, elsewhere]).score / 2);
});

it("gives a probability that knows nothing of cosines the same place as one between far and near", () => {
  const asked = analyzeQuestion("total current liabilities of Netflix");
  const [low, high] = evidenceDefaults.cosineRange;
  const middle = evidence(asked, hits, evidenceDefaults, (low + high) / 2).score;
  assert.ok(Math.abs(evidence(asked, hits).score - middle) < 1e-9);
});
