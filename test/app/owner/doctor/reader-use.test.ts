import assert from "node:assert/strict";
import { test } from "node:test";
import { readerUse } from "../../../../src/app/owner/doctor/reader-use.ts";

const generate = (id: string, sizeBytes: number) => ({
  id,
  task: "generate" as const,
  files: [{ sizeBytes }],
});
const models = [
  { id: "encoder", task: "embed" as const, files: [{ sizeBytes: 2_000_000_000 }] },
  generate("tiny", 100_000_000),
  generate("huge", 9_000_000_000),
  generate("large", 2_500_000_000),
];
const local = { fileBytes: 100_000_000, isRemote: false };
const auto = { reader: "auto", write: "auto" } as const;

test("of a small reader it is said that it quotes, and which file or endpoint makes it able", () => {
  const { message, hint } = readerUse(auto, local, models);
  assert.equal(message, "reads as small (a model file of 0.1 GB): answers quote lines of the documents");
  assert.match(hint, /^for answers in its own words: ragctl models pull large \(2\.5 GB\)/);
  assert.match(hint, /ragctl config set answer\.model large/);
  assert.match(hint, /or an endpoint: ragctl providers add llm\/openai-compatible --option base_url=URL/);
  assert.ok(!/huge|tiny|encoder/.test(hint), "the smallest able one is named");
});

test("of an able reader it is said that it writes and uses tools, and nothing more is needed", () => {
  const able = readerUse(auto, { fileBytes: 0, isRemote: true }, models);
  assert.equal(
    able.message,
    "reads as able (a provider's model): it answers in its own words, with tools that search, read, query and calculate",
  );
  assert.equal(able.hint, "");
});

test("a setting that decides is named instead of a file", () => {
  const held = readerUse({ ...auto, reader: "small" }, { fileBytes: 4e9, isRemote: false }, models);
  assert.match(held.message, /^reads as small \(answer\.reader\): answers quote/);
  assert.match(held.hint, /ragctl config unset answer\.reader/);
  const never = readerUse({ ...auto, write: "never" }, { fileBytes: 4e9, isRemote: false }, models);
  assert.match(never.message, /answers quote lines of the documents \(answer\.write: never\)$/);
  assert.match(never.hint, /ragctl config unset answer\.write/);
  const always = readerUse({ ...auto, write: "always" }, local, models);
  assert.match(always.message, /quote lines of the documents, with a draft by the model below$/);
});

test("without any model answers quote, and of a provider's small model another one is asked for", () => {
  assert.equal(readerUse(auto, null, models).message, "none: answers quote lines of the documents");
  const reading = { answerable: 50, right: 5, absent: 10, refused: 1, invented: 20, written: 50, cited: 9 };
  const remote = readerUse(auto, { fileBytes: 0, isRemote: true, reading }, models);
  assert.match(
    remote.message,
    /^reads as small \(6 of 60 probe questions answered correctly\): answers quote/,
  );
  assert.match(
    remote.hint,
    /another model of the endpoint: ragctl providers set llm\/PROVIDER --option model=NAME/,
  );
});
