import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { createIntentRouter } from "../../src/agents/decide/intent.ts";
import { routeAgent } from "../../src/agents/decide/route.ts";
import { readUtterances } from "../../src/agents/decide/utterances.ts";
import type { Purpose } from "../../src/core/documents/embedding.ts";
import open from "../../src/drivers/embedders/onnx.ts";
import { agentOf, recordedRun } from "./fakes.ts";

const root = join(import.meta.dirname, "../..");
const home =
  process.env["RAGCTL_TEST_HOME"] ?? process.env["RAGCTL_HOME"] ?? join(homedir(), ".local/share/ragctl");
const folder = join(home, "models", "bge-small-en-v1.5-int8");
const skip = existsSync(join(folder, "model.onnx")) ? false : `${join(folder, "model.onnx")} is absent`;
const lines = (name: string): readonly Record<string, string>[] =>
  readFileSync(join(root, "fixtures", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

async function openDrivers() {
  const embedder = await open({
    id: "bge-small-en-v1.5-int8",
    architecture: "bert",
    pooling: "cls",
    queryPrefix: "Represent this sentence for searching relevant passages: ",
    passagePrefix: "",
    maxTokens: 512,
    dimensions: 384,
    modelPath: join(folder, "model.onnx"),
    tokenizerPath: join(folder, "tokenizer.json"),
    modelSha256: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
    device: "cpu",
    threads: 2,
    precision: "int8",
  });
  const kept = new Map<string, Float32Array>();
  return {
    async embed(texts: readonly string[], purpose: Purpose) {
      const missing = texts.filter((text) => !kept.has(purpose + text));
      const made = await embedder.embed(missing, { purpose }, new AbortController().signal);
      for (const [index, text] of missing.entries())
        kept.set(purpose + text, made[index]?.dense ?? new Float32Array());
      return texts.map((text) => kept.get(purpose + text) ?? new Float32Array());
    },
    model: async () => null,
    [Symbol.asyncDispose]: () => embedder[Symbol.asyncDispose](),
  };
}

describe("deciding with bge-small and no language model", { skip }, () => {
  it("names the intent of at least nine in ten labelled utterances, and takes no question for small talk", async () => {
    await using drivers = await openDrivers();
    const utterances = readUtterances(
      parse(readFileSync(join(root, "config/intents.yaml"), "utf8")),
      "config/intents.yaml",
    );
    const router = createIntentRouter(utterances, drivers);
    const found = [];
    for (const { text = "", intent = "" } of lines("utterances.jsonl")) {
      found.push({ text, intent, decided: (await router.classify(text, [], recordedRun())).intent });
    }
    assert.ok(found.filter(({ intent, decided }) => intent === decided).length >= 0.9 * found.length);
    assert.deepEqual(
      found.filter(({ intent, decided }) => intent === "retrieval" && decided === "direct"),
      [],
    );
  });

  it("sends four in five questions of the seeded company to their department, and nine in ten others to none", async () => {
    await using drivers = await openDrivers();
    const {
      agents,
    }: {
      agents: { name: string; department: string; description: string; capabilities: { topics: string[] } }[];
    } = parse(readFileSync(join(root, "config/seed.yaml"), "utf8"));
    const company = agents.map(({ capabilities, ...agent }) =>
      agentOf({ ...agent, topics: capabilities.topics }),
    );
    const right = { general: [] as boolean[], special: [] as boolean[] };
    for (const { question = "", agent = "" } of lines("agent-questions.jsonl")) {
      const choice = await routeAgent(question, company, drivers, recordedRun());
      right[agent === "General Assistant" ? "general" : "special"].push(choice.agent?.name === agent);
    }
    assert.ok(right.special.filter(Boolean).length >= 0.8 * right.special.length);
    assert.ok(right.general.filter(Boolean).length >= 0.9 * right.general.length);
  });
});
