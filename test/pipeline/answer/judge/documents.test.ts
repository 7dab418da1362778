import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

interface Shown {
  readonly text: string;
  readonly page?: number;
  /** Its file's name, by which documents are told apart. */
  readonly file?: string;
  readonly headings?: readonly string[];
}

/** Why a statement is removed that cites the first of these passages; undefined where it is kept. */
function reasonOf(question: string, statement: string, shown: readonly Shown[]): string | undefined {
  const passages = shown.map(({ text, page = 1, file = "report.pdf", headings = [] }, at) => {
    const chunk = chunkOf(text, {
      pages: [page],
      sourceName: file,
      documentId: file,
      headings: [...headings],
    });
    return { marker: at + 1, text, chunk };
  });
  const [verdict] = judge(`${statement} [1]`, passages, question);
  return verdict?.support === "unsupported" ? verdict.reason : undefined;
}

const flight = {
  text: "Conditions at Accident Site: | Visual Conditions\nDeparture Point: | Sanford, ME (SFM) | Type of Flight Plan Filed: None\nDestination: | Alton, NH",
  page: 3,
};
const accident =
  "Location: | Alton, NH\nAircraft: | Cessna 170B\nThe Cessna 170B struck the frozen lake near the airport.";

test("a passage is not beside the question for words that the first page of its document has", () => {
  const question =
    "Where did the Cessna 170B that struck the frozen lake at Alton, New Hampshire depart from?";
  assert.equal(reasonOf(question, "Sanford, ME (SFM)", [flight, { text: accident }]), undefined);
  const other = { text: accident, file: "other.pdf" };
  assert.match(reasonOf(question, "Sanford, ME (SFM)", [flight, other]) ?? "", /far less of the question/);
});

test("a name belongs to what is cited where another passage of the document has both together", () => {
  const question =
    "What did the pilot of the Cessna 172 that flipped at Weiser Air Park in Houston say would have prevented it?";
  const statement =
    "The pilot of the Cessna 172 at Weiser Air Park in Houston said that more aggressive rudder input would have prevented it.";
  const first = {
    text: "Location: | Houston, TX\nAircraft: | Cessna 172\nThe pilot reported that more aggressive rudder input would have prevented it.",
  };
  const airport = "Departure Point: | Houston, TX\nAirport: | Weiser Air Park (EYQ)";
  assert.equal(reasonOf(question, statement, [first, { text: airport, page: 4 }]), undefined);
  for (const other of [
    { text: airport, page: 4, file: "other.pdf" },
    { text: "Airport: | Weiser Air Park (EYQ)", page: 4 },
  ])
    assert.match(reasonOf(question, statement, [first, other]) ?? "", /something else than Weiser Air Park/);
});

test("a document whose file is called by the acronym of a name is of that name", () => {
  const question = "How many buses does the Department of Transportation want in the transit fleet by 2030?";
  const statement = "The Department of Transportation wants 7,500 buses in the transit fleet by 2030.";
  const buses = {
    text: "Increase the number of buses in the transit fleet to 7,500 by 2030. Transportation",
  };
  const other = {
    text: "The fleet has vehicles.",
    file: "DOC2022.pdf",
    headings: ["The Department's fleet"],
  };
  assert.equal(reasonOf(question, statement, [{ ...buses, file: "DOT2022.pdf" }, other]), undefined);
  assert.match(
    reasonOf(question, statement, [{ ...buses, file: "DOL2022.pdf" }, other]) ?? "",
    /something else than Department/,
  );
});

test("a line that has nothing but the answer and words of the question is of it, whatever others have", () => {
  const question = "What is the name of the governor on the first page of the document?";
  const cover = { text: "Department of Health\nRick Scott GOVERNOR\nCeleste Philip, Secretary" };
  const other = { text: "This first page is signed and sealed.", file: "other.pdf", page: 194 };
  assert.equal(reasonOf(question, "Rick Scott", [cover, other]), undefined);
  assert.match(reasonOf(question, "Celeste Philip", [cover, other]) ?? "", /far less of the question/);
});

test("what a manual says of one model is not said of another one of the series that it does not cover", () => {
  const question = "What is the tightening torque of the casing cover bolts on the HP-300?";
  const torques = {
    text: "3 Tightening torques\nPosition | Thread | Torque\nCasing cover bolts | M16 | 125 Nm",
    page: 4,
    file: "manual.pdf",
    headings: ["HP-200 Centrifugal Pump"],
  };
  const cover = (text: string): Shown => ({ text, file: "manual.pdf" });
  const statement = "The tightening torque of the casing cover bolts on the HP-300 is 125 Nm.";
  const foreign = "[1] speaks of something else than HP-300";
  const excluded = cover("This manual is for the HP-200. It does not cover the HP-300 series.");
  assert.equal(reasonOf(question, statement, [torques, excluded]), foreign);
  assert.equal(reasonOf(question, "125 Nm", [torques, excluded]), foreign);
  const included = cover("This manual is for the HP-200 and the HP-300.");
  assert.equal(reasonOf(question, statement, [torques, included]), undefined);
  assert.equal(
    reasonOf(question.replace("300", "200"), statement.replace("300", "200"), [torques, excluded]),
    undefined,
  );
});
