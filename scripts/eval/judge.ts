// Measures the judge on labelled sentences: right ones must be kept, near misses removed. One author wrote
// the sentences of the fixture and the rules, and mended the rules on them; SQuAD and TAT-QA files are other
// people's.
//   node scripts/eval/judge.ts [PAIRS.jsonl] [--squad SQUAD.json] [--tatqa TATQA.json] [--limit N] [--wrong]
// PAIRS: {"question","passage","sentence","keep","fault","language","headings"?} a line;
// fixtures/judged-sentences.jsonl when none is named. --squad: of each question the sentence with the answer
// must be kept, a sentence of another article and one of the same paragraph without the answer removed, and the
// sentence itself where question and sentence have the name of another question instead of their own, and,
// without its years, where the question is moved nine years back; with the nearest paragraphs as further
// passages the answer under its own paragraph must be kept, one under another removed;
// --limit: questions, spread over the articles. --tatqa: of questions for one cell, asked as “What was the
// …?”, the cell must be kept, its neighbours in the same row and in the same column removed. Rules were
// fitted on the even ones of both; the odd ones are reported apart.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import { namesIn } from "../../src/language/names.ts";
import { sentences } from "../../src/language/sentences.ts";
import { words } from "../../src/language/terms.ts";
import { judge } from "../../src/pipeline/answer/judge/judge.ts";
import { readQuestion } from "../../src/pipeline/answer/question.ts";
import { passageOf } from "./passages.ts";
import { squad, tatqa } from "./questions.ts";
import { spread } from "./replay.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    squad: { type: "string" },
    tatqa: { type: "string" },
    limit: { type: "string", default: "300" },
    wrong: { type: "boolean" },
  },
});
const pairShape = z.object({
  question: z.string(),
  passage: z.string(),
  sentence: z.string(),
  keep: z.boolean(),
  fault: z.string(),
  language: z.string(),
  headings: z.array(z.string()).optional(),
  /** Passages of the answer that the sentence does not cite. */
  beside: z.array(z.object({ text: z.string(), document: z.string() })).optional(),
  /** What the passage is of. */
  document: z.string().optional(),
});
type Pair = z.infer<typeof pairShape>;

interface Judged extends Pair {
  readonly kept: boolean;
  readonly reason: string;
}

function judged(pair: Pair): Judged {
  const beside = (pair.beside ?? []).map(({ text, document }, at) => ({
    ...passageOf(text, [], document),
    marker: at + 2,
  }));
  const passages = [passageOf(pair.passage, pair.headings ?? [], pair.document), ...beside];
  const verdicts = judge(`${pair.sentence} [1]`, passages, pair.question);
  const lost = verdicts.find(({ support }) => support === "unsupported");
  return { ...pair, kept: verdicts.length > 0 && lost === undefined, reason: lost?.reason ?? "" };
}

const share = (of: readonly Judged[]): string =>
  of.length === 0
    ? "–"
    : `${(of.filter(({ kept, keep }) => kept === keep).length / of.length).toFixed(3)} (n=${of.length})`;

function report(title: string, all: readonly Judged[]): void {
  const groups = new Map<string, Judged[]>();
  for (const pair of all) {
    const name = pair.keep ? "right, kept" : `${pair.fault}, removed`;
    groups.set(name, [...(groups.get(name) ?? []), pair]);
  }
  process.stdout.write(`${title}: ${share(all)}\n`);
  for (const [name, of] of [...groups].sort()) process.stdout.write(`  ${name.padEnd(22)} ${share(of)}\n`);
  if (values.wrong === true && !title.includes("unseen"))
    for (const { question, sentence, keep, reason } of all.filter((pair) => pair.kept !== pair.keep))
      process.stdout.write(
        `    ${keep ? "LOST" : "KEPT"} ${question} → ${sentence}${reason === "" ? "" : ` (${reason})`}\n`,
      );
}

const fixture = fileURLToPath(new URL("../../fixtures/judged-sentences.jsonl", import.meta.url));
const pairs = readFileSync(positionals[0] ?? fixture, "utf8")
  .trim()
  .split("\n")
  .map((line) => judged(pairShape.parse(JSON.parse(line))));
