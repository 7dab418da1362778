import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Generated } from "../../../src/core/answers/answer.ts";
import open from "../../../src/drivers/llms/llama.ts";
import { systemMessage } from "../../../src/pipeline/answer/prompt.ts";

const home = process.env["RAGCTL_TEST_HOME"] ?? join(homedir(), ".local/share/ragctl");
const id = "smollm2-135m-instruct-q4_1";
const modelPath = join(home, "models", id, "model.gguf");
const skip = existsSync(modelPath) ? false : `${modelPath} is absent`;
const settings = { id, modelPath, contextTokens: 1024, gpu: false, threads: 1 } as const;

async function emptyFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-prompts-"));
  test.after(() => rm(folder, { recursive: true }));
  return join(folder, "prompts");
}

interface Outcome {
  readonly text: string;
  readonly reused: number;
}

/** Answers in a model opened for it alone, as a new process would. */
async function answer(statesFolder: string, question: string, keepSystem = true): Promise<Outcome> {
  await using model = await open({ ...settings, ...(statesFolder === "" ? {} : { statesFolder }) });
  let text = "";
  let end: Extract<Generated, { type: "generation-end" }> | undefined;
  for await (const event of model.generate(
    [
      { role: "system", text: systemMessage() },
      { role: "user", text: question },
    ],
    { temperature: 0, maxTokens: 12, keepSystem },
    new AbortController().signal,
  )) {
    if (event.type === "text-delta") text += event.text;
    else end = event;
  }
  return { text, reused: end?.reusedTokens ?? assert.fail() };
}

describe("states of fixed prompts", { skip }, () => {
  it("spare another process the system message, and change nothing of what it writes", async (test) => {
    const folder = await emptyFolder(test);
    const without = await answer("", "How long is the pump guaranteed?");
    const first = await answer(folder, "Where do pumps come from?");
    const second = await answer(folder, "How long is the pump guaranteed?");
    assert.deepEqual([without.reused, first.reused], [0, 0]);
    assert.ok(second.reused >= 80, `${second.reused} tokens were reused`);
    assert.equal(second.text, without.text);
    assert.equal((await readdir(folder)).length, 1);
  });

  it("are not kept of a prompt that does not ask for it", async (test) => {
    const folder = await emptyFolder(test);
    await answer(folder, "Where do pumps come from?", false);
    assert.equal(existsSync(folder), false);
  });

  it("are passed over and replaced where they are damaged", async (test) => {
    const folder = await emptyFolder(test);
    await answer(folder, "Where do pumps come from?");
    const [name = ""] = await readdir(folder);
    const bytes = await readFile(join(folder, name));
    for (const damaged of [bytes.subarray(0, 1000), Buffer.from(bytes).fill(7, 5000, 9000)]) {
      for (const each of await readdir(folder)) await writeFile(join(folder, each), damaged);
      assert.equal((await answer(folder, "How long is the pump guaranteed?")).reused, 0);
      assert.ok((await answer(folder, "Where do pumps come from?")).reused > 0);
      assert.equal((await readdir(folder)).length, 1);
    }
  });

  it("stay few: those used last", async (test) => {
    const folder = await emptyFolder(test);
    await mkdir(folder);
    for (let file = 0; file < 20; file += 1) {
      const path = join(folder, `${file}.old.state`);
      await writeFile(path, "");
      await utimes(path, new Date(2020, 1, 1), new Date(2020, 1, 1));
    }
    await answer(folder, "Where do pumps come from?");
    const names = await readdir(folder);
    assert.equal(names.length, 8);
    const [kept = assert.fail()] = names.filter((name) => !name.includes(".old."));
    assert.ok((await stat(join(folder, kept))).size < 4 * 2 ** 20);
  });
});
