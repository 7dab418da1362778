// Measures retrieval on labelled questions, route by route: dense, lexical and fused side by side.
//   node scripts/eval/retrieval.ts pages QUESTIONS.jsonl --collection NAME [--home DIR] [--set key=value …]
// --group: plain (text layer, no figure needed; the default), text (those that need no table), tables,
// scanned (needs OCR).
//   node scripts/eval/retrieval.ts documents QRELS.tsv QUERIES.jsonl --collection NAME [--home DIR]
//   node scripts/eval/retrieval.ts notes SQUAD.json --collection NAME [--bare] [--home DIR]
// pages: {"id","question","doc","evidence_pages":[1-based],"answerable"}; a hit counts when it stands on an
// evidence page of the document. documents: BEIR form; documents are the base names without extension of the
// ingested files, best chunk first.
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { SearchRequest } from "../../src/core/app.ts";
import type { Hit } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import { ndcg } from "../../src/pipeline/evaluate/ranking.ts";
import { interval } from "../../src/pipeline/evaluate/resample.ts";
import { programVersion } from "../../src/version.ts";
import { average } from "./folds.ts";
import { evalRun, flagsOf } from "./library.ts";
import { isLocated, isNamedFor, isOnEvidence, pageQuestion, readLines, squad } from "./questions.ts";
import { withInterval } from "./shares.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string" },
    home: { type: "string" },
    set: { type: "string", multiple: true },
    group: { type: "string", default: "plain" },
    bare: { type: "boolean", default: false },
  },
});
const [kind, first = "", second = ""] = positionals;
const modes = ["dense", "lexical", "hybrid"] as const satisfies readonly SearchRequest["mode"][];
const { settings } = loadSettings({
  flags: { ...flagsOf(values.set ?? []), ...(values.home === undefined ? {} : { home: values.home }) },
});
await using app = await openApp(settings, programVersion, evalRun.log);

const print = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(
    `${cells.map((cell) => (typeof cell === "number" ? cell.toFixed(3) : cell).padStart(20)).join("")}\n`,
  );
const search = async (
  query: string,
  mode: SearchRequest["mode"],
  topK: number,
  documents?: readonly string[],
): Promise<readonly Hit[]> =>
  (
    await app.search(
      {
        query,
        mode,
        topK,
        collections: values.collection === undefined ? [] : [values.collection],
        ...(documents && { documents }),
      },
      evalRun,
    )
  ).hits;

if (kind === "pages") await pages();
else if (kind === "documents") await rankDocuments(beirQuestions());
else if (kind === "notes") await rankDocuments(await noteQuestions());
else
  process.stderr.write(
    "usage: retrieval.ts pages QUESTIONS.jsonl | documents QRELS.tsv QUERIES.jsonl | notes SQUAD.json\n",
  );

async function pages(): Promise<void> {
  const question = pageQuestion.extend({
    id: z.string(),
    modality: z.array(z.string()).default([]),
    kind: z.string().default(""),
  });
  const questions = readLines(first, question)
    .filter(isLocated)
    .filter((q) => {
      const scanned = q.needs_ocr === true;
      const table = /table|tab_/i.test([...q.modality, q.kind].join(" "));
      if (values.group === "scanned") return scanned;
      if (values.group === "tables") return !scanned && table;
      return !scanned && q.text_only_ok !== false && (values.group !== "text" || !table);
    });
  const ids = new Map(
    (await app.documents([], evalRun)).map((document) => [basename(document.name), document.id]),
  );
  const cuts = [1, 3, 5, 10];
  for (const within of [false, true]) {
    process.stdout.write(
      `${within ? "within the right document" : "all documents"}, n = ${questions.length}\n`,
    );
    print(["route", ...cuts.map((cut) => `hit@${cut}`)]);
    for (const mode of modes) {
      const found: number[][] = [];
      for (const q of questions) {
        const id = ids.get(basename(q.doc ?? ""));
        const hits = await search(q.question, mode, 10, within && id !== undefined ? [id] : undefined);
        const rank = hits.findIndex(({ chunk }) => isOnEvidence(q, chunk));
        found.push(cuts.map((cut) => (rank >= 0 && rank < cut ? 1 : 0)));
      }
      print([mode, ...cuts.map((_, i) => average(found.map((row) => row[i] ?? 0)))]);
    }
  }
}

/** A question and the documents that answer it, by name without extension. */
interface GradedQuestion {
  readonly text: string;
  readonly grades: ReadonlyMap<string, number>;
}

function beirQuestions(): readonly GradedQuestion[] {
  const relevant = new Map<string, Map<string, number>>();
  for (const line of readFileSync(first, "utf8").split("\n")) {
    const parts = line.trim().split("\t");
    const [query = "", document = "", grade = ""] = [parts[0], parts.at(-2), parts.at(-1)];
    if (!/^-?\d+$/.test(grade)) continue;
    const known = relevant.get(query) ?? new Map<string, number>();
    relevant.set(query, known.set(document, Number(grade)));
  }
  const query = z.object({ _id: z.union([z.string(), z.number()]).transform(String), text: z.string() });
  return readLines(second, query).flatMap(({ _id, text }) => {
    const grades = relevant.get(_id);
    return grades === undefined ? [] : [{ text, grades }];
  });
}

async function noteQuestions(): Promise<readonly GradedQuestion[]> {
  const names = (await app.documents([], evalRun)).map(({ name }) => nameOf(name));
  const bare = (text: string): string =>
    text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("đ", "d").replaceAll("Đ", "D");
  return squad.parse(JSON.parse(readFileSync(first, "utf8"))).data.flatMap(({ title, paragraphs }) => {
    const note = names.find((name) => isNamedFor(name, title));
    if (note === undefined) throw new Error(`no file is named for the article "${title}"`);
    return paragraphs.flatMap(({ qas }) =>
      qas.map(({ question }) => ({
        text: values.bare ? bare(question) : question,
        grades: new Map([[note, 1]]),
      })),
    );
  });
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

async function rankDocuments(questions: readonly GradedQuestion[]): Promise<void> {
  process.stdout.write(`n = ${questions.length}\n`);
  print(["route", "nDCG@10", "recall@10", "recall@1"]);
  for (const mode of modes) {
    const rows: number[][] = [];
    for (const { text, grades } of questions) {
      const hits = await search(text, mode, 100);
      const ranked = [...new Set(hits.map(({ chunk }) => nameOf(chunk.sourceName)))];
      const ranks = ranked.map((name) => grades.get(name) ?? 0);
      const positive = [...grades].filter(([, grade]) => grade > 0).map(([name]) => name);
      const recall = (cut: number): number =>
        positive.filter((name) => ranked.slice(0, cut).includes(name)).length / Math.max(1, positive.length);
      rows.push([ndcg(ranks, [...grades.values()], 10), recall(10), recall(1)]);
    }
    const column = (at: number): number[] => rows.map((row) => row[at] ?? 0);
    print([mode, ...[0, 1, 2].map((at) => withInterval(interval(column(at))))]);
  }
}
