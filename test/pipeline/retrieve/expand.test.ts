import assert from "node:assert/strict";
import { test } from "node:test";
import { expandedChunk, type Hit } from "../../../src/core/retrieval.ts";
import { expandContext, neighbourIds } from "../../../src/pipeline/retrieve/expand.ts";
import { chunkOf } from "../../helpers/chunk.ts";

const chunk = (ordinal: number, section = "Seals", pages: readonly number[] = []) =>
  chunkOf({
    id: `abc-${ordinal}`,
    versionId: "abc",
    ordinal,
    headings: [section],
    text: `text ${ordinal}`,
    pages,
  });
const hit = (ordinal: number, pages: readonly number[] = []): Hit => ({
  chunk: chunk(ordinal, "Seals", pages),
  score: 1,
  via: "fused",
});
const textOf = (wide: Hit | undefined): string | undefined => wide && expandedChunk(wide).text;

test("a hit asks for the chunks around it, not for other hits and not for what stands before the first", () => {
  assert.deepEqual(neighbourIds([hit(1), hit(2)], 2), ["abc-0", "abc-3", "abc-4"]);
  assert.deepEqual(neighbourIds([hit(1)], 0), [], "without pages, and nothing is asked for");
});

test("a hit is read with its section in reading order, and stays what it was", () => {
  const [wide] = expandContext([hit(2)], [chunk(3), chunk(1)], 1);
  assert.equal(textOf(wide), "text 1\n\ntext 2\n\ntext 3");
  assert.deepEqual([wide?.chunk.id, wide?.chunk.text], ["abc-2", "text 2"]);
});

test("a hit of a page is read with all of that page, whatever the headings, and with every page it runs on to", () => {
  const page = [
    chunk(1, "Bearings", [6]),
    chunk(2, "Bearings", [7]),
    chunk(4, "Shafts", [7, 8]),
    chunk(5, "Shafts", [8]),
  ];
  assert.equal(neighbourIds([hit(3, [7])], 0).length, 7);
  const [wide] = expandContext([hit(3, [7])], page, 0);
  assert.equal(textOf(wide), "text 2\n\ntext 3\n\ntext 4");
  assert.deepEqual(wide && expandedChunk(wide).pages, [7, 8]);
});

test("a hit stops at the end of its section and at a gap", () => {
  const [wide] = expandContext([hit(2)], [chunk(1, "Bearings"), chunk(4)], 2);
  assert.equal(textOf(wide), "text 2");
});

test("a chunk between two hits is given to one of them", () => {
  const texts = expandContext([hit(1), hit(3)], [chunk(2)], 1).map(textOf);
  assert.deepEqual(texts, ["text 1\n\ntext 2", "text 3"]);
});

test("what two neighbouring chunks share is read once", () => {
  const joined = (...texts: readonly string[]): string | undefined => {
    const [first, ...others] = texts.map((text, at) => ({ ...chunk(at, "Seals", [2]), text }));
    return first && textOf(expandContext([{ chunk: first, score: 1, via: "fused" }], others, 1)[0]);
  };
  const [one, two, three] = [
    "The seal is changed yearly.",
    "The ring is greased before.",
    "Nobody works alone.",
  ];
  assert.equal(joined(`${one} ${two}`, `${two} ${three}`), `${one} ${two} ${three}`);
  assert.equal(joined(`${one} ${two}`, two), `${one} ${two}`);
  assert.equal(joined(`${one} ${two}`, three), `${one} ${two}\n\n${three}`);
  assert.equal(joined(`${one} ${one}`, `${one} ${one} ${three}`), `${one} ${one} ${three}`);
});

test("a table that goes on in the next chunk under its own header is read as one table", () => {
  const told = (...texts: readonly string[]): string | undefined => {
    const page = texts.map((text, at) => ({ ...chunk(at, "Votes", [2]), text }));
    const [first, ...others] = page;
    return first && textOf(expandContext([{ chunk: first, score: 1, via: "fused" }], others, 0)[0]);
  };
  const header = "Name | For | Against";
  const [ada, ben, eva] = ["Ada | 5 | 1", "Ben | 4 | 2", "Eva | 1 | 5"];
  assert.equal(
    told(`Votes were cast:\n${header}\n${ada}`, `${header}\n${ben}`, `${header}\n${eva}\nAll were elected.`),
    `Votes were cast:\n${header}\n${ada}\n${ben}\n${eva}\nAll were elected.`,
  );
  assert.equal(told(`${header}\n${ada}`, `Term | From\n${ben}`), `${header}\n${ada}\n\nTerm | From\n${ben}`);
  assert.equal(
    told(`${header}\n${ada}\nEnd.`, `${header}\n${ben}`),
    `${header}\n${ada}\nEnd.\n\n${header}\n${ben}`,
  );
});
