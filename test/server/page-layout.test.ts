import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, lies, servedPage, skip } from "./page-stage.ts";

/** Far longer than any window, so that only its own pane may scroll. */
const long = (place: string): readonly string[] =>
  Array.from({ length: 300 }, (_, index) =>
    index === 200
      ? `The crane in the ${place} carries 4.5 tonnes.`
      : `Section ${index} of the ${place} is empty.`,
  );
/** The same in formats that are shown as text, each about a place of its own. */
const texts = { "quay.md": "quay", "foundry.html": "foundry", "granary.txt": "granary" };

const { visit } = servedPage(async (home) => {
  const folder = await home.folder("rules", {
    "quay.md": `# Rules\n\n${long("quay").join("\n\n")}\n`,
    "foundry.html": `<h1>Rules</h1>${long("foundry")
      .map((line) => `<p>${line}</p>`)
      .join("")}`,
    "granary.txt": long("granary").join("\n\n"),
  });
  await home.json(["ingest", folder]);
});

/** How far the page as a whole is longer than its window, in pixels. */
const overflow = "document.documentElement.scrollHeight - innerHeight + document.documentElement.scrollTop";

test("a citation in a long text scrolls within the reader, in windows of any width", { skip }, async () => {
  const { page, faults } = await visit();
  for (const [name, place] of Object.entries(texts)) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await ask(page, `How much does the crane in the ${place} carry?`);
    for (const width of [1280, 1000, 1600, 390]) {
      const window = { x: 0, y: 0, width, height: 900 };
      await page.setViewportSize(window);
      await page.locator(".turn:last-child .source", { hasText: name }).first().click();
      const mark = page.locator(".reader mark.cited").first();
      await mark.waitFor();
      assert.equal(await page.evaluate(overflow), 0, `${name}: the page does not scroll at ${width}`);
      const reader = await page.locator(".reader").boundingBox();
      assert.ok(lies(reader, window) && lies(await mark.boundingBox(), reader), `${name} at ${width}`);
      const head = await page.locator(".reader-header").boundingBox();
      assert.ok(lies(head, window), `${name} at ${width}: ${JSON.stringify(head)}`);
      if (width > 864) assert.ok(lies(await page.locator(".composer").boundingBox(), window));
      await page.keyboard.press("Escape");
    }
  }
  assert.deepEqual(faults, []);
});
