// What prompts cost and hold: tokens of the messages for a model, and how often the expected answer stands
// literally in the passages shown, by how many passages there are and what each is cut to.
//   node scripts/eval/prompts.ts COLLECTION=QUESTIONS… --model FILE.gguf [--home DIR] [--limit N] [--dump]
// QUESTIONS: JSONL {"question","doc","answer","answerable","evidence_pages"} or SQuAD JSON; of the first, those
// with an answer of at most 40 characters that need neither a figure nor OCR. The model only counts tokens.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { kindOf } from "../../src/language/asking/kinds/kinds.ts";
import { context, focusTokensOf } from "../../src/pipeline/answer/context.ts";
import { prompt } from "../../src/pipeline/answer/prompt.ts";
import { readQuestion } from "../../src/pipeline/answer/question.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { openAnswerHits } from "./answer-hits.ts";
import { median } from "./decisions.ts";
import { openHome, openLibrary } from "./library.ts";
import { isLocated, isTextual, pageQuestion, parseLines, squad } from "./questions.ts";
import { spread } from "./replay.ts";
import { openCounter } from "./tokens.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    model: { type: "string", default: "" },
    limit: { type: "string", default: "200" },
    dump: { type: "boolean", default: false },
  },
});

interface Asked {
  readonly question: string;
  readonly answers: readonly string[];
}

/** Longest answer that a text is likely to hold word by word, in characters. */
const longestAnswer = 40;

const answered = pageQuestion.extend({ answer: z.unknown() });

function questionsOf(path: string): readonly Asked[] {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".jsonl"))
    return parseLines(text, answered)
      .filter((one) => isLocated(one) && isTextual(one))
      .map(({ question, answer }) => ({ question, answers: acceptedAnswers(answer) }))
      .filter(({ answers: [first = ""] }) => first !== "" && first.length <= longestAnswer);
  return squad
    .parse(JSON.parse(text))
    .data.flatMap(({ paragraphs }) => paragraphs.flatMap(({ qas }) => qas))
    .filter((one) => one.is_impossible !== true)
    .map(({ question, answers }) => ({ question, answers: answers.map(({ text: own }) => own) }));
}

const home = openHome(values.home);
const count = await openCounter(values.model);
/** Passages of a prompt, and what they are cut to by their rank in multiples of `focusTokensOf` a question's kind. */
const variants: readonly (readonly [number, readonly number[]])[] = [
  [5, [2.5, 1.25, 1, 0.5]],
  [5, [2.5, 1.25, 1]],
  [5, [2, 1, 0.8]],
  [5, [2.5, 1.25, 0.75, 0.5]],
  [4, [2.5, 1.25, 1]],
  [3, [2.5, 1.25, 1]],
];

process.stdout.write("collection  questions  passages  cut to              held  tokens (median)\n");
for (const pair of positionals) {
  const name = pair.slice(0, pair.indexOf("="));
  const asked = spread(questionsOf(pair.slice(name.length + 1)), Number(values.limit));
  await using library = await openLibrary(home, name);
  const { find, read } = await openAnswerHits(home.settings, library);
  const found = [];
  for (const one of asked) found.push({ ...one, hits: await read(await find(one.question)) });
  for (const [maxPassages, shares] of variants) {
    const rows = found.map(({ question, answers, hits }) => {
      const focusTokens = focusTokensOf(kindOf(question));
      const shown = context(readQuestion(question), hits, {
        maxTokens: home.settings.answer.contextTokens,
        maxPassages,
        focusTokens,
        shares,
        count,
      });
      const messages = prompt(shown, { fence: "0a1b2c3d" });
      if (values.dump && shares === variants[0]?.[1])
        process.stderr.write(`${JSON.stringify({ messages })}\n`);
      return {
        tokens: messages.reduce((sum, { text }) => sum + count(text) + 5, 0),
        isHeld: shown.passages.some(({ text }) => contains(text, answers)),
      };
    });
    process.stdout.write(
      `${name.padEnd(10)}  ${String(rows.length).padStart(9)}  ${String(maxPassages).padStart(8)}  ${shares.join(" ").padEnd(18)}  ${String(rows.filter(({ isHeld }) => isHeld).length).padStart(4)}  ${median(rows.map(({ tokens }) => tokens))}\n`,
    );
  }
}
