import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "../src/core/schema.ts";

const documents = fileURLToPath(new URL("../fixtures/documents", import.meta.url));
const script = fileURLToPath(new URL("../scripts/fixtures.ts", import.meta.url));

const Question = z.strictObject({
  id: z.string().regex(/^[qu]\d\d$/),
  question: z.string().min(1),
  doc: z.string().optional(),
  answer: z.array(z.string().min(1)).default([]),
  evidence_pages: z.array(z.int().positive()).default([]),
  answerable: z.literal(false).optional(),
  demo: z.literal(true).optional(),
});
type Question = z.infer<typeof Question>;

const hasDocument = (question: Question): question is Question & { readonly doc: string } =>
  question.doc !== undefined;

/** Page number → its text; documents without pages are one page 0. */
type Pages = ReadonlyMap<number, string>;

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

async function pdfPages(bytes: Uint8Array): Promise<Pages> {
  const { getDocument, VerbosityLevel } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const loading = getDocument({ data: bytes, verbosity: VerbosityLevel.ERRORS });
  const document = await loading.promise;
  const pages = new Map<number, string>();
  for (let number = 1; number <= document.numPages; number++) {
    const content = await (await document.getPage(number)).getTextContent();
    pages.set(number, flat(content.items.map((item) => ("str" in item ? item.str : "")).join(" ")));
  }
  await loading.destroy();
  return pages;
}

const xmlText = (xml: string): string =>
  flat(
    xml
      .replace(/<[^>]+>/g, " ")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );

async function zipEntries(path: string): Promise<ReadonlyMap<string, string>> {
  const { openPromise } = await import("yauzl");
  const archive = await openPromise(path);
  const entries = new Map<string, string>();
  for await (const entry of archive.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) parts.push(part);
    entries.set(entry.fileName, Buffer.concat(parts).toString("utf8"));
  }
  return entries;
}

async function pagesOf(name: string): Promise<Pages> {
  const path = join(documents, name);
  if (name.endsWith(".pdf")) return pdfPages(new Uint8Array(await readFile(path)));
  if (!/\.(docx|pptx|xlsx)$/.test(name)) return new Map([[0, xmlText(await readFile(path, "utf8"))]]);
  const entries = await zipEntries(path);
  if (!name.endsWith(".pptx")) {
    const texts = [...entries]
      .filter(([entry]) => /document\.xml$|sheet\d+\.xml$|sharedStrings\.xml$/.test(entry))
      .map(([, xml]) => xmlText(xml));
    return new Map([[0, texts.join(" ")]]);
  }
  const pages = new Map<number, string>();
  for (const [entry, xml] of entries) {
    const number = /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)(\d+)\.xml$/.exec(entry)?.[1];
    if (number !== undefined) pages.set(Number(number), `${pages.get(Number(number)) ?? ""} ${xmlText(xml)}`);
  }
  return pages;
}

const texts = new Map<string, Pages>();
const questions: Question[] = [];

before(async () => {
  for (const name of await readdir(documents)) texts.set(name, await pagesOf(name));
  const lines = (await readFile(new URL("../fixtures/questions.jsonl", import.meta.url), "utf8"))
    .trim()
    .split("\n");
  questions.push(...lines.map((line) => Question.parse(JSON.parse(line))));
});

const made = await mkdtemp(join(tmpdir(), "ragctl-fixtures-"));
after(() => rm(made, { recursive: true }));

test("the generator writes the committed documents byte for byte, whatever the time zone", async () => {
  execFileSync(process.execPath, [script, made], {
    env: { ...process.env, TZ: "Asia/Tokyo" },
    stdio: "pipe",
  });
  const names = await readdir(documents);
  assert.deepEqual((await readdir(made)).sort(), names.sort());
  for (const name of names) {
    // The glyphs of the scan are drawn by a native library, which may round a pixel differently on another
    // machine.
    if (name === "delivery_note_scan.pdf" && `${process.platform}-${process.arch}` !== "linux-x64") continue;
    assert.ok(
      (await readFile(join(made, name))).equals(await readFile(join(documents, name))),
      `${name} differs: run node scripts/fixtures.ts`,
    );
  }
});

test("the documents cover every format and stay under 600 KB", async () => {
  const sizes = await Promise.all(
    [...texts.keys()].map(async (name) => (await stat(join(documents, name))).size),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 600_000, `${total} bytes`);
  const endings = new Set([...texts.keys()].map((name) => name.slice(name.lastIndexOf("."))));
  assert.deepEqual([...endings].sort(), [".csv", ".docx", ".html", ".md", ".pdf", ".pptx", ".txt", ".xlsx"]);
});

test("the scan has a page without any text", () => {
  assert.deepEqual([...(texts.get("delivery_note_scan.pdf") ?? [])], [[1, ""]]);
});

test("the questions are unique, some cannot be answered and three are for the demo", () => {
  assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
  assert.ok(questions.filter(({ doc }) => doc !== undefined).length >= 20);
  assert.ok(questions.filter(({ answerable }) => answerable === false).length >= 4);
  assert.equal(questions.filter(({ demo }) => demo).length, 3);
  for (const { id, doc, answer, answerable } of questions) {
    assert.equal(id.startsWith("u"), answerable === false, id);
    assert.equal(doc === undefined, answerable === false, id);
    assert.equal(answer.length === 0, answerable === false, id);
  }
});

test("the expected pages hold every string that is accepted as an answer", () => {
  for (const { id, doc, answer, evidence_pages } of questions.filter(hasDocument)) {
    const found = texts.get(doc);
    assert.ok(found, `${id}: ${doc} does not exist`);
    assert.equal(
      evidence_pages.length === 0,
      found.has(0),
      `${id}: pages are named exactly where ${doc} has them`,
    );
    const text = (evidence_pages.length === 0 ? [0] : evidence_pages).map((page) => found.get(page) ?? "");
    for (const part of answer)
      assert.ok(text.join(" ").includes(part), `${id}: "${part}" is not on ${doc} ${evidence_pages}`);
  }
});

test("no unexpected page of an expected document holds the whole answer", () => {
  for (const { id, doc, answer, evidence_pages } of questions.filter(hasDocument)) {
    const elsewhere = [...(texts.get(doc) ?? [])].filter(
      ([page, text]) =>
        page > 0 && !evidence_pages.includes(page) && answer.every((part) => text.includes(part)),
    );
    assert.deepEqual(
      elsewhere.map(([page]) => page),
      [],
      id,
    );
  }
});
