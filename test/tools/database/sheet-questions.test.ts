import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Tool } from "../../../src/core/answers/tool.ts";
import type { SheetTable } from "../../../src/tables/schema.ts";
import open from "../../../src/tools/database/database-query.ts";
import { callOf, drivers, run, scriptedModel, tables } from "../support.ts";

const row = { name: "Database Query", type: "database_query", config: {}, permissions: {} } as const;
const call = callOf("Database Query", "database_query");

/** A sheet of lines whose cells are separated by semicolons. */
const sheetOf = (sheet: string, ...lines: readonly string[]): SheetTable => ({
  documentId: sheet,
  sourceName: "plant.xlsx",
  sheet,
  headerRows: 1,
  rows: lines.map((line) => line.split(";")),
});

/** Output of plants by year, as statistics are published: a row a plant and year, in a table of many rows. */
const output: SheetTable = {
  documentId: "output",
  sourceName: "power_output.csv",
  sheet: "",
  headerRows: 1,
  rows: [
    ["Plant", "Region", "Year", "Output (MWh)", "Per Worker"],
    ...Array.from({ length: 900 }, (_, at) => [
      at === 0 ? "Norwell (coal, retired)" : `Plant ${String.fromCharCode(65 + (at % 26))}${at}`,
      at % 2 === 0 ? "North Coast" : "Inland",
      "2019",
      String(1000 + at),
      String(5 + (at % 7)),
    ]),
    ["Plant B1", "Inland", "2020", "1501.5", "4"],
    ["Kettle Hill", "Inland", "2020", "2500", "9"],
  ],
};

const sheets = {
  de: [
    sheetOf(
      "Pumpen",
      "Pumpe;Standort;Druck (bar);Einzelpreis (EUR);Status;Baujahr",
      "P-101;Halle Nord;12,5;1.200,50;läuft;2015",
      "P-102;Halle Süd;8;900,00;steht;2018",
      "P-103;Halle Nord;16;2.000,00;läuft;2020",
      "P-104;Halle Süd;6,4;450,00;in Wartung;2011",
    ),
    sheetOf(
      "Bestellungen",
      "Bestellung;Lieferant;Betrag;Anzahl",
      "B-1;Sealtec GmbH;1.500,00 €;10",
      "B-2;Nordlager AG;320,00 €;4",
      "B-3;Sealtec GmbH;80,50 €;100",
    ),
  ],
  fr: [
    sheetOf(
      "Pompes",
      "Pompe;Emplacement;Pression (bar);Prix unitaire (EUR);État",
      "P-101;Hall nord;12,5;1200,50;en marche",
      "P-102;Hall sud;8;900,00;à l'arrêt",
      "P-103;Hall nord;16;2000,00;en marche",
    ),
    sheetOf(
      "Commandes",
      "Commande;Fournisseur;Montant;Quantité",
      "C-1;Sealtec SA;1500,00 €;10",
      "C-2;Nordlog;320,00 €;4",
      "C-3;Sealtec SA;80,50 €;100",
    ),
  ],
  vi: [
    sheetOf(
      "Máy bơm",
      "Mã;Vị trí;Áp suất (bar);Đơn giá (VND);Trạng thái",
      "P-101;Xưởng Bắc;12,5;1.200.000;đang chạy",
      "P-102;Xưởng Nam;8;900.000;đang dừng",
      "P-103;Xưởng Bắc;16;2.000.000;đang chạy",
    ),
    sheetOf(
      "Đơn hàng",
      "Đơn hàng;Nhà cung cấp;Số tiền;Số lượng",
      "DH-1;Sealtec;1.500.000;10",
      "DH-2;Minh Long;320.000;4",
    ),
  ],
} as const;

