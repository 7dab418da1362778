// Measures answers on labelled questions: what is supported, cited rightly, refused rightly and refused
// wrongly; strict and off side by side.
//   node scripts/eval/grounding.ts QUESTIONS --collection NAME [--home DIR] [--limit N] [--model ID|none] [--threads N] [--absent] [--record FILE] [--recorded] [--show]
// QUESTIONS: JSONL {"id","question","doc","answer","answerable","evidence_pages":[1-based]} or SQuAD JSON,
// whose articles are the files whose names contain their titles. --limit: answerable questions, and half as
// many unanswerable ones. --absent: SQuAD questions are also asked with their article hidden, as unanswerable
// ones. --record keeps what the model wrote; a later run with the same file judges it again without a model;
// --recorded takes only the answerable questions in it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { Draft } from "../../src/core/answers/agent.ts";
import type { GroundedMode } from "../../src/core/answers/answer.ts";
import { z } from "../../src/core/schema.ts";
import { synthesize, synthesizeDefaults } from "../../src/pipeline/answer/synthesize.ts";
import { contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { mean } from "../../src/pipeline/evaluate/resample.ts";
import { retrieve } from "../../src/pipeline/retrieve/retrieve.ts";
import { evalRun, openHome, openLibrary } from "./library.ts";
import { isLocated, isNamedFor, isTextual, pageQuestion, parseLines, squad } from "./questions.ts";
import { type Found, openRecorder, spread } from "./replay.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", default: "" },
    home: { type: "string" },
    limit: { type: "string", default: "20" },
    model: { type: "string", default: "none" },
    threads: { type: "string", default: "0" },
    absent: { type: "boolean", default: false },
    recorded: { type: "boolean", default: false },
    record: { type: "string" },
    show: { type: "boolean", default: false },
    set: { type: "string", multiple: true, default: [] },
  },
});

interface Question {
  readonly id: string;
  readonly text: string;
  /** Part of the name of the file that answers it; "" for none. */
  readonly file: string;
  readonly pages: readonly number[];
  readonly accepted: readonly string[];
  readonly answerable: boolean;
  /** Its file is left out of the search. */
  readonly hidden: boolean;
}

const answeredQuestion = pageQuestion.extend({
  id: z.string(),
  answer: z.union([z.string(), z.number(), z.array(z.string())]).nullable(),
});

function acceptedOf(answer: z.infer<typeof answeredQuestion>["answer"]): string[] {
  if (answer === null) return [];
  const all = Array.isArray(answer) ? answer : [String(answer)];
  return all.flatMap((one) =>
    /^\[.*\]$/.test(one)
      ? [...one.matchAll(/'([^']*)'|"([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? "")
      : [one],
  );
}

function load(path: string): Question[] {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".jsonl")) {
    return parseLines(text, answeredQuestion)
      .filter((q) => !q.answerable || (isLocated(q) && isTextual(q)))
      .map((q) => ({
        id: q.id,
        text: q.question,
        file: basename(q.doc ?? ""),
        pages: q.evidence_pages,
        accepted: acceptedOf(q.answer),
        answerable: q.answerable,
        hidden: false,
      }));
  }
  const plain = squad.parse(JSON.parse(text)).data.flatMap(({ title, paragraphs }) =>
    paragraphs.flatMap(({ qas }) =>
      qas.map(
        (q): Question => ({
          id: q.id,
          text: q.question,
          file: title,
          pages: [],
          accepted: q.answers.map((a) => a.text),
          answerable: q.is_impossible !== true,
          hidden: false,
        }),
      ),
    ),
  );
  return values.absent
    ? [...plain, ...plain.map((q) => ({ ...q, id: `${q.id}-absent`, answerable: false, hidden: true }))]
    : plain;
}

interface Scored {
  readonly question: Question;
  readonly draft: Draft;
}

/** Whether a citation names the right file, and one of its evidence pages where those are known. */
const right = (question: Question, sourceFile: string, pages: readonly number[]): boolean =>
  isNamedFor(sourceFile, question.file) &&
  (question.pages.length === 0 || pages.some((page) => question.pages.includes(page)));

