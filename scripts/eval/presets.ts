// Compares the presets of chunking by the pages found, in all documents and within the one that is asked about. The
// models of HOME are used; FOLDER holds the documents, of which those with the most questions are ingested.
//   node scripts/eval/presets.ts HOME FOLDER QUESTIONS.jsonl [--documents N]
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import { programVersion } from "../../src/version.ts";
import { quietRun, report, temporaryHome } from "../bench/support.ts";
import { isLocated, isTextual, pageQuestion, readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { documents: { type: "string", default: "12" } },
});
const [from = "", folder = "", path = ""] = positionals;
if (path === "")
  throw new Error("usage: node scripts/eval/presets.ts HOME FOLDER QUESTIONS.jsonl [--documents N]");
const all = readLines(path, pageQuestion).filter((q) => q.doc !== null && isLocated(q) && isTextual(q));
const counted = Object.entries(Object.groupBy(all, ({ doc }) => doc ?? "")).toSorted(
  ([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0),
);
const documents = counted.slice(0, Number(values.documents)).map(([doc]) => doc);
const questions = all.filter(({ doc }) => documents.includes(doc ?? ""));

const cuts = [1, 5, 10];
const rows: (string | number)[][] = [];
await using home = await temporaryHome(from);
for (const preset of ["hybrid", "recursive", "sentence", "fixed", "window"]) {
  const { settings } = loadSettings({ flags: { home: home.path, "chunk.preset": preset } });
  await using app = await openApp(settings, programVersion, quietRun.log);
  const paths = documents.map((doc) => join(folder, basename(doc)));
  const collection = `presets_${preset}`;
  let made = { chunks: 0, tokens: 0 };
  for await (const event of app.ingest(
    { paths, collection, instance: "private", department: "" },
    quietRun,
  )) {
    if (event.type === "ingest-end") made = event.report.counts;
  }
  const ids = new Map(
    (await app.documents([collection], quietRun)).map((document) => [basename(document.name), document.id]),
  );
  const hits = async (within: boolean): Promise<number[]> => {
    const ranks: number[] = [];
    for (const { question, doc, evidence_pages: pages } of questions) {
      const name = basename(doc ?? "");
      const only = within ? { documents: [ids.get(name) ?? ""] } : {};
      const found = await app.search(
        { query: question, topK: 10, mode: "hybrid", collections: [collection], ...only },
        quietRun,
      );
      ranks.push(
        found.hits.findIndex(
          ({ chunk }) =>
            basename(chunk.sourceName) === name && chunk.pages.some((page) => pages.includes(page)),
        ),
      );
    }
    return cuts.map(
      (cut) => ranks.filter((rank) => rank >= 0 && rank < cut).length / Math.max(1, ranks.length),
    );
  };
  rows.push([preset, made.chunks, made.tokens, ...(await hits(false)), ...(await hits(true))]);
}
report(["preset", "chunks", "tokens", "hit@1", "hit@5", "hit@10", "in doc @1", "@5", "@10"], rows, {
  eval: "presets",
  documents: documents.length,
  questions: questions.length,
  rows,
});
