// How often questions about measures of companies are answered from the statements of the document that is
// given, and how often the answer holds the one expected.
//   node scripts/eval/measures.ts COLLECTION QUESTIONS.jsonl… [--home DIR] [--show]
// QUESTIONS: JSONL {"question","doc","answer","answerable","evidence_pages"}; --show prints each answer. No model
// is loaded. `parts`: of these, those about quarters and other parts of years. A word of the question beside the
// measure, as a segment's name, is not held against the document here: `ask` does, and answers less.
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { loadMeasures } from "../../src/app/engines/ranking.ts";
import { z } from "../../src/core/schema.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { answerMeasure } from "../../src/pipeline/measures/answer.ts";
import { parseMeasureQuestion } from "../../src/pipeline/measures/asked.ts";
import { readReport } from "../../src/pipeline/measures/readings.ts";
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

for (const file of files)
  for (const { question, doc, answer } of readLines(file, pageQuestion.extend({ answer: z.unknown() }))) {
    counts.questions += 1;
    if (doc === null) continue;
    const asked = parseMeasureQuestion(question, book);
    if (asked === null) continue;
    const name = basename(doc);
    const { readings } = readReport(asked, await library.chunksOf(name), book, [name]);
    const found = answerMeasure(asked, readings, { book, calculate }, thisYear)?.text;
    const isExpected = found !== undefined && contains(found, acceptedAnswers(answer));
    for (const each of asked.parts.length > 0 ? [counts, parts] : [counts]) {
      each.named += 1;
      each.answered += Number(found !== undefined);
      each.expected += Number(isExpected);
    }
    if (values.show && found !== undefined)
      process.stdout.write(
        `${isExpected ? "as expected" : "other"}: ${question}\n  ${found}\n  expected: ${String(answer)}\n`,
      );
  }
process.stdout.write(`${JSON.stringify({ ...counts, parts })}\n`);
