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
  assert.match(
    reasonOf(question, "Sanford, ME (SFM)", [flight, other]) ?? "",
    /matches the question far better/,
  );
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
    assert.match(reasonOf(question, statement, [first, other]) ?? "", /something other than Weiser Air Park/);
});
