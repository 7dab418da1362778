/**
 * Ingest end to end beside its two raw engines, in one process: tokens a second ÷ onnxruntime alone on the
 * same chunks, pages a second ÷ pdf.js alone on the same files.
 *
 *   node scripts/bench/ingest.ts HOME FOLDER [--sample 400]
 *
 * HOME has the models; FOLDER holds PDFs; the ingest goes into a home of its own. The raw encoder runs
 * --sample chunks spread over all, before and after the ingest, so that a machine that slows down does so for
 * both. Prints a table, then one JSON line.
 */
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { encoderFiles } from "../../src/app/engines/models.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { IngestReport } from "../../src/core/app.ts";
import { embedText } from "../../src/core/documents/chunk.ts";
import { openOnnx } from "../../src/drivers/runtime/onnx.ts";
import { openTokenizer } from "../../src/drivers/runtime/tokenizer.ts";
import { programVersion } from "../../src/version.ts";
import { quietRun, report, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string", default: "400" } },
});
const [from, folder] = positionals;
if (from === undefined || folder === undefined)
  throw new Error("usage: node scripts/bench/ingest.ts HOME FOLDER [--sample N]");
await using home = await temporaryHome(from);
const { settings } = loadSettings({ flags: { home: home.path } });
await using app = await openApp(settings, programVersion, quietRun.log);
const request = { paths: [folder], collection: "bench", instance: "private", department: "" } as const;

async function ingestOnce(): Promise<{ readonly seconds: number; readonly report: IngestReport }> {
  const started = performance.now();
  for await (const event of app.ingest(request, quietRun)) {
    if (event.type === "ingest-end")
      return { seconds: (performance.now() - started) / 1000, report: event.report };
  }
  throw new Error("the ingest ended without a report");
}

/** Tokens a second of onnxruntime alone, one text per run. */
async function rawEncode(texts: readonly string[]): Promise<number> {
  const models = await app.models();
  const { facts, paths } = await encoderFiles(settings.embed.model, models);
  const { modelPath, tokenizerPath } = await paths();
  const tokenizer = await openTokenizer(tokenizerPath);
  const rows = texts.map((text) => tokenizer.encodeForModel(text, facts.maxTokens).ids);
  await using session = await openOnnx({ modelPath, device: "cpu", threads: availableParallelism() });
  const outputs = session.outputs.slice(0, 1).map(({ name }) => name);
  const started = performance.now();
  for (const ids of rows) {
    const dims = [1, ids.length];
    const zeros = new BigInt64Array(ids.length);
    const inputs = {
      input_ids: { data: BigInt64Array.from(ids, BigInt), dims },
      attention_mask: { data: zeros.map(() => 1n), dims },
    };
    await session.run({ ...inputs, token_type_ids: { data: zeros, dims } }, outputs);
  }
  return rows.reduce((total, ids) => total + ids.length, 0) / ((performance.now() - started) / 1000);
}

/** Pages a second of pdf.js reading the text of every page and doing nothing with it. */
async function rawPages(): Promise<number> {
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const files = (await readdir(folder ?? "")).filter((name) => name.endsWith(".pdf"));
  let pages = 0;
  const started = performance.now();
  for (const name of files) {
    const task = pdfjs.getDocument({
      data: new Uint8Array(await readFile(join(folder ?? "", name))),
      verbosity: 0,
    });
    const document = await task.promise;
    for (let at = 1; at <= document.numPages; at += 1) await (await document.getPage(at)).getTextContent();
    pages += document.numPages;
    await task.destroy();
  }
  return pages / ((performance.now() - started) / 1000);
}

const first = await ingestOnce();
const again = await ingestOnce();
const texts: string[] = [];
for (const document of await app.documents([], quietRun))
  texts.push(...(await app.show(document.id, quietRun)).chunks.map(embedText));
const step = Math.max(1, Math.floor(texts.length / Number(values.sample)));
const encode = await rawEncode(texts.filter((_, at) => at % step === 0));
const pages = await rawPages();
const { counts, phases, peakRssBytes } = first.report;
const seconds = (name: string): number =>
  (phases.find(({ phase }) => phase === name)?.durationMs ?? 0) / 1000;
const rows = [
  ["tokens/s end to end", counts.tokens / first.seconds, encode, counts.tokens / first.seconds / encode],
  [
    "tokens/s while embedding",
    counts.tokens / seconds("embed"),
    encode,
    counts.tokens / seconds("embed") / encode,
  ],
  ["pages/s while parsing", counts.pages / seconds("parse"), pages, counts.pages / seconds("parse") / pages],
];
report(["", "ragctl", "raw engine", "ratio"], rows, {
  bench: "ingest",
  seconds: first.seconds,
  again_seconds: again.seconds,
  peak_rss_mib: peakRssBytes / 2 ** 20,
  counts,
  phases: Object.fromEntries(phases.map(({ phase, durationMs }) => [phase, durationMs / 1000])),
  ratios: Object.fromEntries(rows.map(([name, , , ratio]) => [name, ratio])),
});
