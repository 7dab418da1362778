import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

const crews = `# Ferries of the bay

| Ferry | Berths | Share of trips |
|---|---|---|
| Albatross | 40 | 57.4% |
| Cormorant | 25 | 41.5% |
| Dunlin | 31 | 1.1% |
`;

describe("questions for cells of a table, without a language model", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("finance_private_docs", "private", {
      "ferries.md": crews,
      "moorings.csv": "Mooring,Depth (m),Seabed\nNorth buoy,12,sand\n\nSouth buoy,7,rock\n",
      "buoys-copy.csv": "Buoy,Draught (m),Colour\nEast buoy,3,red\nWest buoy,5,green\n",
      "buoys.csv": "Buoy,Draught (m),Colour\nEast buoy,3,red\nWest buoy,4,green\n",
      "harbour.md": "# Harbour\n\nThe harbour has a pilot and two cranes.\n",
    });
    await scene.ingest("hr_private_docs", "private", {
      "pay.md": "# Pay\n\nThe salary band of a driver is C4.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  for (const [question, answer, rows] of [
    ["How many berths does the ferry Albatross have?", "Albatross, Berths: 40", ["Albatross | 40 | 57.4%"]],
    [
      "How much higher is the share of trips of Albatross compared to Cormorant?",
      "Share of trips: Albatross 57.4%, Cormorant 41.5%, difference: 15.9%",
      ["Albatross | 40 | 57.4%", "Cormorant | 25 | 41.5%"],
    ],
    [
      "Which ferry has the fewest berths?",
      "Cormorant. Berths: Cormorant 25, Dunlin 31, Albatross 40",
      ["Cormorant | 25 | 41.5%"],
    ],
    [
      "Which ferries have more than 30 berths?",
      "Albatross, Dunlin. Berths: Albatross 40, Dunlin 31, Cormorant 25",
      ["Albatross | 40 | 57.4%", "Dunlin | 31 | 1.1%"],
    ],
  ] as const)
    it(`answers “${question}” from the table, and cites its rows`, async () => {
      const { response, citations, model, verdict } = await scene.ask(question, "owner");
      assert.equal(response.split("\n")[0], answer);
      assert.equal(citations[0]?.sourceFile, "ferries.md");
      const quotes = citations.flatMap(({ quotes: own }) => own).join("\n");
      for (const row of rows) assert.ok(quotes.includes(row), `${row} in ${quotes}`);
      assert.deepEqual([model, verdict.status], [null, "extractive"]);
    });

  it("quotes the row of a sheet as it stands in the file, and names its cells", async () => {
    const { response, citations } = await scene.ask("What is the depth of the South buoy?", "owner");
    assert.match(response, /^Depth of moorings\.csv where Mooring is South buoy: 7 m/);
    assert.deepEqual(
      citations.map(({ sourceFile, cells, quotes }) => [sourceFile, cells, quotes]),
      [["moorings.csv", ["A4:C4"], ["South buoy | 7 | rock"]]],
    );
  });

  it("tells what two documents agree on, and nothing where they do not", async () => {
    const agreed = await scene.ask("What is the draught of the East buoy?", "owner");
    assert.equal(agreed.response.split("\n")[0], "East buoy, Draught: 3 m");
    assert.deepEqual((await scene.ask("What is the draught of the West buoy?", "owner")).tools, []);
  });

  it("computes nothing for another name, or from what may not be read", async () => {
    assert.deepEqual((await scene.ask("How many berths does the ferry Gannet have?", "owner")).tools, []);
    const hidden = await scene.ask("How many berths does the ferry Albatross have?", "hr_manager");
    assert.doesNotMatch(JSON.stringify([hidden.response, hidden.tools, hidden.citations]), /\b40\b|ferries/);
  });
});
