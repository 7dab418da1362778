import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, lies, servedPage, skip } from "./page-stage.ts";

/** Key of a person who may read only what is public. */
const ada = { key: "" };

/** Far longer than any window, so that only its own pane may scroll. */
const long = (place: string): readonly string[] =>
  Array.from({ length: 300 }, (_, index) =>
    index === 200
      ? `The crane in the ${place} carries 4.5 tonnes.`
      : `Section ${index} of the ${place} is empty.`,
  );
/** The same in formats that are shown as text, each about a place of its own. */
const texts = { "quay.md": "quay", "foundry.html": "foundry", "granary.txt": "granary" };

const { visit, enter, stage } = servedPage(async (home) => {
  const folder = await home.folder("rules", {
    "quay.md": `# Rules\n\n${long("quay").join("\n\n")}\n`,
    "foundry.html": `<h1>Rules</h1>${long("foundry")
      .map((line) => `<p>${line}</p>`)
      .join("")}`,
    "granary.txt": long("granary").join("\n\n"),
  });
  await home.json(["agents", "seed"]);
  await home.json(["ingest", folder]);
  await home.json(["principals", "add", "ada"]);
  ada.key = String((await home.json(["principals", "key", "add", "ada"]))["key"]);
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

/** Whether more lies in an element than it shows. */
const cut = (selector: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)`;

test("who has access is shown whole beside the rule behind a cell, and denials in one line a kind", {
  skip,
}, async () => {
  const other = await visit({ key: ada.key });
  await ask(other.page, "How much does the crane in the quay carry?");
  await ask(other.page, "How much does the crane in the foundry carry?");
  const { page } = await visit({ viewport: { width: 1280, height: 900 } });
  await enter(page, "access");
  await page.getByRole("columnheader", { name: "engineering_private_docs" }).waitFor();
  await page.locator(".cell").last().click();
  await page.locator(".why h2").waitFor();
  assert.equal(await page.evaluate(cut(".access .table-scroll")), false, "no column is cut");
  const denials = await page.locator(".view .plain li").allTextContents();
  assert.equal(denials.filter((line) => /ada Read · agent/.test(line)).length, 1, denials.join("\n"));
  assert.match(denials.join("\n"), /agent Engineering Assistant|agent .*, Engineering Assistant/);
  await enter(page, "runs");
  const run = page.locator(".runs tbody tr").first();
  assert.match((await run.textContent()) ?? "", /ada.*completed/);
  const window = { x: 0, y: 0, width: 390, height: 780 };
  await page.setViewportSize(window);
  assert.ok(await run.getByText("completed").isVisible(), "on a phone too");
  await enter(page, "access");
  const whose = page.locator(".matrix tbody th").first();
  await whose.waitFor();
  await page.evaluate("document.querySelector('.access .table-scroll').scrollLeft = 999");
  assert.ok(lies(await whose.boundingBox(), window), "whose row it is stays in view");
  await page.locator(".cell").last().click();
  await page.locator(".why h2").waitFor();
  const covered = `(() => {
    const { left, top, bottom } = document.querySelector(".why").getBoundingClientRect();
    const heights = Array.from({ length: (bottom - top) / 8 - 1 }, (_, at) => top + 4 + 8 * at);
    return heights.filter((y) => !document.elementFromPoint(left + 12, y)?.closest(".why, .rail"));
  })()`;
  assert.deepEqual(await page.evaluate(covered), [], "no name lies over the rule");
});

test("documents are sorted by a press on a column, and each date stands on one line", { skip }, async () => {
  const { page } = await visit({ viewport: { width: 1280, height: 900 } });
  await enter(page, "documents");
  const links = page.locator(".documents td:first-child a");
  const names = () => links.allTextContents();
  await links.first().waitFor();
  assert.deepEqual(await names(), ["foundry.html", "granary.txt", "quay.md"]);
  await page.getByRole("button", { name: "Name" }).click();
  assert.deepEqual(await names(), ["quay.md", "granary.txt", "foundry.html"]);
  assert.equal(await page.locator('th[aria-sort="descending"]').textContent(), "Name");
  await page.getByRole("button", { name: "Size" }).click();
  assert.equal((await names())[2], "foundry.html", "the tags make it the largest");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const range =
      "const r = document.createRange(); r.selectNodeContents(document.querySelector('.documents tbody td:last-child')); return r.getClientRects().length";
    assert.equal(await page.evaluate(`(() => { ${range} })()`), 1, `at ${width}`);
  }
});

test("on a phone nothing around the question is cut", { skip }, async () => {
  for (const locale of ["en-GB", "vi-VN"]) {
    const { page } = await visit({ viewport: { width: 390, height: 844 }, locale });
    for (const [view, selector] of [
      ["documents", "[type=search]"],
      ["ask", "#question"],
    ] as const) {
      await page.goto(`${stage().origin}/#/${view}`);
      const input = page.locator(selector);
      await input.fill((await input.getAttribute("placeholder")) ?? "");
      for (const width of [430, 400, 390]) {
        await page.setViewportSize({ width, height: 844 });
        assert.equal(await page.evaluate(cut(selector)), false, `the placeholder of ${view} at ${width}`);
      }
      await input.fill("");
    }
    const window = { x: 0, y: 0, width: 390, height: 844 };
    for (const each of await page.locator(".filters > *, .rail-foot > *").all())
      assert.ok(lies(await each.boundingBox(), window), (await each.textContent()) ?? "");
    // A list as wide as its longest choice cuts none.
    const widths = `[...document.querySelectorAll(".rail-foot select")].map((e) => {
      const copy = e.cloneNode(true);
      copy.style = "position: fixed; max-width: none";
      e.after(copy);
      const wanted = copy.offsetWidth;
      copy.remove();
      return e.offsetWidth >= wanted;
    })`;
    assert.deepEqual(await page.evaluate(widths), [true, true], "the choices of language and colours");
  }
});

test("a link that is no longer valid leads to the sign-in page, which says so", { skip }, async () => {
  const { browser, origin } = stage();
  const page = await browser.newPage({ locale: "en-GB" });
  const response = await page.goto(`${origin}/?key=wrong`);
  assert.equal(response?.status(), 401);
  assert.match((await page.getByRole("alert").textContent()) ?? "", /link does not sign you in/);
  assert.ok(await page.getByLabel("Your key").isVisible());
  assert.equal(page.url(), `${origin}/`);
});

test("an empty room says who can read it, and the owner lets others in", { skip }, async () => {
  const { page } = await visit();
  await enter(page, "rooms");
  await page.locator(".new-room summary").click();
  await page.getByLabel("Name of the chat").fill("pier");
  await page.keyboard.press("Enter");
  const empty = page.locator(".nothing-said");
  assert.match((await empty.textContent()) ?? "", /Nothing has been said yet.*Only its maker, the owner/);
  await page.locator(".invite summary").click();
  await page.getByRole("combobox", { name: "Let somebody in" }).selectOption("ada");
  await page.getByRole("button", { name: "Let in" }).click();
  await page.getByText("ada can now read and write here.").waitFor();
  const other = await visit({ key: ada.key });
  await enter(other.page, "rooms/pier");
  await other.page.locator("#question").fill("Good morning.");
  await other.page.keyboard.press("Enter");
  await page.locator(".message.from-user", { hasText: "Good morning." }).waitFor();
  assert.ok(await empty.isHidden());
});

test("a refusal is not headed by who answered", { skip }, async () => {
  const { page } = await visit();
  await ask(page, "Who painted the ceiling of the palace on Mars?");
  assert.match((await page.locator(".trace-now").textContent()) ?? "", /^Not answered/);
});
