import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { documentsToRead } from "../../../src/app/ask/kinds/measures.ts";
import type { Chunk } from "../../../src/core/documents/chunk.ts";
import type { Hit } from "../../../src/core/retrieval.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

const report = (assets: string): string => `# Consolidated Balance Sheets

In thousands

| | 2021 | 2020 |
|---|---|---|
| Cash and cash equivalents | 700 | 450 |
| Total current assets | ${assets} | 1,100 |
| Total assets | 2,600 | 2,300 |
| Total current liabilities | 1,000 | 1,400 |
`;

describe("questions about measures of companies, without a language model", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("finance_private_docs", "private", {
      "harbour_mills_2021.md": report("1,500"),
      "quarry_works_2021.md": report("1,700"),
    });
    await scene.ingest("hr_private_docs", "private", {
      "pay.md": "# Pay\n\nThe salary band of a driver is C4.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("computes them from the statement of the company that is named, and cites its rows", async () => {
    const { response, tools, citations, model } = await scene.ask(
      "What is the FY2021 working capital ratio of Quarry Works?",
      "owner",
    );
    assert.match(
      response,
      /^Working capital ratio, 2021: 1\.70\n2021: current assets \/ current liabilities = 1,700 \/ 1,000\n/,
    );
    assert.deepEqual(
      tools.map(({ call, status }) => [call.tool, call.reason, status]),
      [["Calculator", "it asks for working capital ratio", "ok"]],
    );
    const [citation] = citations;
    assert.equal(citation?.sourceFile, "quarry_works_2021.md");
    assert.match(citation.quotes.join("\n"), /Total current assets \| 1,700 \| 1,100/);
    assert.equal(model, null);
  });

  it("compares two companies, each from its own statement, and says which has more", async () => {
    const { response, citations } = await scene.ask(
      "Which company had the higher current ratio in 2021, Harbour Mills or Quarry Works?",
      "owner",
    );
    assert.match(response, /^Harbour Mills: Working capital ratio, 2021: 1\.50\n/);
    assert.match(response, /^Quarry Works: Working capital ratio, 2021: 1\.70 \(the higher one\)\n/m);
    assert.deepEqual(
      citations.map(({ sourceFile }) => sourceFile),
      ["harbour_mills_2021.md", "quarry_works_2021.md"],
    );
    for (const query of [
      "Which company had the higher current ratio in 2021, Harbour Mills or Nordwind?",
      "Which company had the higher current ratio in 2014, Harbour Mills or Quarry Works?",
      "Which had the higher current ratio in 2021, Harbour or Mills?",
    ])
      assert.deepEqual((await scene.ask(query, "owner")).tools, [], query);
  });

  it("computes nothing for a company that no document found is about, for another year, or with other words", async () => {
    for (const query of [
      "What is the FY2021 working capital ratio of Nordwind?",
      "What was the working capital ratio of Quarry Works in 2014?",
      "What is the working capital ratio of the northern segment of Quarry Works in 2021?",
      "What is the working capital ratio in 2021?",
    ])
      assert.deepEqual((await scene.ask(query, "owner")).tools, [], query);
  });

  it("computes nothing from what may not be read", async () => {
    const query = "What is the FY2021 working capital ratio of Quarry Works?";
    const hidden = await scene.ask(query, "hr_manager");
    assert.doesNotMatch(
      JSON.stringify([hidden.response, hidden.tools, hidden.citations]),
      /1\.70|quarry_works/,
    );
  });
});

it("reads the documents that are called as the question says before others found", () => {
  const hitOf = (sourceName: string): Hit => ({
    chunk: { documentId: sourceName, sourceName, title: "Annual report" } as Chunk,
    score: 1,
    via: "fused",
  });
  const hits = ["harbour_2021.md", "nordwind_2021.md", "harbour_2021.md", "quarry_works_2021.md"].map(hitOf);
  for (const rest of [["quarry", "works"], ["quary", "works"], ["quarryworks"]])
    assert.equal(documentsToRead(hits, rest)[0], "quarry_works_2021.md", rest.join());
  assert.deepEqual(documentsToRead(hits, ["mills"]), [
    "harbour_2021.md",
    "nordwind_2021.md",
    "quarry_works_2021.md",
  ]);
});
