import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openRegistry } from "../../../src/registry/registry.ts";
import type { ReplayReport } from "../../../src/shapes/replay.ts";
import { testHome } from "../../contracts/store.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

const model = "smollm2-135m-instruct-q4_1";
const skipModel = existsSync(join(testHome, "models", model)) ? false : `no ${model} in ${testHome}`;
const question = "At which pressure does the relief valve open?";
const valve = (bar: number): Record<string, string> => ({
  "valve.md": `# Relief valve\n\nThe relief valve opens at a pressure of ${bar} bar.\n`,
});

describe("replaying an answer", { skip: skipScene }, () => {
  let scene: Scene;
  let run: string;
  const ask = async (query: string, principal: string): Promise<string> => {
    const as = scene.as(principal);
    await Array.fromAsync(scene.app.ask({ query, topK: 5, collections: [] }, as));
    return as.id;
  };
  const replay = (id: string, against: ReplayReport["against"], principal = "owner") =>
    scene.app.replay(id, against, scene.as(principal));
  before(async () => {
    scene = await openScene();
    await scene.ingest("general_knowledge", "public", valve(12));
    run = await ask(question, "engineer");
  });
  after(() => scene[Symbol.asyncDispose]());

  it("is the same at every step where nothing changed, and records no run", async () => {
    const count = (await scene.app.runRecords(99, scene.as("owner"))).length;
    for (const against of ["run", "now"] as const) {
      const report = await replay(run, against);
      assert.deepEqual([report.firstDifference, report.principal], [null, "engineer"]);
      assert.equal(report.after, report.before);
    }
    assert.equal((await replay(run, "run", "engineer")).firstDifference, null);
    assert.equal((await scene.app.runRecords(99, scene.as("owner"))).length, count);
  });

  it("belongs to whoever asked: another principal's run is not there", async () => {
    await assert.rejects(replay(run, "run", "hr_manager"), { code: "NOT_FOUND" });
  });

  it("searches the versions of the run after an edit, and against now says that they changed", async () => {
    await scene.ingest("general_knowledge", "public", valve(16));
    const then = await replay(run, "run");
    assert.equal(then.firstDifference, null, JSON.stringify(then.steps));
    assert.match(then.after, /12 bar/);
    const now = await replay(run, "now");
    assert.equal(now.firstDifference, "versions");
    assert.match(
      now.steps.find(({ step }) => step === "versions")?.difference ?? "",
      /: 1 added, 1 replaced/,
    );
    assert.equal(now.steps.find(({ step }) => step === "hits")?.same, false);
    assert.match(now.after, /16 bar/);
  });

  it("finds the same passages where only the counts of their words moved", async () => {
    const station = (at: number): string => `The pressure of station ${at} opens no valve at all.`;
    const stations = Array.from({ length: 6 }, (_, at) => [
      `station-${at}.md`,
      `# Station ${at}\n\n${station(at)}\n`,
    ]);
    await scene.ingest("engineering_docs", "public", Object.fromEntries(stations));
    const counted = await ask("Which pressure does the relief valve of station 3 have?", "owner");
    const long = `# Station 5\n\n${station(5).repeat(30)}\n`;
    await scene.ingest("engineering_docs", "public", { "station-5.md": long });
    const report = await replay(counted, "run");
    assert.equal(report.firstDifference, null, JSON.stringify(report.steps));
  });

  it("raises the documents that a question named then, whatever came of such names since", async () => {
    const gauges = {
      "alpine.md": "# Readings\n\nThe gauge shows five units.\n",
      "valley.md":
        "# Readings\n\nWhat the alpine gauge shows: the alpine gauge shows what the valley gauge shows.\n",
    };
    await scene.ingest("safety_private_docs", "private", gauges);
    const named = await ask("What does the alpine gauge show?", "safety_officer");
    const later = Array.from({ length: 30 }, (_, at) => [
      `alpine-hut-${at}.md`,
      `# Hut ${at}\n\nHut ${at} has beds.\n`,
    ]);
    await scene.ingest("safety_private_docs", "private", Object.fromEntries(later));
    const report = await replay(named, "run");
    assert.equal(report.firstDifference, null, JSON.stringify(report.steps));
  });

  it("names the agent whose row was changed since", async () => {
    const { agents } = scene.app.registry;
    await agents.set(
      "Engineering Assistant",
      { description: "Answers about machines and valves." },
      scene.as("owner"),
    );
    const report = await replay(run, "run");
    assert.equal(report.firstDifference, "agent");
    assert.match(report.steps[0]?.difference ?? "", /configuration of Engineering Assistant changed/);
  });

  it("names a model that came since, not the prompt it is shown, and one that is gone", {
    skip: skipModel,
  }, async () => {
    const place = join(scene.home, "models", model);
    await symlink(join(testHome, "models", model), place);
    await scene.reopen({ "answer.write": "always" });
    const report = await replay(run, "run");
    // The agent's row was changed by the test before.
    const differing = report.steps.filter(({ same, step }) => !same && step !== "agent");
    assert.deepEqual(
      differing.find(({ step }) => step === "model"),
      { step: "model", same: false, difference: `no model → ${model}` },
    );
    assert.ok(differing.some(({ step }) => step === "prompt"));
    const written = await ask(question, "owner");
    const { answer } = await scene.app.runRecord(written, scene.as("owner"));
    assert.equal(answer?.draft?.model, model);
    assert.equal(answer?.trace?.at(-1)?.node, "finish");
    const again = await replay(written, "run");
    assert.equal(again.firstDifference, null, JSON.stringify(again.steps));
    for (const shown of [again.before, again.after]) assert.ok(shown.endsWith(answer?.draft?.text ?? "?"));
    await rm(place);
    await scene.reopen({ "answer.write": "always" });
    await assert.rejects(replay(written, "run"), {
      code: "MODEL_MISSING",
      message: /was answered by smollm2-135m-instruct-q4_1, which is no longer installed/,
    });
    await scene.reopen();
  });

  it("names another model once, by what answered, not as a setting besides", async () => {
    const registry = await openRegistry(join(scene.home, "registry.sqlite"));
    await registry
      .statement(
        "UPDATE ask_runs SET replay = json_set(replay, '$.settings.answer.model', 'gone') WHERE id = ?",
      )
      .run(run);
    registry.close();
    const { steps } = await replay(run, "run");
    assert.equal(steps.find(({ step }) => step === "settings")?.difference, "");
  });

  it("names the glossary of the home where that was changed since", async () => {
    const path = join(scene.home, "glossary.yaml");
    await writeFile(path, "terms: [{ when: [relief], also: safety discharge }]\n");
    const { steps } = await replay(run, "run");
    await rm(path);
    const step = steps.find((each) => each.step === "settings");
    assert.match(step?.difference ?? "", /the glossary.*changed/);
  });

  it("replays a summary on the version of the run, and names the document that was edited or is gone since", async () => {
    const hoist = (rope: string): Record<string, string> => ({
      "hoist_review.md": `# Review of the hoist\n\n## Ropes\n\nThe ropes of the hoist were found ${rope} this spring.\n\n## Brakes\n\nThe brakes of the hoist hold twice its load.\n`,
    });
    await scene.ingest("company_policies", "public", hoist("sound"));
    const summary = await ask("Summarize hoist_review.md", "engineer");
    await scene.ingest("company_policies", "public", hoist("frayed"));
    const then = await replay(summary, "run");
    assert.equal(then.firstDifference, null, JSON.stringify(then.steps));
    assert.match(then.after, /found sound/);
    const now = await replay(summary, "now");
    assert.equal(now.firstDifference, "versions", JSON.stringify(now.steps));
    assert.equal(now.steps.find(({ step }) => step === "hits")?.same, false);
    await scene.app.forget(["hoist_review.md"], scene.as("owner"));
    await assert.rejects(replay(summary, "run"), {
      code: "NOT_FOUND",
      message: /passages from hoist_review\.md no longer exist/,
    });
  });

  it("counts the documents that were forgotten since as versions, and names the run in what to do next", async () => {
    await scene.ingest("engineering_docs", "public", {
      "hatch.md": "# Hatch\n\nThe hatch of the tank opens to the north.\n",
      "ladder.md": "# Ladder\n\nThe ladder of the tank has nine rungs.\n",
    });
    const hatch = await ask("Where does the hatch of the tank open to?", "owner");
    await scene.app.forget(["ladder.md"], scene.as("owner"));
    const versions = async () => {
      const { firstDifference, steps } = await replay(hatch, "now");
      return [firstDifference, steps.find(({ step }) => step === "versions")?.difference];
    };
    assert.deepEqual(await versions(), ["versions", "engineering_docs: 0 added, 1 replaced or removed"]);
    await scene.app.forget(["hatch.md"], scene.as("owner"));
    assert.deepEqual(await versions(), ["versions", "engineering_docs: 0 added, 2 replaced or removed"]);
    await assert.rejects(replay(hatch, "run"), {
      code: "NOT_FOUND",
      hint: `to see what changed instead: ragctl replay ${hatch} --against now`,
    });
  });

  it("lists the documents of then where a listing is replayed, and those of now against now", async () => {
    const listing = await ask("Which documents do you have?", "engineer");
    await scene.ingest("company_policies", "public", {
      "late.md": "# Late\n\nIt came after the question.\n",
    });
    const then = await replay(listing, "run");
    assert.equal(then.firstDifference, null, JSON.stringify(then.steps));
    const now = await replay(listing, "now");
    assert.equal(now.firstDifference, "versions", JSON.stringify(now.steps));
    assert.match(now.after, /late\.md/);
  });

  it("gives nobody an answer that rests on what may not be read any more, cited or not", async () => {
    const owner = scene.as("owner");
    await scene.ingest("finance_private_docs", "private", {
      "gauge_report.md":
        "# Report on gauges\n\n## North\n\nThe northern gauge cost 4711 crowns.\n\n## South\n\nThe southern gauge cost 815 crowns.\n",
      "gauges.csv": "Gauge,Pressure\nA,100\nB,300\n",
    });
    const questions = [
      "Summarize gauge_report.md",
      "Which documents do you have?",
      "what is the average pressure",
      "What did the northern gauge cost?",
    ];
    const runs = await Promise.all(questions.map((query) => ask(query, "finance_analyst")));
    for (const each of runs)
      assert.match((await replay(each, "now", "finance_analyst")).before, /4711|gauge_report|200/);
    const rule = {
      ...{ subjectKind: "principal" as const, subject: "finance_analyst", effect: "deny" as const },
      ...{ resourceKind: "collection" as const, resource: "finance_private_docs", instance: "" as const },
      ...{ level: "read" as const },
    };
    await scene.app.permissions.putRule(rule, owner);
    for (const [at, each] of runs.entries())
      for (const against of ["run", "now"] as const)
        await assert.rejects(
          replay(each, against, "finance_analyst"),
          { code: "PERMISSION_DENIED" },
          questions[at] ?? "",
        );
    const registry = await openRegistry(join(scene.home, "registry.sqlite"));
    // As it was written before a record said what the answer rests on.
    await registry
      .statement(
        "UPDATE ask_runs SET replay = json_set(json_remove(replay, '$.sources'), '$.stores', json('[]'), '$.hits', json('[]')) WHERE principal = 'finance_analyst'",
      )
      .run();
    registry.close();
    for (const each of runs) {
      const { before, steps } = await replay(each, "now", "finance_analyst");
      assert.doesNotMatch(before + JSON.stringify(steps), /4711|gauge_report|200/);
      assert.equal(before, (await scene.app.runRecord(each, scene.as("finance_analyst"))).answer?.response);
    }
  });

  it("says which run cannot be replayed: permission lost, document gone, unknown, an ingest", async () => {
    const { permissions } = scene.app;
    const owner = scene.as("owner");
    await scene.ingest("hr_private_docs", "private", {
      "pay.md": "# Pay\n\nThe salary band of a driver is C4.\n",
    });
    const pay = await ask("What is the salary band of a driver?", "hr_manager");
    const rule = {
      ...{ subjectKind: "principal" as const, subject: "hr_manager", effect: "deny" as const },
      ...{ resourceKind: "collection" as const, resource: "hr_private_docs", instance: "" as const },
      ...{ level: "read" as const },
    };
    await permissions.putRule(rule, owner);
    await assert.rejects(replay(pay, "run"), {
      code: "PERMISSION_DENIED",
      message: /hr_private_docs no longer exists or hr_manager may no longer read it/,
    });
    await scene.app.forget(["valve.md"], owner);
    await assert.rejects(replay(run, "run"), {
      code: "NOT_FOUND",
      message: /passages from valve\.md no longer exist/,
    });
    assert.notEqual((await replay(run, "now")).firstDifference, null);
    await assert.rejects(replay("nothing", "run"), { code: "NOT_FOUND" });
    const ingest = (await scene.app.runRecords(99, owner)).find(({ kind }) => kind === "ingest");
    await assert.rejects(replay(ingest?.id ?? "", "run"), {
      code: "USAGE_INVALID",
      message: /has no record of how it was answered/,
    });
  });
});
