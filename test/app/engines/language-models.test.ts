import assert from "node:assert/strict";
import { test } from "node:test";
import { openLanguageModels } from "../../../src/app/engines/language-models.ts";
import { loadSettings } from "../../../src/config/load.ts";
import { fakeModel, runOf } from "../../pipeline/fixtures.ts";

test("a model that could not be opened once is opened for whoever asks next", async () => {
  await using resources = new AsyncDisposableStack();
  const opened: string[] = [];
  const models = openLanguageModels({
    settings: loadSettings({ trust: false }).settings,
    providers: { list: () => [] },
    local: {
      async open() {
        opened.push("tried");
        if (opened.length === 1) throw new Error("out of memory");
        return fakeModel("Yes.");
      },
      outlook: async () => null,
    },
    secret: () => undefined,
    isOwner: () => true,
    resources,
  });
  const ask = () => models.of("llm", null, runOf()).model();
  await assert.rejects(ask(), /out of memory/);
  assert.equal((await ask())?.id, "fake");
  assert.equal((await ask())?.id, "fake");
  assert.equal(opened.length, 2);
});
