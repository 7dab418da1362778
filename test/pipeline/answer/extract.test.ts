import assert from "node:assert/strict";
import { it } from "node:test";
import { sentences } from "../../../src/language/sentences.ts";
import { stem } from "../../../src/language/terms.ts";
import { context } from "../../../src/pipeline/answer/context.ts";
import { bestQuote, extract, support } from "../../../src/pipeline/answer/extract.ts";
import { focus } from "../../../src/pipeline/answer/focus.ts";
import { readQuestion } from "../../../src/pipeline/answer/question.ts";
import { countWords as count, hitOf } from "../fixtures.ts";

it("splits sentences by language rules, not at abbreviations, and at line ends", () => {
  assert.deepEqual(sentences("Acme Inc. grew by 3.5 percent. Dr. Lee left.\nNext line"), [
    "Acme Inc. grew by 3.5 percent.",
    "Dr. Lee left.",
    "Next line",
  ]);
});

it("takes the sentence that answers, with the number of its passage", () => {
  const hits = [
    hitOf("The garden is large. Many roses grow there."),
    hitOf("The library opens at nine. It closes at five in the evening."),
  ];
  const found = extract(
    readQuestion("When does the library open?"),
    context(readQuestion("When does the library open?"), hits, { maxTokens: 500, maxPassages: 5, count }),
    1,
  );
  assert.deepEqual(
    found.map(({ text, marker }) => [text, marker]),
    [["The library opens at nine.", 2]],
  );
});

it("takes a telling word of a long form for the abbreviation, not a word that stands in many others", () => {
  const hits = [
    hitOf("The equipment list is personal. Eye protection is worn at the grinder. The test is required."),
  ];
  const asked = readQuestion("Which PPE is required?");
  const found = extract(asked, context(asked, hits, { maxTokens: 500, maxPassages: 5, count }), 1);
  assert.deepEqual(
    found.map(({ text }) => text),
    ["Eye protection is worn at the grinder."],
  );
});

it("leaves out what shares one word of a long form where another passage has the whole of it", () => {
  const told = (question: string, ...texts: string[]): readonly string[] => {
    const asked = readQuestion(question);
    const built = context(
      asked,
      texts.map((text) => hitOf(text)),
      { maxTokens: 500, maxPassages: 5, count },
    );
    return extract(asked, built, 3).map(({ text }) => text);
  };
  const steps = "Lock-out and tag-out are done here. Hang your own red tag on the switch.";
  assert.deepEqual(told("What is LOTO?", "The tag of this pump is blue, tag it.", steps), sentences(steps));
  const sheet = "The safety data sheet comes with each drum.";
  assert.deepEqual(told("What is an SDS?", "Safety shoes are worn.", sheet), [sheet]);
  const shield = "The face shield is protection for grinding.";
  assert.deepEqual(told("Which PPE is there?", "Protective equipment is personal.", shield).length, 2);
  assert.deepEqual(told("What is the BOM?", "Materials are heavy."), ["Materials are heavy."]);
});

it("answers a follow-up by its own words, not by those it carries from earlier turns", () => {
  const hits = [hitOf("The crane of the north hall lifts 40 tonnes. It was last inspected on 4 May 2025.")];
  const question = "When was it last inspected? (tonnes crane north hall lift)";
  const found = extract(
    readQuestion(question),
    context(readQuestion(question), hits, { maxTokens: 500, maxPassages: 5, count }),
    1,
  );
  assert.deepEqual(
    found.map(({ text }) => text),
    ["It was last inspected on 4 May 2025."],
  );
});

it("works for Vietnamese", () => {
  const hits = [hitOf("Sinh viên nộp học phí vào đầu học kỳ. Thư viện mở cửa lúc tám giờ sáng.")];
  const found = extract(
    readQuestion("Thư viện mở cửa lúc mấy giờ?"),
    context(readQuestion("Thư viện mở cửa lúc mấy giờ?"), hits, { maxTokens: 500, maxPassages: 5, count }),
    1,
  );
  assert.equal(found[0]?.text, "Thư viện mở cửa lúc tám giờ sáng.");
});

it("finds nothing in no passages", () => {
  assert.deepEqual(
    extract(
      readQuestion("anything"),
      context(readQuestion("anything"), [], { maxTokens: 500, maxPassages: 5, count }),
      3,
    ),
    [],
  );
});

