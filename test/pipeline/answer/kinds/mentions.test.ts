import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionsDraft } from "../../../../src/pipeline/answer/kinds/mentions.ts";
import { analyzeQuestion } from "../../../../src/pipeline/answer/question.ts";
import { chunkOf } from "../../../helpers/chunk.ts";

test("mentions on several pages are cited one by one, each with its own page and quote", () => {
  const onPage = (page: number, text: string) => ({
    chunk: chunkOf({ id: `0123456789abcdef0123-${page}`, text, pages: [page] }),
    score: 1,
    via: "lexical" as const,
  });
  const hits = [
    onPage(6, "The probation period is six months. Probation may be extended."),
    onPage(2, "Notice during probation is 14 days."),
    onPage(3, "Wages are paid monthly."),
  ];
  const question = "Which documents mention probation?";
  const { text, citations } = mentionsDraft(
    analyzeQuestion("probation"),
    { subject: "probation", documents: 4, isCut: false },
    hits,
    question,
    { threshold: 0.3, grounded: "strict" },
  );
  assert.match(text, /pages 2, 6 \(3 places\): “The probation period is six months\.” \[1\] \[2\]$/m);
  assert.deepEqual(
    citations.map(({ marker, pages, quote }) => [marker, pages, quote]),
    [
      [1, [6], "The probation period is six months."],
      [2, [2], "Notice during probation is 14 days."],
    ],
  );
});
