import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { documents } from "../cli/support.ts";
import { ask, lies, send, servedPage, skip } from "./page-stage.ts";
import { openWriter, type Written } from "./page-writer.ts";

/** What of an element of the browser is read here. */
interface Shown {
  readonly textContent: string | null;
  querySelector(selector: string): { remove(): void } | null;
}

/** A file, a question about it, and where its citation leads. */
interface Case {
  readonly file: string;
  readonly question: string;
  /** What the answer and the marked place in the document both hold. */
  readonly says: string;
  /** The marked place of the document that is open. */
  readonly marked: (reader: Locator) => Locator;
  /** What tells that its page, slide or sheet is open. */
  readonly opened: (reader: Locator) => Locator;
}

const pdf = (page: number) => ({
  file: "equipment_manual.pdf",
  marked: (reader: Locator) => reader.locator(`.page[data-page-number="${page}"] .textLayer span`),
  opened: (reader: Locator) => reader.locator(`.page[data-page-number="${page}"] .cited-line`),
});
const slide = (page: number) => ({
  file: "safety_training.pptx",
  marked: (reader: Locator) => reader.locator(".in-passage"),
  opened: (reader: Locator) => reader.locator(".pager", { hasText: new RegExp(`^${page} / `) }),
});
const sheet = (name: string) => ({
  file: "equipment_data.xlsx",
  marked: (reader: Locator) => reader.locator("tr:is(.cited-row, .in-passage)"),
  opened: (reader: Locator) => reader.locator('.tabs [aria-pressed="true"]', { hasText: name }),
});

const quoted: Readonly<Record<string, Case>> = {
  PDF: { ...pdf(2), question: "What is the maximum working pressure of the HP-200S?", says: "25 bar" },
  slide: { ...slide(3), question: "Which gloves must be worn when handling acid?", says: "Butyl gloves" },
  sheet: { ...sheet("Valves"), question: "What is the set pressure of safety valve V-204?", says: "18.5" },
};

/** Questions that no row of a table answers alone, so that the model is asked, and what it writes. */
const written: Readonly<Record<string, Case & Pick<Written, "sentence" | "looksFor">>> = {
  PDF: {
    ...pdf(6),
    question: "How often does the mechanical seal of the HP-200 have to be replaced?",
    says: "8,000 hours",
    sentence: "The mechanical seal is replaced every 8,000 hours",
    looksFor: "intervals of the seal",
  },
  slide: {
    ...slide(3),
    question: "Which gloves must be worn when handling acid?",
    says: "Butyl gloves",
    sentence: "Butyl gloves, 0.7 mm, must be worn for acid handling",
  },
  sheet: {
    ...sheet("Spares"),
    question: "Who delivers the coupling element?",
    says: "Flexidrive Oy",
    sentence: "The supplier of the coupling element is Flexidrive Oy",
  },
};

const served = servedPage(async (home) => {
  for (const { file } of Object.values(quoted)) await home.json(["ingest", join(documents, file)]);
});

/** Presses the citation in an answer, and follows it to the place in the document. */
async function follow(page: Page, { says, marked, opened }: Case): Promise<void> {
  const answer = page.locator(".turn:last-child .answer-body");
  assert.match((await answer.textContent()) ?? "", new RegExp(says));
  await answer.locator(".chip").first().click();
  const reader = page.locator(".reader");
  await opened(reader).first().waitFor({ state: "attached" });
  const place = marked(reader).filter({ hasText: says }).first();
  await place.waitFor({ state: "attached" });
  const box = await place.boundingBox();
  // The table of a sheet scrolls sideways, within the reader.
  assert.ok(box && lies({ ...box, width: 0 }, await reader.boundingBox()), "what is cited is in view");
}