it("quotes the nearest sentence of a passage", () => {
  assert.equal(
    bestQuote(
      "Revenue rose to 12 million.",
      "Costs fell. Revenue rose by 4 to 12 million euros. Staff stayed.",
    ),
    "Revenue rose by 4 to 12 million euros.",
  );
});

it("quotes the sentence that shares most with a claim, numbers counting twice, however long it is", () => {
  const passage =
    "stanford.example/spacy\nThe badge replacement fee at Bergedorf is 12 euro.\nFor the experiments with long documents we took three models, Stanford NER, spaCy and a recurrent network, as they come.\nIn 2021 we took none.";
  assert.match(
    bestQuote("The models are Stanford NER, spaCy and a recurrent network.", passage),
    /^For the experiments/,
  );
  assert.equal(
    bestQuote("The fee is 12 euro.", passage),
    "The badge replacement fee at Bergedorf is 12 euro.",
  );
  assert.equal(bestQuote("It was 2021.", passage), "In 2021 we took none.");
});

it("weighs an invented number against a sentence", () => {
  const passage = "Revenue was 12 million in 2020.";
  assert.ok(
    support("Revenue was 12 million in 2020.", passage) > support("Revenue was 15 million in 2021.", passage),
  );
  assert.equal(support("Revenue was 12 million.", passage), 1);
});

it("meets plurals and endings with their stem", () => {
  for (const [left, right] of [
    ["stores", "store"],
    ["opened", "opens"],
    ["companies", "company"],
    ["stopped", "stop"],
  ] as const)
    assert.equal(stem(left), stem(right));
});

const sheet = [
  "Sales",
  "",
  "From sales.xlsx, sheet 'Sales':",
  "- Product: Widget A",
  "- Region: North",
  "- Revenue: 10000",
  "- Product: Widget B",
  "- Region: South",
  "- Revenue: 12000",
  "- Product: Widget C",
  "- Revenue: 4400",
].join("\n");

it("quotes the row of a spreadsheet, not the line that says where it is from", () => {
  assert.equal(
    bestQuote("Widget B had sales of 12000 in the South.", sheet),
    "- Product: Widget B\n- Region: South\n- Revenue: 12000",
  );
  assert.equal(bestQuote("Widget C: 4400", sheet), "- Product: Widget C\n- Revenue: 4400");
});

it("answers from whole rows of a spreadsheet, never from one cell of a row or from where it is from", () => {
  const quoted = (asked: string): readonly string[] => {
    const question = readQuestion(asked);
    const built = context(question, [hitOf(sheet)], { maxTokens: 500, maxPassages: 5, count });
    return extract(question, built, 1).map((each) => each.text);
  };
  assert.deepEqual(quoted("Which product was sold in the South?"), [
    "Product: Widget B; Region: South; Revenue: 12000",
  ]);
  const from = quoted("From which sheet of sales.xlsx is the revenue?");
  assert.ok(from.every((text) => !text.startsWith("From")));
});

it("quotes the sentence that shows the numbers of a claim, not a heading with more of its words", () => {
  const passage =
    "Most credits in one main semester\n\nStudents with a mean of 8.0 may register for up to 30 credits.";
  assert.equal(
    bestQuote("The most credits in one main semester are 30 credits.", passage),
    "Students with a mean of 8.0 may register for up to 30 credits.",
  );
});

it("quotes no row of another year than the one asked for, and shows which cell is of which", () => {
  const quoted = (text: string, asked: string): readonly string[] => {
    const question = readQuestion(asked);
    const built = context(question, [hitOf(text)], { maxTokens: 500, maxPassages: 5, count });
    return extract(question, built, 3).map((each) => each.text);
  };
  const rows = "Revenue by year\n\nYear | Revenue of the mill\n2021 | 410\n2022 | 455\n2023 | 470";
  assert.deepEqual(quoted(rows, "What was the revenue of the mill in 2022?"), [
    "Year | Revenue of the mill",
    "2022 | 455",
  ]);
  const columns = "Accounts\n\nEUR | 2022 | 2021\nRevenue of the mill | 455 | 410\nCosts | 300 | 290";
  assert.deepEqual(quoted(columns, "What was the revenue of the mill in 2021?"), [
    "EUR | 2022 | 2021",
    "Revenue of the mill | 455 | 410",
  ]);
  assert.deepEqual(quoted(columns, "What was the revenue of the mill in 2019?"), []);
  assert.equal(quoted(rows, "What was the revenue of the mill from 2021 to 2023?").length, 3);
});

