// Measures the judge over what prompts show of PDFs: right answers must be kept, other figures of the same
// passage removed. No model writes.
//   node scripts/eval/judge-pages.ts COLLECTION=QUESTIONS… [--home DIR] [--wrong]
// QUESTIONS: JSONL {"question","doc","answer","answerable","evidence_pages"}; those with an answer of at most
// 60 characters that stands literally in the passage of an evidence page. If no such page is found, the best
// one of the document takes the fourth place. Each answer is judged as it stands, and of “What is X?” as “X is
// …”. --wrong prints what was decided wrongly.
import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { Hit } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import { context } from "../../src/pipeline/answer/context.ts";
import { judge } from "../../src/pipeline/answer/judge/judge.ts";
import { readQuestion } from "../../src/pipeline/answer/question.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { openAnswerHits, promptHits } from "./answer-hits.ts";
import { openHome, openLibrary } from "./library.ts";
import { isLocated, isOnEvidence, isTextual, pageQuestion, readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { home: { type: "string" }, wrong: { type: "boolean", default: false } },
});
const answered = pageQuestion.extend({ answer: z.unknown() });
type Answered = z.infer<typeof answered>;

/** Longest answer that a text is likely to hold word by word, in characters. */
const longestAnswer = 60;
/** Wrong figures tried of a passage. */
const mostWrong = 3;
/** Characters of a token, about: no model is loaded to count them. */
const charactersPerToken = 3.6;

/** The answer as it stands, and with the words of its question. */
function formsOf(question: string, answer: string): readonly string[] {
  const subject = /^(?:what|which) (?:is|was|are|were) (.+?)\?/i.exec(question.trim())?.[1];
  return subject === undefined
    ? [answer]
    : [answer, `${subject[0]?.toUpperCase()}${subject.slice(1)} is ${answer}.`];
}

const figure = /(?<![\p{L}\p{N}.,])\$?\p{N}(?:[\p{N},]*\p{N})?(?:\.\p{N}+)?%?(?![\p{L}\p{N}])/gu;

/** Figures of a passage that are not the answer, spread over it; years are left out. */
function wrongFigures(text: string, answer: string): readonly string[] {
  if (!/\p{N}/u.test(answer) || answer.length >= 20) return [];
  const others = [...new Set(text.match(figure) ?? [])].filter(
    (one) => !contains(answer, [one]) && !contains(one, [answer]) && !/^(?:19|20)\d\d$/.test(one),
  );
  const step = Math.max(1, Math.floor(others.length / mostWrong));
  return others.filter((_, at) => at % step === 0).slice(0, mostWrong);
}

for (const pair of positionals) {
  const name = pair.slice(0, pair.indexOf("="));
  const home = openHome(values.home);
  await using library = await openLibrary(home, name);
  const ids = new Map((await library.documents()).map((each) => [basename(each.name), each.id]));
  const { find, read } = await openAnswerHits(home.settings, library);

  /** The passages of a prompt, one of an evidence page among them. */
  const passagesOf = async (asked: Answered) => {
    const isOwn = (hit: Hit): boolean => isOnEvidence(asked, hit.chunk);
    const first = (await find(asked.question)).slice(0, promptHits);
    const id = ids.get(basename(asked.doc ?? ""));
    const own =
      first.some(isOwn) || id === undefined
        ? undefined
        : (await find(asked.question, { documents: [id], topK: 40 })).find(isOwn);
    const hits = own === undefined ? first : [...first.slice(0, 3), own, ...first.slice(3, 4)];
    const question = readQuestion(asked.question);
    return context(question, await read(hits), {
      maxTokens: home.settings.answer.contextTokens,
      maxPassages: promptHits,
      count: (text) => Math.round(text.length / charactersPerToken),
    }).passages;
  };

  const decided: { readonly isRight: boolean; readonly isKept: boolean }[] = [];
  const asked = readLines(pair.slice(name.length + 1), answered).filter(
    (one) => isLocated(one) && isTextual(one),
  );
  for (const one of asked) {
    const answers = acceptedAnswers(one.answer).filter(({ length }) => length <= longestAnswer);
    if (answers.length === 0) continue;
    const passages = await passagesOf(one);
    const gold = passages.find(
      (passage) => isOnEvidence(one, passage.chunk) && contains(passage.text, answers),
    );
    const answer = answers.find((each) => contains(gold?.text ?? "", [each]));
    if (gold === undefined || answer === undefined || /^(?:yes|no)$/i.test(answer)) continue;
    const decide = (sentence: string, isRight: boolean): void => {
      const verdicts = judge(`${sentence} [${gold.marker}]`, passages, one.question);
      const lost = verdicts.find(({ support }) => support === "unsupported");
      const isKept = verdicts.length > 0 && lost === undefined;
      decided.push({ isRight, isKept });
      if (values.wrong && isKept !== isRight)
        process.stdout.write(
          `  ${isRight ? "LOST" : "KEPT"} ${one.question} → ${sentence}${lost === undefined ? "" : ` (${lost.reason})`}\n`,
        );
    };
    for (const form of formsOf(one.question, answer)) decide(form, true);
    for (const wrong of wrongFigures(gold.text, answer)) decide(wrong, false);
  }
  for (const isRight of [true, false]) {
    const of = decided.filter((each) => each.isRight === isRight);
    const share = of.filter(({ isKept }) => isKept === isRight).length / of.length;
    process.stdout.write(
      `${name}  ${isRight ? "right answers, kept" : "other figures, removed"}  ${share.toFixed(3)} (n=${of.length})\n`,
    );
  }
}
