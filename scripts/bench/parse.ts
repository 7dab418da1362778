/**
 * Parsers against reviewed Markdown, and against other tools measured in the same run.
 *   parse.ts DIR [--python PATH] [--only FORMAT,…] [--json FILE] [--dump DIR]   DIR holds <format>/sources and <format>/groundtruth/<file>.md
 *   parse.ts --survive DIR                                                      every file below DIR: read, or refused with a reason
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { renderMarkdown } from "../../src/app/verify/export-markdown.ts";
import type { ParsedDocument } from "../../src/core/documents/document.ts";
import { asRagctlError } from "../../src/core/errors.ts";
import { openParserPool } from "../../src/drivers/parsers/process/pool.ts";
import { detectFormat } from "../../src/pipeline/ingest/detect.ts";
import { readMarkdown, type Scores, score } from "./markdown-scores.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
    dump: { type: "string" },
    survive: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const print = (text: string) => process.stdout.write(`${text}\n`);
const measures = ["text", "edit", "order", "headings", "cells"] as const;

const pool = openParserPool({ workers: 2, timeoutMs: 120_000, memoryMb: 1024, maxBytes: 1024 ** 3 });

async function parseFile(path: string): Promise<ParsedDocument> {
  const name = basename(path);
  const handle = await open(path);
  try {
    const format = await detectFormat(handle, name);
    const bytes = await readFile(path);
    const file = {
      path,
      name,
      format,
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    return await pool.parse(file, new AbortController().signal);
  } finally {
    await handle.close();
  }
}

async function survive(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const reasons = new Map<string, string[]>();
  await Promise.all(
    [0, 1].map(async () => {
      for (let path = files.pop(); path !== undefined; path = files.pop()) {
        const start = Date.now();
        const outcome = await parseFile(path).then(
          ({ content }) => (content.blocks.length > 0 ? "read" : "read, pages without text named"),
          (error: unknown) => `refused ${asRagctlError(error).code}: ${asRagctlError(error).message}`,
        );
        if (values.verbose || outcome.startsWith("refused"))
          print(
            `${((Date.now() - start) / 1000).toFixed(1)} s  ${path.slice(folder.length + 1)}  ${outcome}`,
          );
        const code = outcome.split(":")[0] ?? "";
        reasons.set(code, [...(reasons.get(code) ?? []), path]);
      }
    }),
  );
  for (const [code, paths] of [...reasons].sort()) print(`${String(paths.length).padStart(5)}  ${code}`);
  print(`workers lost: ${pool.counts.workersLost}`);
}

interface Case {
  readonly format: string;
  readonly path: string;
  readonly truth: string;
}

async function cases(root: string): Promise<Case[]> {
  const found: Case[] = [];
  const only = values.only?.split(",");
  for (const format of (await readdir(root)).sort()) {
    if (only !== undefined && !only.includes(format)) continue;
    for (const name of (await readdir(join(root, format, "sources")).catch(() => [])).sort()) {
      const folder = join(root, format, "groundtruth");
      for (const truth of [`${name}.md`, `${name.replace(/\.[^.]+$/, "")}.md`]) {
        const path = join(folder, truth);
        if (!(await stat(path).catch(() => undefined))?.isFile()) continue;
        found.push({
          format,
          path: join(root, format, "sources", name),
          truth: await readFile(path, "utf8"),
        });
        break;
      }
    }
  }
  return found;
}

async function runPeer(
  tool: string,
  python: string,
  all: readonly Case[],
): Promise<{ texts: string[]; seconds: number; failed: number }> {
  const out = await mkdtemp(join(tmpdir(), "parse-peers-"));
  try {
    const child = spawn(python, [new URL("./parse_peers.py", import.meta.url).pathname, tool, out], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.end(all.map(({ path }) => `${path}\n`).join(""));
    let printed = "";
    for await (const piece of child.stdout) printed += String(piece);
    const lines = printed
      .split("\n")
      .flatMap((line): { seconds: number; error: string | null }[] =>
        line === "" ? [] : [JSON.parse(line)],
      );
    const texts = await Promise.all(
      all.map((_, index) => readFile(join(out, `${index}.md`), "utf8").catch(() => "")),
    );
    return {
      texts,
      seconds: lines.reduce((sum, { seconds }) => sum + seconds, 0),
      failed: all.length - lines.filter(({ error }) => error === null).length,
    };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const mean = (numbers: readonly (number | undefined)[]) => {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, number) => sum + number, 0) / known.length;
};
const shown = (number: number | undefined) =>
  number === undefined ? "    –" : number.toFixed(3).padStart(5);

async function compare(root: string): Promise<void> {
  const all = await cases(root);
  const start = Date.now();
  const ours: string[] = [];
  let failed = 0;
  for (const { path } of all) {
    ours.push(
      await parseFile(path).then(
        ({ content }) => renderMarkdown(content),
        (error: unknown) => {
          failed++;
          print(`ragctl refused ${basename(path)}: ${asRagctlError(error).message}`);
          return "";
        },
      ),
    );
  }
  const tools: { name: string; texts: string[]; seconds: number; failed: number }[] = [
    { name: "ragctl", texts: ours, seconds: (Date.now() - start) / 1000, failed },
  ];
  if (values.python !== undefined) {
    for (const name of ["markitdown", "pymupdf4llm"])
      tools.push({ name, ...(await runPeer(name, values.python, all)) });
  }
  if (values.dump !== undefined) {
    for (const { name, texts } of tools) {
      await mkdir(join(values.dump, name), { recursive: true });
      for (const [index, { path }] of all.entries())
        await writeFile(join(values.dump, name, `${basename(path)}.md`), texts[index] ?? "");
    }
  }
  const scores: Record<string, Scores[]> = {};
  for (const { name, texts } of tools)
    scores[name] = all.map(({ truth }, index) =>
      score(readMarkdown(truth), readMarkdown(texts[index] ?? "")),
    );
  const formats = [...new Set(all.map(({ format }) => format))];
  const lost: string[] = [];
  print(
    `${"format".padEnd(8)}${"files".padStart(6)}  ${"tool".padEnd(12)} ${measures.map((measure) => measure.padStart(8)).join(" ")}`,
  );
  const table = [];
  for (const format of formats) {
    const indexes = all.flatMap((one, index) => (one.format === format ? [index] : []));
    const means = tools.map(({ name }) => ({
      name,
      ...Object.fromEntries(
        measures.map((measure) => [measure, mean(indexes.map((index) => scores[name]?.[index]?.[measure]))]),
      ),
    })) as ({ name: string } & Scores)[]; // built from the same list of measures as Scores
    for (const row of means) {
      print(
        `${format.padEnd(8)}${String(indexes.length).padStart(6)}  ${row.name.padEnd(12)} ${measures.map((measure) => shown(row[measure]).padStart(8)).join(" ")}`,
      );
      table.push({ format, files: indexes.length, ...row });
    }
    const [own, ...peers] = means;
    for (const measure of measures) {
      for (const peer of peers) {
        const [mine, theirs] = [own?.[measure], peer[measure]];
        if (mine !== undefined && theirs !== undefined && theirs > mine + 0.0005)
          lost.push(`${format} ${measure}: ${shown(mine)} against ${shown(theirs)} of ${peer.name}`);
      }
    }
  }
  for (const { name, seconds, failed: refused } of tools)
    print(`${name}: ${seconds.toFixed(1)} s, ${refused} of ${all.length} files refused`);
  print(
    lost.length === 0 ? "no measure on which another tool is better" : `behind on:\n  ${lost.join("\n  ")}`,
  );
  if (values.verbose) {
    for (const [index, { path }] of all.entries())
      print(
        `${basename(path).padEnd(45)} ${tools.map(({ name }) => measures.map((measure) => shown(scores[name]?.[index]?.[measure])).join(" ")).join("  |  ")}`,
      );
  }
  if (values.json !== undefined) {
    const files = all.map(({ format, path }, index) => ({
      format,
      file: basename(path),
      ...Object.fromEntries(tools.map(({ name }) => [name, scores[name]?.[index]])),
    }));
    await writeFile(
      values.json,
      `${JSON.stringify({ table, lost, tools: tools.map(({ name, seconds, failed: refused }) => ({ name, seconds, failed: refused })), files }, null, 1)}\n`,
    );
  }
}

const [root] = positionals;
if (values.survive !== undefined) await survive(values.survive);
else if (root !== undefined) await compare(root);
else
  print(
    "usage: parse.ts DIR [--python PATH] [--only FORMAT,…] [--json FILE] [--dump DIR] [--verbose] | parse.ts --survive DIR",
  );
await pool[Symbol.asyncDispose]();
