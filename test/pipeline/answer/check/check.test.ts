import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Chunk } from "../../../../src/core/documents/chunk.ts";
import { checkAnswer } from "../../../../src/pipeline/answer/check/check.ts";
import { analyzeQuestion } from "../../../../src/pipeline/answer/question.ts";
import { chunkOf } from "../../fixtures.ts";

/** Passages in order, each of a document of its own. */
const passagesOf = (texts: readonly (readonly [text: string, fields?: Partial<Chunk>])[]) =>
  texts.map(([text, fields = {}], at) => ({
    marker: at + 1,
    text,
    chunk: chunkOf(text, { id: `v${at}-0`, documentId: `d${at}`, ...fields }),
  }));

const check = (
  question: string,
  texts: readonly (readonly [text: string, fields?: Partial<Chunk>])[],
  answer: string,
) => checkAnswer(answer, passagesOf(texts), analyzeQuestion(question));

/** Each sentence with its support. */
const supportOf = ({ sentences }: ReturnType<typeof check>) =>
  sentences.map(({ text, support, reason }) => [text, support, reason]);

/** Asserts that every sentence of an answer is supported. */
function assertWhole(checked: ReturnType<typeof check>): void {
  assert.deepEqual(
    checked.sentences
      .filter(({ support }) => support !== "supported")
      .map(({ text, reason }) => [text, reason]),
    [],
  );
  assert.deepEqual([checked.contradictions, checked.untied], [[], []]);
}

