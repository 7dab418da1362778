// How often questions about measures of companies are answered from the statements of the document that is
// given, and how often the answer holds the one expected.
//   node scripts/eval/measures.ts COLLECTION QUESTIONS.jsonl… [--home DIR] [--show]
// QUESTIONS: JSONL {"question","doc","answer","answerable","evidence_pages"}; --show prints each answer. No model
// is loaded. `parts`: of these, those about quarters and other parts of years. A word of the question beside the
// measure, as a segment's name, is not held against the document here: `ask` does, and answers less.
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { loadMeasures } from "../../src/app/engines/ranking.ts";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import { z } from "../../src/core/schema.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { answerMeasure } from "../../src/pipeline/measures/answer.ts";
import { answerParts, readParts } from "../../src/pipeline/measures/part-answer.ts";
import { partAsked } from "../../src/pipeline/measures/part-asked.ts";
import { measureAsked } from "../../src/pipeline/measures/request.ts";
import { readYears } from "../../src/pipeline/measures/statements.ts";
import { tryEvaluate as calculate } from "../../src/tools/calculator/evaluate.ts";
import { openHome, openLibrary } from "./library.ts";
import { pageQuestion, readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { home: { type: "string" }, show: { type: "boolean", default: false } },
});
const [collection = "", ...files] = positionals;
const book = loadMeasures();
const thisYear = new Date().getFullYear();
await using library = await openLibrary(openHome(values.home), collection);
const counts = { questions: 0, named: 0, answered: 0, expected: 0 };
const parts = { named: 0, answered: 0, expected: 0 };

/** What the statements of a document say to a question; null for nothing, undefined for another question. */
function answerFrom(question: string, chunks: readonly Chunk[], name: string): string | null | undefined {
  const part = partAsked(question, book);
  if (part !== null)
    return answerParts(part, readParts(chunks, book, [name]), { book, calculate })?.text ?? null;
  const asked = measureAsked(question, book);
  if (asked === null) return undefined;
  return answerMeasure(asked, { book, read: readYears(chunks, book), calculate }, thisYear)?.text ?? null;
}

for (const file of files)
  for (const { question, doc, answer } of readLines(file, pageQuestion.extend({ answer: z.unknown() }))) {
    counts.questions += 1;
    if (doc === null) continue;
    const isPart = partAsked(question, book) !== null;
    if (!isPart && measureAsked(question, book) === null) continue;
    const name = basename(doc);
    const found = answerFrom(question, await library.chunksOf(name), name);
    const isExpected = typeof found === "string" && contains(found, acceptedAnswers(answer));
    for (const each of isPart ? [counts, parts] : [counts]) {
      each.named += 1;
      each.answered += Number(typeof found === "string");
      each.expected += Number(isExpected);
    }
    if (values.show && typeof found === "string")
      process.stdout.write(
        `${isExpected ? "as expected" : "other"}: ${question}\n  ${found}\n  expected: ${String(answer)}\n`,
      );
  }
process.stdout.write(`${JSON.stringify({ ...counts, parts })}\n`);