report("pairs", pairs);

/** The articles of a SQuAD file. */
const articlesOf = (path: string) => squad.parse(JSON.parse(readFileSync(path, "utf8"))).data;

/** The name of another question that the text does not have; undefined where there is none. */
function otherName(context: string, all: readonly { readonly question: string }[], from: number) {
  return all
    .slice(from + 1)
    .flatMap(({ question }) => namesIn(question))
    .find((name) => !context.includes(name));
}

/**
 * Pairs of a SQuAD file: for each question its answering sentence, that under another name, one of another
 * article, one of its own paragraph without the answer.
 */
function squadPairs(path: string, limit: number): readonly Pair[] {
  const articles = articlesOf(path);
  const asked = articles.flatMap(({ paragraphs }, article) =>
    paragraphs.flatMap(({ context, qas }) => qas.map((qa) => ({ ...qa, context, article }))),
  );
  const step = Math.max(1, Math.floor(asked.length / limit));
  return asked
    .filter((_, at) => at % step === 0)
    .slice(0, limit)
    .flatMap(({ question, answers, context, article }, at) => {
      const texts = answers.map(({ text }) => text);
      const holds = (sentence: string): boolean => texts.some((text) => sentence.includes(text));
      const own = sentences(context);
      const right = own.find(holds);
      const near = own.find((sentence) => !holds(sentence));
      const name = namesIn(question).find((one) => right?.includes(one) === true && !texts.includes(one));
      const other = name === undefined ? undefined : otherName(context, asked, at * step);
      const paragraphs =
        articles[(article + 1 + (at % (articles.length - 1))) % articles.length]?.paragraphs ?? [];
      const foreign = paragraphs[at % Math.max(1, paragraphs.length)]?.context ?? "";
      const base = { question, language: "" };
      return [
        ...(right === undefined
          ? []
          : [{ ...base, passage: context, sentence: right, keep: true, fault: "" }]),
        ...(right === undefined
          ? []
          : texts
              .slice(0, 1)
              .map((text) => ({ ...base, passage: context, sentence: text, keep: true, fault: "" }))),
        ...(right === undefined || name === undefined || other === undefined
          ? []
          : [
              {
                ...{ question: question.replaceAll(name, other), language: "", passage: context },
                ...{ sentence: right.replaceAll(name, other), keep: false, fault: "another name" },
              },
            ]),
        {
          ...base,
          passage: foreign,
          sentence: sentences(foreign)[0] ?? "",
          keep: false,
          fault: "other article",
        },
        ...(near === undefined
          ? []
          : [{ ...base, passage: context, sentence: near, keep: false, fault: "same paragraph" }]),
      ];
    });
}

const year = /(?<!\d)(?:1\d|20)\d\d(?!\d)/;

/** Pairs of a SQuAD file: questions with a year, moved nine years back, and their answering sentence without years. */
function yearPairs(path: string): readonly Pair[] {
  return articlesOf(path)
    .flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ context, qas }) => qas.map((qa) => ({ ...qa, context }))),
    )
    .filter(({ question }) => year.test(question))
    .flatMap(({ question, answers, context }) => {
      const right = sentences(context).find((one) => answers.some(({ text }) => one.includes(text)));
      if (right === undefined) return [];
      const earlier = question.replace(year, (found) => String(Number(found) - 9));
      const sentence = right.replaceAll(new RegExp(year, "g"), "");
      return [
        { question: earlier, passage: context, sentence, keep: false, fault: "another year", language: "" },
      ];
    });
}

/** Paragraphs beside the one that answers, as many as a prompt has. */
const besideCount = 4;

/**
 * Pairs of a SQuAD file with the paragraphs that share most words with the question beside the cited one: an
 * answer under its own paragraph, and an answer of the nearest other one under that.
 */
