import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolbox, type ToolQuestion } from "../../../src/app/ask/toolbox.ts";
import type { AgentProfile } from "../../../src/core/answers/agent.ts";
import type { AvailableTool } from "../../../src/core/answers/tool.ts";
import { fakeModel, runOf } from "../../pipeline/fixtures.ts";

const allow = { effect: "allow", rule: "owner", reason: "", grantId: null } as const;
const tool = (fields: Pick<AvailableTool, "name" | "type"> & Partial<AvailableTool>): AvailableTool => ({
  ...{ config: {}, permissions: {}, priority: 1 },
  ...fields,
});
const questionOf = (text: string, given: Partial<ToolQuestion> = {}): ToolQuestion => ({
  ...{ text, answeredBy: null, collections: [], tools: [] },
  ...given,
});
const asking = { asked: "q", history: [] };

/** A toolbox's surroundings without a model or a sheet; every tool may be used. */
const partsOf = (resources: AsyncDisposableStack): Parameters<typeof createToolbox>[0] => ({
  access: { toolNow: async () => allow },
  cosineRange: async () => undefined,
  embed: async (texts) => texts.map(() => new Float32Array(2)),
  model: async () => null,
  sheetsMark: async () => "",
  async *sheets() {},
  secret: () => undefined,
  environment: () => ({}),
  resources,
});

test("what an agent reads goes to its own model, never to the model of another agent that used the tool before", async () => {
  await using resources = new AsyncDisposableStack();
  const asked: string[] = [];
  const toolbox = createToolbox({
    ...partsOf(resources),
    async model(agent) {
      const model = fakeModel("SELECT 1");
      return {
        ...model,
        generate(...given) {
          asked.push(agent?.name ?? "");
          return model.generate(...given);
        },
      };
    },
    async *sheets() {
      yield { documentId: "d", sourceName: "a.csv", sheet: "", rows: [["name"], ["x"]], headerRows: 1 };
    },
  });
  const rows = tool({ name: "Tables", type: "database_query" });
  const askedOf = (name: string): ToolQuestion => {
    const answeredBy: AgentProfile = {
      ...{
        id: name,
        name,
        department: "general",
        description: "",
        enabled: true,
        providerConfig: {},
        topics: [],
        examples: [],
      },
    };
    return questionOf("please think about it", { answeredBy, collections: ["c"], tools: [rows] });
  };
  const call = { tool: "Tables", type: "database_query" as const, arguments: {}, reason: "" };
  for (const name of ["remote", "local"]) await toolbox.run([call], askedOf(name), runOf());
  assert.deepEqual([...new Set(asked)], ["remote", "local"]);
});

test("the tools of readers that have not asked for long are closed, and opened again when they ask", async () => {
  await using resources = new AsyncDisposableStack();
  const read: string[] = [];
  const toolbox = createToolbox({
    ...partsOf(resources),
    async *sheets([collection = ""]) {
      read.push(collection);
      yield { documentId: "d", sourceName: "a.csv", sheet: "", rows: [["name"], ["x"]], headerRows: 1 };
    },
  });
  const choose = (collection: string) =>
    toolbox.select(
      questionOf("how many names are there", {
        collections: [collection],
        tools: [tool({ name: "Tables", type: "database_query" })],
      }),
      asking,
      runOf(),
    );
  const many = Array.from({ length: 12 }, (_, at) => `c${at}`);
  for (const collection of [...many, "c11", "c0"]) await choose(collection);
  assert.deepEqual(read, [...many, "c0"]);
});

test("a tool whose row is wrong is left out with a warning, and the others are chosen from", async () => {
  await using resources = new AsyncDisposableStack();
  const toolbox = createToolbox(partsOf(resources));
  const warnings: string[] = [];
  const run = runOf();
  const heard = { ...run, log: { ...run.log, warn: (message: string) => void warnings.push(message) } };
  const broken = tool({ name: "Broken", type: "generic", config: { argv: [] } });
  const calls = await toolbox.select(
    questionOf("6 * 7", { tools: [broken, tool({ name: "Calculator", type: "calculator" })] }),
    asking,
    heard,
  );
  assert.deepEqual(
    calls.map((each) => each.tool),
    ["Calculator"],
  );
  assert.match(warnings.join(), /Broken cannot be used/);
});

test("a web search that was asked for but is not there is named, with what is missing, and the other tools run", async () => {
  await using resources = new AsyncDisposableStack();
  const toolbox = createToolbox(partsOf(resources));
  const calculator = tool({ name: "Calculator", type: "calculator" });
  const text = "What is 6 * 7, and who sells copper? Search the web for its price.";
  const question = questionOf(text, { tools: [calculator] });
  const calls = await toolbox.select(question, { asked: text, history: [] }, runOf());
  const results = await toolbox.run(calls, question, runOf());
  assert.deepEqual(
    results.map(({ call, status, code }) => [call.tool, status, code]),
    [
      ["Calculator", "ok", ""],
      ["Web search", "denied", "PERMISSION_DENIED"],
    ],
  );
  assert.match(results[1]?.message ?? "", /disabled, not assigned to the agent that answers, or not granted/);
});
