import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvalPlace, EvalQuestion } from "../../../src/core/answers/evaluation.ts";
import { ndcg, reciprocalRank } from "../../../src/pipeline/evaluate/ranking.ts";
import { answerScores, costScores, retrievalScores } from "../../../src/pipeline/evaluate/score.ts";
import { checkGates, compare, parseGate, summarize } from "../../../src/pipeline/evaluate/summary.ts";

const question: EvalQuestion = {
  line: 1,
  id: "q",
  question: "How many?",
  document: "a.pdf",
  answers: ["3"],
  answerable: true,
  pages: [4, 9],
  group: "",
  draft: false,
};
const near = (actual: number | undefined, expected: number): void =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 5e-4, `${actual} is not ${expected}`);

test("graded gain is that of the reference", () => {
  // ndcg(["a","b","c","d"], {b: 2, d: 1, x: 3}) = 0.247367, mrr = 0.5
  near(ndcg([0, 2, 0, 1], [2, 1, 3], 10), 0.247367);
  assert.equal(reciprocalRank([0, 2, 0, 1], 10), 0.5);
});

test("pages and documents are scored by the rank of the passages that hold them", () => {
  const places: readonly EvalPlace[] = [
    { document: "b.pdf", pages: [4] },
    { document: "a.pdf", pages: [1] },
    { document: "a.pdf", pages: [3, 4] },
    { document: "a.pdf", pages: [4] },
    { document: "a.pdf", pages: [] },
    { document: "a.pdf", pages: [9] },
  ];
  const scores = retrievalScores(question, places, [1, 3, 5, 10]);
  assert.deepEqual(
    [1, 3, 5, 10].map((cut) => scores[`page_hit@${cut}`]),
    [0, 1, 1, 1],
  );
  assert.deepEqual([scores["page_recall@5"], scores["page_recall@10"]], [0.5, 1]);
  near(scores["page_mrr@10"], 1 / 3);
  // (1/log2 4 + 1/log2 7) / (1 + 1/log2 3): a repeated page earns nothing.
  near(scores["page_ndcg@10"], (0.5 + 1 / Math.log2(7)) / (1 + 1 / Math.log2(3)));
  assert.deepEqual([scores["document_hit@1"], scores["document_hit@3"]], [0, 1]);
  near(scores["document_mrr@10"], 0.5);
});

test("nothing is found in an empty list, and a question without an answer has no retrieval scores", () => {
  assert.equal(retrievalScores(question, [], [5])["page_ndcg@5"], 0);
  assert.deepEqual(retrievalScores({ ...question, answerable: false }, [], [5]), {});
  assert.deepEqual(Object.keys(retrievalScores({ ...question, pages: [] }, [], [5])), [
    "document_hit@5",
    "document_recall@5",
    "document_ndcg@5",
    "document_mrr@5",
  ]);
});

const verdict = {
  status: "answered" as const,
  reason: "",
  evidence: 1,
  threshold: 0.5,
  grounded: "strict" as const,
  sentences: [],
  removed: 0,
};
const citation = (sourceFile: string, pages: readonly number[]) => ({
  ...{ marker: 1, chunkId: "c-0", sourceFile, sourcePath: "", pages, section: "" },
  ...{ collection: "c", quote: "", quotes: [] },
});

test("citations are held against the evidence page by page", () => {
  const answer = {
    response: "It is 3 [1].",
    verdict,
    citations: [citation("a.pdf", [4, 5]), citation("b.pdf", [9])],
  };
  const scores = answerScores(question, answer, 0.01);
  near(scores["citation_precision"], 1 / 3);
  assert.equal(scores["citation_recall"], 0.5);
  assert.deepEqual([scores["containment"], scores["number_match"], scores["false_refusal"]], [1, 1, 0]);
});

test("a refusal counts for what it was right about", () => {
  const refused = { response: "", citations: [], verdict: { ...verdict, status: "refused" as const } };
  const right = answerScores({ ...question, answerable: false }, refused, 0);
  assert.deepEqual(right, { refusal_precision: 1, refusal_recall: 1 });
  const wrong = answerScores(question, refused, 0);
  assert.deepEqual(
    [wrong["refusal_precision"], wrong["false_refusal"], wrong["containment"], wrong["citation_recall"]],
    [0, 1, 0, 0],
  );
  assert.equal(wrong["citation_precision"], undefined);
});

test("the sentences that were removed count as written without support", () => {
  const sentence = (support: "supported" | "unsupported") => ({
    text: "",
    markers: [],
    support,
    reason: "",
    rule: "word",
  });
  const judged = { ...verdict, sentences: [sentence("supported"), sentence("unsupported")] };
  const scores = answerScores(question, { response: "3", citations: [], verdict: judged }, 0);
  assert.equal(scores["supported_sentences"], 0.5);
});