function citedPairs(path: string, limit: number): readonly Pair[] {
  const paragraphs = articlesOf(path).flatMap(({ title, paragraphs: own }) =>
    own.map((each) => ({ ...each, document: title })),
  );
  const known = paragraphs.map((paragraph) => ({ ...paragraph, bag: new Set(words(paragraph.context)) }));
  const asked = known.flatMap((own) => own.qas.map((qa) => ({ ...qa, own })));
  return spread(asked, limit).flatMap(({ question, answers: [answer], own }) => {
    const { alternatives } = readQuestion(question);
    const shared = (bag: ReadonlySet<string>): number =>
      alternatives.filter((forms) => forms.some((form) => bag.has(form))).length;
    const rivals = known
      .filter((other) => other !== own)
      .toSorted((left, right) => shared(right.bag) - shared(left.bag))
      .slice(0, besideCount);
    const [rival] = rivals;
    const stolen = rival?.qas[0]?.answers[0]?.text;
    if (answer === undefined || rival === undefined || stolen === undefined) return [];
    const shown = ({ context, document }: (typeof known)[number]) => ({ text: context, document });
    return [
      {
        ...{ question, language: "", passage: own.context, sentence: answer.text, keep: true, fault: "" },
        ...{ document: own.document, beside: rivals.map(shown) },
      },
      {
        ...{ question, language: "", passage: rival.context, sentence: stolen, keep: false },
        ...{ fault: "another passage", document: rival.document },
        beside: [own, ...rivals.slice(1)].map(shown),
      },
    ];
  });
}

/**
 * Pairs of a TAT-QA file: the cell asked for, and cells beside it, each put into the words of its question.
 */
function tatqaPairs(path: string): readonly Pair[] {
  return tatqa
    .parse(JSON.parse(readFileSync(path, "utf8")))
    .flatMap(({ table: { table: rows }, questions }) =>
      questions.flatMap(({ question, answer, answer_type, answer_from }) => {
        const subject = /^what (?:is|was|were|are) (the [^?]+)\?$/i.exec(question)?.[1];
        const [value, ...more] = Array.isArray(answer) ? answer : [];
        const places = rows.flatMap((cells, row) =>
          cells.flatMap((cell, column) => (cell.trim() === value ? [{ row, column }] : [])),
        );
        const [place] = places;
        const isPlain =
          answer_type === "span" && answer_from === "table" && more.length === 0 && places.length === 1;
        if (!isPlain || place === undefined || subject === undefined || !/\d/.test(String(value))) return [];
        const base = { question, passage: rows.map((row) => row.join(" | ")).join("\n"), language: "en" };
        const said = (cell: string): string => `The${subject.slice(3)} was ${cell.trim()}.`;
        const isOther = (cell: string | undefined): cell is string =>
          cell !== undefined &&
          /^[$(\s]*\d/.test(cell) &&
          cell.trim() !== value &&
          !/^(?:19|20)\d\d$/.test(cell.trim());
        const beside = rows[place.row]?.filter((_, at) => at !== place.column).find(isOther);
        const below = rows
          .filter((_, at) => at !== place.row)
          .map((row) => row[place.column])
          .find(isOther);
        return [
          { ...base, sentence: said(String(value)), keep: true, fault: "" },
          ...(beside === undefined
            ? []
            : [{ ...base, sentence: said(beside), keep: false, fault: "same row" }]),
          ...(below === undefined
            ? []
            : [{ ...base, sentence: said(below), keep: false, fault: "same column" }]),
        ];
      }),
    );
}

/** Reports the pairs of even and of odd questions. */
function reportHalves(title: string, all: readonly Judged[]): void {
  const questions = [...new Set(all.map(({ question }) => question))];
  const half = (rest: number): readonly Judged[] =>
    all.filter(({ question }) => questions.indexOf(question) % 2 === rest);
  report(`${title}, seen half`, half(0));
  report(`${title}, unseen half`, half(1));
}

if (values.squad !== undefined)
  reportHalves("SQuAD", squadPairs(values.squad, Number(values.limit)).map(judged));
if (values.squad !== undefined) reportHalves("SQuAD, years", yearPairs(values.squad).map(judged));
if (values.squad !== undefined)
  reportHalves("SQuAD beside others", citedPairs(values.squad, Number(values.limit)).map(judged));
if (values.tatqa !== undefined) reportHalves("TAT-QA", tatqaPairs(values.tatqa).map(judged));
