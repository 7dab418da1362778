import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Loopback, openLoopback } from "../../helpers/loopback.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";

const question = "Do I need to book a pick-up for full waste bottles?";

describe("an able reader that is asked about its own sentences", { skip: skipScene }, () => {
  let server: Loopback;
  let scene: Scene;
  let says = "yes";
  let checks = 0;
  before(async () => {
    server = await openLoopback(async (_request, body, response) => {
      const isCheck = body.includes("Do the passages support the sentence");
      checks += Number(isCheck);
      // An answer that took no time leaves none for a check.
      if (!isCheck) await sleep(1500);
      const content = isCheck ? says : "No, they get collected weekly anyway. [1]";
      response.end(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\ndata: [DONE]\n\n`);
    });
    scene = await openScene();
    await scene.ingest("general_knowledge", "public", {
      "waste.md":
        "# Chemicals and waste\n\nFull waste bottles are picked up every Thursday without a booking.\n",
    });
    const config = { base_url: `${server.base}/v1`, model: "m" };
    scene.app.registry.providers.add(
      { component: "llm", provider: "openai-compatible", config, active: true },
      scene.as("owner"),
    );
    await scene.reopen({ "answer.model": "auto" });
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("confirms what is only marked, and a replay asks it no second time", async () => {
    const run = scene.as("engineer");
    const [end] = (
      await Array.fromAsync(scene.app.ask({ query: question, topK: 5, collections: [] }, run))
    ).filter((event) => event.type === "answer-end");
    assert.deepEqual(
      end?.answer.verdict.sentences.map(({ support, rule }) => [support, rule]),
      [["supported", "reader"]],
    );
    assert.equal(checks, 1);
    says = "no";
    const report = await scene.app.replay(run.id, { against: "run" }, scene.as("owner"));
    assert.deepEqual([report.firstDifference, checks], [null, 1]);
  });

  it("leaves the mark where it says no", async () => {
    const answer = await scene.ask(`${question} Please.`, "engineer");
    assert.deepEqual(
      answer.verdict.sentences.map(({ support }) => support),
      ["partial"],
    );
  });
});
