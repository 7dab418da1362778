// Measures SQL execution accuracy: the rows that the tool's SQL brings against gold rows.
//   node scripts/eval/sql.ts GOLD.jsonl DATABASE.sqlite [--model FILE.gguf] [--limit N] [--every N] [--show]
// GOLD: {"question","sql","rows"} a line. Without --model templates do alone. strict: the same rows;
// projected: the same rows among more columns.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { RagctlError } from "../../src/core/errors.ts";
import { z } from "../../src/core/schema.ts";
import open from "../../src/tools/database/database-query.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    limit: { type: "string", default: "1000000" },
    every: { type: "string", default: "1" },
    show: { type: "boolean", default: false },
  },
});
const [goldPath = "", databasePath = ""] = positionals;
const gold = z.object({
  question: z.string(),
  sql: z.string(),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});
const questions = readFileSync(goldPath, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => gold.parse(JSON.parse(line)))
  .filter((_, index) => index % Number(values.every) === 0)
  .slice(0, Number(values.limit));

const model =
  values.model === undefined
    ? null
    : await (await import("../../src/drivers/llms/llama.ts")).default({
        id: "model",
        modelPath: values.model,
        contextTokens: 4096,
        gpu: false,
        threads: 0,
      });
const tool = await open(
  {
    name: "Database Query",
    type: "database_query",
    config: { path: databasePath, row_limit: 10_000 },
    permissions: {},
  },
  {
    model: async () => model,
    sheets: async function* () {},
    secret: () => undefined,
    environment: {},
  },
);
const run = {
  id: "eval",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event: () => undefined, warn: () => undefined },
};

type Row = readonly (string | number | null)[];
const key = (row: Row): string =>
  JSON.stringify(row.map((cell) => (typeof cell === "number" ? Number(cell.toPrecision(9)) : cell)));
const sameRows = (left: readonly Row[], right: readonly Row[]): boolean => {
  const [a, b] = [left.map(key).toSorted(), right.map(key).toSorted()];
  return a.length === b.length && a.every((row, index) => row === b[index]);
};
/**
 * Whether some choice of as many columns as the gold has gives its rows; tried in order of the columns only.
 */
function projected(found: readonly Row[], wanted: readonly Row[]): boolean {
  const [width, size] = [found[0]?.length ?? 0, wanted[0]?.length ?? 0];
  const choices = (from: number, left: number): number[][] =>
    left === 0
      ? [[]]
      : Array.from({ length: Math.max(0, width - from) }, (_, i) => from + i).flatMap((i) =>
          choices(i + 1, left - 1).map((rest) => [i, ...rest]),
        );
  return (
    width < 7 &&
    choices(0, size).some((columns) =>
      sameRows(
        found.map((row) => columns.map((i) => row[i] ?? null)),
        wanted,
      ),
    )
  );
}

const tally = { template: { n: 0, strict: 0, projected: 0 }, model: { n: 0, strict: 0, projected: 0 } };
const failures = new Map<string, number>();
const times: number[] = [];
for (const { question, sql, rows } of questions) {
  const started = performance.now();
  try {
    const { data } = await tool.call(
      { tool: "Database Query", type: "database_query", arguments: {}, reason: "eval" },
      question,
      run,
    );
    const result = z
      .object({
        sql: z.string(),
        produced_by: z.enum(["template", "model"]),
        rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
      })
      .parse(data);
    const cell = tally[result.produced_by];
    const [strict, among] = [
      sameRows(result.rows, rows),
      sameRows(result.rows, rows) || projected(result.rows, rows),
    ];
    cell.n += 1;
    cell.strict += Number(strict);
    cell.projected += Number(among);
    if (values.show && !among)
      process.stdout.write(`✗ ${result.produced_by} ${question}\n    ${result.sql}\n    gold ${sql}\n`);
  } catch (error) {
    const code =
      error instanceof RagctlError
        ? `${error.code}: ${error.message.replace(/\(.*/, "").slice(0, 60)}`
        : String(error);
    failures.set(code, (failures.get(code) ?? 0) + 1);
    if (values.show) process.stdout.write(`- ${question}  ${code}\n`);
  }
  times.push(performance.now() - started);
}
await tool[Symbol.asyncDispose]();
await model?.[Symbol.asyncDispose]();
const share = (part: number, whole: number): string => (whole === 0 ? "–" : (part / whole).toFixed(3));
for (const [by, { n, strict, projected: among }] of Object.entries(tally)) {
  process.stdout.write(
    `${by.padEnd(10)} answered ${n} of ${questions.length}, right strict ${share(strict, n)}, projected ${share(among, n)}\n`,
  );
}
const right = tally.template.strict + tally.model.strict;
const amongRight = tally.template.projected + tally.model.projected;
process.stdout.write(
  `all        n ${questions.length}, strict ${share(right, questions.length)}, projected ${share(amongRight, questions.length)}\n`,
);
for (const [code, count] of failures) process.stdout.write(`failed     ${count} × ${code}\n`);
times.sort((a, b) => a - b);
process.stdout.write(
  `time       p50 ${(times[times.length >> 1] ?? 0).toFixed(0)} ms, p95 ${(times[Math.floor(times.length * 0.95)] ?? 0).toFixed(0)} ms\n`,
);
