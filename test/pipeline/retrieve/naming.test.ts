import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../../../src/core/retrieval.ts";
import {
  boostNamedDocuments,
  buildNameIndex,
  findNamedDocuments,
} from "../../../src/pipeline/retrieve/naming.ts";

const weights = { nameWeight: 0.08, yearWeight: 0.1 };
const entries = [
  ["a", "AMERICANWATERWORKS_2021_10K.pdf", "FORM 10-K"],
  ["b", "3M_2018_10K.pdf", "FORM 10-K"],
  ["c", "3M_2015_10K.pdf", "FORM 10-K"],
  ["d", "hp200-manual.pdf", "HP-200 pump: operating manual"],
  ["e", "0e94b4197b10096b1f4c699701570fbf.pdf", "Minutes"],
].map(([id = "", name = "", title = ""]) => ({ id, name, title, pages: 9 }));
const catalogue = buildNameIndex(entries);
const named = (question: string): readonly string[] =>
  findNamedDocuments(catalogue.name(question), weights).map(({ id }) => id);

test("a question names a document by a company whose words the file's name joins", () => {
  assert.deepEqual(named("What did American Water Works spend in 2021?"), ["a"]);
});

test("of two reports of one company the year of the question decides", () => {
  assert.deepEqual(named("What is 3M's FY2018 capital expenditure?"), ["b"]);
  assert.deepEqual(named("What is 3M's capital expenditure?").toSorted(), ["b", "c"]);
});

test("a report of the year after is named where the year itself has none of that name", () => {
  const filings = buildNameIndex(
    ["BESTBUY_2019_10K", "BESTBUY_2023_10K", "BOEING_2022_10K", "AMCOR_2022_8K", "AMCOR_2023_10K"].map(
      (id) => ({
        id,
        name: `${id}.pdf`,
        title: "",
      }),
    ),
  );
  const names = (question: string) => findNamedDocuments(filings.name(question), weights).map(({ id }) => id);
  assert.ok(names("What did Best Buy earn in FY2022?").includes("BESTBUY_2023_10K"));
  assert.ok(!names("What did AMCOR earn in FY2022?").includes("AMCOR_2023_10K"));
  assert.ok(!names("What did Best Buy earn in FY2020?").includes("BESTBUY_2023_10K"));
});

test("a model number is found in whatever way it is joined", () => {
  for (const question of ["torque of the HP-200", "torque of the HP 200 pump", "torque of the hp200"])
    assert.deepEqual(named(question), ["d"], question);
});

test("an identifier counts as a whole only, and a word that most names hold names nothing", () => {
  assert.deepEqual(named("What is 0e94b4197b10096b1f4c699701570fbf?"), ["e"]);
  assert.deepEqual(named("What does section 94 b say?"), []);
  assert.deepEqual(named("Which form is meant?"), []);
});

test("hits of a named document rise, and those of another year's fall, and none is lost", () => {
  const hit = (documentId: string, score: number) =>
    ({ chunk: { documentId, id: documentId }, score }) as Hit;
  const hits = [hit("c", 0.9), hit("d", 0.88), hit("b", 0.85)];
  const raised = boostNamedDocuments(
    hits,
    catalogue.name("What is 3M's FY2018 capital expenditure?"),
    weights,
  );
  assert.deepEqual(
    raised.map(({ chunk }) => chunk.documentId),
    ["b", "d", "c"],
  );
});

test("a thousand documents of one name weigh no more than one", () => {
  const many = Array.from({ length: 1000 }, (_, at) => ({
    id: `${at}`,
    name: `report-${at}.pdf`,
    title: "Report",
  }));
  const namings = buildNameIndex(many).name("What does the report say?");
  assert.ok([...namings.values()].every(({ words }) => words < 0.01));
});

test("a question loses the words that name its documents, and keeps them where nothing else would remain", () => {
  assert.equal(
    catalogue.without("Did American Water Works' margin improve in FY2021?", ["a"]),
    "Did margin improve in",
  );
  assert.equal(catalogue.without("What is 3M's capital expenditure?", ["b"]), "What is capital expenditure?");
  assert.equal(catalogue.without("torque of the HP-200", ["d"]), "torque of the HP-200");
  assert.equal(
    catalogue.without("What is 3M's capital expenditure?", []),
    "What is 3M's capital expenditure?",
  );
});

