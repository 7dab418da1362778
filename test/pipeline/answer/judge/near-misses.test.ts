import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { z } from "../../../../src/core/schema.ts";
import { notesFor } from "../../../../src/language/notes/notes.ts";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

const reason = (
  sentence: string,
  text: string,
  question: string,
  headings: readonly string[] = [],
): string => {
  const verdicts = judge(
    `${sentence} [1]`,
    [{ marker: 1, text, chunk: chunkOf(text, { headings }) }],
    question,
  );
  const lost = verdicts.find(({ support }) => support === "unsupported");
  return lost?.reason ?? (verdicts.length === 0 ? "nothing" : "");
};

const pumps = "Model | Pressure (PSI) | Flow (l/min)\nHP-100 | 120 | 40\nHP-200 | 150 | 65";
const sales = "Net sales | fiscal 2023 | fiscal 2022\nEurope | 120 | 98\nAsia | 45 | 51";

describe("a number of an answer", () => {
  it("is of the row and the column that the answer says", () => {
    const question = "What is the pressure of the HP-200?";
    assert.equal(reason("The pressure of the HP-200 is 150 PSI.", pumps, question), "");
    for (const wrong of ["The pressure of the HP-200 is 120 PSI.", "The pressure of the HP-200 is 65 PSI."])
      assert.match(reason(wrong, pumps, question), /but for something else/);
  });

  it("is not of something else because other numbers stand beside the name that heads the passage", () => {
    const text =
      "Tel: 01983 873655\nThe Elms Residential Home has room for a maximum of 32 people. At the time of our visit 28 people lived at The Elms Residential Home.";
    const question = "What is the telephone number of The Elms Residential Home?";
    const headings = ["The Elms Residential Home"];
    assert.equal(reason("01983 873655", text, question, headings), "");
    assert.match(reason("32", text, question, headings), /no telephone number/);
  });

  it("is not of something else because people are counted beside a telephone number, whatever heads the passage", () => {
    const text =
      "The Elms Residential Home\n43 Sea Road PO35 5XN Date of visit: 7 and 10 July 2015 Tel: 01983 873655\nThe Elms Residential Home has room for a maximum of 32 people. At the time of our visit 28 people lived at The Elms Residential Home.";
    const question = "What is the telephone no for The Elms Residential Home?";
    assert.equal(reason("01983 873655", text, question, ["Inspection report"]), "");
    assert.match(reason("32", text, question, ["Inspection report"]), /no telephone number/);
  });

  it("is an identifier of a heading where that has words of the question", () => {
    const headings = ["Filed: Jan 14 2013 Filing ID 48897809 Case Number 515,2012"];
    const text = "The board voted against the plan.";
    assert.equal(reason("48897809", text, "What is the filing id in this document?", headings), "");
    assert.match(reason("48897809", text, "How many votes were cast?", headings), /does not appear/);
  });

  it("counts what is asked for in a multiple of its unit as well", () => {
    const text =
      "In a typical year the forest absorbs 1.5 gigatons of carbon. It has 0.6 tons of carbon per hectare.";
    const question = "How many tons of carbon does the forest absorb in a typical year?";
    assert.equal(reason("The forest absorbs 1.5 gigatons of carbon in a typical year.", text, question), "");
  });

  it("is of the period that is asked for, in whatever words that is written", () => {
    const question = "What were net sales in Europe in FY2023?";
    assert.equal(reason("Net sales in Europe were 120 in the 2023 financial year.", sales, question), "");
    assert.equal(
      reason("Net sales in Europe were 98.", sales, question),
      "98 appears in [1] for fiscal 2022, not for fy2023",
    );
    const quarter = "Revenue was 3,673 in the three months ended March 31, 2023.";
    assert.match(
      reason("Revenue was 3,673 in fiscal 2023.", quarter, "What was revenue in fiscal 2023?"),
      /not for/,
    );
  });

  it("is the user's own year where the passage names that year in other words", () => {
    const text = "Inventories rose due to 47 new stores opened since the fiscal year ended January 29, 2022.";
    const question = "Why did merchandise inventories rise in FY2022?";
    assert.equal(reason("Inventories rose in FY2022 due to 47 new stores.", text, question), "");
  });

  it("is of the year that stands in the same place of its series", () => {
    const text =
      "Depreciation was $4.9 billion, $6.4 billion, and $8.8 billion, which includes leases of $2.7 billion, $3.8 billion, and $5.4 billion for 2015, 2016, and 2017.";
    const question = "What was depreciation in 2017?";
    assert.equal(reason("4.9 billion", text, question), "4.9 appears in [1] for 2015, not for 2017");
    assert.equal(reason("Depreciation was $8.8 billion.", text, question), "");
    assert.equal(reason("Depreciation was $6.4 billion in 2016.", text, "What was depreciation?"), "");
    assert.match(reason("Leases were $3.8 billion in 2017.", text, "What were leases?"), /for 2016/);
  });

  it("is no total because it stands in one row", () => {
    const text = "Product | Month | Revenue\nWidget B | January | 12,500\nWidget B | February | 17,300";
    const question = "What is the total revenue of Widget B?";
    assert.equal(
      reason("The total revenue of Widget B is 12,500.", text, question),
      "12,500 is one row in [1], not the total",
    );
    assert.equal(
      reason("The total revenue of Widget B is 29,800.", `${text}\nTotal Widget B | | 29,800`, question),
      "",
    );
  });

  it("is of what is asked, not of another total", () => {
    const balance = "Millions | 2021 | 2020\nLong-term debt | 6,692 | 7,514\nTotal assets | 59,268 | 55,556";
    const question = "What is the total debt in 2021?";
    assert.match(reason("The total debt in 2021 is 59,268.", balance, question), /but for something else/);
  });
});

