// How often questions are answered from cells of tables that they name, and how often rightly.
//   node scripts/eval/cells.ts pages COLLECTION QUESTIONS.jsonl… [--home DIR] [--show]
//   node scripts/eval/cells.ts elsewhere COLLECTION QUESTIONS.jsonl… [--home DIR] [--show]
//   node scripts/eval/cells.ts tatqa TATQA.json [--show]
//   node scripts/eval/cells.ts notes SQUAD.json… [--show]
// pages: JSONL {"question","doc","answer","answerable"}, from the document that is given, and in one store from those
// whose pages the search finds. elsewhere: from every other document of the collection than its own, where any answer is
// a fault. tatqa: from the table of the question, those left out that a row by years answers; right: every number that is
// expected is told, or all of the text. notes: from the article. Answers that are right in other words than the
// expected ones count as `other`. No model writes; the search embeds the question.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { planQueries } from "../../src/agents/decide/plan.ts";
import { wordsOfName } from "../../src/app/ask/kinds/computed.ts";
import { rankingOf } from "../../src/app/engines/ranking.ts";
import { z } from "../../src/core/schema.ts";
import { acceptedAnswers, contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { expandContext, neighbourIds } from "../../src/pipeline/retrieve/expand.ts";
import { gatherDefaults, gatherPassages } from "../../src/pipeline/retrieve/gather.ts";
import { buildNameIndex, type CatalogueEntry } from "../../src/pipeline/retrieve/naming.ts";
import { evaluate, indexTables, mayContainCell } from "../../src/pipeline/tables/answer.ts";
import type { TableAnswer } from "../../src/pipeline/tables/cells.ts";
import { readCellQueries } from "../../src/tables/query/cells-asked.ts";
import { evalRun, openHome, openLibrary } from "./library.ts";
import { passageOf } from "./passages.ts";
import { pageQuestion, readLines, squad, tatqa } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { home: { type: "string" }, show: { type: "boolean", default: false } },
});
const [kind = "", ...rest] = positionals;

/** Hits that are read with the rest of their page. */
const widenedHits = 5;

type Verdict = "right" | "other" | "unanswerable";
const counts = new Map<string, Record<string, number>>();

/** What an answer says is asked for: of a comparison the rows or years, not all that is told of the others. */
const saidIn = ({ text }: TableAnswer, form: string): string =>
  form === "extreme" || form === "condition" ? (text.split(". ")[0] ?? text) : text;

/** Counts an answer under where it is from and what it asks for, and shows it. */
function count(where: string, form: string, verdict: Verdict, shown: readonly string[]): void {
  const own = counts.get(where) ?? {};
  own[`${form} ${verdict}`] = (own[`${form} ${verdict}`] ?? 0) + 1;
  counts.set(where, own);
  if (values.show) process.stdout.write(`${where} ${form} ${verdict}: ${shown.join("\n  ")}\n`);
}

