import assert from "node:assert/strict";
import { test } from "node:test";
import textParser from "../../../../src/drivers/parsers/source/text.ts";

const read = async (name: string, ...lines: readonly string[]) =>
  (await textParser().parse(new Uint8Array(Buffer.from(lines.join("\n"))), { name })).blocks.map(
    ({ kind, level, text, place }) =>
      `${place?.number} ${kind === "heading" ? `${"#".repeat(level ?? 0)} ` : ""}${text}`,
  );

test("a text is cited by its lines, headings, blank lines and page breaks counted", async () => {
  assert.deepEqual(await read("a.txt", "", "Limits", "------", "One", "two.", "", "", "Three\fFour"), [
    "2 # Limits",
    "4 One\ntwo.",
    "8 Three",
    "8 Four",
  ]);
});

test("headings of AsciiDoc, Org and LaTeX are found wherever their line stands, and in no other text", async () => {
  assert.deepEqual(await read("a.adoc", "= Guide", "Words.", "", "== Limits", "", "More."), [
    "1 # Guide",
    "2 Words.",
    "4 ## Limits",
    "6 More.",
  ]);
  assert.deepEqual(await read("a.org", "Words.", "* Pumps", "Some.", "** Seals", "More."), [
    "1 Words.",
    "2 # Pumps",
    "3 Some.",
    "4 ## Seals",
    "5 More.",
  ]);
  assert.deepEqual(await read("a.tex", "\\chapter{Pumps}", "\\section*{Seals}\\label{s}", "Words."), [
    "1 ## Pumps",
    "2 ### Seals",
    "2 \\label{s}\nWords.",
  ]);
  assert.deepEqual(await read("a.txt", "* Pumps", "Words."), ["1 * Pumps\nWords."]);
});
