import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { z } from "../../src/core/schema.ts";
import { openScene, skipScene } from "./scene.ts";

const documents = new URL("../../fixtures/documents/", import.meta.url).pathname;
const labelled = z.object({ text: z.string(), expected: z.enum(["supported", "contradicted", "not_found"]) });

test("true sentences are supported, altered ones are not, and no true one is contradicted", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", [documents]);
  const lines = (
    await readFile(new URL("../../fixtures/verified-sentences.jsonl", import.meta.url), "utf8")
  ).trim();
  const sentences = lines.split("\n").map((line) => labelled.parse(JSON.parse(line)));
  const found = new Map<string, string[]>();
  for (const { text, expected } of sentences) {
    const { statements } = await scene.app.verify({ text, topK: 5, collections: [] }, scene.as("owner"));
    assert.deepEqual(
      statements.map((each) => each.text),
      [text],
    );
    const key = `${expected} is ${statements[0]?.verdict}`;
    found.set(key, [...(found.get(key) ?? []), text]);
  }
  const of = (key: string): readonly string[] => found.get(key) ?? [];
  assert.deepEqual(of("supported is contradicted"), []);
  assert.deepEqual(of("not_found is contradicted"), []);
  assert.deepEqual(
    [...found.keys()].filter((key) => key.endsWith("documents_disagree")),
    [],
  );
  assert.deepEqual(of("not_found is supported"), []);
  assert.ok(of("supported is supported").length >= 38, String(of("supported is not_found")));
  assert.ok(of("contradicted is supported").length <= 1, String(of("contradicted is supported")));
  assert.ok(of("contradicted is contradicted").length >= 30, String(of("contradicted is not_found")));
});

test("a text is verified sentence by sentence, with quotes, and only against what may be read", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("hr_private_docs", "private", {
    "bands.md": "# Salary bands\n\nBand nine starts at 91,500 EUR a year.\n",
  });
  const text =
    "# Draft\n\nBand nine starts at 91,500 EUR a year [3]. Is that much? Band nine starts at 95,000 EUR a year.";
  const verify = (principal: string) =>
    scene.app.verify({ text, topK: 5, collections: [] }, scene.as(principal));
  const { statements } = await verify("owner");
  assert.deepEqual(
    statements.map(({ text, verdict, sources }) => [text, verdict, sources.map(({ quote }) => quote)]),
    [
      ["Band nine starts at 91,500 EUR a year.", "supported", ["Band nine starts at 91,500 EUR a year."]],
      ["Band nine starts at 95,000 EUR a year.", "contradicted", ["Band nine starts at 91,500 EUR a year."]],
    ],
  );
  scene.app.permissions.addPrincipal({ name: "ada" }, scene.as("owner"));
  await scene.ingest("general_knowledge", "public", { "gate.md": "# Gate\n\nThe gate closes at nine.\n" });
  const seen = await verify("ada");
  assert.deepEqual(
    seen.statements.map(({ verdict, sources }) => [verdict, sources]),
    [
      ["not_found", []],
      ["not_found", []],
    ],
  );
  await assert.rejects(
    scene.app.verify({ text: "# Draft\n\nWhat now?", topK: 5, collections: [] }, scene.as("owner")),
    { code: "USAGE_INVALID" },
  );
});

test("a contradicted sentence is cited under the heading of its quote, not of what the search came for", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", [documents]);
  const text =
    "Up to eight days of annual leave may be carried into the next year. Each parent may take 30 weeks of paid parental leave.";
  const { statements } = await scene.app.verify({ text, topK: 5, collections: [] }, scene.as("owner"));
  assert.deepEqual(
    statements.map(({ verdict, sources }) => [verdict, sources[0]?.section]),
    [
      ["supported", "2 Leave › 2.3 Carrying days over"],
      ["contradicted", "2 Leave › 2.4 Parental leave"],
    ],
  );
});
