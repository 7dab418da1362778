import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { documents } from "../cli/support.ts";
import { ask, lies, send, servedPage, skip } from "./page-stage.ts";
import { openWriter } from "./page-writer.ts";

const seal = {
  question: "How often does the mechanical seal of the HP-200 have to be replaced?",
  file: "equipment_manual.pdf",
  says: "8,000 hours",
  sentence: "The mechanical seal is replaced every 8,000 hours",
};
const pressure = "What is the maximum working pressure of the HP-200S?";
const bar = {
  ...seal,
  question: pressure,
  says: "25 bar",
  sentence: "Its maximum working pressure is 25 bar",
};
const writer = openWriter([seal, bar]);
/** Key of a person who reads what is public. */
const ada = { key: "" };

const { visit } = servedPage(async (home) => {
  await home.json(["ingest", join(documents, seal.file)]);
  const row = ["llm/openai-compatible", "--option", `base_url=${await writer.start()}`];
  await home.json(["providers", "add", ...row, "--option", "model=writer"]);
  await home.json(["principals", "add", "ada"]);
  ada.key = String((await home.json(["principals", "key", "add", "ada"]))["key"]);
});
after(() => writer.stop());

test("a question that comes while an answer is written waits, and one that was stopped can be asked again", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  writer.hold();
  await send(page, seal.question);
  const [first, second] = [page.locator(".turn").first(), page.locator(".turn").nth(1)];
  await first.locator(".trace", { hasText: /Writing the answer/ }).waitFor();
  await send(page, pressure);
  await second.getByText("Waits for the answer above.").waitFor();
  await second.getByRole("button", { name: "Take back" }).click();
  assert.equal(await page.locator("#question").inputValue(), pressure, "nothing that was typed is lost");
  await page.keyboard.press("Enter");
  await second.getByText("Waits for the answer above.").waitFor();
  assert.equal(await first.locator(".notice").count(), 0, "the first one is still being written");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  assert.match((await first.locator(".notice").textContent()) ?? "", /You stopped this answer/);
  writer.let();
  await second.locator(".verdict").waitFor();
  await first.getByRole("button", { name: "Ask again" }).click();
  await first.locator(".verdict").waitFor();
  assert.match((await first.locator(".answer-body").textContent()) ?? "", /8,000 hours/);
  assert.deepEqual(faults, []);
});

test("a reload goes on with the answer in the making, and the conversation is kept and can be continued", {
  skip,
}, async () => {
  const { page, faults } = await visit({ key: ada.key });
  writer.hold();
  await send(page, seal.question);
  await page.locator(".trace", { hasText: /Writing the answer/ }).waitFor();
  await page.reload();
  const turn = page.locator(".turn");
  await turn.locator(".trace", { hasText: /Writing the answer/ }).waitFor();
  assert.equal(await turn.locator(".question").textContent(), seal.question);
  writer.let();
  await turn.locator(".verdict").waitFor();
  await page.goto(new URL("/", page.url()).href);
  await turn.locator(".verdict").waitFor();
  assert.match((await turn.locator(".answer-body").textContent()) ?? "", /8,000 hours/);
  await turn.locator(".answer-body .chip").first().click();
  await page.locator(".reader .cited-line").first().waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  const asked = page.waitForRequest("**/v1/ask");
  await ask(page, pressure);
  const body = JSON.parse((await asked).postData() ?? "{}");
  assert.equal(body.history[0].text, seal.question, "what was said before is known");
  await page.getByRole("link", { name: "New conversation" }).click();
  await page.locator(".welcome").waitFor();
  assert.equal(await turn.count(), 0);
  const earlier = page.getByRole("combobox", { name: "Earlier conversations" });
  const label = (await earlier.locator("option").allTextContents()).find((text) => text.includes("seal"));
  await earlier.selectOption({ label: label ?? "" });
  await turn.nth(1).waitFor();
  await page.reload();
  await turn.nth(1).locator(".verdict").waitFor();
  assert.deepEqual(await page.locator(".question").allTextContents(), [seal.question, pressure]);
  const id = await earlier.inputValue();
  const other = await visit();
  await other.page.goto(`${new URL(page.url()).origin}/#/ask/${id}`);
  await other.page.getByText(`there is no conversation "${id}"`).waitFor();
  assert.deepEqual(faults, []);
});

test("a later question and the beginning of its answer are in view, however long the one before", {
  skip,
}, async () => {
  for (const viewport of [
    { width: 1280, height: 700 },
    { width: 390, height: 700 },
  ]) {
    const { page } = await visit({ viewport });
    for (const question of ["Summarize equipment_manual.pdf", pressure]) await ask(page, question);
    const view = await page.locator(".ask-scroll").boundingBox();
    const last = page.locator(".turn:last-child");
    const top = (await last.locator(".question").boundingBox())?.y ?? 0;
    assert.ok(top - (view?.y ?? 0) < 80, `the question stands at the top: ${top}`);
    assert.ok(lies(await last.locator(".answer-body .prose").boundingBox(), view), "its answer below it");
    const box = await page.locator(".composer").boundingBox();
    assert.ok((view?.y ?? 0) + (view?.height ?? 0) <= (box?.y ?? 0) + 1, "the composer covers nothing");
  }
});
