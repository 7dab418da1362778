import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuestions } from "../../../src/pipeline/evaluate/questions.ts";

async function* bytesOf(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}
const question = (id: unknown, more: object = {}): string =>
  JSON.stringify({
    id,
    question: "How many?",
    doc: "folder/a.pdf",
    answer: "3",
    evidence_pages: [2],
    ...more,
  });
const read = (...parts: readonly string[]) => readQuestions(bytesOf(...parts), "q.jsonl", "group");

test("questions are read whatever pieces the file comes in", async () => {
  const text = `\uFEFF${question("a", { group: "tables" })}\r\n\n${question(2, { answerable: false, doc: null, answer: null })}`;
  const { questions, excluded } = await read(...text);
  assert.deepEqual(excluded, []);
  assert.deepEqual(
    questions.map(({ line, id, document, answers, pages, group, answerable }) => ({
      ...{ line, id, document, answers, pages, group, answerable },
    })),
    [
      { line: 1, id: "a", document: "a.pdf", answers: ["3"], pages: [2], group: "tables", answerable: true },
      { line: 3, id: "2", document: null, answers: [], pages: [2], group: "", answerable: false },
    ],
  );
});

test("a field to group by that no question has is refused, but for the one that is always tried", async () => {
  const grouped = (field: string) =>
    readQuestions(bytesOf(question("a", { kind: "table" })), "q.jsonl", field);
  await assert.rejects(grouped("knid"), {
    code: "USAGE_INVALID",
    message: 'no question in q.jsonl has the field "knid"',
  });
  assert.equal((await grouped("kind")).questions[0]?.group, "table");
  assert.equal((await grouped("group")).questions[0]?.group, "");
});

test("a line that is no question is named by its number, and the rest goes on", async () => {
  const lines = [
    question("a"),
    "{not json",
    "[]",
    question(undefined),
    question("b", { evidence_pages: [0] }),
    question("c", { doc: null, answer: null }),
    question("a"),
    question("d"),
  ];
  const { questions, excluded } = await read(lines.join("\n"));
  assert.deepEqual(
    questions.map(({ id }) => id),
    ["a", "d"],
  );
  assert.deepEqual(
    excluded.map(({ line, reason }) => `${line}: ${reason.split(":")[0]}`),
    [
      "2: it is not JSON",
      "3: it is not a JSON object",
      "4: its id is missing",
      "5: its evidence_pages.0 must be at least 1",
      "6: it is answerable but has neither doc nor answer, so nothing can be measured",
      '7: it repeats the id "a" of line 1',
    ],
  );
});

test("a file without a question is refused, and says what is wrong with its first line", async () => {
  await assert.rejects(read(""), { code: "USAGE_INVALID", message: "q.jsonl contains no questions" });
  await assert.rejects(read("\n \n"), { code: "USAGE_INVALID" });
  await assert.rejects(read("what?\n"), {
    message: "q.jsonl contains no valid question; line 1: it is not JSON",
  });
});

test("an enormous line is left out unread, and an enormous file ends the reading", async () => {
  const { questions, excluded } = await read("x".repeat(1024 * 1024), "x\n", question("a"));
  assert.deepEqual([questions.length, excluded[0]?.line], [1, 1]);
  assert.match(excluded[0]?.reason ?? "", /longer than/);
  let pieces = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    const piece = Buffer.alloc(1024 * 1024, 32);
    for (; ; pieces += 1) yield piece;
  }
  await assert.rejects(readQuestions(endless(), "q.jsonl", "group"), {
    code: "USAGE_INVALID",
    message: /q\.jsonl has more than \d+ bytes/,
  });
  assert.ok(pieces < 300, "it reads no further than its limit");
});
