// Measures how kinds of questions are told by rule. One author wrote questions and rules, and mended the
// rules on the mistakes of the even lines (counted from 0); those of the odd ones were never looked at.
// Strangers' wording will do worse.
//   node scripts/eval/kinds.ts [FILE.jsonl] [--wrong]
// FILE: {"question","kind","language"} a line; fixtures/question-kinds.jsonl when none is named. --wrong
// prints the mistakes of the even lines.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { questionKinds } from "../../src/core/answers/answer.ts";
import { z } from "../../src/core/schema.ts";
import { classify } from "../../src/language/asking/kinds/kinds.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { wrong: { type: "boolean" } },
});
const line = z.object({ question: z.string(), kind: z.enum(questionKinds), language: z.string() });
const fixture = fileURLToPath(new URL("../../fixtures/question-kinds.jsonl", import.meta.url));
const asked = readFileSync(positionals[0] ?? fixture, "utf8")
  .trim()
  .split("\n")
  .map((text, at) => ({ ...line.parse(JSON.parse(text)), isSeen: at % 2 === 0 }))
  .map((entry) => ({ ...entry, told: classify(entry.question, entry.kind === "follow_up") }));
const share = (of: typeof asked): string =>
  of.length === 0
    ? "–"
    : `${(of.filter(({ kind, told }) => kind === told).length / of.length).toFixed(3)} (n=${of.length})`;

process.stdout.write(`all ${share(asked)}, unseen half ${share(asked.filter(({ isSeen }) => !isSeen))}\n`);
for (const kind of questionKinds)
  process.stdout.write(`  ${kind.padEnd(12)} ${share(asked.filter((entry) => entry.kind === kind))}\n`);
for (const language of ["en", "de", "vi"])
  process.stdout.write(
    `  ${language.padEnd(12)} ${share(asked.filter((entry) => entry.language === language))}\n`,
  );
if (values.wrong === true)
  for (const { question, kind, told } of asked.filter((entry) => entry.isSeen && entry.kind !== entry.told))
    process.stdout.write(`    ${kind} told as ${told}: ${question}\n`);
