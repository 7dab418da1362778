import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { answerer, skipAnswerer } from "../cli/support.ts";
import { testHome } from "../contracts/store.ts";
import { ask, servedPage, skip } from "./page-stage.ts";

/** Key of a person who reads what is public. */
const ada = { key: "" };

const { visit } = servedPage(async (home) => {
  const text = "# Relief valve\n\nThe relief valve opens at a pressure of 12 bar.\n";
  await home.json(["ingest", await home.folder("valves", { "valve.md": text })]);
  await home.json(["principals", "add", "ada"]);
  ada.key = String((await home.json(["principals", "key", "add", "ada"]))["key"]);
  if (skipAnswerer !== false) return;
  await symlink(join(testHome, "models", answerer), join(home.path, "models", answerer));
  await writeFile(join(home.path, "settings.yaml"), "answer:\n  write: always\n  maxTokens: 24\n", {
    mode: 0o600,
  });
});

/** What an answer shows besides its response. */
async function besides(answer: Locator): Promise<Readonly<Record<string, readonly string[]>>> {
  const texts = (selector: string) => answer.locator(selector).allTextContents();
  return {
    title: await texts(".trace-now"),
    steps: await texts(".step-decided"),
    draft: await texts(".draft"),
    searched: await texts(".answer-footer > .muted"),
  };
}

/** Asks about the valve: the answer, and what is shown beside it. */
async function askOfValve(page: Page) {
  await ask(page, "At which pressure does the relief valve open?");
  const answer = page.locator(".turn .answer").first();
  const shown = await besides(answer);
  assert.match(shown["draft"]?.[0] ?? "", /Draft by a small model/, JSON.stringify(shown));
  assert.ok((shown["steps"]?.length ?? 0) > 6, JSON.stringify(shown));
  return { answer, shown };
}

const title = "what was shown beside an answer is shown again after a reload and among the runs";
test(title, { skip: skip || skipAnswerer }, async () => {
  const { page, faults } = await visit();
  const { answer, shown } = await askOfValve(page);
  await ask(page, "Who painted the ceiling of the palace on Mars?");
  const refused = page.locator(".turn .answer").last();
  const beside = await besides(refused);
  assert.match(beside["searched"]?.[0] ?? "", /Searched 1 document/);
  await page.reload();
  await refused.locator(".verdict").waitFor();
  assert.deepEqual([await besides(answer), await besides(refused)], [shown, beside]);
  await answer.getByRole("link").first().click();
  const past = page.locator(".answer.past");
  await past.locator(".verdict").waitFor();
  assert.deepEqual(await besides(past), shown);
  assert.ok((await past.locator(".step-details").count()) > 0);
  assert.deepEqual(faults, []);
});

test("to others than the owner without the details of the steps", {
  skip: skip || skipAnswerer,
}, async () => {
  const { page, faults } = await visit({ key: ada.key });
  const { answer, shown } = await askOfValve(page);
  await page.reload();
  await answer.locator(".verdict").waitFor();
  assert.deepEqual(await besides(answer), shown);
  assert.equal(await answer.locator(".step-details").count(), 0);
  assert.deepEqual(faults, []);
});