describe("without a model", { skip }, () => {
  for (const [kind, each] of Object.entries(quoted))
    test(`a ${kind} that is asked is quoted, and its citation opens where it says so`, async () => {
      const { page, faults } = await served.visit();
      await ask(page, each.question);
      assert.match((await page.locator(".trace").textContent()) ?? "", /no language model/);
      await follow(page, each);
      assert.deepEqual(faults, []);
    });
  test("the first page counts what can be read, and offers questions that the documents answer", async () => {
    const { page, faults } = await served.visit();
    const welcome = page.locator(".welcome");
    await welcome.getByText("You can read 3 documents in 1 collection.").waitFor();
    await welcome.locator("button", { hasText: "Which documents mention" }).waitFor();
    const examples = welcome.getByRole("list").first().getByRole("button");
    assert.equal(await examples.count(), 3);
    await examples.last().click();
    await page.locator(".verdict, .notice").first().waitFor();
    assert.match((await page.locator(".answer-body").textContent()) ?? "", /1 document mentions/);
    assert.deepEqual(faults, []);
  });
  test("a conversation is begun with one welcome, however slow the documents are listed", async () => {
    const { page } = await served.visit();
    const listed = Promise.withResolvers<void>();
    await page.route("**/v1/documents?*", async (route) => {
      await listed.promise;
      await route.continue();
    });
    const begin = page.getByRole("link", { name: "New conversation" });
    for (let at = 0; at < 2; at++) {
      await ask(page, "Who painted the ceiling of the palace on Mars?");
      await begin.click();
      await page.locator(".turns:empty").waitFor({ state: "attached" });
    }
    listed.resolve();
    const welcome = page.locator(".welcome");
    await welcome.getByText("Recently added").first().waitFor();
    await welcome.locator("button", { hasText: "Which documents mention" }).first().waitFor();
    assert.equal(await welcome.getByText("You can read").count(), 1);
    assert.equal(await welcome.locator("h3", { hasText: "Try asking" }).count(), 1);
    assert.equal(await welcome.locator("button", { hasText: "Which documents are there?" }).count(), 1);
  });
  test("scores and the names of steps are shown in the trace alone", async () => {
    const { page } = await served.visit();
    await ask(page, "What is the annual budget of the canteen on Mars?");
    const trace = page.locator(".trace");
    assert.match((await trace.textContent()) ?? "", /evidence 0\.\d\d \(at least 0\.\d\d needed/);
    const shown = await page.locator(".answer").evaluate((answer: { cloneNode(deep: true): Shown }) => {
      const copy = answer.cloneNode(true);
      copy.querySelector(".trace")?.remove();
      return copy.textContent;
    });
    assert.doesNotMatch(shown ?? "", /\b0\.\d\d\b/);
  });
  test("below each quote stands the place that it is from", async () => {
    const { page } = await served.visit();
    await ask(page, quoted["slide"]?.question ?? "");
    const quotes = page.locator(".quotes blockquote");
    const count = await quotes.count();
    assert.ok(count > 0);
    assert.equal(await quotes.locator(".quote-place").count(), count);
    assert.match((await quotes.first().textContent()) ?? "", /safety_training\.pptx · page 3 · /);
    assert.equal(await quotes.locator(".mark").count(), count, "each quote is judged");
  });
  test("from a slide that is cited the next one is a press away", async () => {
    const { page } = await served.visit();
    await ask(page, quoted["slide"]?.question ?? "");
    await page.locator(".answer-body .chip").first().click();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.locator(".reader .pager", { hasText: "4 /" }).waitFor();
  });
});

describe("with a model", { skip }, () => {
  const writer = openWriter(Object.values(written));
  before(async () => {
    const address = await writer.start();
    const row = ["llm/openai-compatible", "--option", `base_url=${address}`, "--option", "model=writer"];
    await served.stage().home.json(["providers", "add", ...row]);
  });
  after(() => writer.stop());
  test("what a reader looks for before it writes is shown as it happens, and with the steps afterwards", async () => {
    const { page, faults } = await served.visit();
    writer.hold();
    await send(page, written["PDF"]?.question ?? "");
    const trace = page.locator(".turn:last-child .trace");
    await trace.locator(".trace-now", { hasText: "searching for “intervals of the seal”" }).waitFor();
    const steps = trace.locator(".trace-steps");
    const again = steps.locator("li", { hasText: "Search again" });
    assert.ok(await again.isVisible(), "the last steps are in view while it writes");
    writer.let();
    await page.locator(".turn:last-child .verdict").first().waitFor();
    assert.ok(await steps.isHidden(), "they take one line afterwards");
    const count = await steps.locator("li").count();
    await trace
      .locator("summary", { hasText: `${count} steps` })
      .first()
      .click();
    assert.ok(await again.isVisible());
    assert.ok(await steps.locator("li").first().isVisible());
    assert.deepEqual(faults, []);
  });
  for (const [kind, each] of Object.entries(written))
    test(`a ${kind} that is asked is written about, and its citation opens where it says so`, async () => {
      const { page, faults } = await served.visit();
      writer.hold();
      await send(page, each.question);
      const turn = page.locator(".turn:last-child");
      const now = each.looksFor === undefined ? /Writing the answer.* s/ : /searching for/;
      await turn.locator(".trace", { hasText: now }).waitFor();
      const found = page.getByRole("region", { name: "Found so far" });
      assert.match((await found.textContent()) ?? "", new RegExp(each.file));
      assert.equal(await page.locator(".verdict").count(), 0);
      writer.let();
      await turn.locator(".verdict, .notice").first().waitFor();
      assert.deepEqual(await turn.locator(".notice").allTextContents(), []);
      assert.match((await turn.locator(".trace").textContent()) ?? "", /writer/);
      assert.equal(await turn.locator('.answer-body .mark[data-support="supported"]').count(), 1);
      await follow(page, each);
      assert.deepEqual(faults, []);
    });
});
