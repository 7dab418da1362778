import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { EvalReport, EvalRequest } from "../../../src/core/answers/evaluation.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";
import { sourceOf } from "./source.ts";

describe("evaluating on one's own questions", { skip: skipScene }, () => {
  let scene: Scene;
  const lines: readonly (object | string)[] = [
    {
      id: "pay",
      question: "What is the salary band of a crane driver?",
      doc: "pay.md",
      answer: "C4",
      group: "hr",
    },
    {
      id: "valve",
      question: "At which pressure does the relief valve open?",
      doc: "folder/valve.md",
      answer: "12 bar",
      group: "plant",
    },
    { id: "none", question: "Who won the football cup of 1954?", answerable: false, group: "plant" },
    { id: "old", question: "What did the old handbook say?", doc: "forgotten.md", answer: "much" },
    "not json",
    { id: "pay", question: "Again?", doc: "pay.md", answer: "C4" },
  ];
  const evaluate = async (principal: string, more: Partial<EvalRequest> = {}): Promise<EvalReport> => {
    const request: EvalRequest = {
      ...{ source: sourceOf(lines), groupBy: "group", topK: 5, collections: [], answers: true },
      ...{ ablate: false, tolerance: 0.01, gates: [] },
      ...more,
    };
    for await (const event of scene.app.evaluation.evaluate(request, scene.as(principal)))
      if (event.type === "eval-end") return event.report;
    throw new TypeError("no report");
  };
  const meanOf = ({ metrics }: EvalReport, name: string): number | undefined =>
    metrics.find(({ metric }) => metric === name)?.mean;

  before(async () => {
    scene = await openScene();
    await scene.ingest("hr_private_docs", "private", {
      "pay.md":
        "# Crane drivers\n\nThe salary band of a crane driver is C4. The band is reviewed every March.\n",
    });
    await scene.ingest("general_knowledge", "public", {
      "valve.md": "# Relief valve\n\nThe relief valve opens at a pressure of 12 bar. It closes at 10 bar.\n",
      "forgotten.md": "# Old handbook\n\nThe old handbook said much about hats.\n",
    });
    await scene.app.forget(["forgotten.md"], scene.as("owner"));
  });
  after(() => scene[Symbol.asyncDispose]());

  it("measures retrieval, answers, citations, refusals, time and tokens, by group too", async () => {
    const report = await evaluate("owner");
    assert.deepEqual(
      report.outcomes.map(({ question: { id } }) => id),
      ["pay", "valve", "none"],
    );
    assert.equal(meanOf(report, "document_hit@5"), 1);
    assert.equal(meanOf(report, "containment"), 1);
    assert.equal(meanOf(report, "number_match"), 1);
    assert.equal(meanOf(report, "refusal_recall"), 1);
    assert.equal(meanOf(report, "false_refusal"), 0);
    assert.equal(meanOf(report, "supported_sentences"), 1);
    assert.ok((meanOf(report, "ms.search.retrieve") ?? 0) > 0);
    assert.ok((meanOf(report, "tokens.answer.context") ?? 0) > 0);
    assert.deepEqual(
      report.groups.map(({ group }) => group),
      ["hr", "plant"],
    );
    const run = report.outcomes[0]?.answer?.runId ?? "";
    assert.equal(
      (await scene.app.runRecord(run, scene.as("owner"))).answer?.question,
      "What is the salary band of a crane driver?",
    );
  });

  it("excludes and names what cannot be evaluated: a forgotten document, a malformed line, a repeated id", async () => {
    const { excluded } = await evaluate("owner", { answers: false });
    assert.deepEqual(
      excluded.map(({ line, kind }) => [line, kind]),
      [
        [4, "document"],
        [5, "line"],
        [6, "line"],
      ],
    );
    assert.match(excluded[0]?.reason ?? "", /forgotten\.md/);
  });

  it("runs as a principal: what it may not read is excluded like what is not there", async () => {
    const report = await evaluate("engineer");
    assert.deepEqual(
      report.outcomes.map(({ question: { id } }) => id),
      ["valve", "none"],
    );
    assert.deepEqual(
      report.excluded
        .filter(({ kind }) => kind === "document")
        .map(({ reason }) => reason.replace(/"[^"]*"/, "X")),
      ["there is no document X that you can read", "there is no document X that you can read"],
    );
    assert.doesNotMatch(JSON.stringify(report), /C4|hr_private/);
  });

  it("evaluates retrieval alone without asking, and says what each part of the search is worth", async () => {
    const report = await evaluate("owner", { answers: false, ablate: true });
    assert.ok(report.outcomes.every(({ answer }) => answer === null));
    assert.equal(meanOf(report, "containment"), undefined);
    const names = report.ablations.map(({ variant }) => variant);
    assert.ok(
      ["complete", "dense alone", "lexical alone", "without question"].every((name) => names.includes(name)),
    );
    assert.ok(["without names", "without page features"].every((name) => names.includes(name)));
    const unused = ["without neighbours", "without second stage"];
    assert.ok(!unused.some((name) => names.includes(name)), "what the settings leave out is worth nothing");
    const [complete, dense] = report.ablations;
    assert.equal(complete?.metrics.find(({ metric }) => metric === "document_hit@5")?.mean, 1);
    assert.ok(
      dense?.differences.some(({ metric, questions }) => metric === "document_hit@1" && questions === 2),
    );
  });

  it("says what the parts of a question are worth where a question has several, without answers too", async () => {
    const variants = async (source?: EvalRequest["source"]): Promise<readonly string[]> => {
      const given = source === undefined ? {} : { source };
      const { ablations } = await evaluate("owner", { answers: false, ablate: true, ...given });
      return ablations.map(({ variant }) => variant);
    };
    assert.ok(!(await variants()).includes("without parts"), "none of these questions has parts");
    const question =
      "What is the salary band of a crane driver? And at which pressure does the relief valve open?";
    const several = sourceOf([{ id: "two", question, doc: "pay.md", answer: "C4" }]);
    assert.ok((await variants(several)).includes("without parts"));
  });

  it("ends where no line can be evaluated, and says why of the first", async () => {
    const source = sourceOf([lines[3] ?? ""]);
    await assert.rejects(evaluate("owner", { source }), {
      code: "USAGE_INVALID",
      message:
        /none of the 1 lines in q\.jsonl can be evaluated; line 1: there is no document "forgotten\.md"/,
    });
  });

  it("leaves drafting to a model that is there, and says when there is none", async () => {
    const drafts = scene.app.evaluation.draft({ count: 2, collections: [] }, scene.as("owner"));
    await assert.rejects(Array.fromAsync(drafts), { code: "MODEL_MISSING" });
    const none = scene.app.evaluation.draft(
      { count: 2, collections: ["hr_private_docs"] },
      scene.as("engineer"),
    );
    await assert.rejects(Array.fromAsync(none), { code: "NOT_FOUND" });
  });
});
