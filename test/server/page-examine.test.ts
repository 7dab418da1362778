import assert from "node:assert/strict";
import { test } from "node:test";
import { servedPage, skip } from "./page-stage.ts";

const valve = "The relief valve of the HP-200 opens at a pressure of 12 bar.";
const handbook = `# Pumps\n\n${valve} It was replaced on 4 March 2026 by the maintenance team.\n\nEvery pump is cleaned once a year.\n`;
const figures = (profit: string): string => `# Annual report

| Fiscal year | 2023 | 2022 |
|---|---|---|
| Revenue | 4,120 | 3,980 |
| Costs | 2,310 | 2,255 |
| Tax | 402 | 391 |
| Profit | 1,408 | ${profit} |
`;

const { visit, enter } = servedPage(async (home) => {
  const folder = await home.folder("manuals", {
    "pumps.md": handbook,
    "copy.md": handbook,
    "figures.md": figures("1,334"),
    "report.md": figures("1,299"),
  });
  await home.json(["ingest", folder]);
});

/** What is entered into the form of a route, and what its answer shows. */
const forms = {
  verify: {
    fields: { text: `${valve} The moon is made of cheese.` },
    shows: [/supported/, /not found/, /pumps\.md|copy\.md/],
  },
  conflicts: { fields: {}, shows: [/Profit/, /1,334/, /1,299/, /figures\.md/, /report\.md/] },
  timeline: {
    fields: { topic: "replacement of the relief valve" },
    shows: [/2026-03-04/, /replaced on 4 March 2026/],
  },
  similar: { fields: { document: "figures.md", limit: "1" }, shows: [/report\.md/, /score: 0\.\d+/] },
  duplicates: { fields: { threshold: "0.9" }, shows: [/pumps\.md/, /copy\.md/] },
  stale: { fields: {}, shows: [/answers: 0/, /checked: 0/] },
  explain: {
    fields: { principal: "owner", action: "read", resource: "general_knowledge" },
    shows: [/allow/, /owner/],
  },
};

test("each form is drawn from what the server says of its route, and so is the answer", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  for (const [name, { fields, shows }] of Object.entries(forms)) {
    await enter(page, `examine/${name}`);
    await page.locator(".examine summary").click();
    for (const [field, value] of Object.entries(fields)) {
      const control = page.locator(`.examine [name="${field}"]`);
      if (field === "action") await control.selectOption(value);
      else await control.fill(value);
    }
    await page.locator(".examine .primary").click();
    const found = page.locator(".found > :not([role=status])").first();
    await found.waitFor({ state: "attached" });
    const text = (await page.locator(".found").textContent()) ?? "";
    for (const part of shows) assert.match(text, part, `${name}: ${text}`);
  }
  assert.deepEqual(faults, []);
});

test("a source of an answer opens in its document, and a refusal is said in words", { skip }, async () => {
  const { page, faults } = await visit();
  await enter(page, "examine/verify");
  await page.locator(".examine textarea").fill(valve);
  await page.locator(".examine .primary").click();
  await page.locator(".found .source").first().click();
  await page
    .locator(".reader .cited-line, .reader mark, .reader .cited")
    .first()
    .waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await enter(page, "examine/similar");
  await page.locator('.examine [name="document"]').fill("nothing.pdf");
  await page.locator(".examine .primary").click();
  await page.locator(".found .notice").waitFor();
  assert.match((await page.locator(".found .notice").textContent()) ?? "", /nothing\.pdf/);
  assert.deepEqual(faults, []);
});