function table(name: string, scored: readonly Scored[]): void {
  const answerable = scored.filter(({ question }) => question.answerable);
  const unanswerable = scored.filter(({ question }) => !question.answerable);
  const refused = ({ draft }: Scored): boolean => draft.verdict.status === "refused";
  const correct = ({ question, draft }: Scored): boolean => contains(draft.text, question.accepted);
  const judged = scored.filter((one) => !refused(one)).flatMap(({ draft }) => draft.verdict.sentences);
  const shown = draftsShown(scored);
  const rows: readonly (readonly [string, number])[] = [
    ["correct by containment", mean(answerable.map((one) => Number(correct(one))))],
    ["correct and not refused", mean(answerable.map((one) => Number(correct(one) && !refused(one))))],
    ["refused, answerable", mean(answerable.map((one) => Number(refused(one))))],
    [
      "false refusals (nor in what was found)",
      mean(answerable.map((one) => Number(refused(one) && !correct(one)))),
    ],
    ["unanswerable refused", mean(unanswerable.map((one) => Number(refused(one))))],
    [
      "sentences written that are supported",
      mean(judged.map((sentence) => Number(sentence.support === "supported"))),
    ],
    ["sentences shown that are not unsupported", mean(shown.map((supported) => Number(supported)))],
    [
      "citation precision",
      mean(
        answerable.flatMap(({ question, draft }) =>
          draft.citations.map((c) => Number(right(question, c.sourceFile, c.pages))),
        ),
      ),
    ],
    [
      "citation recall",
      mean(
        answerable.map(({ question, draft }) =>
          Number(draft.citations.some((c) => right(question, c.sourceFile, c.pages))),
        ),
      ),
    ],
  ];
  process.stdout.write(`\n${name}: ${answerable.length} answerable, ${unanswerable.length} unanswerable\n`);
  for (const [label, value] of rows) process.stdout.write(`  ${label.padEnd(42)} ${value.toFixed(3)}\n`);
}

function draftsShown(scored: readonly Scored[]): boolean[] {
  return scored
    .filter(({ draft }) => draft.verdict.status !== "refused")
    .flatMap(({ draft }) =>
      draft.verdict.sentences
        .filter((s) => draft.verdict.grounded !== "strict" || s.support !== "unsupported")
        .map((s) => s.support !== "unsupported"),
    );
}

const [path = ""] = positionals;
if (path === "") {
  process.stderr.write(
    "usage: grounding.ts QUESTIONS --collection NAME [--home DIR] [--limit N] [--model ID|none] [--threads N]\n",
  );
  process.exit(2);
}
const home = openHome(
  values.home,
  Object.fromEntries(
    values.set.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  ),
);
const { settings } = home;
await using library = await openLibrary(home, values.collection);
await using recorder = openRecorder(home.models, values.model, values.record, Number(values.threads));

async function search(question: Question): Promise<Found> {
  const excludedNames = question.hidden
    ? (await library.documents()).map(({ name }) => name).filter((name) => isNamedFor(name, question.file))
    : [];
  return retrieve(
    { query: question.text, mode: "hybrid", topK: 10, collections: [] },
    library.drivers,
    evalRun,
    { excludedNames },
  );
}

const all = load(path).filter(
  (question) => !values.recorded || !question.answerable || recorder.knows(question.id),
);
const limit = Number(values.limit);
const questions = [
  ...spread(
    all.filter((q) => q.answerable),
    limit,
  ),
  ...spread(
    all.filter((q) => !q.answerable),
    Math.ceil(limit / 2),
  ),
];
const modes: readonly GroundedMode[] = ["strict", "off"];
const results = new Map<GroundedMode, Scored[]>(modes.map((mode) => [mode, []]));
for (const question of questions) {
  const found = await recorder.found(question.id, () => search(question));
  const cosine = found.cosine === undefined ? {} : { cosine: found.cosine };
  for (const mode of modes) {
    const options = {
      ...synthesizeDefaults,
      ...cosine,
      temperature: 0,
      maxTokens: 160,
      grounded: mode,
      evidence: { ...synthesizeDefaults.evidence, threshold: settings.answer.threshold },
    };
    const drafts = synthesize(
      question.text,
      found.hits,
      options,
      { model: () => recorder.model(question.id), fence: () => "a1b2c3d4" },
      evalRun,
    );
    let step = await drafts.next();
    while (step.done !== true) step = await drafts.next();
    results.get(mode)?.push({ question, draft: step.value });
    if (values.show && mode === "strict") {
      const { verdict, text } = step.value;
      process.stdout.write(
        `${question.answerable ? "A" : "U"} ${verdict.evidence.toFixed(2)} ${verdict.status} ${contains(text, question.accepted) ? "correct" : "-"} | ${question.text}\n   gold: ${question.accepted.join(" / ")}\n`,
      );
      for (const s of verdict.sentences)
        process.stdout.write(`   ${s.support} ${s.text} [${s.markers.join(",")}] ${s.reason}\n`);
    }
  }
}
for (const mode of modes) table(mode, results.get(mode) ?? []);
