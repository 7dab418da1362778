// Labelled drafts of what is worked out, from a TAT-QA file, as JSON lines for `scripts/eval/check.ts --drafts`.
//   node scripts/eval/worked-out.ts TATQA.json > drafts.jsonl
// Of questions for a number that two cells or more of a table come to: the number is right, in the words of the
// question; what another such question on the same table comes to, one of the cells themselves and the number a tenth
// off are wrong.
import { readFileSync } from "node:fs";
import { tatqa } from "./questions.ts";

const shown = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });

for (const { table, questions } of tatqa.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")))) {
  const passage = table.table.map((row) => row.join(" | ")).join("\n");
  const worked = questions.flatMap(({ question, answer, answer_type, answer_from, derivation, scale }) => {
    const subject = /^what (?:is|was|were|are) (the [^?]+)\?\s*$/i.exec(question)?.[1];
    const isWorked = answer_type === "arithmetic" && answer_from === "table" && typeof answer === "number";
    return isWorked && subject !== undefined && answer !== 0
      ? [{ question, subject, value: Math.abs(answer), isShare: scale === "percent", derivation }]
      : [];
  });
  for (const { question, subject, value, isShare, derivation } of worked) {
    const say = (number: string): string => `The${subject.slice(3)} was ${number}${isShare ? "%" : ""}.`;
    const line = (draft: string, right: boolean, fault: string): void => {
      process.stdout.write(
        `${JSON.stringify({ question, passages: [passage], draft: `${draft} [1]`, right, fault })}\n`,
      );
    };
    line(say(shown(value)), true, "");
    const other = worked.find((one) => one.value !== value && one.isShare === isShare);
    if (other !== undefined) line(say(shown(other.value)), false, "another result");
    const [cell] = derivation.match(/\d[\d,.]*\d/g) ?? [];
    if (cell !== undefined) line(say(cell), false, "one of the numbers");
    line(say(shown(value * 1.1)), false, "a tenth off");
  }
}
