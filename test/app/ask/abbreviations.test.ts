import assert from "node:assert/strict";
import { test } from "node:test";
import { openScene, skipScene } from "../scene.ts";

const report = {
  "report.md":
    "# Annual report\n\n## Earnings per share\n\nBasic earnings per share were 2.10 EUR in 2025, after 1.90 EUR in 2024. Diluted earnings per share were 2.05 EUR.\n",
};
const markets = {
  "markets.md":
    "# Market codes\n\n| Code | Market |\n|---|---|\n| EPS | Eastern Power Segment |\n| WPS | Western Power Segment |\n\n## Trading hours\n\nEPS opens at 08:00 and closes at 17:30. The Eastern Power Segment (EPS) settles daily.\n",
};

test("an abbreviation that a document defines goes by the document, and else by its usual words", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", report);
  const usual = await scene.ask("What was the EPS in 2025?", "owner");
  assert.match(usual.response, /^Basic earnings per share were 2\.10 EUR in 2025/);
  await scene.ingest("company_policies", "public", markets);
  const { response } = await scene.ask("What is EPS?", "owner");
  assert.match(response, /Eastern Power Segment/);
  assert.doesNotMatch(response, /per share/);
});
