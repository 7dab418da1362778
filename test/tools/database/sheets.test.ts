import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { columnIndex, columnLetters } from "../../../src/core/documents/cells.ts";
import { commonFormat, readColumn } from "../../../src/tables/cells.ts";
import { safeName } from "../../../src/tables/names.ts";
import open from "../../../src/tools/database/database-query.ts";
import { callOf, drivers, run, scriptedModel, tables } from "../support.ts";

const pumps = {
  documentId: "d1",
  sourceName: "equipment_data.xlsx",
  sheet: "Pumps",
  range: "B3:E7",
  headerRows: 1,
  rows: [
    ["Tag", "Max Pressure (PSI)", "Building", "Price"],
    ["P-101", "150", "North", "$1,200.50"],
    ["P-102", "80 ", "South", "$900"],
    ["P-103", "n/a", "North", "$2,000"],
    ["P-104", "300", "North", "$10"],
  ],
};
const orders = {
  documentId: "d2",
  sourceName: "orders.csv",
  sheet: "",
  headerRows: 1,
  rows: [
    ["Order", "Note"],
    ["1", "it's DROP TABLE pumps; --"],
    ["2", "plain"],
  ],
};
const row = { name: "Database Query", type: "database_query", config: {}, permissions: {} } as const;
const call = callOf("Database Query", "database_query");

describe("cells of a sheet", () => {
  it("become numbers only when every filled one is a number of one unit", () => {
    assert.deepEqual(readColumn(["1,200", "3.5", "-", ""]), {
      type: "real",
      unit: "",
      cells: [1200, 3.5, null, null],
    });
    assert.deepEqual(readColumn(["12%", "7.5%"]), { type: "real", unit: "%", cells: [12, 7.5] });
    assert.deepEqual(readColumn(["150 PSI", "80 PSI"]), { type: "integer", unit: "PSI", cells: [150, 80] });
    assert.deepEqual(readColumn(["($1,200.50)", "$3"]), { type: "real", unit: "$", cells: [-1200.5, 3] });
    assert.equal(readColumn(["150 PSI", "10 bar"]).type, "text");
    assert.deepEqual(readColumn(["00123", "00124"]), { type: "text", unit: "", cells: ["00123", "00124"] });
    assert.deepEqual(readColumn(["P-101", "7"]).cells, ["P-101", "7"]);
    assert.equal(readColumn(["12345678901234567890"]).type, "text");
  });

  it("are read in the format of their column, and not at all where that is open", () => {
    const cells = (...texts: string[]) => readColumn(texts).cells;
    assert.deepEqual(cells("52.400,00", "1.200", "12,5"), [52_400, 1200, 12.5]);
    assert.deepEqual(cells("1 234,5", "12 000"), [1234.5, 12_000]);
    assert.deepEqual(cells("1'234.50", "99.95"), [1234.5, 99.95]);
    assert.deepEqual(cells("(1,200)", "950"), [-1200, 950]);
    assert.deepEqual(cells("1.200,00-", "10,00"), [-1200, 10]);
    assert.deepEqual(readColumn(["12 %", "7,5 %"]), { type: "real", unit: "%", cells: [12, 7.5] });
    assert.deepEqual(readColumn(["€ 1.200", "€ 950"]), { type: "integer", unit: "€", cells: [1200, 950] });
    assert.deepEqual(readColumn(["1.200,50 €", "3,00 €"]), { type: "real", unit: "€", cells: [1200.5, 3] });
    assert.deepEqual(cells("CHF 1'200.00", "CHF 3.50"), [1200, 3.5]);
    assert.deepEqual(cells("1.5", "0.125"), [1.5, 0.125]);
    assert.deepEqual(cells("1,5", "1,200"), [1.5, 1.2]);
    // 1200 and 3400, or 1.2 and 3.4: nobody can tell.
    assert.equal(readColumn(["1.200", "3.400"]).type, "text");
    assert.deepEqual(readColumn(["1.200", "3.400"], "comma").cells, [1200, 3400]);
    assert.equal(readColumn(["1,234.50", "1.234,50"]).type, "text");
    assert.equal(readColumn(["12 34", "1"]).type, "text");
    const columns = [
      ["Nord", "Süd"],
      ["1.200", "3.400"],
      ["7,5", "8,25"],
    ];
    assert.equal(commonFormat(columns), "comma");
  });

  it("become dates only where day and month cannot be mistaken", () => {
    assert.deepEqual(readColumn(["2024-05-01", "2024-12-31"]), {
      type: "date",
      unit: "",
      cells: ["2024-05-01", "2024-12-31"],
    });
    assert.deepEqual(readColumn(["01/05/2024", "31/12/2024"]).cells, ["2024-05-01", "2024-12-31"]);
    assert.equal(readColumn(["01/05/2024", "02/06/2024"]).type, "text");
    assert.deepEqual(readColumn(["May 2, 2024", "12 Jun 2024"]).cells, ["2024-05-02", "2024-06-12"]);
    assert.equal(readColumn(["2024-02-31"]).type, "text");
  });

  it("get names that SQL takes, unlike one another", () => {
    const taken = new Set<string>();
    assert.deepEqual(
      ["Order", "order", "Áp suất (bar)", "50%", "", "Đơn giá", '"; DROP'].map((heading) =>
        safeName(heading, "column_a", taken),
      ),
      ["c_order", "c_order_2", "ap_suat_bar", "c_50_percent", "column_a", "don_gia", "c_drop"],
    );
    for (const index of [0, 25, 26, 701, 702]) assert.equal(columnIndex(columnLetters(index)), index);
  });
});

