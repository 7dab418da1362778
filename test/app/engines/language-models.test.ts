import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanguageModels } from "../../../src/app/engines/language-models.ts";
import { emptyProbeResults } from "../../../src/app/engines/readings.ts";
import { loadSettings } from "../../../src/config/load.ts";
import { fakeModel, runOf } from "../../pipeline/fixtures.ts";

test("a model that could not be opened once is opened for whoever asks next", async () => {
  await using resources = new AsyncDisposableStack();
  const opened: string[] = [];
  const models = createLanguageModels({
    settings: loadSettings({ trust: false }).settings,
    providers: { list: async () => [] },
    local: {
      async open() {
        opened.push("tried");
        if (opened.length === 1) throw new Error("out of memory");
        return fakeModel("Yes.");
      },
      outlook: async () => null,
    },
    readings: emptyProbeResults,
    secret: () => undefined,
    isOwner: async () => true,
    resources,
  });
  const ask = async () => (await models.of("llm", null, runOf())).model();
  await assert.rejects(ask(), /out of memory/);
  assert.equal((await ask())?.id, "fake");
  assert.equal((await ask())?.id, "fake");
  assert.equal(opened.length, 2);
});

test("a model that the caller names takes the place of every provider", async () => {
  await using resources = new AsyncDisposableStack();
  const { settings } = loadSettings({ flags: { "answer.model": "mine" }, trust: false });
  const named = (isModelNamed: boolean, isInstalled = true) =>
    createLanguageModels({
      settings,
      isModelNamed,
      providers: {
        list: async ({ component = "llm" } = {}) => [
          {
            ...{ id: "", component, provider: "openai-compatible" as const, enabled: true, createdAt: "" },
            config: { base_url: "http://127.0.0.1:9/v1", model: "far" },
          },
        ],
      },
      local: {
        open: async () => (isInstalled ? fakeModel("Yes.") : null),
        outlook: async () => ({
          id: "mine",
          fileBytes: 1,
          isLoaded: false,
          isRemote: false,
          fingerprint: "",
        }),
      },
      readings: emptyProbeResults,
      secret: () => undefined,
      isOwner: async () => true,
      resources,
    });
  const agent = { providerConfig: { provider: "ollama", base_url: "http://127.0.0.1:9", model: "farther" } };
  for (const component of ["llm", "reflection"] as const)
    for (const by of [null, agent]) {
      const served = await named(true).of(component, by, runOf());
      assert.equal((await served.outlook())?.id, "mine");
      assert.equal((await served.model())?.id, "fake");
    }
  assert.equal((await (await named(false).of("llm", null, runOf())).outlook())?.id, "far");
  await assert.rejects((await named(true, false).of("llm", null, runOf())).model(), {
    code: "MODEL_MISSING",
  });
});
