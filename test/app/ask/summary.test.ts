import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { documentKind } from "../../../src/language/asking/document-names.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

describe("a summary of a document that is called something", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("general_knowledge", "public", {
      "pump.md":
        "# Pump HP-9\n\n## Maintenance\n\nMaintenance of the pump takes ten minutes. The seal is renewed every year.\n\n## Torques\n\nThe casing bolts of the pump need 125 Nm.\n",
      "canteen.md": "# Canteen\n\nThe canteen opens at eleven. Soup costs two euro.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("is refused where no document is called so", async () => {
    const { verdict } = await scene.ask("Summarise the minutes of the pump maintenance.", "owner");
    assert.equal(verdict.status, "refused", verdict.reason);
    assert.match(verdict.reason, /no searched document is named “minutes”/);
  });

  it("is written where the word names a subject of the document", async () => {
    const { verdict, citations } = await scene.ask("Summarise the maintenance of the pump HP-9.", "owner");
    assert.notEqual(verdict.status, "refused");
    assert.ok(citations.every(({ sourceFile }) => sourceFile === "pump.md"));
  });

  it("takes a word that the document named by the request does not have for the document", async () => {
    const { verdict, response } = await scene.ask("Summarize the fixture", "owner", {
      documents: ["pump.md"],
    });
    assert.notEqual(verdict.status, "refused");
    assert.match(response, /pump/);
    assert.doesNotMatch(response, /fixture/);
  });
});

describe("a summary in another language than English", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("general_knowledge", "public", {
      "runde_1.md":
        "# Besprechung der Werkstatt, 12. März 2026\n\nDie Dichtungen der Pumpe kommen in der zwölften Woche. Der Umbau der Halle beginnt im Mai.\n",
      "runde_2.md":
        "# Besprechung der Werkstatt, 9. April 2026\n\nDie zweite Pumpe der Werkstatt läuft wieder. Die Schulung im Mai entfällt für alle Schichten.\n",
      "minutes.md":
        "# Minutes of the crane meeting, 16 June 2026\n\nThe crane of the hall is inspected in July. The hoist is postponed to 2027.\n",
      "brandschutz.md":
        "# Brandschutz\n\nDie Feuerlöscher der Werkstatt werden alle zwei Jahre geprüft. Fluchtwege bleiben immer frei.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  for (const [question, file] of [
    ["Fasse die Besprechung vom 12. März zusammen", "runde_1.md"],
    ["Gib mir bitte eine kurze Zusammenfassung der Besprechung im April 2026", "runde_2.md"],
    ["Fasse die Besprechung vom 16. Juni 2026 zusammen", "minutes.md"],
    ["Fasse das Dokument Brandschutz bitte kurz zusammen", "brandschutz.md"],
    ["Résume la réunion du 9 avril 2026", "runde_2.md"],
  ] as const)
    it(`is of the one document that the question names: “${question}”`, async () => {
      const { citations, verdict } = await scene.ask(question, "owner");
      assert.deepEqual([...new Set(citations.map(({ sourceFile }) => sourceFile))], [file], verdict.reason);
    });
});

describe("a summary of a document that is named among other words", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("general_knowledge", "public", {
      "besprechung.md":
        "# Besprechung vom 3. März 2025\n\n## Wartung\n\nDie Wartung der Pumpe dauert zehn Minuten. Die Dichtung wird jedes Jahr erneuert.\n",
      "kantine.md": "# Kantine\n\nDie Kantine öffnet um elf Uhr. Die Suppe kostet zwei Euro.\n",
      "handbuch.md":
        "# Handbuch\n\n## Wartung\n\nDie Pumpe muss gewartet werden. Die Besprechung der Wartung ist im März.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("is of the one document that the question names, whatever asks for it", async () => {
    for (const [question, file] of [
      ["Fasse das Handbuch zusammen.", "handbuch.md"],
      ["Gib mir einen Überblick über das Dokument Handbuch", "handbuch.md"],
      ["Fasse die Besprechung vom 3. März zusammen.", "besprechung.md"],
      ["Fasse kurz zusammen, was in der Besprechung beschlossen wurde.", "besprechung.md"],
    ] as const) {
      const { verdict, citations } = await scene.ask(question, "owner");
      assert.notEqual(verdict.status, "refused", question);
      assert.deepEqual([...new Set(citations.map(({ sourceFile }) => sourceFile))], [file], question);
    }
  });
});

describe("a kind of document", () => {
  it("is named by its head noun, in three languages", () => {
    assert.equal(documentKind("Summarise the minutes of the meeting.")?.name, "minutes");
    assert.equal(documentKind("Gib eine Zusammenfassung des Protokolls")?.name, "protokolls");
    assert.equal(documentKind("Tóm tắt biên bản")?.name, "biên bản");
    assert.equal(documentKind("Summarise the memo")?.isIn("Memorandum of 2019"), true);
  });

  it("is no amount of time and no word before another noun", () => {
    assert.equal(documentKind("Summarise the first 10 minutes of the talk"), null);
    assert.equal(documentKind("Summarise the invoice processing rules"), null);
    assert.equal(documentKind("Summarise the report"), null);
    assert.equal(documentKind("Summarise the monetary policy"), null);
  });
});
