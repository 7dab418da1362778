import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawGraph, nodes, runGraph } from "../../../src/agents/graph/graph.ts";
import type { GraphDrivers } from "../../../src/agents/graph/node.ts";
import type { Draft, Gathered, Turn } from "../../../src/core/answers/agent.ts";
import type { Answer, AnswerEvent, Intent, Verdict } from "../../../src/core/answers/answer.ts";
import type { ToolCall } from "../../../src/core/answers/tool.ts";
import type { Run } from "../../../src/core/run.ts";
import { chunkOf } from "../../helpers/chunk.ts";

const run: Run = {
  id: "test",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event() {}, warn() {} },
};
const verdict: Verdict = {
  status: "answered",
  reason: "",
  evidence: 1,
  threshold: 0.4,
  grounded: "strict",
  sentences: [],
  removed: 0,
};
const rag: ToolCall = { tool: "RAG Search", type: "rag", arguments: {}, reason: "default" };
const found = (id: string): Gathered => ({
  hits: [{ chunk: chunkOf({ id }), score: 1, via: "fused" }],
  phases: [],
  unavailable: [],
});
const draft = (given: Partial<Draft>): Draft => ({
  text: "42 Nm [1].",
  citations: [],
  verdict,
  context: { question: "q", passages: [], tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } },
  model: null,
  phases: [],
  ...given,
});

interface Scene {
  readonly intent?: Intent;
  readonly collections?: readonly string[];
  readonly drafts?: readonly Draft[];
  readonly calls?: readonly ToolCall[];
  readonly shows?: string;
  /** Every search finds the same. */
  readonly stale?: boolean;
  /** Evidence of each search after the first; default: better than any draft. */
  readonly evidence?: readonly number[];
  /** There is no other wording. */
  readonly speechless?: boolean;
}

/** Drivers that answer what the scene says and note what was asked of them. */
function drivers(scene: Scene): GraphDrivers & { readonly asked: string[] } {
  const asked: string[] = [];
  let attempt = 0;
  return {
    asked,
    maxAttempts: async () => 2,
    reflect: async () => ({ rewritten: null, via: "none", reason: "" }),
    arithmetic: () => false,
    classify: async () => ({ intent: scene.intent ?? "retrieval", via: "router", scores: {}, reason: "" }),
    directReply: async () => "Hello.",
    clarifyingQuestion: async () => "Which pump?",
    usableAgents: async () => [],
    route: async () => ({ agent: null, scores: [], reason: "" }),
    allowed: async () => ({ collections: scene.collections ?? ["manuals"], withheld: 0 }),
    tools: async () => [],
    selectTools: async () => scene.calls ?? [rag],
    plan: (question) => ({ queries: [{ text: question, purpose: "question", limit: 6 }], reason: "" }),
    async gather(plan) {
      asked.push(...plan.queries.map(({ text }) => text));
      return found(scene.stale === true ? "same" : `chunk-${asked.length}`);
    },
    async runTools(calls) {
      asked.push(...calls.map(({ tool }) => tool));
      return calls.map((call) => ({
        call,
        status: "failed",
        code: "TOOL_FAILED",
        message: "down",
        findings: [],
        data: {},
        durationMs: 1,
      }));
    },
    computeFrom: async () => [],
    evidenceOf: () => scene.evidence?.[attempt] ?? 2,
    async *synthesize(): AsyncGenerator<AnswerEvent, Draft> {
      if (scene.shows !== undefined) yield { type: "text-delta", text: scene.shows };
      const written = scene.drafts?.[attempt] ?? draft({});
      attempt += 1;
      return written;
    },
    async rewriteQuery({ question, gathered }) {
      const headings = (gathered?.hits ?? []).flatMap(({ chunk }) => [chunk.title, ...chunk.headings]);
      return scene.speechless === true
        ? null
        : { text: `${[question, ...new Set(headings)].join(" ")} again`, via: "rule" };
    },
  };
}

async function walk(scene: Scene, query = "Which torque?") {
  const used = drivers(scene);
  const events = await Array.fromAsync(runGraph(query, [], used, run));
  const end = events.at(-1);
  assert.ok(end?.type === "answer-end");
  const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  const answer: Answer = end.answer;
  return { answer, text, asked: used.asked, path: answer.trace.map(({ node }) => node) };
}

