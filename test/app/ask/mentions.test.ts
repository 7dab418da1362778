import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScene, type Scene, skipScene } from "../scene.ts";

describe("asking which documents mention something", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("documents", "public", {
      "press.md":
        "# Press\n\n## Lockout\n\nThe press is locked out by the foreman.\n\n## Oil\n\nOil is changed monthly. Waste oil is collected.\n",
      "lathe.html":
        "<h1>Lathe</h1><p>Before cleaning, a lockout is applied.</p><p>The lathe stops at noon.</p>",
      "canteen.md": "# Canteen\n\nThe kitchen opens at noon. Die Kantine rechnet Reisekosten nicht ab.\n",
      "pumps.md": "# Pumps\n\nPump P-107 is new.\n",
      "alarm.md": "# Alarms\n\nP107.vibration.alarm = 4.5\n",
      "torques.md": "# Torques\n\nPosition 107 is the drain plug.\n",
      "preise.csv": "Artikel;Bezeichnung\nA-1;Drehmomentschlüssel\n",
      "bơm.md": "# Trạm bơm\n\nMáy bơm được bảo trì hằng tháng.\n",
    });
    await scene.ingest("hr_private_docs", "private", {
      "secret.md": "# Discipline\n\nWhoever breaks a lockout is dismissed.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  const ask = async (query: string, principal = "owner", agent?: string) => {
    const more = agent === undefined ? {} : { agent };
    const { response, citations, verdict } = await scene.ask(query, principal, more);
    const files = citations.map(({ sourceFile }) => sourceFile).toSorted();
    return { first: response.split("\n")[0], files, status: verdict.status, response, citations };
  };

  it("lists every document with a quote and its section, and counts them", async () => {
    const { first, files, status, citations, response } = await ask(
      "Which documents mention lockout?",
      "hr_manager",
    );
    assert.equal(first, "3 documents mention “lockout”:");
    assert.deepEqual(files, ["lathe.html", "press.md", "secret.md"]);
    assert.equal(status, "extractive");
    assert.match(response, /^- lathe\.html: “Before cleaning, a lockout is applied\.” \[\d\]$/m);
    assert.ok(citations.some(({ section, quote }) => section.endsWith("Lathe") && quote.includes("lockout")));
  });

  it("lists nothing that its asker may not read, and does not count it", async () => {
    const asked = "In which files is lockout described?";
    for (const [principal, agent] of [["engineer"], ["owner", "Engineering Assistant"]] as const) {
      const { first, files, response } = await ask(asked, principal, agent);
      assert.equal(first, "2 documents mention “lockout”:");
      assert.deepEqual(files, ["lathe.html", "press.md"]);
      // The owner may read them all; the agent that was named may not.
      assert.equal(/Only collections that .* can read were searched\./.test(response), principal === "owner");
    }
    const { first, response } = await ask(asked);
    assert.equal(first, "3 documents mention “lockout”:");
    assert.doesNotMatch(response, /Only collections that/);
  });

  it("tells in how many places of a document the subject stands, where several have", async () => {
    for (const query of ["How many times is noon mentioned?", "On which pages is noon mentioned?"]) {
      const { first, response } = await ask(query);
      assert.equal(first, "2 documents mention “noon”:");
      assert.doesNotMatch(response, /places/);
    }
    const { response } = await ask("Where is oil mentioned?");
    assert.match(response, /^- press\.md \(3 places\): “Oil” \[1\]$/m);
  });

  it("takes a code as a whole, however it is written, and no bare number for it", async () => {
    for (const code of ["P-107", "p-107"]) {
      const { first, files } = await ask(`Which documents mention ${code}?`);
      assert.equal(first, `2 documents mention “${code}”:`);
      assert.deepEqual(files, ["alarm.md", "pumps.md"]);
    }
  });

  it("says so when none does", async () => {
    const { first, files, status } = await ask("Do any documents mention asbestos?");
    assert.match(first ?? "", /^None of the [5-9] searched documents mentions “asbestos”\.$/);
    assert.deepEqual([files, status], [[], "refused"]);
  });

  it("takes a short form for its long form, and not for one word of it", async () => {
    await scene.ingest("documents", "public", {
      "loto.md": "# Safety\n\nLock-out and tag-out has six steps.\n",
      "thread.md": "# Threads\n\nThread locking is used on every lock.\n",
    });
    assert.deepEqual((await ask("Which documents mention LOTO?")).files, ["loto.md"]);
  });

  it("understands German and Vietnamese", async () => {
    assert.deepEqual((await ask("Welche Dokumente erwähnen Reisekostenabrechnungen?")).files, []);
    assert.deepEqual((await ask("Welche Dokumente erwähnen die Reisekosten?")).files, ["canteen.md"]);
    assert.deepEqual((await ask("In welchem Dokument kommt der Drehmomentschlüssel vor?")).files, [
      "preise.csv",
    ]);
    const { first, files } = await ask("Tài liệu nào nói về bảo trì?");
    assert.deepEqual([first, files], ["1 tài liệu nói về “bảo trì”:", ["bơm.md"]]);
  });

  it("says which documents have the words apart where no sentence has them all", async () => {
    const { first, files } = await ask("Which documents mention oil for the foreman?");
    assert.match(first ?? "", /^No sentence mentions “oil for the foreman”, but 1 document has its words/);
    assert.deepEqual(files, ["press.md"]);
  });
});