async function pages(collection: string, files: readonly string[]): Promise<void> {
  const home = openHome(values.home);
  await using library = await openLibrary(home, collection, { remembers: false });
  const documents = await library.documents();
  const catalogue = buildNameIndex(documents);
  const ranking = rankingOf(home.settings);
  const drivers = {
    retrieve: { ...library.drivers, catalogue: async () => catalogue, ...(ranking && { ranking }) },
    settings: { ...gatherDefaults, lambda: home.settings.mmr.lambda },
  };
  const read = new Map<string, ReturnType<typeof indexTables>>();
  const tablesOf = async ({ id, name }: CatalogueEntry): Promise<ReturnType<typeof indexTables>> => {
    const found = read.get(id) ?? indexTables(await library.chunksOf(name));
    read.set(id, found);
    return found;
  };
  const answered = pageQuestion.extend({ answer: z.unknown() });
  for (const { question, doc, answer, answerable } of files.flatMap((file) => readLines(file, answered))) {
    const { ofCells: asked } = readCellQueries(question);
    if (asked === null) continue;
    const told = (where: string, given: TableAnswer): void => {
      const isRight = contains(saidIn(given, asked.operation.kind), acceptedAnswers(answer));
      const verdict = !answerable ? "unanswerable" : isRight ? "right" : "other";
      count(where, asked.operation.kind, verdict, [question, given.text, `expected: ${String(answer)}`]);
    };
    const from = async (document: CatalogueEntry): Promise<TableAnswer | null> =>
      evaluate(asked, await tablesOf(document), wordsOfName(question, document));
    const own = documents.find(({ name }) => basename(name) === basename(doc ?? ""));
    if (kind === "elsewhere") {
      for (const document of documents.filter(({ id }) => id !== own?.id)) {
        const found = await from(document);
        if (found !== null) count("elsewhere", asked.operation.kind, "unanswerable", [question, found.text]);
      }
      continue;
    }
    const given = own === undefined ? null : await from(own);
    if (given !== null) told("document given", given);
    const request = { topK: 10, collections: [], mode: "hybrid" } as const;
    const planned = planQueries(question, { rewritten: null }, { intent: "retrieval" });
    const { hits } = await gatherPassages(planned, request, drivers, evalRun);
    // As `app/ask/kinds/table-answers.ts` does.
    const reach = home.settings.answer.neighbours;
    const top = hits.slice(0, widenedHits);
    const wide = [
      ...expandContext(top, await library.chunksWith(neighbourIds(top, reach)), reach),
      ...hits.slice(widenedHits),
    ];
    const onPages = Map.groupBy(
      wide.flatMap(({ chunk, around }) => around ?? [chunk]),
      ({ documentId }) => documentId,
    );
    const ids = [...onPages].flatMap(([id, chunks]) =>
      mayContainCell(asked, indexTables(chunks)) ? [id] : [],
    );
    const found: TableAnswer[] = [];
    for (const document of ids.slice(0, 5).flatMap((id) => documents.find((each) => each.id === id) ?? [])) {
      const cells = await from(document);
      const pagesFound = hits.flatMap(({ chunk }) => (chunk.documentId === document.id ? chunk.pages : []));
      const isFound =
        asked.tokens.size > 2 &&
        cells?.lines.some(({ chunk }) => chunk.pages.some((page) => pagesFound.includes(page)));
      if (cells !== null && (cells.isNamed || document.id === hits[0]?.chunk.documentId || isFound))
        found.push(cells);
    }
    const named = found.filter(({ isNamed }) => isNamed);
    const [only, ...others] = named.length > 0 ? named : found;
    if (only !== undefined && others.length === 0) told("one store", only);
  }
}

const numbersIn = (text: string): readonly number[] =>
  (text.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));

function isTold(given: string, expected: readonly string[]): boolean {
  const wanted = expected.flatMap(numbersIn);
  const found = numbersIn(given);
  return wanted.length === 0
    ? expected.every((text) => given.toLowerCase().includes(text.toLowerCase()))
    : wanted.every((number) =>
        found.some((other) => Math.abs(other - number) <= Math.max(0.06, number / 1000)),
      );
}

function ofTables(path: string): void {
  for (const { table, paragraphs, questions } of tatqa.parse(JSON.parse(readFileSync(path, "utf8")))) {
    const lines = [
      ...paragraphs.map(({ text }) => text),
      "",
      ...table.table.map((cells) => cells.join(" | ")),
    ];
    const { chunk } = passageOf(lines.join("\n"), []);
    const tables = indexTables([chunk]);
    for (const { question, answer } of questions) {
      const { byYears, ofCells: asked } = readCellQueries(question);
      if (byYears !== null && evaluate(byYears, tables, new Set()) !== null) continue;
      const given = asked && evaluate(asked, tables, new Set());
      if (asked === null || given === null) continue;
      const expected = [answer].flat().map(String);
      const verdict = isTold(saidIn(given, asked.operation.kind), expected) ? "right" : "other";
      count("TAT-QA", asked.operation.kind, verdict, [
        question,
        given.text,
        `expected: ${expected.join(", ")}`,
      ]);
    }
  }
}

function ofNotes(path: string): void {
  for (const { title, paragraphs } of squad.parse(JSON.parse(readFileSync(path, "utf8"))).data) {
    const tables = indexTables(
      paragraphs.map(({ context }, at) => ({ ...passageOf(context, [title]).chunk, ordinal: at })),
    );
    for (const { question, answers } of paragraphs.flatMap(({ qas }) => qas)) {
      const { ofCells: asked } = readCellQueries(question);
      const given = asked && evaluate(asked, tables, new Set());
      if (asked === null || given === null) continue;
      const isRight = contains(
        saidIn(given, asked.operation.kind),
        answers.map(({ text }) => text),
      );
      count(basename(path), asked.operation.kind, isRight ? "right" : "other", [question, given.text]);
    }
  }
}

if (kind === "pages" || kind === "elsewhere") await pages(rest[0] ?? "", rest.slice(1));
else if (kind === "tatqa") ofTables(rest[0] ?? "");
else if (kind === "notes") rest.forEach(ofNotes);
else throw new Error("usage: node scripts/eval/cells.ts pages|elsewhere|tatqa|notes …");
process.stdout.write(`${JSON.stringify(Object.fromEntries(counts), null, 1)}\n`);
