import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, rename, symlink, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ReplayReport } from "../../../src/shapes/replay.ts";
import { testHome } from "../../contracts/store.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

const model = "smollm2-135m-instruct-q4_1";
const place = join(testHome, "models", model);
const larger = join(testHome, "models", "qwen2.5-coder-1.5b-instruct-q4_k_m");
const skip = skipScene || (existsSync(place) ? false : `no ${model} in ${testHome}`);

describe("the model of a replayed answer", { skip }, () => {
  let scene: Scene;
  /** With answers that are short and written once. */
  const reopen = (flags: Readonly<Record<string, unknown>> = {}, isModelNamed = false) =>
    scene.reopen({ "answer.maxTokens": 24, "answer.write": "always", ...flags }, isModelNamed);
  const ask = async (query: string): Promise<string> => {
    const as = scene.as("owner");
    await Array.fromAsync(scene.app.ask({ query, topK: 5, collections: [] }, as));
    return as.id;
  };
  const replay = (id: string, against: Parameters<Scene["app"]["replay"]>[1]) =>
    scene.app.replay(id, against, scene.as("owner"));
  const step = ({ steps }: ReplayReport, name: ReplayReport["firstDifference"]) =>
    steps.find((each) => each.step === name)?.difference;
  before(async () => {
    scene = await openScene();
    await symlink(place, join(scene.home, "models", model));
    await reopen();
    await scene.ingest("general_knowledge", "public", {
      "crane.md": "# Crane\n\nThe crane lifts a load of nine tonnes.\n",
      "valve.md": "# Relief valve\n\nThe relief valve opens at a pressure of 12 bar.\n",
    });
  });
  after(() => scene[Symbol.asyncDispose]());

  it("is the one that was the largest then, where a larger one is installed since", {
    skip: existsSync(larger) ? false : `no ${larger}`,
  }, async (context) => {
    await reopen({ "answer.model": "auto" });
    const written = await ask("Which load does the crane lift?");
    await symlink(larger, join(scene.home, "models", basename(larger)));
    context.after(async () => {
      await unlink(join(scene.home, "models", basename(larger)));
      await reopen();
    });
    for (const now of ["auto", join(place, "model.gguf")]) {
      await reopen({ "answer.model": now });
      const again = await replay(written, "run");
      assert.equal(step(again, "model"), "", now);
      assert.equal(again.after, again.before);
    }
  });

  it("is not said to be gone where the answer is a refusal now, which no model is asked for", async () => {
    const written = await ask("Which load does the crane lift?");
    await reopen({ "answer.threshold": 1 });
    const strict = await replay(written, "run");
    assert.deepEqual([strict.firstDifference, step(strict, "model")], ["settings", ""]);
    const refused = await ask("Which load does the crane lift?");
    await reopen();
    const lenient = await replay(refused, "run");
    assert.deepEqual([lenient.firstDifference, step(lenient, "model")], ["settings", ""]);
    await scene.app.forget(["crane.md"], scene.as("owner"));
    const now = await replay(written, "now");
    assert.deepEqual([now.firstDifference, step(now, "model")], ["versions", ""]);
    assert.notEqual(now.after, now.before);
  });

  it("is the one at the path that the question was asked with, known by its content wherever it lies", async () => {
    const [mine, other, moved] = ["mine", "other", "moved"].map((name) => join(scene.home, name));
    await mkdir(mine ?? "");
    await cp(join(place, "model.gguf"), join(mine ?? "", "model.gguf"), { dereference: true });
    await cp(mine ?? "", other ?? "", { recursive: true });
    await appendFile(join(other ?? "", "model.gguf"), "another model");
    await reopen({ "answer.model": `${mine}/model.gguf` });
    const written = await ask("At which pressure does the relief valve open?");
    await reopen();
    const again = await replay(written, "run");
    assert.equal(again.firstDifference, null, JSON.stringify(again.steps));
    assert.match(step(await replay(written, "now"), "model") ?? "", / → smollm2-135m/);
    await reopen({ "answer.model": `${other}/model.gguf` }, true);
    const named = await replay(written, "run");
    assert.equal(named.firstDifference, "model");
    assert.match(step(named, "model") ?? "", /^model\.gguf@(\w{8}) → model\.gguf@(?!\1)\w{8}$/);
    await rename(mine ?? "", moved ?? "");
    await reopen();
    await assert.rejects(replay(written, "run"), {
      code: "MODEL_MISSING",
      message: `the run was answered by ${mine}/model.gguf, which is no longer installed`,
    });
    await reopen({ "answer.model": `${moved}/model.gguf` });
    assert.equal((await replay(written, "now")).firstDifference, null);
  });
});
