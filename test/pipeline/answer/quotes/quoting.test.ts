import assert from "node:assert/strict";
import { it } from "node:test";
import type { Draft } from "../../../../src/core/answers/agent.ts";
import type { Chunk } from "../../../../src/core/documents/chunk.ts";
import type { Hit } from "../../../../src/core/retrieval.ts";
import { evidenceDefaults } from "../../../../src/pipeline/answer/evidence.ts";
import {
  type QuotingDrivers,
  type QuotingOptions,
  quoteAnswer,
} from "../../../../src/pipeline/answer/quotes/quoting.ts";
import { hitOf, runOf } from "../../fixtures.ts";

/** Near are the texts with one of these words; all others are far. */
const nearTo =
  (...words: readonly string[]): QuotingDrivers["nearness"] =>
  async (_, texts) =>
    texts.map(({ text }) => (words.some((word) => text.includes(word)) ? 0.8 : 0.55));

const options: QuotingOptions = {
  evidence: { ...evidenceDefaults, threshold: 0.5 },
  grounded: "strict",
  findings: [],
  maxPassages: 6,
};

async function quoted(
  question: string,
  hits: readonly Hit[],
  nearness: QuotingDrivers["nearness"],
  more: Partial<QuotingOptions> = {},
): Promise<Draft> {
  const quoting = quoteAnswer(question, hits, { ...options, ...more }, { nearness }, runOf());
  for (;;) {
    const next = await quoting.next();
    if (next.done === true) return next.value;
  }
}

const placed = (text: string, fields: Partial<Chunk>) => hitOf(text, fields);

it("quotes the lines nearest to the question in the order of their document, each with its passage", async () => {
  const { text, verdict, citations, model } = await quoted(
    "Who stays outside while somebody is in the tank?",
    [
      placed("An attendant stays outside the tank. The lid is blue.", { id: "v1-2", ordinal: 2, pages: [4] }),
      placed("The attendant in the tank stays where she is.", { id: "v1-1", ordinal: 1, pages: [3] }),
    ],
    nearTo("attendant"),
  );
  assert.equal(
    text,
    "The attendant in the tank stays where she is. [2]\nAn attendant stays outside the tank. [1]",
  );
  assert.deepEqual([verdict.status, model], ["extractive", null]);
  assert.deepEqual(
    citations.map(({ marker, pages, quotes }) => [marker, pages, quotes]),
    [
      [1, [4], ["An attendant stays outside the tank."]],
      [2, [3], ["The attendant in the tank stays where she is."]],
    ],
  );
});

it("shows a row under the header of its table, and a list whole under what introduces it", async () => {
  const table = await quoted(
    "How tight is the valve block?",
    [hitOf("Joint | Thread | Nm\nValve block | M8 | 19\nDrain plug | G 1 | 48")],
    nearTo("Valve block"),
  );
  assert.equal(table.text, "Joint | Thread | Nm\nValve block | M8 | 19 [1]");
  assert.deepEqual(table.citations[0]?.quotes, ["Valve block | M8 | 19"]);
  const list = await quoted(
    "What is worn when a container is changed?",
    [hitOf("Who changes a container must wear:\n- a face shield,\n- two gloves.\n\nThe floor is wet.")],
    nearTo("gloves"),
  );
  assert.equal(list.text, "Who changes a container must wear:\n- a face shield, [1]\n- two gloves. [1]");
});

it("refuses where no line is near, and shows the nearest with their places", async () => {
  const { text, verdict, citations } = await quoted(
    "What does the canteen serve on Friday?",
    [hitOf("The pump is blue. The lid of the tank is green.", { headings: ["2 Colours"] })],
    nearTo("nothing"),
  );
  assert.equal(verdict.status, "refused");
  assert.match(text, /report\.pdf, page 3 › 2 Colours: “The .*\.”/);
  assert.deepEqual(citations, []);
  assert.ok(verdict.evidence < verdict.threshold);
});

it("does not show two lines that say the same in the same words", async () => {
  const { verdict } = await quoted(
    "When is the valve closed?",
    [
      hitOf("The valve is closed at night, before the shift ends.", { documentId: "d1" }),
      hitOf("The valve is closed, at night, before the shift ends!", { documentId: "d2" }),
    ],
    nearTo("valve"),
  );
  assert.equal(verdict.sentences.length, 1);
});

it("answers each part of a question, and names the part that no line answers", async () => {
  const { text } = await quoted(
    "When is the valve closed and who paints the fence?",
    [hitOf("The valve is closed at night. The lid is green.")],
    async (question, texts) =>
      texts.map(({ text: line }) => (question.includes("valve") && line.includes("valve") ? 0.85 : 0.5)),
    { parts: ["When is the valve closed?", "Who paints the fence?"] },
  );
  assert.match(text, /^The valve is closed at night\. \[1\]\n.*Who paints the fence/);
});