it("quotes an item of a list by its words, not by its number", () => {
  const steps = "Descaling\n1. Fill the tank with 2 l of water.\n2. Press the button for five seconds.";
  assert.equal(
    bestQuote("2. Press the button for five seconds.", steps),
    "Press the button for five seconds.",
  );
  assert.equal(bestQuote("1. Fill the tank with 2 l of water.", steps), "Fill the tank with 2 l of water.");
});

it("shows the rows of a table whose header is nearest to a list asked for, and else no bare header", () => {
  const quoted = (asked: string, ...texts: readonly string[]): readonly string[] => {
    const question = readQuestion(asked);
    const hits = texts.map((text, at) => hitOf(text, { id: `v${at}-0` }));
    const built = context(question, hits, { maxTokens: 500, maxPassages: 5, count });
    return extract(question, built, 3).map((each) => each.text);
  };
  const faults =
    "Code | Meaning | Remedy\nE1 | Water tank empty | Fill the tank\nE2 | Grinder blocked | Clean it";
  assert.deepEqual(quoted("What are the fault codes?", faults), faults.split("\n"));
  assert.deepEqual(
    quoted(
      "When are invoices due?",
      "Invoices are due 30 days after delivery.",
      "Action | Owner | Due\nPrint the plan | Tom Wilk | 20 June",
    ),
    ["Invoices are due 30 days after delivery."],
  );
  const long = `Reader | Tablet computer\nAged 65 | ${"among those who read every day of the week at home ".repeat(12)}`;
  assert.deepEqual(quoted("How common is the tablet computer?", long), []);
  const cutOff = "Tablet computers owned | 18% | 17%\nReaders owned | 12% | 11%";
  assert.deepEqual(quoted("How many tablet computers are owned?", cutOff), cutOff.split("\n"));
});

it("takes the row of a table that answers by the header above it, however near another stands to that", () => {
  const table = [
    "part | description | unit price",
    "HP2-1220 | Mechanical seal | 418.50",
    "HP2-1225 | Casing gasket | 11.20",
    "HP2-1402 | Bearing | 57.90",
  ].join("\n");
  const asked = readQuestion("What is the unit price of part HP2-1225?");
  const cut = focus({ terms: asked.alternatives, number: true }, table, 18, count);
  assert.ok(cut.includes("11.20") && !cut.includes("418.50"));
  const hits = [hitOf(table), hitOf("Parts without it are sent back at the cost of who sent them.")];
  const [first] = extract(asked, context(asked, hits, { maxTokens: 500, maxPassages: 5, count }), 1);
  assert.equal(first?.text, "HP2-1225 | Casing gasket | 11.20");
});

it("shows what has a number before the rest where one is asked for, however its own words are", () => {
  const passage = [
    "Acme Tools presents cash and cash equivalents of Acme Tools by fiscal year.",
    "Acme Tools holds cash equivalents of Acme Tools for the fiscal year at banks.",
    "Liquid funds | $1,874 | $2,936",
    "Twelve accounts are open.",
  ].join("\n");
  const shown = (question: string, maxTokens: number): string =>
    context(readQuestion(question), [hitOf(passage)], {
      maxTokens: 500,
      maxPassages: 5,
      focusTokens: maxTokens,
      count,
    }).passages[0]?.text ?? "";
  const asked = "What is cash and cash equivalents of Acme Tools for the fiscal year?";
  assert.ok(!shown(asked, 6).includes("1,874"));
  for (const form of ["Answer in millions.", "Round to one decimal.", "Give an integer."])
    assert.match(shown(`${asked} ${form}`, 6), /1,874.*\n.*Twelve/u);
});

it("shows the sentence nearest to the question though it is longer than its passage may be", () => {
  const sentence = `Rent expense associated with operating leases was $34.7 million for the year ended December 31, 2015${", as leases of offices and of data centres are accounted for".repeat(2)}.`;
  const passage = ["Complaints were filed in June.", sentence, "The court dismissed them."].join("\n");
  const hits = [hitOf("Leases are of many kinds."), hitOf(passage)];
  const shown = (question: string, focusTokens: number): string =>
    context(readQuestion(question), hits, { maxTokens: 500, maxPassages: 5, focusTokens, count }).passages[1]
      ?.text ?? "";
  const asked = "What was the rent expense of operating leases in 2015?";
  assert.ok(count(sentence) > 20 && count(sentence) <= 40);
  assert.equal(shown(asked, 20), sentence);
  assert.ok(!shown(asked, 10).includes(sentence), "but not at any length");
});

