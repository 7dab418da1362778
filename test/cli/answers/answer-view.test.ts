import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAnswer } from "../../../src/cli/answers/answer-view.ts";
import type { Output } from "../../../src/cli/shell/output.ts";
import type { Answer, SentenceVerdict } from "../../../src/core/answers/answer.ts";

const sentence = (support: SentenceVerdict["support"]): SentenceVerdict => ({
  text: "It was 42.",
  markers: [1],
  support,
  reason: "",
  rule: "number",
});
const answered = (sentences: readonly SentenceVerdict[], removed: number): Answer => ({
  query: "q",
  intent: "retrieval",
  response: "It was 42. [1]",
  citations: [],
  verdict: {
    status: "answered",
    reason: "",
    evidence: 1,
    threshold: 0.24,
    grounded: "strict",
    sentences,
    removed,
  },
  context: { question: "q", passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  model: "m",
  agent: null,
  tools: [],
  trace: [],
  phases: [],
  unavailable: [],
});

/** What people are told behind an answer. */
function notesOf(answer: Answer, trace = false): string {
  const notes: string[] = [];
  const nothing = (): void => {};
  const output: Output = {
    format: "text",
    interactive: false,
    quiet: false,
    status: nothing,
    queued: nothing,
    waiting: nothing,
    endStatus: nothing,
    log: nothing,
    result: nothing,
    line: nothing,
    stream: nothing,
    note: (message) => notes.push(message),
    error: (error) => {
      throw error;
    },
    color: nothing,
  };
  closeAnswer(answer, output, { trace });
  return notes.join("\n");
}

test("an answer says how many of its sentences were removed, and how many are supported only in part", () => {
  const all = [sentence("supported"), sentence("partial"), sentence("unsupported")];
  const told = notesOf(answered(all, 1));
  assert.match(told, /^1 unsupported sentence removed; --sentences shows them$/m);
  assert.match(told, /^1 sentence only partly supported; --sentences shows why$/m);
  assert.doesNotMatch(notesOf(answered([sentence("supported")], 0)), /sentence/);
});

test("scores and phases are shown in a trace only", () => {
  const answer = answered([], 0);
  const refused: Answer = {
    ...answer,
    verdict: {
      ...answer.verdict,
      status: "refused",
      reason: "evidence 0.01 is below 0.24: none of the nearest passages has 1966",
    },
    phases: [{ phase: "retrieve", durationMs: 1200, counts: {} }],
  };
  assert.equal(notesOf(refused), "refused: none of the nearest passages has 1966\ntook 1.2 s");
  assert.match(notesOf(refused, true), /^refused: evidence 0\.01 is below 0\.24: none .*\nretrieve 1\.2 s$/);
});
