import assert from "node:assert/strict";
import { test } from "node:test";
import { openScene, skipScene } from "../scene.ts";

test("a refusal says what was searched, what could not be read and what was nearest, of what the asker may read", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", {
    "gate.md": "# North gate\n\nThe north gate closes at nine.\n",
    "broken.pdf": "%PDF-1.7 no more than this",
  });
  await scene.ingest("hr_private_docs", "private", {
    "bands.md": "# Salary bands\n\nBand nine starts at 91,500 EUR a year.\n",
  });
  const question = "Who won the chess championship of Reykjavik in 1987?";
  const refused = await scene.ask(question, "owner");
  assert.equal(refused.verdict.status, "refused");
  const { searched } = refused;
  assert.deepEqual([searched?.documents, searched?.unreadDocuments, searched?.unreadPages], [2, 1, 0]);
  assert.ok((searched?.nearest.length ?? 0) > 0);
  await scene.app.permissions.addPrincipal({ name: "ada" }, scene.as("owner"));
  const ofAda = await scene.ask(question, "ada");
  assert.equal(ofAda.searched?.documents, 1);
  assert.deepEqual(
    ofAda.searched?.nearest.map(({ chunk }) => chunk.sourceName),
    ["gate.md"],
  );
  const inOne = await scene.ask(question, "owner", { collections: ["hr_private_docs"] });
  assert.deepEqual([inOne.searched?.documents, inOne.searched?.unreadDocuments], [1, 0]);
  assert.equal((await scene.ask("When does the north gate close?", "owner")).searched, undefined);
});

test("a refusal for which only empty forms were found names them, and does not say that they lack what they have", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  const form = "pump_inspection_template.md";
  await scene.ingest("general_knowledge", "public", {
    [form]: "# Pump inspection\n\nPump P-107 discharge pressure: ____ bar\n\nInspector: ____________\n",
  });
  const english = await scene.ask("What is the discharge pressure of pump P-107?", "owner");
  assert.equal(english.verdict.reason, `not enough evidence: only empty forms were found: ${form}`);
  assert.deepEqual(
    english.searched?.nearest.map(({ chunk }) => chunk.sourceName),
    [form],
  );
  const german = await scene.ask("Wie hoch ist der Druck der Pumpe P-107?", "owner");
  assert.match(german.verdict.reason, /nur leere Formulare gefunden: pump_inspection_template\.md$/);
});