describe("a sentence that stands in the passage", () => {
  it("may be about one of two things that are asked, and then has enough of that one", () => {
    const texts = [
      "Lockout/tagout (LOTO) is the procedure by which machines are kept off while somebody works on them.",
      "The required PPE is safety glasses, cut-resistant gloves and safety shoes.",
    ];
    const passages = texts.map((text, at) => ({
      marker: at + 1,
      text,
      chunk: chunkOf(text, { headings: [] }),
    }));
    const said = "LOTO is the procedure by which machines are kept off while somebody works on them. [1]";
    const verdicts = judge(said, passages, "What is LOTO and what PPE is required?");
    assert.deepEqual(
      verdicts.map(({ support }) => support),
      ["supported"],
    );
  });

  it("is not taken from a passage without any name of the question where another one has it", () => {
    const texts = [
      "Anna Berg repaired the pump of the press house in March for 400 euros.",
      "In the pump house of Norderau a repair cost 9,000 euros in March.",
    ];
    const passages = texts.map((text, at) => ({
      marker: at + 1,
      text,
      chunk: chunkOf(text, { documentId: `${at}`, sourceName: `${at}.md`, headings: [], title: "" }),
    }));
    const question = "What did the repair of the pump in Norderau cost in March?";
    const verdictOn = (sentence: string) => judge(sentence, passages, question)[0];
    assert.equal(
      verdictOn("The repair of the pump cost 400 euros. [1]")?.reason,
      "[1] is about something other than Norderau",
    );
    assert.equal(verdictOn("The repair cost 9,000 euros. [2]")?.support, "supported");
    const ofOne = passages.map(({ chunk, ...rest }) => ({ ...rest, chunk: { ...chunk, documentId: "0" } }));
    const [near] = judge("The repair of the pump cost 400 euros. [1]", ofOne, question);
    assert.equal(near?.support, "supported");
    const handbook = ["Employees get 28 vacation days per year.", "Acme was founded in 1990."].map(
      (text, at) => ({
        marker: at + 1,
        text,
        chunk: chunkOf(text, { documentId: `${at}`, sourceName: `${at}.md`, headings: [], title: "" }),
      }),
    );
    const days = "How many vacation days do employees of Acme get?";
    assert.equal(judge("Employees get 28 vacation days. [1]", handbook, days)[0]?.support, "supported");
    const elsewhere = ["Amsterdam is the capital of the Netherlands.", "Exports to Holland rose."].map(
      (text, at) => ({
        marker: at + 1,
        text,
        chunk: chunkOf(text, { documentId: `${at}`, sourceName: `${at}.md`, headings: [], title: "" }),
      }),
    );
    const [capital] = judge("Amsterdam is the capital. [1]", elsewhere, "What is the capital of Holland?");
    assert.equal(capital?.support, "supported");
    const paid = "What did the repair of the pump in Norderau cost in March, and who paid for it?";
    assert.equal(
      judge("The repair of the pump cost 400 euros. [1]", passages, paid)[0]?.support,
      "unsupported",
    );
    const both = "Who runs the mill of Norderau, and what did Anna Berg repair?";
    const [answer] = judge("Anna Berg repaired the pump. [1]", passages, both);
    assert.equal(answer?.support, "supported");
  });

  it("is not taken from a passage that has far less of the question than another", () => {
    const texts = [
      "The pump of the press house is a P-103. Anna Berg serviced the pump of the press house in March.",
      "The canteen of the house opens at noon. Carl Lind runs it.",
    ];
    const passages = texts.map((text, at) => ({ marker: at + 1, text, chunk: chunkOf(text, {}) }));
    const verdictOn = (sentence: string) =>
      judge(sentence, passages, "Who serviced the pump of the press house?")[0];
    assert.equal(verdictOn("Anna Berg [1]")?.support, "supported");
    assert.equal(
      verdictOn("Carl Lind [2]")?.reason,
      "another passage matches the question far better than [2]",
    );
    assert.equal(verdictOn("Carl Lind [1][2]")?.support, "supported");
  });

  it("has a number where the question asks for an amount without saying how much", () => {
    const text =
      "Net sales of the mill were 4,100 in 2021. The notes are a part of these net sales statements.";
    const question = "What were the net sales of the mill in FY2021?";
    assert.equal(reason("Net sales of the mill were 4,100.", text, question), "");
    assert.match(
      reason("The notes are a part of these net sales statements.", text, question),
      /gives no number|something else/,
    );
  });

  it("has the digits of a telephone number that is asked for", () => {
    const text =
      "The board watches over homes. People could write to the board, but there were no telephone numbers.";
    const said = "The board has no telephone numbers.";
    assert.equal(
      reason(said, text, "What is the telephone number of the board?"),
      "gives no telephone number, which the question asks for",
    );
    assert.equal(reason("Tel: 555 0102", "Board, Tel: 555 0102", "What is the phone no of the board?"), "");
    assert.match(
      reason("Die Behörde hat keine.", "Die Behörde hat keine.", "Wie lautet die Telefonnummer der Behörde?"),
      /Telefonnummer/,
    );
  });

  it("has more of the question than the unit that it counts", () => {
    const contract =
      "The executive gets the shares. The executive gets 20 vacation days in each year. Days not taken are lost.";
    const said = "20 vacation days in each year.";
    assert.equal(
      reason(said, contract, "How many days of parental leave do employees have?"),
      "has nothing to do with the question",
    );
    assert.equal(reason(said, contract, "How many days of leave are there?"), "");
    assert.equal(reason(said, contract, "How many days are there?"), "");
  });

  it("is no answer when it answers something else", () => {
    const text =
      "Press and hold the down button to start the assistant. The watch displays the number of a caller.";
    const question = "What happens when I press and hold the down button?";
    assert.equal(reason("It starts the assistant.", text, question), "");
    assert.match(reason("The watch displays the number of a caller.", text, question), /something else/);
  });

  it("does not say the opposite of what the passage says", () => {
    for (const [question, text, wrong] of [
      ["Does the warranty cover seals?", "The warranty does not cover seals.", "The warranty covers seals."],
      [
        "Được hút thuốc trong kho không?",
        "Nhân viên không được hút thuốc trong kho.",
        "Nhân viên được hút thuốc trong kho.",
      ],
      [
        "Darf man die Halle betreten?",
        "Besucher dürfen die Halle nicht betreten.",
        "Besucher dürfen die Halle betreten.",
      ],
    ] as const) {
      const { opposite, restricted } = notesFor(question).judged;
      assert.ok([opposite("[1]"), restricted("[1]")].includes(reason(wrong, text, question)), wrong);
      assert.equal(reason(text, text, question), "");
    }
  });

  it("says nothing opposite where it leaves out what the passage negates besides", () => {
    const text =
      "The inspector wrote that the old labels were misleading and that a label was not an indication of quality, but stood for the place of storage, so that a good label was no guarantee.";
    const said =
      "The inspector found the old labels misleading and that a label was not an indication of quality, but stood for the place of storage.";
    assert.equal(reason(said, text, "What did the inspector find about the labels?"), "");
    assert.equal(
      reason(said.replace("was not an", "was an"), text, "What did the inspector find about the labels?"),
      "[1] says the opposite",
    );
  });

  it("does not let fall what the passage says has risen", () => {
    const text =
      "SG&A expenses increased 16.2% to $2.4 billion compared to $2.1 billion in fiscal 2021. As a percentage of net sales, SG&A expenses decreased to 23.5% compared to 23.9%.";
    const question = "What happened to SG&A expenses?";
    assert.match(reason("SG&A expenses decreased 16.2% to $2.4 billion.", text, question) ?? "", /opposite/);
    const stores = "Marketing expenses of the northern stores increased.";
    const fell = "Marketing expenses of the northern stores decreased.";
    assert.equal(reason(fell, stores, "What of marketing expenses?"), "[1] says the opposite");
    for (const right of [
      "SG&A expenses rose 16.2% to $2.4 billion.",
      "SG&A expenses were $2.4 billion, 16.2% higher than before.",
      "SG&A expenses decreased to 23.5% of net sales from 23.9%.",
    ])
      assert.equal(reason(right, text, question), "", right);
    assert.equal(reason("Sales did not decrease.", "Sales increased.", "Did sales decrease?"), "");
    const german = "Der Umsatz stieg 2023 um 4,2 Prozent auf 310 Millionen Euro.";
    assert.match(
      reason("Der Umsatz sank 2023 um 4,2 Prozent.", german, "Wie war der Umsatz?") ?? "",
      /Gegenteil/,
    );
    const vietnamese = "Doanh thu năm 2023 tăng 4,2% lên 310 tỷ đồng.";
    assert.match(reason("Doanh thu năm 2023 giảm 4,2%.", vietnamese, "Doanh thu ra sao?") ?? "", /ngược lại/);
  });

  it("counts what the question asks to count", () => {
    for (const [question, text, wrong, right] of [
      [
        "How many tons of gravel does the northern quarry hold?",
        "The northern quarry has 40 lorries and 3 cranes. It holds 9,000 tons of gravel.",
        "The northern quarry has 40 lorries.",
        "The northern quarry holds 9,000 tons.",
      ],
      [
        "Mỏ đá phía bắc có bao nhiêu tấn sỏi?",
        "Mỏ đá phía bắc có 40 xe tải và 3 cần cẩu. Trong mỏ có 9.000 tấn sỏi.",
        "Mỏ đá phía bắc có 40 xe tải.",
        "Trong mỏ có 9.000 tấn sỏi.",
      ],
    ] as const) {
      assert.ok(reason(wrong, text, question).startsWith(notesFor(question).judged.countsElse("")), wrong);
      assert.equal(reason(right, text, question), "");
    }
    const town = "The flood of 1820 drove 900 inhabitants out. In 1830 the town had 4,000 people.";
    assert.equal(
      reason("The flood drove 900 inhabitants out.", town, "How many people did the flood drive out?"),
      "",
    );
    const cash = "The buyer pays 5 million in cash for the northern quarry.";
    assert.equal(reason(cash, cash, "How much money does the buyer pay for the northern quarry?"), "");
  });

  it("may count in another unit of the same measure", () => {
    const text = "Each parent may take 19 weeks of parental leave. Birth is announced 30 days before.";
    const question = "How many days of parental leave do parents get?";
    assert.equal(reason("Each parent may take 19 weeks of parental leave.", text, question), "");
    assert.match(reason("Each parent may take it 2 times.", `${text} It is taken 2 times.`, question), /./);
    const pit = "The pit is 40 metres deep. It lies 3 miles from the town.";
    assert.equal(reason("The pit is 40 metres deep.", pit, "How many miles deep is the pit?"), "");
  });

  it("takes the fields of a form for what is said of one thing", () => {
    const text = [
      "Conditions: | Visual | Light: Day",
      "Departure Point: | Sandquay, ME (SQF) | Flight Plan: None",
      "Destination: | Alderton, NH (ALF) | Clearance: None",
      "Departure Time: | 1200 EST | Airspace:",
    ].join("\n");
    const question = "Where did the airplane that hit the frozen lake depart from?";
    assert.equal(reason("It departed from Sandquay, ME (SQF) at 1200 EST.", text, question), "");
  });

  it("is not of another year than the one that is asked about", () => {
    const text = "The Panthers finished the 2015 season well: 24 interceptions. They had four in 2016–17.";
    const question = "How many interceptions did the Panthers have in 2006?";
    const who = "Which team had 24 interceptions in 2006?";
    assert.equal(reason("The Panthers.", text, who), "[1] is about 2015, not 2006");
    assert.equal(reason("The Panthers.", text, who.replace("2006", "2015")), "");
    assert.equal(reason("The Panthers.", text, who.replace("2006", "2017")), "");
    const undated = "The Panthers defense had 24 interceptions.";
    assert.equal(reason("24 interceptions", undated, question), "");
    assert.equal(reason("24 interceptions", undated, question, ["Season of 2006"]), "");
    const decade = "In the 1890s the torch was shown. It was sold from 1903.";
    assert.equal(reason("The torch was shown.", decade, "What was shown in 1892?"), "");
    assert.match(reason("The torch was shown.", decade, "What was shown in 1872?"), /not 1872/);
  });

  it("has something to do with the question, where it is a number alone too", () => {
    const text =
      "The rate limit of the bridge is 11.2 per second.\nThe author thanks the annotators for all claims.";
    const question = "How much will the author spend if the annotators finish all claims?";
    assert.match(reason("11.2", text, question), /./);
    assert.equal(reason("11.2", text, "What is the rate limit of the bridge?"), "");
  });

  it("denies nothing that the passage does not speak of", () => {
    const text = "Page 10 lists the directors of the company.";
    const question = "How many red logos are there on page 10?";
    assert.match(
      reason("There are no red logos on page 10.", text, question),
      /says nothing about red, logo/,
    );
  });

  it("does not say of one company what the report of another says", () => {
    const text = "Net sales increased 18.3% to $10.2 billion compared to $8.6 billion in fiscal 2021.";
    const question = "Which company had higher net sales, Ulta Beauty or Amcor?";
    const said = (statement: string) =>
      judge(
        `${statement} [1]`,
        [{ marker: 1, text, chunk: chunkOf(text, { sourceName: "ULTABEAUTY_2023Q4.pdf" }) }],
        question,
      )[0]?.reason;
    assert.equal(said("Amcor had net sales of $10.2 billion."), "[1] is about something other than Amcor");
    assert.equal(said("Ulta Beauty had net sales of $10.2 billion."), "");
    assert.equal(
      said("Ulta Beauty had higher net sales, with $10.2 billion, compared to $8.6 billion for Amcor."),
      "[1] is about something other than Amcor",
    );
  });

  it("does not say of a name in the question what the passage says of another", () => {
    const text =
      "The Broncos defeated the Pittsburgh Steelers in the divisional round, 23–16. They then beat the Patriots. He was named coach of the year.";
    const reason = (question: string, statement: string, title = ""): string =>
      judge(
        `${statement} [1]`,
        [{ marker: 1, text, chunk: chunkOf(text, { sourceName: "season.md", title }) }],
        question,
      )[0]?.reason ?? "";
    const asked = "Who did the Harbour Mills beat in the divisional round?";
    const said = "Harbour Mills beat the Pittsburgh Steelers in the divisional round.";
    assert.equal(reason(asked, said), "[1] is about something other than Harbour Mills");
    assert.equal(reason(asked, said, "Season of Harbour Mills"), "", "the document is about it");
    assert.equal(
      reason(asked.replace("Harbour Mills", "Bronco"), said.replace("Harbour Mills", "Bronco")),
      "",
    );
    assert.equal(
      reason("Was Gary Kubiak named coach of the year?", "Gary Kubiak was named coach of the year."),
      "",
      "a pronoun stands for any name",
    );
  });

  it("rests on a passage that has a name of the question, or more than one word of it", () => {
    const roads =
      "The first two highways successfully opened up the rainforest and led to increased settlement.";
    assert.equal(
      reason(roads, roads, "With what has the Montreal Protocol successfully dealt?"),
      "has nothing to do with the question",
    );
    const band = "Lindisfarne are a folk-rock group with a strong Tyneside connection.";
    assert.equal(reason("folk-rock", band, "What genre of music is Lindisfarne classified as?"), "");
    const leave = "Le personnel a droit à vingt-cinq jours ouvrés de vacances chaque année.";
    const inOtherWords = "Combien de jours de congé un salarié peut-il prendre par an ?";
    assert.equal(reason(leave, leave, inOtherWords), "");
  });

  it("is no query in a language of databases", () => {
    const text = "Select one of 3 positions. There is 1 spare part for every pump.";
    for (const wrong of ["select 1", "SELECT count(*) FROM pumps", "select name, price from parts"])
      assert.equal(reason(wrong, text, "How many pumps are there?"), "is a query, not an answer");
    assert.equal(reason("Select one of 3 positions.", text, "How many positions can I select?"), "");
  });
});