/** Question → the first line of what is told. */
const told = {
  de: {
    "Wie ist der Status von P-101?": "Status aus Pumpen mit Pumpe „P-101“: läuft",
    "Was kostet P-102?": "Einzelpreis aus Pumpen mit Pumpe „P-102“: 900 EUR",
    "Wo steht P-103?": "Standort aus Pumpen mit Pumpe „P-103“: Halle Nord",
    "Wie viele Pumpen stehen in Halle Nord?": "Anzahl der Zeilen in Pumpen mit Standort „Halle Nord“: 2",
    "Wie viele Zeilen hat die Tabelle Pumpen?": "Anzahl der Zeilen in Pumpen: 4",
    "Wie hoch ist die Anzahl von B-2?": "Anzahl aus Bestellungen mit Bestellung „B-2“: 4",
    "Wie hoch ist der durchschnittliche Druck der Pumpen?":
      "Durchschnitt von „Druck“ in Pumpen, 4 Zeilen: 10,73 bar",
    "Durchschnittspreis der Pumpen in Halle Süd?":
      "Durchschnitt von „Einzelpreis“ in Pumpen mit Standort „Halle Süd“, 2 Zeilen: 675 EUR",
    "Wie hoch ist die Summe der Beträge aller Bestellungen?":
      "Summe von „Betrag“ in Bestellungen, 3 Zeilen: 1.900,50 €",
    "Wie hoch ist der Gesamtbetrag der Bestellungen bei Sealtec GmbH?":
      "Summe von „Betrag“ in Bestellungen mit Lieferant „Sealtec GmbH“, 2 Zeilen: 1.580,50 €",
    "Welche Pumpe hat den höchsten Druck?":
      "Zeile mit dem höchsten Wert von „Druck“ in Pumpen: Pumpe P-103, Druck 16 bar",
    "Welche Pumpe ist am teuersten?":
      "Zeile mit dem höchsten Wert von „Einzelpreis“ in Pumpen: Pumpe P-103, Einzelpreis 2000 EUR",
    "Welche Pumpe hat den niedrigsten Einzelpreis?":
      "Zeile mit dem niedrigsten Wert von „Einzelpreis“ in Pumpen: Pumpe P-104, Einzelpreis 450 EUR",
    "Welche Pumpe ist die älteste?":
      "Zeile mit dem niedrigsten Wert von „Baujahr“ in Pumpen: Pumpe P-104, Baujahr 2011",
    "Welche Pumpen haben einen Druck über 10 bar?":
      "Pumpe aus Pumpen mit Druck über 10 bar (2 gefunden): P-101; P-103",
    "Welche Pumpen kosten mehr als 1.000 Euro?":
      "Pumpe aus Pumpen mit Einzelpreis über 1000 EUR (2 gefunden): P-101; P-103",
    "Welche Pumpen haben einen Druck zwischen 8 und 13 bar?":
      "Pumpe aus Pumpen mit Druck ab 8 bar und Druck bis 13 bar (2 gefunden): P-101; P-102",
    "Welche Pumpen kosten weniger als 100 Euro?":
      "Keine Zeile gefunden: Pumpen mit Einzelpreis unter 100 EUR",
    "Wer hat B-2 geliefert?": "Lieferant aus Bestellungen mit Bestellung „B-2“: Nordlager AG",
  },
  fr: {
    "Quel est l'état de P-101 ?": "État dans Pompes avec Pompe « P-101 » : en marche",
    "Combien coûte P-102 ?": "Prix unitaire dans Pompes avec Pompe « P-102 » : 900 EUR",
    "Où se trouve P-103 ?": "Emplacement dans Pompes avec Pompe « P-103 » : Hall nord",
    "Combien de pompes y a-t-il dans le Hall nord ?":
      "Nombre de lignes dans Pompes avec Emplacement « Hall nord » : 2",
    "Combien de lignes compte le tableau Pompes ?": "Nombre de lignes dans Pompes : 3",
    "Quelle est la pression moyenne des pompes ?":
      "Moyenne de « Pression » dans Pompes, 3 lignes : 12,17 bar",
    "Quel est le montant total des commandes ?":
      "Total de « Montant » dans Commandes, 3 lignes : 1\u202f900,50 €",
    "Quelle est la somme des montants des commandes de Sealtec SA ?":
      "Total de « Montant » dans Commandes avec Fournisseur « Sealtec SA », 2 lignes : 1\u202f580,50 €",
    "Quelle pompe a la pression la plus élevée ?":
      "Ligne avec la plus grande valeur de « Pression » dans Pompes : Pompe P-103, Pression 16 bar",
    "Quelle est la pompe la plus chère ?":
      "Ligne avec la plus grande valeur de « Prix unitaire » dans Pompes : Pompe P-103, Prix unitaire 2000 EUR",
    "Quelle pompe a le prix unitaire le plus bas ?":
      "Ligne avec la plus petite valeur de « Prix unitaire » dans Pompes : Pompe P-102, Prix unitaire 900 EUR",
    "Quelles pompes ont une pression supérieure à 10 bar ?":
      "Pompe dans Pompes avec Pression au-dessus de 10 bar (2 lignes trouvées) : P-101; P-103",
    "Quelles pompes coûtent plus de 1 000 euros ?":
      "Pompe dans Pompes avec Prix unitaire au-dessus de 1000 EUR (2 lignes trouvées) : P-101; P-103",
    "Quelles pompes ont une pression entre 8 et 13 bar ?":
      "Pompe dans Pompes avec Pression à partir de 8 bar et Pression jusqu’à 13 bar (2 lignes trouvées) : P-101; P-102",
    "Quelles commandes ont un montant d'au moins 320 € ?":
      "Commande dans Commandes avec Montant à partir de 320 € (2 lignes trouvées) : C-1; C-2",
    "Quelles pompes coûtent moins de 100 euros ?":
      "Aucune ligne ne correspond : Pompes avec Prix unitaire au-dessous de 100 EUR",
    "Quel est le fournisseur de C-2 ?": "Fournisseur dans Commandes avec Commande « C-2 » : Nordlog",
  },
  vi: {
    "Trạng thái của P-101 là gì?": "Trạng thái trong Máy bơm có Mã là P-101: đang chạy",
    "Giá của P-102 là bao nhiêu?": "Đơn giá trong Máy bơm có Mã là P-102: 900000 VND",
    "P-103 ở đâu?": "Vị trí trong Máy bơm có Mã là P-103: Xưởng Bắc",
    "Có bao nhiêu máy bơm ở Xưởng Bắc?": "Số dòng trong Máy bơm có Vị trí là Xưởng Bắc: 2",
    "Bảng Máy bơm có bao nhiêu dòng?": "Số dòng trong Máy bơm: 3",
    "Áp suất trung bình của các máy bơm là bao nhiêu?":
      "Trung bình của Áp suất trong Máy bơm, 3 dòng: 12,17 bar",
    "Tổng số tiền của tất cả đơn hàng là bao nhiêu?": "Tổng của Số tiền trong Đơn hàng, 2 dòng: 1.820.000",
    "Tổng số tiền đơn hàng của Sealtec là bao nhiêu?":
      "Tổng của Số tiền trong Đơn hàng có Nhà cung cấp là Sealtec, 1 dòng: 1.500.000",
    "Máy bơm nào có áp suất cao nhất?": "Dòng có Áp suất lớn nhất trong Máy bơm: Mã P-103, Áp suất 16 bar",
    "Máy bơm nào rẻ nhất?": "Dòng có Đơn giá nhỏ nhất trong Máy bơm: Mã P-102, Đơn giá 900000 VND",
    "Máy bơm nào có đơn giá thấp nhất?":
      "Dòng có Đơn giá nhỏ nhất trong Máy bơm: Mã P-102, Đơn giá 900000 VND",
    "Những máy bơm nào có áp suất trên 10 bar?":
      "Mã trong Máy bơm có Áp suất lớn hơn 10 bar (tìm thấy 2 dòng): P-101; P-103",
    "Máy bơm nào có đơn giá hơn 1.000.000 đồng?":
      "Mã trong Máy bơm có Đơn giá lớn hơn 1000000 VND (tìm thấy 2 dòng): P-101; P-103",
    "Máy bơm nào có áp suất từ 8 đến 13 bar?":
      "Mã trong Máy bơm có Áp suất từ 8 bar trở lên và Áp suất không quá 13 bar (tìm thấy 2 dòng): P-101; P-102",
    "Đơn hàng nào có số tiền từ 320.000 trở lên?":
      "Đơn hàng trong Đơn hàng có Số tiền từ 320000 trở lên (tìm thấy 2 dòng): DH-1; DH-2",
    "Máy bơm nào có đơn giá dưới 100.000?":
      "Không có dòng nào phù hợp: Máy bơm có Đơn giá nhỏ hơn 100000 VND",
    "Máy bơm nào đang chạy?": "Mã trong Máy bơm có Trạng thái là đang chạy (tìm thấy 2 dòng): P-101; P-103",
    "Nhà cung cấp của DH-2 là ai?": "Nhà cung cấp trong Đơn hàng có Đơn hàng là DH-2: Minh Long",
  },
} as const;

