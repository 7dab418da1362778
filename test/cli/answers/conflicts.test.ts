import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFits, openHome, record, records, skipChain } from "../support.ts";

const report = (profit: string): string => `# Annual report

| Fiscal year | 2023 | 2022 |
|---|---|---|
| Revenue | 4,120 | 3,980 |
| Costs | 2,310 | 2,255 |
| Tax | 402 | 391 |
| Profit | 1,408 | ${profit} |
`;

test("two documents that disagree are printed with both figures and their sources", {
  skip: skipChain,
}, async () => {
  await using home = await openHome();
  const folder = await home.folder("filings", {
    "first.md": report("1,334"),
    "second.md": report("1,299"),
    "other.md": "# Valve\n\nThe valve opens at 12 bar.\n",
  });
  await home.json(["ingest", folder, "-c", "filings"]);
  const { status, stdout } = await home.run(["conflicts", "-c", "filings"]);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^Profit, 2022\n(?: +1,(?:334|299) {2}(?:first|second)\.md\n +“.*”\n){2}\n1 conflict in 3 documents\n$/,
  );
  const found = await home.json(["conflicts", "-c", "filings"]);
  assertFits("conflicts", found);
  const [conflict] = records(found["conflicts"]);
  assert.deepEqual([conflict?.["row"], conflict?.["period"]], ["Profit", "2022"]);
  const figures = records(conflict?.["values"]).map(({ text, sources }) => [
    text,
    records(sources).map((source) => record(source)["document"]),
  ]);
  assert.deepEqual(figures.sort(), [
    ["1,299", ["second.md"]],
    ["1,334", ["first.md"]],
  ]);
  const lines = await home.run(["conflicts", "-c", "filings", "--format", "jsonl"]);
  assert.deepEqual(record(JSON.parse(lines.stdout)), conflict);
});
