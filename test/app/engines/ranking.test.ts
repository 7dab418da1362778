import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rankingOf } from "../../../src/app/engines/ranking.ts";
import { loadSettings } from "../../../src/config/load.ts";

/** A home without a glossary, and what writes one into it. */
function openFolder(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "ragctl-ranking-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const { settings } = loadSettings({ flags: { home }, trust: false });
  return { settings, write: (text: string) => writeFileSync(join(home, "glossary.yaml"), text) };
}

test("the glossary of a home is over that of the installation, and an edit counts at once", (context) => {
  const { settings, write } = openFolder(context);
  const wordsOf = (question: string): string | undefined =>
    rankingOf(settings)?.glossary.companionOf(question)?.words;
  const installed = rankingOf(settings)?.hash;
  assert.match(wordsOf("What was capex?") ?? "", /property/);
  assert.equal(wordsOf("Who signs the LOTO form?"), undefined);
  write("terms:\n  - { when: [LOTO], also: energy isolation }\n");
  assert.equal(wordsOf("Who signs the LOTO form?"), "energy isolation");
  assert.match(wordsOf("What was capex?") ?? "", /property/);
  const own = rankingOf(settings)?.hash;
  assert.notEqual(own, installed);
  write("terms:\n  - { when: [LOTO], also: padlock }\n");
  assert.equal(wordsOf("Who signs the LOTO form?"), "padlock");
  assert.notEqual(rankingOf(settings)?.hash, own);
  write("# none of my own\n");
  assert.equal(rankingOf(settings)?.hash, installed);
});

test("a glossary that cannot be read is refused with its path, its line and what to do", (context) => {
  const { settings, write } = openFolder(context);
  for (const [text, message] of [
    ["terms:\n  - when: [LOTO]\n    also: [a\n", /cannot read the glossary .*glossary\.yaml: line \d+: /],
    ["terms:\n  - when: [LOTO]\n    also: a\n  - when: LOTO\n", /line 4: terms\.1\.when: must be a list/],
    ["kinds: {}\nterms:\n  - when: [LOTO]\n    on: [nowhere]\n", /line 4: terms\.0\.on\.0: .*"nowhere"/],
    ["terms:\n  - when: [LOTO, '!']\n", /line 2: terms\.0\.when\.1: a phrase needs at least one word/],
    ["words: []\n", /line 1: .*"words"/],
    ["- a\n", /line 1: /],
  ] as const) {
    write(text);
    assert.throws(
      () => rankingOf(settings),
      (error: Error & { code?: string; hint?: string }) =>
        error.code === "CONFIG_INVALID" &&
        message.test(error.message) &&
        /move it elsewhere/.test(error.hint ?? ""),
      text,
    );
  }
  assert.equal(rankingOf({ ...settings, retrieve: { ...settings.retrieve, features: "off" } }), undefined);
});
