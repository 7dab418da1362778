import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Chunk } from "../../../../src/core/documents/chunk.ts";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

const text = "The fax number of the workshop is 514-312-0292.";
const said = "The fax number of the workshop is 514-312-0292. [1]";

function reasonOf(question: string, fields: Partial<Chunk>): string | undefined {
  const [verdict] = judge(said, [{ marker: 1, text, chunk: chunkOf(text, fields) }], question);
  return verdict?.support === "unsupported" ? verdict.reason : undefined;
}

describe("a page that is asked about by its number", () => {
  it("is not answered from another page", () => {
    const asked = "What is the fax number of the workshop on page thirteen?";
    assert.equal(reasonOf(asked, { pages: [14], printedPages: [] }), "[1] is not of page 13");
    assert.equal(reasonOf(asked, { pages: [14], printedPages: [9] }), "[1] is not of page 13");
    assert.equal(
      reasonOf("What is the fax number on the first page?", { pages: [2], printedPages: [] }),
      "[1] is not of page 1",
    );
  });

  it("is known by its place in the file and by the number printed on it", () => {
    assert.equal(
      reasonOf("What is the fax number of the workshop on page 13?", { pages: [13], printedPages: [] }),
      undefined,
    );
    assert.equal(
      reasonOf("What is the fax number of the workshop on page 9?", { pages: [13], printedPages: [9] }),
      undefined,
    );
  });

  it("asks nothing of what has no known pages, nor where pages only say how to answer", () => {
    assert.equal(reasonOf("What is the fax number of the workshop on page 13?", { pages: [14] }), undefined);
    assert.equal(
      reasonOf('What is the fax number of the workshop? Answer like ["Page 17", "Page 25"].', {
        pages: [3],
        printedPages: [],
      }),
      undefined,
    );
  });
});