describe("an answer is supported whole where", () => {
  it("one statement gives the values of two rows by their names", () => {
    assertWhole(
      check(
        "How much debt has Quarry Works in 2023?",
        [
          [
            "(In millions) | 2023 | 2022\nCurrent portion of long-term debt | 5,247 | 2,749\nLong-term debt | 41,990 | 47,032",
          ],
        ],
        "2023: current portion of long-term debt 5,247 + long-term debt 41,990 = 47,237. [1]",
      ),
    );
  });

  it("totals come first and what they add up to afterwards", () => {
    assertWhole(
      check(
        "Has Quarry Works increased its debt between 2022 and 2023?",
        [
          [
            "(In millions) | 2023 | 2022\nCurrent portion of long-term debt | 5,247 | 2,749\nLong-term debt | 41,990 | 47,032",
          ],
        ],
        "No. Debt fell by $2,544 million, from $49,781 million in 2022 to $47,237 million in 2023 (49,781 − 47,237 = 2,544) [1].\n\nThe totals are worked out from these lines:\n- 2023: 5,247 + 41,990 = 47,237 [1]\n- 2022: 2,749 + 47,032 = 49,781 [1]",
      ),
    );
  });

  it("a sum shows its parts, which stand in different rows", () => {
    assertWhole(
      check(
        "What did all repairs of PMP-7 cost in 2024?",
        [
          [
            "no | date | work | parts | labour | total\nR-12 | 2024-04-11 | Pump 7: seal torn, replaced | 240.5 | 60.25 | 300.75\nR-31 | 2024-05-28 | Pump 7: bearing worn, replaced | 279.8 | 0 | 279.8\nR-44 | 2024-08-07 | Pump 7: shaft bent, replaced | 226.55 | 0 | 226.55",
          ],
        ],
        "EUR 807.10 for three repairs: 300.75 + 279.80 + 226.55 = 807.10. [1]",
      ),
    );
  });

  it("a number is joined to the name of the file, or a short sentence has a noun of the question's language", () => {
    assertWhole(
      check(
        "Welche Fristen gelten nach der Hausordnung?",
        [
          [
            "Der Antrag ist bis zum 3. Mai 2026 zu stellen. Die Kaution wird in zwei Wochen gezahlt.",
            { sourceName: "Hausordnung rev7.docx", title: "Hausordnung" },
          ],
        ],
        "Es gilt Revision 7 der Hausordnung. [1] Dazu kommen zwei Fristen:\n\n- Antrag bis zum 3. Mai 2026 [1]\n- Kaution in zwei Wochen [1]",
      ),
    );
  });

  it("a month of the minutes gets its year from the heading", () => {
    const checked = check(
      "Wer deckt das Dach der Scheune neu, und was kostet das?",
      [
        [
          "Der Auftrag für das Scheunendach geht an die Zimmerei Lührs für 21.300 €. Ursprünglich sollte Bedachung Tamm den Auftrag für 20.450 € bekommen, hat aber abgesagt. Lührs fängt im September an.",
          { title: "Protokoll der Vorstandssitzung vom 12. Mai 2026", headings: ["TOP 4 Scheune"] },
        ],
      ],
      "Die Zimmerei Lührs deckt das Dach für 21.300 €; sie fängt im September 2026 an [1]. Ursprünglich sollte Bedachung Tamm den Auftrag für 20.450 € bekommen [1].",
    );
    assertWhole(checked);
  });

  it("a number is part of the document's title", () => {
    const checked = check(
      "May a contractor use its own lock?",
      [
        [
          "Contractors hang their own lock beside the one of the works if it carries their name. Otherwise they are lent a blue lock.",
          { title: "WI-022 Isolation of machines, revision 7", headings: ["6 Contractors"] },
        ],
      ],
      "Yes, under WI-022 revision 7 a contractor hangs its own lock beside that of the works if it carries the name [1]. Otherwise it is lent a blue lock [1].",
    );
    assertWhole(checked);
  });

  it("a date is worked out from a date and a duration that the sentence gives", () => {
    const checked = check(
      "By when must spare parts for the winter stop be ordered?",
      [
        ["The winter stop begins on Monday 14 December 2026.", { title: "Plan of stops" }],
        ["Parts must be ordered six weeks before a planned stop.", { title: "Purchasing rules" }],
      ],
      "Monday 2 November 2026: parts must be ordered six weeks before the stop, which begins on Monday 14 December 2026 [1][2].",
    );
    assertWhole(checked);
    assert.match(checked.sentences[0]?.derivation ?? "", /2026-12-14 - six wk/);
  });

  it("a number is the difference of two that it gives", () => {
    const checked = check(
      "Um wieviel lagen die Einnahmen vom Hoffest 2025 unter denen von 2024?",
      [["Hoffest | Einnahmen\n2024 | 2.140,30 €\n2025 | 1.765,85 €", { title: "Kassenbericht 2025" }]],
      "Die Einnahmen lagen um 374,45 € niedriger: 1.765,85 € statt 2.140,30 € [1].",
    );
    assertWhole(checked);
  });

  it("a number word is the difference of two numbers of earlier sentences", () => {
    const checked = check(
      "How does parental leave compare between the two handbooks?",
      [
        ["On the birth of a child employees have twelve days of leave.", { title: "Handbook 2023" }],
        ["On the birth of a child employees have three days of leave.", { title: "Handbook 2026" }],
      ],
      "The handbook of 2023 gave twelve days [1]. That of 2026 gives three days, nine days fewer [2].",
    );
    assertWhole(checked);
  });

  it("it counts what it lists, gives a formula, and names codes of a range", () => {
    const checked = check(
      "Which presses are in hall 2, and how did their output grow?",
      [
        ["Hall 2 has the presses PR-010, PR-014 and PR-019.", { sourceName: "halls.md" }],
        ["Machines PR-001 to PR-040 are inspected yearly. Output was 410 t in 2024 and 492 t in 2025.", {}],
      ],
      "There are three presses in hall 2 [1]:\n- PR-010 [1]\n- PR-014 [1]\n- PR-019 [1]\n\nPR-025 is inspected yearly [2]. Output grew by 20 % ((492 - 410) / 410) [2].",
    );
    assertWhole(checked);
  });

  it("a month stands in a column under a year, and a code in a file name", () => {
    const checked = check(
      "What did IT spend in March 2026 under WO-2025-0117?",
      [
        [
          "Department | Jan | Feb | Mar\nIT | 400 | 510 | 640\nSales | 300 | 310 | 330",
          { title: "Costs 2026", sourceName: "WO-2025-0117.xlsx" },
        ],
      ],
      "IT spent 640 in March 2026 under WO-2025-0117 [1].",
    );
    assertWhole(checked);
  });
});

