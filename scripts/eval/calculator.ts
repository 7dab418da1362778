// Measures the calculator on annotated sums: every `<<expression=value>>` of a file, computed and held
// against its value.
//   node scripts/eval/calculator.ts FILE.jsonl [--show]
// exact: the same number; rounded: the same at the digits the annotation has; shortcut: recognised as plain
// arithmetic when asked "What is …?".
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { arithmeticIn } from "../../src/tools/calculator/arithmetic.ts";
import { evaluate } from "../../src/tools/calculator/evaluate.ts";
import { plainNumber } from "../../src/tools/calculator/numbers.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "boolean", default: false } },
});
const answers = readFileSync(positionals[0] ?? "", "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => z.object({ question: z.string(), answer: z.string() }).parse(JSON.parse(line)));

const tally = { sums: 0, exact: 0, rounded: 0, shortcut: 0, wrong: 0, refused: 0, unreadable: 0, taken: 0 };
const started = performance.now();
for (const { answer, question } of answers) {
  if (arithmeticIn(question) !== null) tally.taken += 1;
  for (const [, expression = "", written = ""] of answer.matchAll(/<<([^=<>]+)=([^<>]*)>>/g)) {
    tally.sums += 1;
    if (arithmeticIn(`What is ${expression}?`) !== null) tally.shortcut += 1;
    const wanted =
      plainNumber(
        written
          .replaceAll(/[$%\s]/g, "")
          .replace(/^\./, "0.")
          .replace(/^-/, ""),
      ) ?? "";
    try {
      const { number } = evaluate(expression.replaceAll("$", ""), 15);
      const value = Math.abs(Number(number));
      const digits = wanted.split(".")[1]?.length ?? 0;
      const verdict =
        wanted === ""
          ? "unreadable"
          : value === Number(wanted)
            ? "exact"
            : Math.abs(value - Number(wanted)) <= 0.5 * 10 ** -digits + 1e-9
              ? "rounded"
              : "wrong";
      tally[verdict] += 1;
      if (values.show && verdict !== "exact")
        process.stdout.write(`${verdict} ${expression} = ${number}, annotated ${written}\n`);
    } catch (error) {
      tally.refused += 1;
      if (values.show) process.stdout.write(`refused ${expression}: ${error}\n`);
    }
  }
}
const share = (count: number): string => `${count} (${(count / Math.max(1, tally.sums)).toFixed(4)})`;
process.stdout.write(
  `sums ${tally.sums} in ${answers.length} answers, ${((performance.now() - started) / Math.max(1, tally.sums)).toFixed(2)} ms each\n`,
);
for (const name of ["exact", "rounded", "wrong", "refused", "unreadable", "shortcut"] as const)
  process.stdout.write(`${name.padEnd(12)} ${share(tally[name])}\n`);
process.stdout.write(`word problems taken for plain arithmetic ${tally.taken} of ${answers.length}\n`);
