import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

const report = (name: string, wages: string): string => `# ${name} in numbers

In thousands

| | 2021 | 2020 |
|---|---|---|
| Quay repairs and paint | ${wages} | 950 |
| Harbour dues | 300 | 610 |
`;

describe("questions for a row of a table by years, without a language model", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("finance_private_docs", "private", {
      "harbour_mills.md": report("Harbour Mills", "3,250"),
      "quarryworks.md": report("Works of the quarry", "1,700"),
      "ferry.md": "# Ferry\n\n| | 2021 | 2020 |\n|---|---|---|\n| Tickets sold on deck | 7,100 | 6,900 |\n",
    });
    await scene.ingest("hr_private_docs", "private", {
      "pay.md": "# Pay\n\nThe salary band of a driver is C4.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("computes what is asked from the row of the document that is named, and cites the row", async () => {
    const { response, tools, citations, model } = await scene.ask(
      "What was the change in quay repairs and paint of Quarry Works from 2020 to 2021?",
      "owner",
    );
    assert.match(
      response,
      /^Quay repairs and paint, 2020: 950 thousand, 2021: 1,700 thousand, change: 750 thousand\n/,
    );
    assert.deepEqual(
      tools.map(({ call, status }) => [call.tool, call.reason, status]),
      [["Calculator", "it asks for the row “Quay repairs and paint”", "ok"]],
    );
    const [citation] = citations;
    assert.equal(citation?.sourceFile, "quarryworks.md");
    assert.match(citation.quotes.join("\n"), /Quay repairs and paint \| 1,700 \| 950/);
    assert.equal(model, null);
  });

  it("answers without a name where one document alone has such a row, and not where two have", async () => {
    const tickets = await scene.ask("What were the tickets sold on deck in 2020?", "owner");
    assert.match(tickets.response, /^Tickets sold on deck, 2020: 6,900\n/);
    assert.deepEqual((await scene.ask("What were the quay repairs and paint in 2021?", "owner")).tools, []);
  });

  it("reads a misspelt name as the document that the asker may read is called", async () => {
    const query = "What were the quay repairs and paint of Quarrywroks in 2021?";
    const { response, trace } = await scene.ask(query, "owner");
    assert.match(response, /^Quay repairs and paint, 2021: 1,700 thousand\n/);
    assert.match(trace.find(({ node }) => node === "reflect")?.decided ?? "", /^rewritten: .*Quarryworks/);
    assert.doesNotMatch(JSON.stringify(await scene.ask(query, "hr_manager")), /Quarryworks/i);
  });

  it("searches for a misspelt name as the document that the searcher may read is called, and says so", async () => {
    const query = "What is known of Quarrywroks?";
    const search = (principal: string, mode: "hybrid" | "dense" = "hybrid") =>
      scene.app.search({ query, topK: 1, collections: [], mode }, scene.as(principal));
    const found = await search("owner");
    assert.deepEqual(
      [found.query, found.readAs, found.hits[0]?.chunk.sourceName],
      [query, "What is known of Quarryworks?", "quarryworks.md"],
    );
    assert.equal((await search("owner", "dense")).readAs, undefined);
    const other = { query: "Which tickets were slod on the ferry, and what were the harbuor dues?", topK: 1 };
    const hit = (principal: string) =>
      scene.app.search({ ...other, collections: [], mode: "hybrid" }, scene.as(principal));
    const read = "Which tickets were slod on the ferry, and what were the harbour dues?";
    assert.equal((await hit("owner")).readAs, read);
    assert.equal((await hit("hr_manager")).readAs, undefined);
    assert.doesNotMatch(JSON.stringify(await search("hr_manager")), /Quarryworks/i);
  });

  it("computes nothing for another name or year, or from what may not be read", async () => {
    for (const query of [
      "What were the quay repairs and paint of Nordwind in 2021?",
      "What were the tickets sold on deck in 2014?",
    ])
      assert.deepEqual((await scene.ask(query, "owner")).tools, [], query);
    const hidden = await scene.ask("What were the tickets sold on deck in 2020?", "hr_manager");
    assert.doesNotMatch(JSON.stringify([hidden.response, hidden.tools, hidden.citations]), /6,900|ferry/);
  });

  it("leaves a word that stands in a passage, or that the model knows, as it is typed, however near a name is", async () => {
    await scene.ingest("finance_private_docs", "private", {
      "employees.md": "# Handbook\n\nEmployers provide protective gear to everybody.\n",
      "contact_list.md": "# Cleaning\n\nThe agreement with the cleaning firm ends on 31 March.\n",
    });
    const search = (query: string) =>
      scene.app.search({ query, topK: 1, collections: [], mode: "hybrid" }, scene.as("owner"));
    for (const query of ["What must Employers provide?", "When does the Service Contract end?"]) {
      const { trace } = await scene.ask(query, "owner");
      assert.equal(trace.find(({ node }) => node === "reflect")?.decided, "self-contained");
      const { readAs, named } = await search(query);
      assert.deepEqual([readAs, named], [undefined, []], query);
    }
    const { readAs } = await search("What did the Employers pay Quarrywroks?");
    assert.equal(readAs, "What did the Employers pay Quarryworks?");
  });
});
