// Questions about single quarterly reports, written by others, as `ragctl eval` reads them.
//   node scripts/eval/quarterly.ts KG-RAG-datasets/sec-10-q/data/v1/qna_data.csv > quarterly.jsonl
// The set (docugami/KG-RAG-datasets) names the document of each question, and no pages.
import { readFileSync } from "node:fs";
import xlsx from "xlsx";
import { z } from "../../src/core/schema.ts";

const row = z.object({
  Question: z.string(),
  "Source Docs": z.string(),
  "Question Type": z.string(),
  Answer: z.string(),
});
const path = process.argv[2];
if (path === undefined) throw new Error("name the file of questions, qna_data.csv");
const book = xlsx.read(readFileSync(path, "utf8").replace(/^\uFEFF/u, ""), { type: "string", raw: true });
const rows = Object.values(book.Sheets).flatMap((sheet) => xlsx.utils.sheet_to_json(sheet));
for (const [at, each] of rows.entries()) {
  const {
    Question: question,
    "Source Docs": source,
    "Question Type": type,
    Answer: answer,
  } = row.parse(each);
  if (!type.startsWith("Single-Doc")) continue;
  const line = { id: `quarterly-${at}`, question: question.trim(), doc: `${source.replaceAll("*", "")}.pdf` };
  process.stdout.write(`${JSON.stringify({ ...line, answer })}\n`);
}
