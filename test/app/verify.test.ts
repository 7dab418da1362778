import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readText } from "../../src/app/verify/read-text.ts";
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
  assert.ok(of("supported is supported").length >= 40, String(of("supported is not_found")));
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
  await scene.app.permissions.addPrincipal({ name: "ada" }, scene.as("owner"));
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

test("the sentences of a Word file, a PDF and a mail can be verified, without their headings and tables", {
  skip: skipScene,
}, async (context) => {
  await using scene = await openScene();
  const folder = await mkdtemp(join(tmpdir(), "ragctl-verify-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const mail = join(folder, "gate.eml");
  const head = "From: Ada <ada@example.org>\r\nTo: bo@example.org\r\nSubject: The gate\r\n";
  await writeFile(mail, `${head}Content-Type: text/plain\r\n\r\nThe north gate closes at nine.\r\n`);
  const textOf = (path: string) => readText(path, scene.app.parts.home, scene.as("owner"));
  assert.match(await textOf(mail), /The north gate closes at nine\./);
  const minutes = await textOf(join(documents, "maintenance_minutes.docx"));
  assert.match(minutes, /P-110 stopped on 6 March with a broken shaft\./);
  assert.doesNotMatch(minutes, / \| |^1 Pump P-110/m);
  assert.match(await textOf(join(documents, "policy_handbook.pdf")), /19 weeks of paid parental leave/);
  await assert.rejects(textOf(join(folder, "absent.docx")), { code: "SOURCE_MISSING" });
});
