// Measures the check of answers on labelled statements: how many right ones it supports, and how many wrong ones it
// marks or finds contradicted.
//   node scripts/eval/check.ts [--pairs PAIRS.jsonl] [--drafts DRAFTS.jsonl] [--tatqa TATQA.json] [--show FAULT]
// PAIRS: {"question","passage","sentence","keep","fault","headings"?} a line; fixtures/judged-sentences.jsonl has such.
// DRAFTS: {"question","passages","draft","right","fault"}; fixtures/policy-drafts.jsonl and what worked-out.ts prints.
// TATQA: of questions for one cell, asked as “What was the …?”, the cell is right, its neighbours in the same row and in
// the same column are wrong. --show prints the statements of a fault (`right` for right ones) with their verdicts.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Passage } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import { checkAnswer } from "../../src/pipeline/answer/check/check.ts";
import { analyzeQuestion } from "../../src/pipeline/answer/question.ts";
import { passageOf } from "./passages.ts";
import { readLines, tatqa } from "./questions.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string" },
    drafts: { type: "string" },
    tatqa: { type: "string" },
    show: { type: "string" },
  },
});

/** A statement with its passages; `fault` is `right` for a right one. */
interface Labelled {
  readonly question: string;
  readonly passages: readonly Passage[];
  readonly draft: string;
  readonly fault: string;
}

const pair = z.object({
  ...{
    question: z.string(),
    passage: z.string(),
    sentence: z.string(),
    keep: z.boolean(),
    fault: z.string(),
  },
  headings: z.array(z.string()).default([]),
});
const draft = z.object({
  ...{ question: z.string(), draft: z.string(), right: z.boolean(), fault: z.string().default("wrong") },
  passages: z.array(
    z.union([
      z.string().transform((text) => ({ text, headings: [], document: "" })),
      z.object({
        text: z.string(),
        headings: z.array(z.string()).default([]),
        document: z.string().default(""),
      }),
    ]),
  ),
});

const pairsOf = (path: string): readonly Labelled[] =>
  readLines(path, pair).map(({ question, passage, sentence, keep, fault, headings }) => ({
    ...{ question, draft: `${sentence} [1]`, passages: [passageOf(passage, headings)] },
    fault: keep ? "right" : fault,
  }));

const draftsOf = (path: string): readonly Labelled[] =>
  readLines(path, draft).map(({ question, passages, draft: text, right, fault }) => ({
    ...{ question, draft: text, fault: right ? "right" : fault },
    passages: passages.map((each, at) => ({
      ...passageOf(each.text, each.headings, each.document),
      marker: at + 1,
    })),
  }));

/** The cell that a question asks for, and cells beside it, each in the words of the question. */
function cellsOf(path: string): readonly Labelled[] {
  const tables = tatqa.parse(JSON.parse(readFileSync(path, "utf8")));
  return tables.flatMap(({ table: { table: rows }, questions }) =>
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
      const passages = [passageOf(rows.map((row) => row.join(" | ")).join("\n"), [])];
      const said = (cell: string, fault: string): Labelled => ({
        ...{ question, passages, fault, draft: `The${subject.slice(3)} was ${cell.trim()}. [1]` },
      });
      const isOther = (cell: string | undefined): cell is string =>
        cell !== undefined &&
        /^[$(\s]*\d/.test(cell) &&
        cell.trim() !== value &&
        !/^(?:19|20)\d\d$/.test(cell.trim());
      const beside = rows[place.row]?.filter((_, at) => at !== place.column).find(isOther);
      const others = rows.filter((_, at) => at !== place.row);
      const below = others.map((row) => row[place.column]).find(isOther);
      return [
        said(String(value), "right"),
        ...(beside === undefined ? [] : [said(beside, "same row")]),
        ...(below === undefined ? [] : [said(below, "same column")]),
      ];
    }),
  );
}

type Support = "supported" | "partial" | "unsupported";

/** The worst verdict on a statement, with the reasons of all. */
function verdictOn({ question, passages, draft: text }: Labelled) {
  const { sentences } = checkAnswer(text, passages, analyzeQuestion(question));
  const worst = (["unsupported", "partial", "supported"] as const).find((support) =>
    sentences.some((each) => each.support === support),
  );
  return {
    support: worst ?? ("partial" as Support),
    reasons: sentences.map(({ reason }) => reason).join(" "),
  };
}

function report(title: string, all: readonly Labelled[]): void {
  const counts = new Map<string, Record<Support, number>>();
  for (const each of all) {
    const { support, reasons } = verdictOn(each);
    const own = counts.get(each.fault) ?? { supported: 0, partial: 0, unsupported: 0 };
    own[support] += 1;
    counts.set(each.fault, own);
    if (values.show === each.fault)
      process.stdout.write(`  ${support} ${each.question} → ${each.draft} ${reasons}\n`);
  }
  for (const [fault, { supported, partial, unsupported }] of [...counts].sort())
    process.stdout.write(
      `${title}  ${fault.padEnd(20)} supported ${supported}, marked ${partial}, contradicted ${unsupported}\n`,
    );
}

if (values.pairs !== undefined) report("pairs", pairsOf(values.pairs));
if (values.drafts !== undefined) report("drafts", draftsOf(values.drafts));
if (values.tatqa !== undefined) report("TAT-QA", cellsOf(values.tatqa));