describe("the sheets of documents", () => {
  it("answer counts, sums, averages, extremes and look-ups without a model, citing file, sheet and the cells that were used", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(pumps, orders) }));
    const cases: readonly (readonly [string, readonly (readonly unknown[])[], string])[] = [
      ["How many pumps are in the North building?", [[3]], "Pumps!B4:E4, B6:E7"],
      ["What is the price of P-102?", [[900]], "Pumps!B5:E5"],
      ["What is the average max pressure of the pumps?", [[530 / 3]], "Pumps!B4:E7"],
      ["What is the total price of pumps in the North building?", [[3210.5]], "Pumps!B4:E4, B6:E7"],
      ["Which pump has the highest pressure?", [["P-104", 300]], "Pumps!B7:E7"],
      ["Which pumps have a price over 1000?", [["P-101"], ["P-103"]], "Pumps!B4:E4, B6:E6"],
    ];
    for (const [question, rows, section] of cases) {
      const { findings, data } = await tool.call(call, question, run());
      assert.deepEqual(data["rows"], rows, `${question}: ${data["sql"]}`);
      assert.equal(data["produced_by"], "template");
      assert.deepEqual(
        findings.map((finding) => [finding.source, finding.section]),
        [["equipment_data.xlsx", section]],
        question,
      );
    }
  });

  it("are cited by the rows and columns they have in their sheet", async () => {
    const gaps = { ...pumps, range: "A1:H9", rowNumbers: [3, 4, 7, 9], columnNumbers: [0, 2, 5, 7] };
    await using tool = await open(row, drivers({ sheets: () => tables(gaps) }));
    const { findings } = await tool.call(call, "Which pumps are in the North building?", run());
    assert.equal(findings[0]?.section, "Pumps!A3:H3, A7:H7, A9:H9");
  });

  it("answer though the question does not name the sheet, and the heading ends in its unit", async () => {
    const prices = {
      documentId: "d3",
      sourceName: "prices.xlsx",
      sheet: "Prices",
      range: "A1:C4",
      headerRows: 1,
      rows: [
        ["Article", "Price EUR", "Stock"],
        ["A-100", "14.50", "320"],
        ["A-104", "389.00", "6"],
        ["A-105", "1.20", "1500"],
      ],
    };
    const sales = {
      ...prices,
      sheet: "Sales",
      range: "A1:C4",
      rows: [
        ["Month", "Region", "Revenue EUR"],
        ["2025-01", "North", "2105"],
        ["2025-01", "South", "3578.5"],
        ["2025-02", "North", "3789"],
      ],
    };
    await using tool = await open(row, drivers({ sheets: () => tables(prices, sales, pumps) }));
    for (const [question, rows] of [
      ["Which article has the lowest stock?", [["A-104", 6]]],
      ["Which article has the highest price in EUR?", [["A-104", 389]]],
      ["Which article has the highest price?", [["A-104", 389]]],
      ["What is the total revenue for the region North?", [[5894]]],
    ] as const) {
      const { data } = await tool.call(call, question, run());
      assert.deepEqual(data["rows"], rows, `${question}: ${data["sql"]}`);
    }
    // Two sheets have a price: which one is meant stays open.
    await assert.rejects(tool.call(call, "What is the highest price?", run()), { code: "TOOL_FAILED" });
  });

  it("answer though their name ends in a number, which is no condition on a row", async () => {
    const quarter = {
      ...orders,
      sourceName: "orders.xlsx",
      sheet: "Orders Q1",
      rows: [
        ["Order", "Customer", "Quantity", "Amount"],
        ["O-1", "Aker Hull", "3", "120.50"],
        ["O-2", "Norsk Rig", "2", "80"],
        ["O-3", "Aker Hull", "1", "9.50"],
      ],
    };
    await using tool = await open(row, drivers({ sheets: () => tables(quarter, pumps) }));
    for (const [question, rows] of [
      ["What is the total quantity in Orders Q1?", [[6]]],
      ["What is the sum of Amount in Orders Q1 for Aker Hull?", [[130]]],
      ["How many orders in Orders Q1 have a quantity above 1?", [[2]]],
    ] as const) {
      const { data } = await tool.call(call, question, run());
      assert.deepEqual(data["rows"], rows, `${question}: ${data["sql"]}`);
    }
    // Which quarter is meant is not for the first one to answer.
    await assert.rejects(tool.call(call, "What is the total quantity in Orders Q2?", run()), {
      code: "TOOL_FAILED",
    });
  });

  it("count what a column of numbers holds where that is asked for, and name a row by its number", async () => {
    const cables = {
      ...pumps,
      sheet: "Cable Meters",
      range: "A1:C4",
      rows: [
        ["Cable", "Hall", "Meters"],
        ["C-1", "North", "120"],
        ["C-2", "South", "80"],
        ["C-3", "North", "40"],
      ],
    };
    const bought = {
      ...pumps,
      sheet: "Orders",
      range: "A1:C4",
      rows: [
        ["Order", "Customer", "Amount"],
        ["11", "Aker Hull", "120.50"],
        ["12", "Norsk Rig", "80"],
        ["13", "Aker Hull", "300"],
      ],
    };
    await using tool = await open(row, drivers({ sheets: () => tables(cables, bought) }));
    for (const [question, text] of [
      ["How many meters of C-2 are there?", "Meters of Cable Meters where Cable is C-2: 80"],
      [
        "How many meters are in the North hall?",
        "Sum of Meters in Cable Meters where Hall is North (2 rows): 160\nCable | Meters | Hall\nC-1 | 120 | North\nC-3 | 40 | North",
      ],
      [
        "How many cables are in the North hall?",
        "Number of rows of Cable Meters where Hall is North: 2\nCable | Hall\nC-1 | North\nC-3 | North",
      ],
      ["How many orders are there?", "Number of rows of Orders: 3\nOrder: 11; 12; 13"],
      [
        "What is the highest amount of the orders?",
        "Row with the highest Amount in Orders: Order 13, Amount 300",
      ],
      ["Which orders have an amount over 100?", "Order of Orders where Amount is over 100 (2 found): 11; 13"],
    ] as const) {
      const { findings, data } = await tool.call(call, question, run());
      assert.equal(findings[0]?.text, text, String(data["sql"]));
    }
  });

  it("tell a fraction with the digits of a calculator", async () => {
    const rows = [
      ["Part", "Price"],
      ["Seal", "0.1"],
      ["Ring", "0.2"],
    ];
    const parts = { ...orders, sourceName: "parts.csv", rows };
    await using tool = await open(row, drivers({ sheets: () => tables(parts) }));
    const { findings, data } = await tool.call(call, "What is the total price of the parts?", run());
    assert.match(findings[0]?.text ?? "", /: 0\.3$/m);
    assert.deepEqual(data["rows"], [[0.1 + 0.2]]);
  });

  it("tell the result of a template in words, with its unit and the rows it rests on where they are few", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(pumps) }));
    for (const [question, text] of [
      [
        "How many pumps are in the North building?",
        "Number of rows of Pumps where Building is North: 3\nTag | Building\nP-101 | North\nP-103 | North\nP-104 | North",
      ],
      ["What is the price of P-102?", "Price of Pumps where Tag is P-102: $900"],
      [
        "What is the average max pressure of the pumps?",
        "Average Max Pressure in Pumps (3 rows): 176.67 PSI\nTag | Max Pressure (PSI)\nP-101 | 150\nP-102 | 80\nP-104 | 300",
      ],
      [
        "What is the total price of pumps in the North building?",
        "Sum of Price in Pumps where Building is North (3 rows): $3,210.50\nTag | Price ($) | Building\nP-101 | 1200.5 | North\nP-103 | 2000 | North\nP-104 | 10 | North",
      ],
      [
        "Which pump has the highest pressure?",
        "Row with the highest Max Pressure in Pumps: Tag P-104, Max Pressure 300 PSI",
      ],
      [
        "What is the highest max pressure?",
        "Row with the highest Max Pressure in Pumps: Tag P-104, Max Pressure 300 PSI",
      ],
      [
        "Which pumps have a price over 1000?",
        "Tag of Pumps where Price is over $1000 (2 found): P-101; P-103",
      ],
      ["Which pumps have a price over 5000?", "No row matches: Pumps where Price is over $5000"],
    ] as const) {
      const { findings, data } = await tool.call(call, question, run());
      assert.equal(findings[0]?.text, text, String(data["sql"]));
    }
  });

  it("compare one column with another", async () => {
    const spares = {
      ...pumps,
      sheet: "Spares",
      range: "A1:D4",
      rows: [
        ["Part number", "In stock", "Minimum", "Lead time (days)"],
        ["A-1", "3", "4", "20"],
        ["A-2", "6", "4", "35"],
        ["A-3", "2", "2", "14"],
      ],
    };
    await using tool = await open(row, drivers({ sheets: () => tables(spares) }));
    for (const [question, text] of [
      [
        "Which spare parts are below their minimum stock?",
        "Row of Spares where In stock is under Minimum: Part number A-1, In stock 3, Minimum 4",
      ],
      [
        "Which spares have more in stock than their minimum?",
        "Row of Spares where In stock is over Minimum: Part number A-2, In stock 6, Minimum 4",
      ],
      [
        "Which spare part has the lowest stock?",
        "Row with the lowest In stock in Spares: Part number A-3, In stock 2",
      ],
    ] as const) {
      const { findings, data } = await tool.call(call, question, run());
      assert.equal(findings[0]?.text, text, String(data["sql"]));
    }
    // Below what the minimum of each is, is not said.
    await assert.rejects(tool.call(call, "How many spare parts are below their minimum?", run()), /no model/);
  });

  it("say what a model's query counts in words", async () => {
    const model = scriptedModel("SELECT COUNT(*) FROM pumps WHERE tag LIKE 'P-1%'");
    await using tool = await open(row, drivers({ sheets: () => tables(pumps), model }));
    const { findings } = await tool.call(call, "Which pumps should we not repair?", run());
    assert.match(findings[0]?.text ?? "", /^number of rows: 4$/m);
  });

  it("find nothing where a sum, an average or an extreme is of no rows", async () => {
    const none = "SELECT SUM(price) FROM pumps WHERE tag = 'P-2025-0417'";
    await using tool = await open(row, drivers({ sheets: () => tables(pumps), model: scriptedModel(none) }));
    const { findings, message, data } = await tool.call(call, "What is invoice 2025-0417 about?", run());
    assert.deepEqual(findings, []);
    assert.equal(data["row_count"], 0);
    assert.match(message, /^no rows/);
  });

  it("add up German numbers by their column, and refuse texts that a model would add up", async () => {
    const costs = (amounts: readonly string[]) => ({
      ...orders,
      sourceName: "kosten.csv",
      rows: [["Site", "Rent"], ...amounts.map((amount, at) => [`Ort ${at}`, amount])],
    });
    await using german = await open(
      row,
      drivers({ sheets: () => tables(costs(["52.400,00", "1.200", "800"])) }),
    );
    const { data } = await german.call(call, "What is the total rent of all sites?", run());
    assert.deepEqual(data["rows"], [[54_400]], String(data["sql"]));
    const sum = "SELECT SUM(rent) FROM kosten";
    await using open_ = await open(
      row,
      drivers({ sheets: () => tables(costs(["1.200", "3.400"])), model: scriptedModel(sum, sum) }),
    );
    await assert.rejects(open_.call(call, "What is the total rent of all sites?", run()), {
      code: "TOOL_REFUSED",
      message: /column Rent cannot be summed: its cells are text, such as “1\.200”/,
    });
  });

  it("say so when no template fits and no model is there", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(pumps) }));
    await assert.rejects(tool.call(call, "Which pumps should be replaced because of the recall?", run()), {
      code: "TOOL_FAILED",
      message: /no model/,
    });
  });

  it("let the model write SQL under a grammar of their columns, once more after an error, and correct the case of values", async () => {
    const model = scriptedModel(
      "SELECT colour FROM pumps",
      "SELECT tag FROM pumps WHERE building = 'NORTH' AND max_pressure_psi IS NULL",
    );
    await using tool = await open(row, drivers({ sheets: () => tables(pumps), model }));
    const { data, findings } = await tool.call(call, "Which pump in the north has not been tested?", run());
    assert.deepEqual(data["rows"], [["P-103"]]);
    assert.equal(data["attempts"], 2);
    assert.equal(data["produced_by"], "model");
    assert.equal(findings[0]?.section, "Pumps!B6:E6");
    assert.match(String(data["sql"]), /'North'/);
    assert.match(model.asked[1]?.messages.at(-1)?.text ?? "", /no such column: "colour"\)/);
    assert.match(model.asked[0]?.options.grammar ?? "", /max_pressure_psi/);
  });

  it("are not changed by what a model writes, nor by what stands in their cells", async () => {
    for (const bad of [
      "DELETE FROM pumps",
      "DROP TABLE pumps",
      "ATTACH DATABASE 'x' AS y",
      "PRAGMA query_only = OFF",
      "SELECT * FROM sqlite_master",
      "garbage",
      "",
    ]) {
      await using tool = await open(
        row,
        drivers({ sheets: () => tables(pumps, orders), model: scriptedModel(bad) }),
      );
      await assert.rejects(
        tool.call(call, "Which pumps ought to go?", run()),
        (error) => /^TOOL_(REFUSED|INVALID)$/.test(String(Object(error).code)),
        bad,
      );
    }
    await using tool = await open(
      row,
      drivers({ sheets: () => tables(pumps, orders), model: scriptedModel("SELECT note FROM orders") }),
    );
    assert.deepEqual((await tool.call(call, "Any remarks?", run())).data["rows"], [
      ["it's DROP TABLE pumps; --"],
      ["plain"],
    ]);
  });

  it("are none when there are no documents", async () => {
    await using tool = await open(row, drivers());
    await assert.rejects(tool.call(call, "How many pumps?", run()), {
      code: "TOOL_FAILED",
      message: /no tables/,
    });
  });
});