describe("a statement is marked, and kept, where", () => {
  it("a value is in no cited passage and follows from nothing", () => {
    const checked = check(
      "What does a box cost?",
      [["A box costs 0.37 EUR.", {}]],
      "The box costs 0.37 EUR [1]. It holds 1,225 screws [1].",
    );
    assert.deepEqual(supportOf(checked), [
      ["The box costs 0.37 EUR.", "supported", ""],
      ["It holds 1,225 screws.", "partial", "1,225 does not appear in [1]"],
    ]);
  });

  it("another passage has the value", () => {
    const checked = check(
      "How long is the warranty?",
      [
        ["The pump has a warranty.", {}],
        ["The warranty runs for 24 months.", {}],
      ],
      "The warranty runs for 24 months [1].",
    );
    assert.deepEqual(supportOf(checked), [
      ["The warranty runs for 24 months.", "partial", "24 is in [2], not in [1]"],
    ]);
  });
});

describe("a statement is contradicted where", () => {
  const leave: readonly [string, Partial<Chunk>] = [
    "Years of service | Days of annual leave\n0 to 2 | 24\n3 to 5 | 26\n6 to 9 | 28\n10 and more | 30",
    { headings: ["2 Leave"] },
  ];

  it("the row that it names has another value", () => {
    const checked = check(
      "How much leave?",
      [leave],
      "With 3 to 5 years of service annual leave is 28 days [1].",
    );
    assert.deepEqual(
      checked.contradictions.map(({ value, marker, quote }) => [value, marker, quote]),
      [["28", 1, "3 to 5 | 26"]],
    );
  });

  it("but not where it names the row of its value", () => {
    for (const said of [
      "Annual leave is 26 days for 3 to 5 years of service [1].",
      "With 10 and more years of service there are 30 days of annual leave [1].",
    ])
      assertWhole(check("How much leave?", [leave], said));
  });

  const costs: readonly [string, Partial<Chunk>] = [
    "Site | Kind | 2024 | 2025\nHallmere | Rent | 410 | 480\nHallmere | Power | 95 | 102\nBrackwell | Rent | 388 | 395",
    { title: "Costs of sites" },
  ];

  it("all labels that it names are of a row with another value in the year it names", () => {
    for (const [said, quote] of [
      ["The rent of the Hallmere site was 410 in 2025 [1].", "Hallmere | Rent | 410 | 480"],
      ["The rent of the Brackwell site was 480 in 2025 [1].", "Brackwell | Rent | 388 | 395"],
      ["Power for the Hallmere site cost 480 in 2025 [1].", "Hallmere | Power | 95 | 102"],
    ] as const)
      assert.deepEqual(
        check("What do the sites cost?", [costs], said).contradictions.map((each) => each.quote),
        [quote],
      );
  });

  it("but not by a row of another thing, of another year, or named no better than another", () => {
    for (const said of [
      "The rent of the Hallmere site was 480 in 2025 [1].",
      "The rent of the warehouse in Lyme was 480 in 2025 [1].",
      "The rent of the Hallmere site was 500 in 2021 [1].",
      "The rent of both sites was 480 in 2025 [1].",
    ])
      assert.deepEqual(check("What do the sites cost?", [costs], said).contradictions, []);
  });

  it("a sentence on the same subject has another value", () => {
    const checked = check(
      "How long is the probation period?",
      [["The probation period of new employees is six months.", {}]],
      "The probation period of new employees is three months [1].",
    );
    assert.equal(checked.contradictions.length, 1);
    assert.equal(checked.sentences[0]?.support, "unsupported");
  });

  it("but not by a sentence on another subject or of another time", () => {
    const checked = check(
      "How long is the probation period?",
      [
        [
          "In 2024 the probation period of new employees was six months. The notice period is four weeks.",
          {},
        ],
      ],
      "In 2026 the probation period of new employees is three months [1].",
    );
    assert.deepEqual(checked.contradictions, []);
    assert.equal(checked.sentences[0]?.support, "partial");
  });
});
