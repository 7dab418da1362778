import assert from "node:assert/strict";
import { test } from "node:test";
import { PDFDocument, PDFName, type PDFObject, PDFString } from "pdf-lib";
import { drawn, parsePdf } from "../pdf-make.ts";

/** Five pages, labelled by the ranges of a number tree: from the page of this index on, in this style. */
async function labelsOf(ranges: (document: PDFDocument) => PDFObject): Promise<(string | undefined)[]> {
  const pages = ["Foreword", "Contents", "Engines", "Towing gear", "Pumps"];
  const bytes = await drawn(
    pages.map(
      (text) =>
        ({ write }) =>
          write(`${text} of the tug.`, 60, 80),
    ),
  );
  const document = await PDFDocument.load(bytes);
  document.catalog.set(PDFName.of("PageLabels"), ranges(document));
  const { pageTexts = [] } = await parsePdf(await document.save());
  return pageTexts.map(({ label }) => label);
}

test("a page is known by its label where that is not its number", async () => {
  const front = await labelsOf(({ context }) =>
    context.obj({ Nums: [0, { S: "r" }, 2, { S: "D" }, 4, { S: "D", P: PDFString.of("A-"), St: 7 }] }),
  );
  assert.deepEqual(front, ["i", "ii", "1", "2", "A-7"]);
  const usual = await labelsOf(({ context }) => context.obj({ Nums: [0, { S: "D" }] }));
  assert.deepEqual(usual, Array(5).fill(undefined));
  const bare = await labelsOf(({ context }) => context.obj({ Nums: [0, {}, 1, { S: "D", St: 2 }] }));
  assert.deepEqual(bare, Array(5).fill(undefined));
});

test("broken labels cost no page", async () => {
  const broken = await labelsOf(({ context }) => context.obj({ Nums: [0, 7, "x"] }));
  assert.deepEqual(broken, Array(5).fill(undefined));
});
