import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

const report = (
  company: string,
  [month, year]: readonly [string, number],
  sales: readonly string[],
): string => `# ${company}

FORM 10-Q for the quarterly period ended ${month} 30, ${year}

# Statements of Operations

In thousands

| | Three Months Ended ${month} 30, ${year} | ${month} 30, ${year - 1} |
|---|---|---|
| Net sales | ${sales[0]} | ${sales[1]} |
| Ferries | 7 | 6 |
| Operating income | 50 | 40 |
`;

describe("questions about measures of quarters, without a language model", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("finance_private_docs", "private", {
      "2023 Q2 HARB.md": report("Harbour Mills", ["June", 2023], ["410", "320"]),
      "2023 Q3 HARB.md": report("Harbour Mills", ["September", 2023], ["450", "330"]),
      "2023 Q3 QUAR.md": report("Quarry Works", ["September", 2023], ["910", "820"]),
    });
    await scene.ingest("hr_private_docs", "private", {
      "pay.md": "# Pay\n\nThe salary band of a driver is C4.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  for (const [question, answer, source] of [
    [
      "What were the net sales of Harbour Mills in Q2 2023?",
      "Revenue, three months ended June 30, 2023: 410 thousand",
      "2023 Q2 HARB.md",
    ],
    [
      "What were the net sales of Harbour Mills in the latest quarter?",
      "Revenue, three months ended September 30, 2023: 450 thousand",
      "2023 Q3 HARB.md",
    ],
    [
      "What net sales did Quarry Works report in the most recent 10-Q?",
      "Revenue, three months ended September 30, 2023: 910 thousand",
      "2023 Q3 QUAR.md",
    ],
  ] as const)
    it(`are answered from the report of that quarter: “${question}”`, async () => {
      const { response, citations, model } = await scene.ask(question, "owner");
      assert.ok(response.startsWith(`${answer}\n`), response);
      assert.equal(citations[0]?.sourceFile, source);
      assert.match(citations[0].quotes.join("\n"), /Net sales \| /);
      assert.equal(model, null);
    });

  it("are left to the passages where another company, a segment or no company is named, or no report is of it", async () => {
    for (const query of [
      "What were the net sales of Nordwind in Q3 2023?",
      "What were the Ferries net sales of Harbour Mills in Q3 2023?",
      "What were the net sales in Q3 2023?",
      "What were the net sales in the latest quarter?",
      "What were the net sales of Harbour Mills in Q1 2023?",
    ])
      assert.deepEqual((await scene.ask(query, "owner")).tools, [], query);
  });

  it("are not answered from an older report where the newest lacks the line", async () => {
    const older = `${report("Ferry Lines", ["June", 2023], ["41", "32"])}| Research and development | 9 | 8 |\n`;
    await scene.ingest("finance_private_docs", "private", {
      "2023 Q2 FERR.md": older,
      "2023 Q3 FERR.md": report("Ferry Lines", ["September", 2023], ["45", "33"]),
    });
    const asked = (time: string) =>
      scene.ask(`How much did Ferry Lines spend on research and development in ${time}?`, "owner");
    assert.match(
      (await asked("Q2 2023")).response,
      /^Research and development, three months ended June 30, 2023: 9 /,
    );
    assert.deepEqual((await asked("the latest quarter")).tools, []);
  });

  it("are not answered from what may not be read", async () => {
    const hidden = await scene.ask("What were the net sales of Harbour Mills in Q2 2023?", "hr_manager");
    assert.doesNotMatch(JSON.stringify([hidden.response, hidden.tools, hidden.citations]), /\b410\b|HARB/);
  });
});
