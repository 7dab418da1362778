import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkExport, exportRun } from "../../src/app/verify/export.ts";
import { openScene, skipScene } from "./scene.ts";

const manual = new URL("../../fixtures/documents/equipment_manual.pdf", import.meta.url).pathname;

test("an exported answer shows its pages, runs nothing, and is checked against the documents of now", {
  skip: skipScene,
}, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-export-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await using scene = await openScene();
  const { app } = scene;
  const owner = scene.as("owner");
  const [pdf, note] = [join(folder, "manual.pdf"), join(folder, "gate.txt")];
  await cp(manual, pdf);
  await writeFile(note, "The north gate <b>closes</b> at nine.\n");
  await scene.ingest("general_knowledge", "public", [pdf, note]);
  const flow = await scene.ask("What is the rated flow of the HP-200A?", "owner");
  const gate = await scene.ask("When does the north gate close?", "owner");
  const pages = [
    await exportRun(flow.runId ?? "", app, owner),
    await exportRun(gate.runId ?? "", app, owner),
  ];
  const [ofFlow = "", ofGate = ""] = pages;
  assert.match(ofFlow, /<img alt="manual\.pdf, page 2" src="data:image\/webp;base64,UklGR/);
  assert.match(ofGate, /The north gate &lt;b&gt;closes&lt;\/b&gt; at nine\./);
  for (const page of pages) {
    assert.equal(page.match(/<script/g)?.length, 1);
    assert.doesNotMatch(page, /(?:src|href)="(?!data:|#)/);
    assert.match(page, /default-src 'none'/);
  }
  const statesOf = async (page: string) => {
    const { isPageIntact, citations } = await checkExport(page, app, owner);
    return [isPageIntact, ...citations.map(({ state, quotesFound }) => `${state} ${quotesFound}`)];
  };
  assert.deepEqual(await statesOf(ofFlow), [true, "unchanged true"]);
  assert.deepEqual(await statesOf(ofGate), [true, "unchanged true"]);
  assert.deepEqual(await statesOf(ofGate.replace("at nine", "at ten")), [false, "unchanged true"]);
  await assert.rejects(checkExport("<!doctype html><p>Hello</p>", app, owner), { code: "USAGE_INVALID" });

  await writeFile(note, "The north gate closes at ten.\n");
  await scene.ingest("general_knowledge", "public", [note]);
  assert.deepEqual(await statesOf(ofGate), [true, "changed false"]);
  assert.match(await exportRun(gate.runId ?? "", app, owner), /The document has changed since/);
  await app.forget([note], owner);
  assert.deepEqual(await statesOf(ofGate), [true, "gone false"]);

  await app.permissions.addPrincipal({ name: "ada" }, owner);
  await assert.rejects(exportRun(flow.runId ?? "", app, scene.as("ada")), { code: "NOT_FOUND" });
});
