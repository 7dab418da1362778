import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { jobPriority, phaseTable } from "../../../src/cli/documents/ingest.ts";
import { narrowingFields } from "../../../src/operations/answers/narrowing.ts";
import { describeCommand, typedInput } from "../../../src/operations/derive/cli.ts";

test("a version is typed as `ragctl history` shows it, or as its number alone", async () => {
  const read = async (text: string): Promise<number | undefined> => {
    let version: number | undefined;
    const input = { version: narrowingFields.document_version };
    const command = describeCommand(new Command(), { input, examples: [] })
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .action((flags) => {
        ({ version } = typedInput(input, [flags]));
      });
    await command.parseAsync(["--document-version", text], { from: "user" });
    return version;
  };
  assert.deepEqual(await Promise.all(["2", "v2", " V12 "].map(read)), [2, 2, 12]);
  for (const text of ["v", "0", "v0", "latest", "vv2"]) await assert.rejects(read(text), text);
});

test("a priority is low, normal, high or a whole number", () => {
  const read = (text: string): number => jobPriority.parse(text);
  assert.deepEqual(["low", "normal", "HIGH", "7", "-3"].map(read), [-1, 0, 1, 7, -3]);
  for (const text of ["urgent", "", "1.5", "constructor"]) assert.throws(() => read(text), text);
});

test("a phase has one page, not “1 pages”, and no rate where nothing was embedded", () => {
  const text = phaseTable({
    phases: [
      { phase: "parse", durationMs: 900, counts: { documents: 5, pages: 1 } },
      { phase: "embed", durationMs: 1, counts: { chunks: 6, tokens: 0 } },
    ],
  });
  assert.match(text, /5 documents, 1 page\b(?!s)/);
  assert.doesNotMatch(text, /tokens\/s/);
});