test("a question goes through every node in order and each leaves an event", async () => {
  const { path, text } = await walk({});
  assert.deepEqual(path, [
    "orchestrate",
    "reflect",
    "intent",
    "route",
    "permit",
    "select_tools",
    "execute",
    "assemble",
    "judge",
    "finish",
  ]);
  assert.equal(text, "42 Nm [1].");
});

test("thanks, greetings and the like are no follow-ups, whatever was said before", async () => {
  const before: readonly Turn[] = [
    { role: "user", author: "owner", text: "What torque do the casing bolts need?" },
    { role: "assistant", author: "", text: "They need 125 Nm [1]." },
  ];
  const reflected = async (query: string): Promise<boolean> => {
    let isAsked = false;
    const used: GraphDrivers = {
      ...drivers({}),
      async reflect() {
        isAsked = true;
        return { rewritten: "What torque do the casing bolts need?", via: "rule", reason: "" };
      },
    };
    await Array.fromAsync(runGraph(query, before, used, run));
    return isAsked;
  };
  for (const query of ["thanks", "Ok, thank you!", "cảm ơn bạn", "danke", "What can you do?", "hello again"])
    assert.equal(await reflected(query), false, query);
  for (const query of ["And the drain plug?", "Thanks, and the drain plug?", "Why?", "ok, how often?"])
    assert.equal(await reflected(query), true, query);
});

test("a greeting is answered without a search", async () => {
  const { path, asked, answer } = await walk({ intent: "direct" });
  assert.deepEqual(path, ["orchestrate", "reflect", "intent", "direct", "finish"]);
  assert.deepEqual(asked, []);
  assert.equal(answer.verdict.status, "direct");
});

test("a vague question gets a question back", async () => {
  const { answer } = await walk({ intent: "clarify" });
  assert.equal(answer.response, "Which pump?");
  assert.equal(answer.verdict.status, "clarify");
});

test("who may read nothing searches nothing", async () => {
  const { asked } = await walk({ collections: [] });
  assert.deepEqual(asked, []);
});

test("a refused attempt is searched again in other words, once, and what is shown is the last word", async () => {
  const refused = draft({ text: "Nothing found.", verdict: { ...verdict, status: "refused" } });
  const { path, asked, text } = await walk({ drafts: [refused, refused, refused] });
  assert.equal(path.filter((node) => node === "assemble").length, 2);
  assert.deepEqual(asked, ["Which torque?", "Which torque?", "Which torque? equipment manual again"]);
  assert.equal(text, "Nothing found.");
});

test("a question without other words to search by ends with its refusal", async () => {
  const refused = draft({ text: "Nothing found.", verdict: { ...verdict, status: "refused" } });
  const { path, text } = await walk({ drafts: [refused], speechless: true });
  assert.deepEqual(path.slice(-3), ["judge", "rewrite", "finish"]);
  assert.equal(text, "Nothing found.");
});

test("an empty draft is tried again, also from the same passages, and its words have no say in the search", async () => {
  const empty = draft({ text: "Nothing found.", model: "small", verdict: { ...verdict, status: "refused" } });
  assert.equal((await walk({ drafts: [empty, draft({})], stale: true })).text, "42 Nm [1].");
  const sentences = [
    {
      text: "The moon is made of green cheese.",
      markers: [1],
      support: "unsupported" as const,
      rule: "word",
      reason: "no",
    },
  ];
  const wrong = draft({
    text: "Nothing found.",
    model: "small",
    verdict: { ...verdict, status: "refused", sentences },
  });
  const { asked, text } = await walk({ drafts: [wrong, draft({})] });
  assert.deepEqual([text, /moon|cheese/.test(asked.join(" "))], ["42 Nm [1].", false]);
});

