import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { documentsInQuestion } from "../../../src/language/asking/document-names.ts";
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

describe("an agent that was only chosen for the owner", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    const leave = (of: string) =>
      `# ${of}\n\nParental leave of employees lasts sixteen weeks. The employee of the crane crew applies for it.\n`;
    await scene.ingest("hr_private_docs", "private", { "leave.md": leave("Parental leave") });
    await scene.ingest("engineering_private_docs", "private", { "crew.md": leave("Crane crew") });
  });
  after(() => scene[Symbol.asyncDispose]());
  const hr = "HR Assistant";
  const mention = "Which documents mention the parental leave of an employee?";
  const files = (text: string): readonly string[] => [...new Set(text.match(/\w+\.md/g))].toSorted();

  it("leaves nothing out that the owner may read", async () => {
    const { agent, response, trace } = await scene.ask(mention, "owner");
    assert.deepEqual([agent, files(response)], [hr, ["crew.md", "leave.md"]]);
    assert.doesNotMatch(JSON.stringify(trace), /withheld, use/);
    const read = await scene.ask("Who of the crane crew applies for parental leave of an employee?", "owner");
    assert.deepEqual(
      [read.agent, files(JSON.stringify(read.context.passages))],
      [hr, ["crew.md", "leave.md"]],
    );
    const refused = await scene.ask("What salary does the employee Xaver Quendolin get?", "owner");
    assert.deepEqual([refused.agent, refused.searched?.documents], [hr, 2]);
  });

  it("searches whatever its own search is set to, and though it has none", async () => {
    const { agents, tools } = scene.app.registry;
    const owner = scene.as("owner");
    const [search] = (await tools.list(owner)).filter(({ type }) => type === "rag");
    assert.ok(search !== undefined);
    await tools.set(search.name, { config: { milvus_private_uri: "http://127.0.0.1:9" } }, owner);
    assert.deepEqual(files((await scene.ask(mention, "owner")).response), ["crew.md", "leave.md"]);
    await tools.set(search.name, { config: {} }, owner);
    await agents.take(hr, search.name, owner);
    assert.deepEqual(files((await scene.ask(mention, "owner")).response), ["crew.md", "leave.md"]);
    await agents.give(hr, { tool: search.name }, owner);
  });

  it("has no model of its own, which must not see what it may not read", async () => {
    const { agents } = scene.app.registry;
    const owner = scene.as("owner");
    // Nothing listens at the port that discards.
    const providerConfig = {
      provider: "openai-compatible" as const,
      base_url: "http://127.0.0.1:9/v1",
      model: "m",
    };
    await agents.set(hr, { providerConfig }, owner);
    const asked = "How long is the parental leave of an employee?";
    assert.equal((await scene.ask(asked, "owner")).agent, hr);
    for (const more of [{ agent: hr }, { collections: ["hr_private_docs"] }])
      await assert.rejects(scene.ask(asked, "owner", more), { code: "PROVIDER_UNAVAILABLE" });
    await agents.set(hr, { providerConfig: {} }, owner);
  });

  it("still limits others, and the owner who names it", async () => {
    assert.deepEqual(files((await scene.ask(mention, "hr_manager")).response), ["leave.md"]);
    const named = await scene.ask(mention, "owner", { agent: hr });
    assert.deepEqual(files(named.response), ["leave.md"]);
    assert.match(named.response, /HR Assistant/);
  });
});

describe("a document that is named", () => {
  const named = (question: string, ...names: string[]) =>
    documentsInQuestion(
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