test("times and tokens are summed over the attempts of an answer", () => {
  const generate = { phase: "generate", durationMs: 5, counts: { promptTokens: 7, outputTokens: 2 } };
  const context = { phase: "context", durationMs: 1, counts: { tokens: 30, passages: 2 } };
  assert.deepEqual(costScores({ search: [], answer: [generate, context, generate] }), {
    "ms.answer": 11,
    "ms.answer.generate": 10,
    "tokens.answer.generate.prompt": 14,
    "tokens.answer.generate.output": 4,
    "ms.answer.context": 1,
    "tokens.answer.context": 30,
  });
});

test("an interval holds the mean, is the same each time, and is a point where all values are equal", () => {
  const scores = Array.from({ length: 40 }, (_, at) => ({ hit: at % 2, same: 1 }));
  const [hit, same] = summarize(scores);
  assert.deepEqual(summarize(scores)[0], hit);
  assert.ok(hit !== undefined && hit.low < 0.5 && hit.high > 0.5 && hit.low > 0.3 && hit.high < 0.7);
  assert.deepEqual([same?.low, same?.mean, same?.high], [1, 1, 1]);
});

const outcome = (id: string, score: number) => ({
  question: { ...question, id },
  scores: { hit: score, "ms.search": 3 },
  hits: [],
  answer: null,
});

test("a comparison pairs questions, lists what changed, and tells a real difference from chance", () => {
  const ids = Array.from({ length: 30 }, (_, at) => `q${at}`);
  const earlier = ids.map((id, at) => ({
    id,
    question: "How many?",
    scores: { hit: at % 2, "ms.search": 1 },
  }));
  const better = compare(
    [...earlier, { id: "gone", question: "?", scores: {} }],
    ids.map((id) => outcome(id, 1)),
  );
  const hit = better.differences.find(({ metric }) => metric === "hit");
  assert.equal(hit?.difference, 0.5);
  assert.ok(hit !== undefined && hit.p < 0.01 && hit.low > 0);
  assert.deepEqual(better.changed[0], { id: "q0", metric: "hit", before: 0, after: 1 });
  assert.equal(better.changed.length, 15);
  assert.deepEqual(better.unmatched, ["gone"]);
  const same = compare(
    earlier,
    ids.map((id, at) => outcome(id, at === 0 ? 1 : at % 2)),
  ).differences.find(({ metric }) => metric === "hit");
  assert.ok(same !== undefined && same.p > 0.5);
  const other = compare([{ id: "q0", question: "Something else?", scores: { hit: 0 } }], [outcome("q0", 1)]);
  assert.deepEqual([other.changed, other.unmatched], [[], ["q0"]]);
});

test("a metric is compared over the questions that both runs have it for, and says how many those are", () => {
  const cited = (id: string, scores: Record<string, number>) => ({ ...outcome(id, 1), scores });
  const asked = { question: question.question };
  // The second run cites in a question that it got wrong; the first cited nothing there.
  const { differences, changed } = compare(
    [
      { id: "a", ...asked, scores: { citation_precision: 0.8, f1: 1 } },
      { id: "b", ...asked, scores: { f1: 0 } },
      { id: "c", ...asked, scores: { refusal_precision: 1 } },
    ],
    [
      cited("a", { citation_precision: 0.8, f1: 1 }),
      cited("b", { citation_precision: 0, f1: 1 }),
      cited("c", { f1: 1 }),
    ],
  );
  assert.deepEqual(
    differences.map(({ metric, before, after, questions }) => [metric, before, after, questions]),
    [
      ["citation_precision", 0.8, 0.8, 1],
      ["f1", 0.5, 1, 2],
    ],
  );
  assert.deepEqual(
    changed.map(({ id, metric }) => [id, metric]),
    [["b", "f1"]],
  );
});

test("a gate passes, fails, or fails because it cannot be computed", () => {
  const metrics = summarize([{ "page_hit@5": 1 }, { "page_hit@5": 0 }]);
  const results = ["page_hit@5>=0.5", "page_hit@5 > .5", "page_hit@55>=0.1"].map((text) =>
    parseGate(text, 55),
  );
  const [passed, failed, unknown] = checkGates(results, metrics);
  assert.deepEqual(
    [passed?.passed, failed?.passed, unknown?.passed, unknown?.value],
    [true, false, false, null],
  );
  assert.match(failed?.reason ?? "", /page_hit@5 is 0\.5 .* the gate requires > 0\.5/);
  assert.match(unknown?.reason ?? "", /could not be computed.*did you mean "page_hit@5"/);
  for (const text of [
    "page_hit@5",
    "page_hit@5>=-",
    ">=1",
    "a==1",
    "a>=1.2.3",
    "",
    "page_hit@7>=0.5",
    "containmant>=0.5",
  ])
    assert.throws(() => parseGate(text, 10), { code: "USAGE_INVALID" });
  assert.throws(() => parseGate("containmant>=0.5", 10), { message: /did you mean "containment"/ });
});