it("keeps the labelled right sentences, and removes nine of ten near misses", () => {
  const pair = z.object({
    question: z.string(),
    passage: z.string(),
    sentence: z.string(),
    keep: z.boolean(),
    headings: z.array(z.string()).optional(),
  });
  const path = join(import.meta.dirname, "../../../../fixtures/judged-sentences.jsonl");
  const pairs = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => pair.parse(JSON.parse(line)));
  const kept = pairs.map((one) => reason(one.sentence, one.passage, one.question, one.headings) === "");
  const of = (keep: boolean): number[] =>
    pairs.flatMap((one, at) => (one.keep === keep ? [Number(kept[at])] : []));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  assert.equal(mean(of(true)), 1);
  assert.ok(mean(of(false)) <= 0.15, `${mean(of(false))} of the near misses pass`);
});

describe("“mean” in a question", () => {
  const data = "Property | HP-200A | HP-200S\nNPSH required | 3.4 m | 3.8 m\nRated head | 52 m | 49 m";
  const row = "The NPSH required for the HP-200A is 3.4 m.";

  for (const question of [
    "What does NPSH required mean for the HP-200A?",
    "What does it mean that the NPSH required of the HP-200A is low?",
  ])
    it(`is no average in “${question}”`, () => {
      assert.equal(reason(row, data, question), "");
    });

  for (const question of [
    "What is the mean NPSH required for the HP-200A?",
    "What does the mean NPSH required for the HP-200A come to?",
  ])
    it(`is one in “${question}”`, () => {
      assert.match(reason(row, data, question), /one row/);
    });
});
