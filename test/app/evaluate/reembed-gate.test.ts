import assert from "node:assert/strict";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ReembedReport } from "../../../src/shapes/documents.ts";
import { root } from "../../cli/support.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";
import { sourceOf } from "./source.ts";

const good = "bge-small-en-v1.5-int8";
/** Random weights: it finds nothing by meaning. */
async function randomModel(home: string): Promise<string> {
  const folder = join(home, "random-model");
  await mkdir(folder);
  for (const name of ["model.onnx", "tokenizer.json"])
    await copyFile(join(root, "fixtures/models/bge-m3-tiny", name), join(folder, name));
  const facts = {
    ...{ architecture: "bge-m3", precision: "fp32", language: "multilingual", dimensions: 32 },
    ...{ pooling: "cls", queryPrefix: "", passagePrefix: "", maxTokens: 64 },
  };
  await writeFile(join(folder, "embed.yaml"), JSON.stringify(facts));
  return folder;
}

const files = {
  "leave.md":
    "# Absence\n\nMothers and fathers stay at home for sixteen weeks after birth, on full salary.\n",
  "pump.md": "# Torques\n\nTighten the bolts of the casing cover to 125 Nm with a calibrated wrench.\n",
  "fire.md": "# Alarm\n\nGather behind warehouse three when the siren sounds, and wait there.\n",
  "coffee.md": "# Kitchen\n\nThe espresso machine is descaled on the first Monday of each month.\n",
  "car.md": "# Vehicles\n\nWhoever drives a company automobile writes down every kilometre.\n",
  "dog.md": "# Animals\n\nCanines may enter the office on Fridays if colleagues agree.\n",
};
const questions = [
  ["What time off do new parents get?", "leave.md"],
  ["How firmly are screws on the housing fastened?", "pump.md"],
  ["Where do people meet in an emergency evacuation?", "fire.md"],
  ["When is the brewing appliance cleaned?", "coffee.md"],
  ["Must mileage be logged?", "car.md"],
  ["Can I bring my puppy to work?", "dog.md"],
].map(([question, doc], id) => ({ id, question, doc }));

describe("re-embedding behind a gate", { skip: skipScene }, () => {
  let scene: Scene;
  let bad: string;
  const reembed = async (model: string, lines?: readonly object[], margin = 0.01): Promise<ReembedReport> => {
    const gate = lines === undefined ? {} : { gate: { questions: sourceOf(lines), margin } };
    const request = { collection: "general_knowledge", model, ...gate };
    for await (const event of scene.app.background.reembed(request, scene.as("owner")))
      if (event.type === "reembed-end") return event.report;
    throw new TypeError("no report");
  };
  const embedder = async (): Promise<string | undefined> =>
    (await scene.app.collections(scene.as("owner")))[0]?.embedder;
  before(async () => {
    scene = await openScene();
    bad = await randomModel(scene.home);
    await scene.ingest("general_knowledge", "public", files);
  });
  after(() => scene[Symbol.asyncDispose]());

  it("stops the worse model, says what it saw, and searches go on with the old vectors", async () => {
    await assert.rejects(reembed(bad, [...questions, { id: "x", question: "?", doc: "elsewhere.md" }]), {
      code: "GATE_FAILED",
      message:
        /ndcg@10 of general_knowledge would fall from [\d.]+ to [\d.]+ on 6 questions.*; 1 other line of the file skipped; \d+ chunks are longer than the model reads/,
    });
    assert.equal(await embedder(), good);
    const { hits } = await scene.app.search(
      { query: "puppy at work", topK: 3, collections: [], mode: "hybrid" },
      scene.as("owner"),
    );
    assert.equal(hits[0]?.chunk.sourceName, "dog.md");
  });

  it("fails where no question is about the collection, and where the file holds none", async () => {
    await assert.rejects(reembed(bad, [{ id: 1, question: "What?", doc: "elsewhere.md" }]), {
      code: "GATE_FAILED",
      message: /cannot be computed/,
    });
    await assert.rejects(reembed(bad, []), { code: "USAGE_INVALID" });
    assert.equal(await embedder(), good);
  });

  it("lets a loss within the margin pass, and the better model", async () => {
    const worse = await reembed(bad, questions, 1);
    assert.ok(worse.gate !== null && worse.gate.difference < 0);
    assert.equal(worse.contents, 0, "what the stopped run embedded is kept");
    assert.equal(await embedder(), bad);
    const better = await reembed(good, [...questions, { id: "x", question: "?", doc: "elsewhere.md" }]);
    assert.ok(better.gate !== null && better.gate.difference > 0);
    assert.deepEqual([better.gate.questions, better.gate.skipped], [6, 1]);
    assert.equal(await embedder(), good);
  });

  it("measures the search that people make, with what the home's glossary says", async () => {
    const towns = ["harrogate", "whitby", "ripon", "selby", "thirsk", "malton", "settle", "goole"];
    const terms = towns.map((town, at) => ({ when: [`code ${at}x`], also: town }));
    await writeFile(join(scene.home, "glossary.yaml"), JSON.stringify({ terms }));
    const texts = towns.map((town) => [`${town}.md`, `# Boiler\n\nThe boiler of ${town} was inspected.\n`]);
    const collection = "company_policies";
    await scene.ingest(collection, "public", Object.fromEntries(texts));
    const coded = towns.map((town, id) => ({
      ...{ id, question: `When was the boiler of code ${id}x inspected?`, doc: `${town}.md` },
    }));
    const evaluation = scene.app.evaluation.evaluate(
      {
        ...{ source: sourceOf(coded), groupBy: "group", topK: 10, collections: [collection] },
        ...{ answers: false, ablate: false, tolerance: 0.01, gates: [] },
      },
      scene.as("owner"),
    );
    const evaluated = (await Array.fromAsync(evaluation)).at(-1);
    const gate = { questions: sourceOf(coded), margin: 1 };
    const reembedding = scene.app.background.reembed({ collection, model: bad, gate }, scene.as("owner"));
    const reembedded = (await Array.fromAsync(reembedding)).at(-1);
    assert.ok(evaluated?.type === "eval-end" && reembedded?.type === "reembed-end");
    const searched = evaluated.report.metrics.find(({ metric }) => metric === "document_ndcg@10");
    assert.equal(reembedded.report.gate?.before, searched?.mean);
  });
});
