import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { documentsNamed } from "../../../src/language/asking/document-names.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

describe("the agent for a document that is named", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("finance_private_docs", "private", {
      "pump_minutes.md":
        "# Minutes of the pump maintenance meeting\n\nThe meeting approved a new shaft for pump P-110. Ada Berg orders it in March.\n",
    });
    await scene.ingest("engineering_private_docs", "private", {
      "manual.md":
        "# Pump maintenance manual\n\nMaintenance of a pump begins with the seal. The torque of the casing bolts is 125 Nm.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("is one that can read it, where the asker may", async () => {
    const summary = await scene.ask("Summarise the minutes of the pump maintenance meeting.", "owner");
    assert.equal(summary.agent, "Finance Analyst");
    assert.deepEqual(
      [...new Set(summary.citations.map(({ sourceFile }) => sourceFile))],
      ["pump_minutes.md"],
    );
    assert.equal(
      (await scene.ask("Which torque do the casing bolts of the pump need?", "owner")).agent,
      "Engineering Assistant",
    );
  });

  it("widens nothing for who may not read it", async () => {
    const { citations } = await scene.ask(
      "Summarise the minutes of the pump maintenance meeting.",
      "engineer",
    );
    assert.ok(citations.every(({ sourceFile }) => sourceFile !== "pump_minutes.md"));
  });

  it("says in a refusal what it did not search, and whom to ask", async () => {
    const { verdict } = await scene.ask("Who is Xaver Quendolin?", "owner", {
      agent: "Engineering Assistant",
    });
    assert.match(
      verdict.reason,
      /none of the closest passages mentions Xaver Quendolin; Engineering Assistant does not search 1 collection that you can read; ask .* instead \(--agent "/,
    );
    const own = await scene.ask("Who is Xaver Quendolin?", "engineer");
    assert.match(own.verdict.reason, /none of the closest passages mentions Xaver Quendolin$/);
  });
});

describe("a document that is named", () => {
  const named = (question: string, ...names: string[]) =>
    documentsNamed(
      question,
      names.map((name) => ({ name, title: "" })),
    ).map(({ name }) => name);

  it("has all words of its title or file in the question, two at least", () => {
    assert.deepEqual(
      named(
        "Summarise the minutes of the maintenance meeting.",
        "maintenance_minutes.docx",
        "maintenance_manual.pdf",
      ),
      ["maintenance_minutes.docx"],
    );
    assert.deepEqual(named("How many invoices are open?", "invoices.xlsx"), []);
    assert.deepEqual(named("Who repairs the pump?", "pump_repair_plan.md"), []);
  });
});