test("the phases of every attempt are summed, and add up to the time of the nodes", async () => {
  const phases = [{ phase: "generate", durationMs: 0.25, counts: { output_tokens: 7, score: 0.5 } }];
  const refused = draft({ phases, verdict: { ...verdict, status: "refused" } });
  const { answer } = await walk({ drafts: [refused, draft({ phases })] });
  const generate = answer.phases.find(({ phase }) => phase === "generate");
  assert.deepEqual(generate, {
    phase: "generate",
    durationMs: 0.5,
    counts: { output_tokens: 14, score: 0.5 },
  });
  const sum = (parts: readonly { readonly durationMs: number }[]): number =>
    parts.reduce((total, { durationMs }) => total + durationMs, 0);
  assert.ok(
    Math.abs(sum(answer.phases) - Math.max(0.5, sum(answer.trace))) < 0.01,
    JSON.stringify(answer.phases),
  );
});

test("a second search that finds nothing new is not answered again", async () => {
  const refused = draft({ text: "Nothing found.", verdict: { ...verdict, status: "refused" } });
  const { path, text } = await walk({ drafts: [refused], stale: true });
  assert.equal(path.filter((node) => node === "assemble").length, 1);
  assert.equal(text, "Nothing found.");
});

test("a second search that is no better evidence is not answered from, and one at which nothing was written does not count", async () => {
  const refused = draft({
    text: "Nothing found.",
    verdict: { ...verdict, status: "refused", evidence: 0.5 },
  });
  const { path, text } = await walk({ drafts: [refused, draft({})], evidence: [0, 0.5] });
  assert.deepEqual([path.filter((node) => node === "assemble").length, text], [1, "Nothing found."]);
  assert.equal((await walk({ drafts: [refused, draft({})], evidence: [0, 0.6] })).text, "42 Nm [1].");
  const empty = { ...refused, model: "small" };
  assert.equal((await walk({ drafts: [empty, draft({})], evidence: [0, 0.4] })).text, "42 Nm [1].");
});

test("an answer that a second search supports takes the place of the refusal", async () => {
  const refused = draft({ text: "Nothing found.", verdict: { ...verdict, status: "refused" } });
  const { text } = await walk({ drafts: [refused, draft({})] });
  assert.equal(text, "42 Nm [1].");
});

test("where a second reading finds no answer either, the refusal is that of the first", async () => {
  const empty = { model: "able", verdict: { ...verdict, status: "refused" as const } };
  const drafts = [
    draft({ ...empty, text: "Nearest: page 3." }),
    draft({ ...empty, text: "Nearest: page 90." }),
  ];
  const { path, text } = await walk({ drafts });
  assert.deepEqual([path.filter((node) => node === "assemble").length, text], [2, "Nearest: page 3."]);
});

test("what was shown is never taken back by another attempt", async () => {
  const doubtful = draft({ text: "It is 42 Nm [1].", verdict: { ...verdict, status: "unverified" } });
  const { path, text } = await walk({ drafts: [doubtful], shows: "It is 42 Nm [1]." });
  assert.equal(path.includes("rewrite"), false);
  assert.equal(text, "It is 42 Nm [1].");
});

test("an answer that was written anew under what had been shown is not shown twice", async () => {
  const whole = draft({ text: "It is 42 Nm [1].\nNot answered: “and why”" });
  const { text } = await walk({ drafts: [whole], shows: `It is [1]\n${whole.text}` });
  assert.equal(text, `It is [1]\n${whole.text}`);
});

test("a tool that fails is reported and the search goes on", async () => {
  const calculator: ToolCall = { tool: "Calculator", type: "calculator", arguments: {}, reason: "" };
  const { answer, text } = await walk({ calls: [rag, calculator] });
  assert.equal(answer.tools[0]?.status, "failed");
  assert.equal(text, "42 Nm [1].");
});

test("an empty question, one of invisible characters and one of 100 kB are refused by name", async () => {
  for (const query of ["", "  \u200b\u202e ", "?!", "a".repeat(100_000)]) {
    await assert.rejects(walk({}, query), { code: "USAGE_INVALID" });
  }
});

test("the drawing in the documentation is the graph", () => {
  const page = readFileSync(new URL("../../../docs/explanation/agents.md", import.meta.url), "utf8");
  assert.ok(page.includes(drawGraph()), `docs/explanation/agents.md should hold:\n${drawGraph()}`);
  for (const { to } of Object.values(nodes)) for (const name of to) assert.ok(name in nodes);
});