/** Of the many rows of `output`. */
const toldOfOutput = {
  "What was the output of Plant M350 in 2019?":
    "Output of power_output.csv where Plant is Plant M350 and Year is 2019: 1350 MWh",
  "What was the output of Norwell in 2019?":
    "Output of power_output.csv where Plant is Norwell (coal, retired) and Year is 2019: 1000 MWh",
  "Which plant had the highest output in 2019?":
    "Row with the highest Output in power_output.csv where Year is 2019: Plant Plant P899, Output 1899 MWh",
  "How many plants are in the Inland region?":
    "Number of rows of power_output.csv where Region is Inland: 452",
  "What is the per worker of Kettle Hill?": "Per Worker of power_output.csv where Plant is Kettle Hill: 9",
  "Did Plant B1 or Kettle Hill have the higher output in 2020?":
    "Row with the highest Output in power_output.csv where Plant is Plant B1, Kettle Hill and Year is 2020: Plant Kettle Hill, Output 2500 MWh",
  "In which year was the output of Plant B1 highest?":
    "Row with the highest Output in power_output.csv where Plant is Plant B1: Year 2020, Output 1501.5 MWh",
  "What was the total output of Plant B1 from 2019 to 2020?":
    "Sum of Output in power_output.csv where Plant is Plant B1 and Year is at least 2019 and Year is at most 2020 (2 rows): 2,502.5 MWh",
  "What was the power output of Kettle Hill in power_output.csv in 2020?":
    "Output of power_output.csv where Plant is Kettle Hill and Year is 2020: 2500 MWh",
  "What was the average output in 2020 in power_output.csv?":
    "Average Output in power_output.csv where Year is 2020 (2 rows): 2,000.75 MWh",
} as const;

