// How often questions for a row of a table by years are answered from the table they were written for, and how
// often rightly.
//   node scripts/eval/rows.ts TATQA.json [--wrong]
// TATQA: the form of TAT-QA's files. A question counts as one for a number where its answer is computed, or stands in
// the table. Right: every number of the expected answer is among those given, to .1 %, its sign left out; signed and
// misscaled: of these, those with its sign, and those told in another scale than the set has for them.
// No model is loaded. Rules were written with a look at the even tables. --wrong prints what is not right.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { evaluate, indexTables } from "../../src/pipeline/tables/answer.ts";
import { readCellQueries } from "../../src/tables/query/cells-asked.ts";
import { passageOf } from "./passages.ts";
import { tatqa } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { wrong: { type: "boolean", default: false } },
});
const [path] = positionals;
if (path === undefined) throw new Error("usage: node scripts/eval/rows.ts TATQA.json [--wrong]");

/** Numbers of a text, without their signs. */
const numbersIn = (text: string): readonly number[] =>
  (text.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));

function isRight(given: string, expected: unknown): boolean {
  const wanted = [expected].flat().flatMap((each) => numbersIn(String(each)));
  const found = numbersIn(given);
  const isGiven = (number: number): boolean =>
    found.some((other) => Math.abs(other - number) <= Math.max(0.06, number / 1000));
  return wanted.length > 0 && wanted.every(isGiven);
}

/** Whether a number of the expected answer stands there with its sign; of several, each. */
function isSigned(given: string, expected: unknown): boolean {
  const wanted = [expected].flat().flatMap((each) => {
    const [digits] = numbersIn(String(each));
    return digits === undefined ? [] : [/^\s*[-(−]/.test(String(each)) ? -digits : digits];
  });
  const found = [...given.matchAll(/(-?)\p{Sc}?(\d[\d,]*(?:\.\d+)?)/gu)].map(
    ([, minus, digits = ""]) => (minus === "" ? 1 : -1) * Number(digits.replaceAll(",", "")),
  );
  return wanted.every((number) =>
    found.some((other) => Math.abs(other - number) <= Math.max(0.06, Math.abs(number) / 1000)),
  );
}

/** Whether it is told in another scale than the expected one; none is told where the table does not say it. */
function isMisscaled(given: string, scale: string): boolean {
  const told = given.includes("%") ? "percent" : (/thousand|million|billion/.exec(given)?.[0] ?? "");
  return told !== "" && told !== scale;
}

const none = {
  tables: 0,
  questions: 0,
  numbers: 0,
  answered: 0,
  right: 0,
  signed: 0,
  misscaled: 0,
};
const halves = { even: { ...none }, odd: { ...none } };
for (const [at, { table, paragraphs, questions }] of tatqa
  .parse(JSON.parse(readFileSync(path, "utf8")))
  .entries()) {
  const counts = at % 2 === 0 ? halves.even : halves.odd;
  counts.tables += 1;
  const lines = [...paragraphs.map(({ text }) => text), ...table.table.map((cells) => cells.join(" | "))];
  const { chunk } = passageOf(lines.join("\n"), []);
  for (const { question, answer, answer_type: type, answer_from: from, scale } of questions) {
    counts.questions += 1;
    counts.numbers += Number(type === "arithmetic" || (type === "span" && from.includes("table")));
    const { byYears } = readCellQueries(question);
    const given = byYears && evaluate(byYears, indexTables([chunk]), new Set());
    if (given === null) continue;
    const right = isRight(given.text, answer);
    counts.answered += 1;
    counts.right += Number(right);
    counts.signed += Number(right && isSigned(given.text, answer));
    counts.misscaled += Number(right && scale !== "" && isMisscaled(given.text, scale));
    if (values.wrong && right && (!isSigned(given.text, answer) || isMisscaled(given.text, scale)))
      process.stdout.write(
        `sign or scale: ${question}\n  ${given.text}\n  expected: ${String(answer)} ${scale}\n`,
      );
    if (values.wrong && !right)
      process.stdout.write(`${question}\n  ${given.text}\n  expected: ${String(answer)}\n`);
  }
}
process.stdout.write(`${JSON.stringify(halves)}\n`);
