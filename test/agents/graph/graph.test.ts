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
  readonly calls?: readonly ToolCall[];
}

/** Drivers that answer what the scene says and note what was asked of them. */
function drivers(scene: Scene): GraphDrivers & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
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
      return found(`chunk-${asked.length}`);
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
    async *synthesize(): AsyncGenerator<AnswerEvent, Draft> {
      const written = draft({});
      yield { type: "text-delta", text: written.text };
      return written;
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
