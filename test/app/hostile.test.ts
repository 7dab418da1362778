import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { builtCommand, type Home, openHome, record, records, skipChain, start } from "../cli/support.ts";

const good = Object.fromEntries(
  Array.from({ length: 3 }, (_, at) => [
    `good${at}.md`,
    `# Station ${at}\n\nValve ${at} opens at ${at + 3} bar.\n`,
  ]),
);

/** Documents a store once refused, each of which stopped the whole folder. */
const hostile: Readonly<Record<string, string>> = {
  "letters.txt": "x".repeat(150_000),
  "digits.txt": "7".repeat(150_000),
  "marks.txt": "e\u0301".repeat(50_000),
  "unseen.txt": "a\u200b".repeat(40_000),
  "unbroken.txt": `a${"\u00a0".repeat(100_000)}b`,
  "quotes.md": `${">".repeat(16_000)} deep\n\nThe rest is read too.\n`,
  "lists.md": `${"- ".repeat(8_000)}deep\n`,
  "heading.md": `# ${"h".repeat(150_000)}\n\ntext\n`,
  "cells.csv": `a,b\n${",".repeat(10_000)}\n1,2\n`,
  "row.md": `| a |${" |".repeat(10_000)}\n|---|${"---|".repeat(10_000)}\n| 1 |${" |".repeat(10_000)}\n`,
};

describe("a folder with documents made to break a store", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
  });
  after(() => home[Symbol.asyncDispose]());

  it("is ingested, the good documents and the others", async () => {
    const folder = await home.folder("mixed", { ...good, ...hostile });
    const { ended } = start(home.path, home.base, [
      ...[...builtCommand, "ingest", folder, "-c", "mixed", "--format", "json"],
      ...["--set", "parse.timeoutMs=120000"],
    ]);
    const { status, stdout, stderr } = await ended;
    const files = records(record(JSON.parse(stdout))["files"]);
    assert.deepEqual(
      files
        .filter((file) => file["state"] !== "added")
        .map((file) => `${file["name"]}: ${file["code"]} ${file["reason"]}`),
      [],
      stderr,
    );
    assert.equal(files.length, Object.keys(good).length + Object.keys(hostile).length);
    assert.equal(status, 0);
  });
});
