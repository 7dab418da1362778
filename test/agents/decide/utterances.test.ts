import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { parse } from "yaml";
import { readUtterances, utteranceClasses } from "../../../src/agents/decide/utterances.ts";
import { intents } from "../../../src/core/answers/answer.ts";

const root = join(import.meta.dirname, "../../..");
const given = readUtterances(
  parse(readFileSync(join(root, "config/intents.yaml"), "utf8")),
  "config/intents.yaml",
);

it("the utterances that come with ragctl are valid and cover every class in English and Vietnamese", () => {
  for (const label of utteranceClasses) {
    assert.ok(given[label].length >= 15, label);
    assert.ok(
      given[label].some((text) => /[ăđơưạ-ỹ]/iu.test(text)),
      label,
    );
  }
});

it("the labelled utterances for measuring are at least 200, in four intents, and none is also a known one", () => {
  const rows = readFileSync(join(root, "fixtures/utterances.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line): { text: string; intent: string } => JSON.parse(line));
  assert.ok(rows.length >= 200);
  assert.deepEqual([...new Set(rows.map(({ intent }) => intent))].sort(), [...intents].sort());
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  const known = new Set(Object.values(given).flat().map(plain));
  assert.deepEqual(
    rows.filter(({ text }) => known.has(plain(text))),
    [],
  );
});

it("a missing class, an unknown one and an utterance in two classes are refused by name", () => {
  const { other: _, ...lacking } = given;
  assert.throws(() => readUtterances(lacking, "mine.yaml"), /mine\.yaml.*other/s);
  assert.throws(() => readUtterances({ ...given, chat: ["hi"] }, "mine.yaml"), { code: "CONFIG_INVALID" });
  assert.throws(
    () => readUtterances({ ...given, other: [given.direct[0]] }, "mine.yaml"),
    /stands under direct and other/,
  );
});
