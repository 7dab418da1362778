import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { machineName } from "../../../src/app/budget/machine.ts";
import { openAuxiliaryModel, resolveReader } from "../../../src/app/budget/reader.ts";
import { loadSettings } from "../../../src/config/load.ts";
import type { LanguageModel } from "../../../src/core/answers/answer.ts";
import type { Reading } from "../../../src/core/answers/reading.ts";

const { settings } = loadSettings({ flags: {} });

/** A home whose models took this long to read a token, ms. */
const homeWith = (prefillMs: number | null, answer: Partial<typeof settings.answer> = {}) => ({
  settings: { ...settings, answer: { ...settings.answer, ...answer } },
  rates: {
    of: async (machine: string, subject: string) =>
      new Map(
        machine === machineName() && subject === "mine" && prefillMs !== null
          ? [["prefill_ms_per_token", [prefillMs]]]
          : [],
      ),
    add: async () => undefined,
  },
});
const servedBy = (fileBytes: number, isRemote = false, reading?: Reading) => ({
  outlook: async () => ({ id: "mine", fileBytes, isLoaded: true, isRemote, fingerprint: "", reading }),
});
const readingOf = (right: number, refused: number): Reading => ({
  ...{ answerable: 50, right, absent: 10, refused },
  ...{ invented: 60 - right - refused, written: 50, cited: 50 },
});
const topK = settings.retrieve.topK;

describe("the reader of an answer", () => {
  it("is small for a small model file, and quotes from six passages", async () => {
    const { level, makes, contextTokens, passages } = await resolveReader(
      servedBy(1e9),
      { topK },
      homeWith(10),
    );
    assert.deepEqual(
      { level, makes, contextTokens, passages },
      { level: "small", makes: "quotes", contextTokens: 1600, passages: 6 },
    );
  });

  it("is able for a provider's model, and shown up to twenty passages within 6000 tokens", async () => {
    const { level, contextTokens, passages } = await resolveReader(
      servedBy(0, true),
      { topK },
      homeWith(null),
    );
    assert.deepEqual(
      { level, contextTokens, passages },
      { level: "able", contextTokens: 6000, passages: 20 },
    );
  });

  it("is shown what it reads within the time to the first token, where it runs here", async () => {
    const tokensAt = async (prefillMs: number | null) =>
      (await resolveReader(servedBy(3e9), { topK }, homeWith(prefillMs))).contextTokens;
    assert.equal(await tokensAt(2), 4000);
    assert.equal(await tokensAt(0.5), 6000);
    assert.equal(await tokensAt(50), 1600);
    assert.equal(await tokensAt(null), 1600);
  });

  it("is what its probe found, whatever its size and wherever it runs", async () => {
    for (const [served, level] of [
      [servedBy(1e9, false, readingOf(46, 9)), "able"],
      [servedBy(9e9, false, readingOf(30, 2)), "small"],
      [servedBy(0, true, readingOf(30, 2)), "small"],
    ] as const) {
      const reader = await resolveReader(served, { topK }, homeWith(null));
      assert.equal(reader.level, level);
      assert.match(reader.why, /^\d\d of 60 probe questions/);
    }
    const forced = homeWith(null, { reader: "able" });
    assert.equal(
      (await resolveReader(servedBy(1e9, false, readingOf(3, 0)), { topK }, forced)).level,
      "able",
    );
  });

  it("is what the settings and the request say, whatever the model", async () => {
    const home = homeWith(null, { reader: "small", contextTokens: 900 });
    const { level, contextTokens, passages } = await resolveReader(servedBy(0, true), { topK: 12 }, home);
    assert.deepEqual(
      { level, contextTokens, passages },
      { level: "small", contextTokens: 900, passages: 12 },
    );
  });

  it("writes if it is able, drafts below its quotes if it is small, and neither where no model shall", async () => {
    const makes = async (fileBytes: number, write: "auto" | "always" | "never") =>
      (await resolveReader(servedBy(fileBytes), { topK, write }, homeWith(10))).makes;
    assert.deepEqual(
      [await makes(4e9, "auto"), await makes(4e9, "always"), await makes(4e9, "never")],
      ["answer", "answer", "quotes"],
    );
    assert.deepEqual(
      [await makes(1e9, "auto"), await makes(1e9, "always"), await makes(1e9, "never")],
      ["quotes", "draft", "quotes"],
    );
  });
});

describe("the model for decisions beside an answer", () => {
  const model = { id: "mine" } as LanguageModel;
  const small = { ...servedBy(1e8), model: async () => model };
  const home = homeWith(null, { reader: "able" });

  it("is the one that answers, where the settings call that able", async () => {
    assert.equal(await openAuxiliaryModel(small, home), model);
  });

  it("is none where a small model stands beside an able one that answers", async () => {
    const endpoint = { outlook: async () => ({ ...(await servedBy(0, true).outlook()), id: "live" }) };
    assert.equal(await openAuxiliaryModel(small, home, endpoint), null);
  });
});