it("quotes no piece of an address", () => {
  const question = readQuestion("How many children does Hannah Kamen have?");
  const passage =
    'See index.php?title=Hannah_Kamen&oldid=85677"\n\ntitle=Hannah_Kamen&children=1"\n\nHannah Kamen was born in 1989.';
  const found = extract(
    question,
    context(question, [hitOf(passage)], { maxTokens: 500, maxPassages: 5, count }),
    3,
  );
  assert.deepEqual(
    found.map(({ text }) => text),
    ["Hannah Kamen was born in 1989."],
  );
});

it("quotes no row of periods or empty cells, and no document of another company than the one named", () => {
  const question = readQuestion("What drove the cost of revenue of Acme Tools in 2023?");
  const found = (...hits: Parameters<typeof hitOf>[]) =>
    extract(
      question,
      context(
        question,
        hits.map((hit) => hitOf(...hit)),
        { maxTokens: 500, maxPassages: 5, count },
      ),
      3,
    ).map(({ text }) => text);
  const other =
    "Year Ended June 30, | 2023 | 2022\nCost of revenue: |  |\nProduct cost of revenue | 17,804 | 19,064";
  assert.deepEqual(found([other]), [
    "Year Ended June 30, | 2023 | 2022",
    "Product cost of revenue | 17,804 | 19,064",
  ]);
  assert.deepEqual(
    found([other], ["The cost of revenue rose with freight.", { sourceName: "ACMETOOLS_2023.pdf" }]),
    ["The cost of revenue rose with freight."],
  );
});

it("quotes the row of a table that says it, not a header that has the name and its number", () => {
  const data = [
    "Table 3: technical data",
    "Property | HP-200A | HP-200S",
    "Casing | Cast iron | Duplex steel",
    "Liquid temperature | -10 to 110 °C | -30 to 140 °C",
  ].join("\n");
  assert.equal(
    bestQuote("Yes, the HP-200S pump can handle a liquid at 120 °C.", data),
    "Liquid temperature | -10 to 110 °C | -30 to 140 °C",
  );
  assert.equal(
    bestQuote("HP-200A and HP-200S", "Property | HP-200A | HP-200S"),
    "Property | HP-200A | HP-200S",
  );
});

for (const [name, text] of [
  [
    "items of a list",
    "Leave grows with the years of service:\n- under 5 years: 25 days of leave\n- 5 to 10 years: 28 days of leave\n- more than 10 years: 31 days of leave",
  ],
  [
    "sentences",
    "Employees with less than five years of service have 25 days of leave. Employees with 5–10 years have 28 days of leave. Employees with more than 10 years of service have 31 days of leave.",
  ],
  [
    "rows whose header names the unit",
    "Years of service | Days of leave\nunder 5 | 25 days\n5–10 | 28 days\nover 10 | 31 days",
  ],
  [
    "rows that name it themselves",
    "Service | Leave\nless than 5 years | 25 days\n5–10 years | 28 days\nmore than 10 years | 31 days",
  ],
] as const)
  it(`quotes of ${name} the one whose range holds the amount asked`, () => {
    const quoted = (question: string): string => {
      const asked = readQuestion(question);
      const built = context(asked, [hitOf(text)], { maxTokens: 500, maxPassages: 5, count });
      return extract(asked, built, 3)
        .map((found) => found.text)
        .join("\n");
    };
    const daysIn = (told: string): readonly string[] => told.match(/2[58] days|31 days/g) ?? [];
    assert.deepEqual(daysIn(quoted("How many days of leave do I have after seven years?")), ["28 days"]);
    assert.deepEqual(daysIn(quoted("How much leave is there for employees with 12 years of service?")), [
      "31 days",
    ]);
    assert.deepEqual(daysIn(quoted("How many days of leave for employees with under two years?")), [
      "25 days",
    ]);
  });

it("quotes the German band that holds the amount asked", () => {
  const text =
    "Urlaub nach Betriebsjahren:\n- weniger als 5 Jahre: 25 Urlaubstage\n- 5 bis 10 Jahre: 28 Urlaubstage\n- mehr als 10 Jahre: 31 Urlaubstage";
  const asked = readQuestion("Wie viele Urlaubstage habe ich nach 7 Jahren?");
  const built = context(asked, [hitOf(text)], { maxTokens: 500, maxPassages: 5, count });
  assert.match(
    extract(asked, built, 3)
      .map((found) => found.text)
      .join("\n"),
    /^[^\n]*28 Urlaubstage[^\n]*$/,
  );
});
