import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { reportHtml } from "../../src/cli/evaluate/html.ts";
import type { EvalReport } from "../../src/core/answers/evaluation.ts";
import { assertFits, openHome, record, records, skipChain } from "./support.ts";

const hostile = `</summary><script>alert("x")</script><img src=https://example.org/a.png> \u202e`;
const report: EvalReport = {
  ...{ programVersion: "0.0.0", principal: hostile, topK: 5, answers: true, model: hostile, drafts: 0 },
  outcomes: [
    {
      question: {
        ...{ line: 1, id: hostile, question: hostile, document: hostile, answers: [hostile], pages: [2] },
        ...{ answerable: true, group: hostile, draft: false },
      },
      scores: { [hostile]: 1 },
      hits: [{ document: hostile, pages: [1] }],
      answer: { runId: "r", response: hostile, status: "answered", reason: hostile, citations: [] },
    },
  ],
  excluded: [{ line: 2, id: hostile, kind: "line", reason: hostile }],
  metrics: [{ metric: hostile, mean: 1, low: 1, high: 1, questions: 1 }],
  groups: [{ group: hostile, metrics: [] }],
  ...{ ablations: [], comparison: null, gates: [], durationMs: 1 },
};

it("the page shows what texts say and runs or loads none of it", () => {
  const page = reportHtml(report, report.outcomes, hostile);
  assert.match(page, /default-src 'none'/);
  assert.doesNotMatch(page, /<script|<img|<link|\u202e/);
  assert.match(page, /&lt;script&gt;/);
});

it("the page says in a word how each question went, and what parts are worth in one table", () => {
  const [outcome] = report.outcomes;
  assert.ok(outcome !== undefined);
  const plain = { ...outcome, answer: null };
  const question = { ...outcome.question, question: "Which?" };
  const outcomes = [
    { ...plain, question, scores: { "page_mrr@5": 0.5 } },
    { ...plain, question, scores: { "page_mrr@5": 0 } },
    { ...plain, question: { ...question, answerable: false }, scores: {} },
    { ...outcome, question, scores: { containment: 0 } },
  ];
  const change = { before: 0.5, after: 0.4, difference: -0.1, low: -0.2, high: 0, p: 0.04, questions: 9 };
  const means = { mean: 0.4, low: 0.3, high: 0.5, questions: 9 };
  const ablations = [
    {
      ...{ variant: "dense alone", description: "by vectors alone" },
      metrics: [{ metric: "page_ndcg@5", ...means }],
      differences: [{ metric: "page_ndcg@5", ...change }],
    },
  ];
  const page = reportHtml({ ...report, ablations }, outcomes, "q.jsonl");
  const tags = [...page.matchAll(/<span class="tag (\w+)">([^<]*)</g)].map(
    ([, kind, text]) => `${kind}: ${text}`,
  );
  assert.deepEqual(tags, [
    "good: page at rank 2",
    "bad: page not found",
    "good: not scored",
    "bad: answer missing",
  ]);
  assert.match(page, /dense alone.*-0\.100.*-0\.200 to \+0\.000/);
});

describe("the command eval", { skip: skipChain }, () => {
  it("reports, compares, gates by its exit status and writes one page", async () => {
    await using home = await openHome();
    const folder = await home.folder("docs", {
      "valve.md": "# Relief valve\n\nThe relief valve opens at a pressure of 12 bar.\n",
    });
    await home.json(["ingest", folder]);
    const questions = join(home.base, "q.jsonl");
    const valve = {
      ...{
        id: 1,
        question: "At which pressure does the relief valve open?",
        doc: "valve.md",
        answer: "12 bar",
      },
    };
    await writeFile(questions, `${JSON.stringify(valve)}\n`);
    const before = await home.json(["eval", questions]);
    assertFits("eval", before);
    assert.equal(record(records(before["questions"])[0]?.["scores"])["containment"], 1);
    const path = join(home.base, "before.json");
    await writeFile(path, JSON.stringify(before));

    const page = join(home.base, "report.html");
    const flags = [
      "--compare",
      path,
      "--html",
      page,
      "--gate",
      "containment>=0.9",
      "--gate",
      "page_hit@5>=0.1",
    ];
    const gated = await home.run(["eval", questions, ...flags]);
    assert.equal(gated.status, 10, gated.stderr);
    assert.match(gated.stdout, /no questions changed/);
    assert.match(gated.stdout, /passed: containment is 1/);
    assert.match(
      gated.stderr,
      /GATE_FAILED: page_hit@5 could not be computed.*\n {2}→ docs\/reference\/evaluation\.md lists the fields/,
    );
    assert.match(await readFile(page, "utf8"), /relief valve/);

    await writeFile(questions, `${JSON.stringify(valve)}\nnonsense\n`);
    const partly = await home.run(["eval", questions, "--no-answers"]);
    assert.deepEqual([partly.status, /line 2 skipped: it is not JSON/.test(partly.stderr)], [1, true]);
    for (const [parameters, message] of [
      [["eval", join(home.base, "none.jsonl")], /cannot read .*none\.jsonl: no such file$/m],
      [["eval", home.base], /cannot read .*: it is not a regular file$/m],
      [["eval", questions, "--gate", "much"], /is not a gate/],
      [["eval", questions, "--compare", questions], /is not an evaluation report$/m],
      [
        ["eval", questions, "--compare", "none.json"],
        /none\.json is not an evaluation report: no such file$/m,
      ],
      [["eval", questions, "--html", "report.txt"], /must end in \.html/],
    ] as const) {
      const { status, stderr } = await home.run(parameters);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
    assert.equal((await home.run(["eval", "make"])).status, 7);
    for (const flag of ["--collection", "-c"]) {
      const { status, stderr } = await home.run(["eval", "make", flag, "nowhere"]);
      assert.deepEqual([status, /there is no collection "nowhere"/.test(stderr)], [3, true], stderr);
    }

    await home.json(["ingest", folder, "--collection", "plant"]);
    const twice = await home.run(["reembed", "--gate", "-"]);
    assert.equal(twice.status, 2, twice.stderr);
    assert.match(twice.stderr, /questions on standard input work for one collection only, not 2/);
  });
});
