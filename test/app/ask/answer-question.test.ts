import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { drawSteps, openTrace, steps } from "../../../src/agents/steps.ts";
import { answerQuestion } from "../../../src/app/ask/answer-question.ts";
import { type AskContext, createQuestionContext } from "../../../src/app/ask/question.ts";
import type { Toolbox } from "../../../src/app/ask/toolbox.ts";
import type { AnswerEvent } from "../../../src/core/answers/answer.ts";
import type { ToolCall } from "../../../src/core/answers/tool.ts";
import type { AskRequest } from "../../../src/core/app.ts";
import { openTableMemory } from "../../../src/tools/database/table-query.ts";
import { bagOfWords, recordedRun, talk } from "../../agents/fakes.ts";
import { fakeEmbedder } from "../../pipeline/fakes.ts";
import { openCore, openWorld } from "../world.ts";

const question = "What is the secret of part 1?";
const rag: ToolCall = { tool: "RAG Search", type: "rag", arguments: {}, reason: "default" };
const calculator: ToolCall = { tool: "Calculator", type: "calculator", arguments: {}, reason: "" };

/** A toolbox that chooses these calls, and whose tools all fail. */
const failing = (calls: readonly ToolCall[]): Toolbox => ({
  select: async () => calls,
  run: async (called) =>
    called.map((call) => ({
      ...{ call, status: "failed", code: "TOOL_FAILED", message: "down" },
      ...{ findings: [], data: {}, durationMs: 1 },
    })),
});

/** Opens a world, to ask its owner's questions; `searched` names the collections that were. */
async function asking(context: Pick<TestContext, "after">, calls: readonly ToolCall[] = [rag]) {
  const world = await openWorld(context);
  const searched: string[] = [];
  const core = openCore({
    ...world.parts,
    async store(instance) {
      const store = await world.parts.store(instance);
      return {
        ...store,
        search(name, ...given) {
          searched.push(name);
          return store.search(name, ...given);
        },
      };
    },
  });
  const embedder = fakeEmbedder();
  const home = {
    ...core,
    toolbox: failing(calls),
    tables: openTableMemory(),
    routingVectors: {
      embed: async (texts: readonly string[]) => texts.map(bagOfWords),
      embedder: async () => embedder,
    },
    utterances: () => ({ retrieval: [], direct: [], multi_part: [], clarify: [], other: [] }),
  };
  const ask = async (query: string, given: Partial<AskRequest & Pick<AskContext, "history">> = {}) => {
    const { history = [], ...narrowed } = given;
    const request = { query, topK: 3, collections: [], ...narrowed };
    const run = recordedRun();
    const opened = await createQuestionContext(request, { history, memory: null }, home, run);
    return answerQuestion({ ...opened, budget: null }, home, run);
  };
  return {
    core,
    searched,
    async walk(...given: Parameters<typeof ask>) {
      const events: readonly AnswerEvent[] = await Array.fromAsync(await ask(...given));
      const end = events.at(-1);
      assert.ok(end?.type === "answer-end");
      const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
      return { answer: end.answer, text, path: end.answer.trace.map(({ node }) => node) };
    },
  };
}

const searching = "orchestrate reflect intent route permit select_tools execute assemble judge finish";

test("a question takes every step in order, and each leaves an event", async (context) => {
  const { walk, searched } = await asking(context);
  const { path, text, answer } = await walk(question);
  assert.equal(path.join(" "), searching);
  assert.equal(text, answer.response);
  assert.match(text, /secret of part 1/);
  assert.ok(searched.length > 0);
});

test("a greeting is answered without a search", async (context) => {
  const { walk, searched } = await asking(context);
  const { path, answer } = await walk("hello");
  assert.equal(path.join(" "), "orchestrate reflect intent direct finish");
  assert.deepEqual(searched, []);
  assert.equal(answer.verdict.status, "direct");
});

test("a vague question gets a question back, with titles that may be seen", async (context) => {
  const { walk } = await asking(context);
  const { path, answer } = await walk("What about it?");
  assert.equal(path.join(" "), "orchestrate reflect intent clarify finish");
  assert.equal(answer.verdict.status, "clarify");
  assert.match(answer.response, /Which subject do you mean\? .*companypoliciessecret/);
});

test("thanks, greetings and the like are no follow-ups, whatever was said before", async (context) => {
  const { walk } = await asking(context);
  const history = talk("What torque do the casing bolts need?", "They need 125 Nm [1].");
  const reflected = async (query: string): Promise<string | undefined> => {
    const { answer } = await walk(query, { history });
    return answer.trace.find(({ node }) => node === "reflect")?.decided;
  };
  for (const query of ["thanks", "Ok, thank you!", "cảm ơn bạn", "danke", "What can you do?", "hello again"])
    assert.equal(await reflected(query), "self-contained", query);
  for (const query of ["And the drain plug?", "Why?", "ok, how often?"])
    assert.match((await reflected(query)) ?? "", /^rewritten: /, query);
  assert.equal((await walk("Thanks, and the drain plug?", { history })).path.join(" "), searching);
});

test("through an agent that may read nothing, nothing is searched", async (context) => {
  const { walk, core, searched } = await asking(context);
  await core.agents.add({ name: "Ada", department: "nowhere" });
  const { path, answer } = await walk(question, { agent: "Ada", collections: ["hr_private_docs"] });
  assert.equal(path.join(" "), searching);
  assert.deepEqual(searched, []);
  assert.equal(answer.verdict.status, "refused");
});

test("a tool that fails is reported and the search goes on", async (context) => {
  const { walk } = await asking(context, [rag, calculator]);
  const { answer, text } = await walk(question);
  assert.deepEqual(
    answer.tools.map(({ call, status }) => [call.tool, status]),
    [["Calculator", "failed"]],
  );
  assert.match(text, /secret of part 1/);
});

test("an empty question, one of invisible characters and one of 100 kB are refused by name", async (context) => {
  const { walk } = await asking(context);
  for (const query of ["", "  \u200b\u202e ", "?!", "a".repeat(100_000)])
    await assert.rejects(walk(query), { code: "USAGE_INVALID" });
});

test("a step is taken only after those that may lead to it, and none after the run was stopped", async () => {
  const stop = new AbortController();
  const { step, events } = openTrace(recordedRun(stop.signal));
  const reflection = { rewritten: null, via: "none", reason: "" } as const;
  await Array.fromAsync(step("orchestrate", () => ({ text: "why", turns: 0 })));
  await assert.rejects(Array.fromAsync(step("finish", () => assert.fail())), TypeError);
  stop.abort(new Error("stopped"));
  await assert.rejects(Array.fromAsync(step("reflect", async () => reflection)), /stopped/);
  assert.deepEqual(
    events.map(({ node }) => node),
    ["orchestrate"],
  );
});

test("the drawing in the documentation shows the steps that questions take, and no others", async (context) => {
  const { walk } = await asking(context);
  const walked = new Set<string>();
  for (const query of [question, "hello", "What about it?"]) {
    const { path } = await walk(query);
    for (const [at, to] of path.slice(1).entries()) walked.add(`${path[at]} --> ${to}`);
  }
  const drawn = drawSteps();
  assert.deepEqual(
    new Set(
      drawn
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
    ),
    walked,
  );
  const page = readFileSync(new URL("../../../docs/explanation/agents.md", import.meta.url), "utf8");
  assert.ok(page.includes(drawn), `docs/explanation/agents.md should hold:\n${drawn}`);
  for (const name of Object.keys(steps)) assert.ok(page.includes(`| \`${name}\` |`), name);
});