test("a document without pages is found by the words that name it", () => {
  const notes = buildNameIndex([{ id: "n", name: "pump-notes.md", title: "Pump notes" }]);
  const question = "What do the pump notes say of seals?";
  assert.equal(notes.without(question, ["n"]), question);
});

const quarterly = buildNameIndex(
  ["2022 Q3 ACME", "2023 Q1 ACME", "2023 Q3 ACME", "2023 Q3 BOLT", "ACME_2022_10K"].map((id) => ({
    id,
    name: `${id}.pdf`,
    title: "",
    pages: 9,
  })),
);
const quartersNamed = (question: string): readonly string[] =>
  findNamedDocuments(quarterly.name(question), weights).map(({ id }) => id);
const timeOf = (question: string, id: string) => quarterly.name(question).get(id)?.year;

test("of reports of one year the quarter of the question decides, however it is written", () => {
  for (const question of ["Acme's tax rate in Q3 2023?", "Acme's tax rate in the third quarter of 2023?"]) {
    assert.equal(quartersNamed(question)[0], "2023 Q3 ACME", question);
    assert.equal(timeOf(question, "2023 Q1 ACME"), -1);
    assert.equal(timeOf(question, "2022 Q3 ACME"), -1);
  }
});

test("a year without a quarter names all quarters of the year, and a quarter no report of a whole year", () => {
  assert.equal(timeOf("Acme's revenue in 2023?", "2023 Q1 ACME"), 1);
  assert.equal(timeOf("Acme's revenue in 2023?", "2023 Q3 ACME"), 1);
  assert.equal(timeOf("Acme's revenue in Q3 2022?", "ACME_2022_10K"), 1);
  assert.equal(timeOf("Acme's revenue in Q3 2023?", "ACME_2022_10K"), -1);
});

test("the latest report is the newest one of those that the question names", () => {
  for (const question of ["Acme's margin in the latest quarter?", "ACME: Marge im neuesten Bericht?"]) {
    assert.equal(timeOf(question, "2023 Q3 ACME"), 1, question);
    assert.equal(timeOf(question, "2023 Q1 ACME"), -1);
    assert.equal(timeOf(question, "2023 Q3 BOLT") ?? 0, 0);
  }
  assert.equal(timeOf("What is the margin in the latest report?", "2023 Q3 BOLT"), 1);
  assert.equal(timeOf("Acme's margin in the latest report of 2022?", "ACME_2022_10K"), 1);
});

test("a report between two times that are asked for is of no wrong time", () => {
  const range = "How did Acme's revenue change from Q3 2022 to Q3 2023?";
  assert.equal(timeOf(range, "2022 Q3 ACME"), 1);
  assert.equal(timeOf(range, "2023 Q1 ACME"), 0);
  assert.equal(timeOf(range, "2023 Q3 ACME"), 1);
  assert.equal(timeOf("Acme's revenue in Q3 2022 and Q4 2022?", "2023 Q1 ACME"), -1);
});

test("the time that is asked for raises no document of another name than the one of the question", () => {
  const quarters = buildNameIndex(
    ["MSFT Microsoft", "NVDA Nvidia", "INTC Intel", "AMZN Amazon"].flatMap((company) => {
      const [code = "", title = ""] = company.split(" ");
      return ["2022 Q3", "2023 Q1"].map((time) => ({
        id: `${code} ${time}`,
        name: `${time} ${code}.pdf`,
        title: `${title} quarterly report`,
      }));
    }),
  );
  const yearOf = (question: string, id: string) => quarters.name(question).get(id)?.year ?? 0;
  const named = "What did Microsoft say of its debt in Q1 2023?";
  assert.equal(yearOf(named, "MSFT 2023 Q1"), 1);
  assert.equal(yearOf(named, "NVDA 2023 Q1"), 0);
  assert.equal(yearOf(named, "NVDA 2022 Q3"), -1);
  assert.equal(yearOf("What did they say of debt in Q1 2023?", "NVDA 2023 Q1"), 1);
  assert.equal(yearOf("What did Contoso say of its debt in Q1 2023?", "NVDA 2023 Q1"), 1);
});