/** Questions that ask for more than one selection from one sheet. */
const left = {
  de: [
    "Welche Pumpe hat einen höheren Druck als P-101?",
    "Welche Pumpe hat den zweithöchsten Druck?",
    "Wie hoch ist der Preis von P-101 ohne Mehrwertsteuer?",
    "Was ist der Durchschnitt der Beträge pro Lieferant?",
    "Wie hoch ist der Preis der Pumpe mit dem höchsten Druck?",
    "Welche Pumpen haben keinen Status?",
  ],
  fr: [
    "Quelle pompe a une pression plus élevée que P-101 ?",
    "Quel est le montant moyen par fournisseur ?",
    "Quel est le prix unitaire de la pompe la plus puissante ?",
    "Quelles pompes ne sont pas en marche ?",
  ],
  vi: [
    "Máy bơm nào có áp suất cao hơn P-101?",
    "Số tiền trung bình theo nhà cung cấp là bao nhiêu?",
    "Máy bơm nào không chạy?",
  ],
} as const;

/** The first line of what is told of a question; the message of the error where nothing is. */
async function toldOf(tool: Tool, question: string): Promise<string> {
  try {
    const { findings } = await tool.call(call, question, run());
    return findings[0]?.text.split("\n", 1)[0] ?? "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("questions over one's own sheets", () => {
  for (const code of ["de", "fr", "vi"] as const)
    it(`are answered by a template in their language (${code})`, async () => {
      await using tool = await open(row, drivers({ sheets: () => tables(...sheets[code]) }));
      for (const [question, text] of Object.entries(told[code]))
        assert.equal(await toldOf(tool, question), text, question);
    });

  it("are answered from rows that a value and a year pick among many", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(output) }));
    for (const [question, text] of Object.entries(toldOfOutput))
      assert.equal(await toldOf(tool, question), text, question);
  });

  it("tell how far two years lie apart, with both", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(output) }));
    const { findings } = await tool.call(
      call,
      "How much did the output of Plant B1 grow between 2019 and 2020?",
      run(),
    );
    assert.match(findings[0]?.text ?? "", /2019 \| 1001\n2020 \| 1501\.5\nDifference: 500\.5 MWh \(50%\)$/);
  });

  it("are answered from the file that they name, however they do", async () => {
    const pumps = sheetOf("Pumps", "Tag;Pressure (bar);Status", "P-1;12;running", "P-2;8;standby");
    const file = { ...pumps, sourceName: "pump_data.xlsx" };
    const valves = { ...sheetOf("Valves", "Valve;Size", "V-1;80"), sourceName: "pump_data.xlsx" };
    const other = { ...sheetOf("Pumps", "Tag;Pressure (bar)", "P-7;100"), sourceName: "old.xlsx" };
    await using tool = await open(row, drivers({ sheets: () => tables(other, file, valves) }));
    for (const question of [
      "What is the average pressure in pump_data.xlsx?",
      "What is the average pressure in the file pump_data.xlsx?",
      "According to pump_data, what is the average pressure?",
      "Using pump_data.xlsx, what is the average pressure of the pumps?",
      "What is the average pressure in the pump data spreadsheet?",
    ])
      assert.equal(await toldOf(tool, question), "Average Pressure in Pumps (2 rows): 10 bar", question);
    assert.match(await toldOf(tool, "What is the average speed in pump_data.xlsx?"), /no model/);
    assert.doesNotMatch(await toldOf(tool, "How many pumps are not in pump_data.xlsx?"), /: 2$/);
  });

  it("are left to a model where a word says what no table has", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(output) }));
    for (const question of [
      "What was the planned output of Kettle Hill in 2020?",
      "What was the output of Kettle Hill in 2031?",
      "Where is Kettle Hill?",
      "What is the output of Plant Z?",
      "How many turbines does Kettle Hill have?",
    ])
      assert.match(await toldOf(tool, question), /no model|^No row matches/, question);
  });

  it("are left to a model where a name may stand for a code, and count no rows where a column counts", async () => {
    const shares = sheetOf("Shares", "symbol;year;price;mining", "NRW;2020;12;5100", "KTH;2020;40;4900");
    await using tool = await open(row, drivers({ sheets: () => tables(shares) }));
    for (const question of ["What was Norwell's average price in 2020?", "When was Norwell at its lowest?"])
      assert.match(await toldOf(tool, question), /no model/, question);
    assert.doesNotMatch(await toldOf(tool, "How many jobs were there in mining in 2020?"), /: 2$/);
  });

  for (const code of ["de", "fr", "vi"] as const)
    it(`are left to a model where they are more than one selection (${code})`, async () => {
      await using tool = await open(row, drivers({ sheets: () => tables(...sheets[code]) }));
      for (const question of left[code]) assert.match(await toldOf(tool, question), /no model/, question);
    });

  it("are read in the language that has most of their words where none is told", async () => {
    await using tool = await open(row, drivers({ sheets: () => tables(sheets.de[0]) }));
    for (const [question, text] of [
      ["Höchster Druck?", "Zeile mit dem höchsten Wert von „Druck“ in Pumpen: Pumpe P-103, Druck 16 bar"],
      ["Summe Einzelpreis?", "Summe von „Einzelpreis“ in Pumpen, 4 Zeilen: 4.550,5 EUR"],
    ] as const)
      assert.equal(await toldOf(tool, question), text);
  });

  it("tell what a model's query gave in their language, too", async () => {
    const model = scriptedModel("SELECT count(*) FROM pumpen WHERE status <> 'läuft'");
    await using tool = await open(row, drivers({ sheets: () => tables(...sheets.de), model }));
    const { findings } = await tool.call(call, "Wie viele Pumpen laufen nicht?", run());
    assert.match(findings[0]?.text ?? "", /^Ergebnis von SELECT .*:\nAnzahl der Zeilen: 2$/);
  });
});
