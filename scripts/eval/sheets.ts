// Measures look-ups and figures over spreadsheets and CSV files without a model, as the tool over spreadsheets answers them.
//   node scripts/eval/sheets.ts QUESTIONS.jsonl FOLDER [--together] [--named] [--show]
// QUESTIONS: {"question","file","answer":[…]} a line. Right: one of the accepted answers stands in what is told, a number
// to .1 % or as rounded there; null in place of answers: none may be given. --together: every question looks at all files of
// the folder; --named: with the file's name behind the question.
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { lazy } from "../../src/core/lazy.ts";
import { z } from "../../src/core/schema.ts";
import readCsv from "../../src/drivers/parsers/office/sheets/csv.ts";
import readXlsx from "../../src/drivers/parsers/office/sheets/xlsx.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { mergeTables } from "../../src/tables/whole.ts";
import open from "../../src/tools/database/database-query.ts";
import { evalRun } from "./library.ts";
import { readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    together: { type: "boolean", default: false },
    named: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
  },
});
const [path = "", folder = ""] = positionals;
const shape = z.object({ question: z.string(), file: z.string(), answer: z.unknown() });
const questions = readLines(path, shape);
const files = [...new Set(questions.map(({ file }) => file))];

/** The tables of a file, as its parser reads them. */
async function tablesOf(file: string) {
  const parser = extname(file) === ".csv" ? readCsv() : readXlsx();
  const { blocks } = await parser.parse(readFileSync(join(folder, file)), { name: file });
  return mergeTables(blocks).map(({ spans: _, sheet = "", ...table }) => ({
    documentId: file,
    sourceName: file,
    sheet,
    ...table,
  }));
}
const tables = new Map(files.map((file) => [file, lazy(() => tablesOf(file))]));
const opened = new Map<string, ReturnType<typeof open>>();

/** The tool over these files, opened once. */
function toolOver(names: readonly string[]): ReturnType<typeof open> {
  const key = names.join("\n");
  const row = { name: "Spreadsheet Query", type: "database_query", config: {}, permissions: {} } as const;
  const tool =
    opened.get(key) ??
    open(row, {
      model: async () => null,
      async *sheets() {
        for (const name of names) yield* (await tables.get(name)?.()) ?? [];
      },
      secret: () => undefined,
      environment: {},
    });
  opened.set(key, tool);
  return tool;
}

const numbersIn = (text: string): readonly number[] =>
  (text.match(/-?\d[\d,]*(?:\.\d+)?/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));
/** Whether a number is told, or as it is rounded there. */
const isTold = (wanted: number, told: string): boolean =>
  numbersIn(told).some((given) => Math.abs(given - wanted) <= Math.max(Math.abs(wanted) / 1000, 1e-9));
function isRight(told: string, accepted: readonly string[]): boolean {
  return accepted.some((answer) => {
    const plain = Number(answer.replaceAll(",", ""));
    return Number.isFinite(plain) ? isTold(plain, told) : contains(told, [answer]);
  });
}

const tally = { right: 0, wrong: 0, none: 0, "rightly none": 0 };
for (const { question, file, answer } of questions) {
  const tool = await toolOver(values.together ? files : [file]);
  const asked = values.named ? question.replace(/\?$/, ` in ${file}?`) : question;
  const call = { tool: "Spreadsheet Query", type: "database_query", arguments: {}, reason: "eval" } as const;
  const told = await tool.call(call, asked, evalRun).then(
    ({ findings, data }) => ({
      text: data["row_count"] === 0 ? "" : (findings[0]?.text ?? ""),
      sql: String(data["sql"]),
    }),
    (error: Error) => ({ text: "", sql: error.message }),
  );
  const accepted = answer === null ? [] : acceptedAnswers(answer);
  const outcome =
    told.text === ""
      ? answer === null
        ? "rightly none"
        : "none"
      : isRight(told.text, accepted)
        ? "right"
        : "wrong";
  tally[outcome] += 1;
  if (values.show && outcome !== "right" && outcome !== "rightly none")
    process.stdout.write(
      `${outcome}: ${asked}\n  ${told.sql}\n  ${told.text.slice(0, 300).replaceAll("\n", "\n  ")}\n  wanted ${JSON.stringify(answer)}\n`,
    );
}
for (const tool of opened.values()) await (await tool)[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify({ questions: questions.length, ...tally })}\n`);
