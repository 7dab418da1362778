import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

describe("asking what a document is made of", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("documents", "public", {
      "press-manual.md":
        "# Press manual\n\n## 1 Oil\n\nOil is changed monthly.\n\nTable 1: oils\n\n## 2 Cleaning\n\n### 2.1 Bed\n\nThe bed is wiped. Table 1 names the oil.\n\nTable 2: brushes\n\n## Appendix A\n\nAddresses.\n\n## Appendix B\n\nForms.\n",
      "lathe.md": "# Lathe\n\nThe lathe stops at noon.\n",
    });
    await scene.ingest("hr_private_docs", "private", {
      "discipline-report.md": "# Discipline report\n\n## 1 Rules\n\nBe kind.\n\n## 2 Fines\n\nNone.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  const ask = async (query: string, principal = "engineer") => {
    const { response, citations, verdict } = await scene.ask(query, principal);
    return { response, quotes: citations.map(({ quote }) => quote), status: verdict.status };
  };

  it("counts and lists its sections by their numbers, each cited", async () => {
    const { response, quotes, status } = await ask("How many sections does the press manual have?");
    assert.equal(response, "press-manual.md has 2 sections:\n- 1 Oil [1]\n- 2 Cleaning [2]");
    assert.deepEqual(quotes, ["1 Oil", "2 Cleaning"]);
    assert.equal(status, "extractive");
  });

  it("counts a table by its caption once, and appendices by their letters", async () => {
    const tables = await ask("How many tables are in the press manual?");
    assert.equal(
      tables.response,
      "press-manual.md has 2 tables:\n- Table 1: oils [1]\n- Table 2: brushes [2]",
    );
    const { response } = await ask("How many appendices does the press manual have?");
    assert.match(response, /^press-manual\.md has 2 appendices:\n- Appendix A \[1\]\n- Appendix B \[2\]$/);
  });

  it("shows its headings with their levels", async () => {
    const { response } = await ask("Show me the table of contents of the press manual");
    assert.match(response, /^press-manual\.md has 6 headings:\n- Press manual \[1\]\n {2}- 1 Oil \[2\]/);
    assert.match(response, /^ {4}- 2\.1 Bed \[4\]$/m);
  });

  it("refuses what cannot be told apart, and a question that does not say which document it means", async () => {
    const figures = await ask("How many figures are in the press manual?");
    assert.equal(figures.status, "refused");
    assert.equal(figures.response, "No figures were recognized in press-manual.md.");
    const { status, response } = await ask("How many chapters does this report have?");
    assert.equal(status, "refused");
    assert.equal(response, "The question does not say which of 2 documents it refers to.");
  });

  it("tells nothing of a document that its asker may not read", async () => {
    const { response } = await ask("How many sections does the discipline report have?");
    assert.doesNotMatch(response, /Fines|Rules|discipline-report/);
    const allowed = await ask("How many sections does the discipline report have?", "hr_manager");
    assert.match(allowed.response, /^discipline-report\.md has 2 sections:/);
  });
});
