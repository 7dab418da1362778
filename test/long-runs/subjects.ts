import { intentFromPatterns } from "../../src/agents/decide/intent.ts";
import { keyTerms, toKeywordQuery } from "../../src/agents/decide/plan.ts";
import { isFaithfulRewrite, rewriteFollowUp } from "../../src/agents/decide/reflect.ts";
import { renderMarkdown } from "../../src/app/verify/export-markdown.ts";
import type { Tokenizer } from "../../src/core/documents/chunk.ts";
import type { Block, Format, Table } from "../../src/core/documents/document.ts";
import { tableText } from "../../src/core/documents/table-text.ts";
import { createChunker } from "../../src/drivers/chunkers/by-preset.ts";
import { squeeze } from "../../src/drivers/parsers/blocks.ts";
import { loadParser } from "../../src/drivers/parsers/by-format.ts";
import { isFigure } from "../../src/drivers/parsers/grid.ts";
import { withoutDoctype } from "../../src/drivers/parsers/office/xml.ts";
import { collectHyphenated, join } from "../../src/drivers/parsers/page/line-text.ts";
import { partsOf } from "../../src/language/clauses.ts";
import { detectDependence } from "../../src/language/dependence.ts";
import { socialPhraseKinds, stripGreeting, vaguenessReason } from "../../src/language/forms.ts";
import { namesIn } from "../../src/language/names.ts";
import { declaredScales, quantitiesIn } from "../../src/language/quantities.ts";
import { sentences } from "../../src/language/sentences.ts";
import { contentTerms, words } from "../../src/language/terms.ts";
import { datesIn } from "../../src/language/time/dates.ts";
import { contentWords, namesAndNumbers, oneLine } from "../../src/language/words.ts";
import { sanitizePassage } from "../../src/pipeline/answer/clean.ts";
import { evidence } from "../../src/pipeline/answer/evidence.ts";
import { bestQuote, termCoverage } from "../../src/pipeline/answer/extract.ts";
import { neutralizeMarkup } from "../../src/pipeline/answer/ground.ts";
import { stripInjections } from "../../src/pipeline/answer/injection/injection.ts";
import { analyzeQuestion } from "../../src/pipeline/answer/question.ts";
import { refusal } from "../../src/pipeline/answer/refuse.ts";
import { statementsOf, truncateIfCutOff } from "../../src/pipeline/answer/statements.ts";
import { chunk, documentTitle } from "../../src/pipeline/ingest/chunk.ts";
import { evaluate, indexTables } from "../../src/pipeline/tables/answer.ts";
import { readColumn } from "../../src/tables/cells.ts";
import { safeName } from "../../src/tables/names.ts";
import { readCellQueries } from "../../src/tables/query/cells-asked.ts";
import { findQuestionValues, nameRoots } from "../../src/tables/query/match.ts";
import { readTableQuery } from "../../src/tables/query/read.ts";
import { localeRules } from "../../src/tables/query/reading.ts";
import type { TableSchema } from "../../src/tables/schema.ts";
import { argumentOrigins } from "../../src/tools/arguments.ts";
import { arithmeticIn } from "../../src/tools/calculator/arithmetic.ts";
import { plainNumbers } from "../../src/tools/calculator/numbers.ts";
import { guardSelect } from "../../src/tools/database/guard.ts";
import { zip } from "../drivers/parsers/make.ts";
import { chunkOf, countWords, hitOf, runOf } from "../pipeline/fixtures.ts";

/**
 * What is done with a long text. What reads passages gets one as long as a chunk can be; what does much for
 * each character gets a part.
 */
export interface Subject {
  readonly run: (text: string) => unknown;
  readonly size: "document" | "passage" | "part";
}

const tokenizer: Tokenizer = {
  count: countWords,
  encode: () => [],
  encodeForModel: () => ({ ids: [], truncated: 0 }),
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const paragraph = (text: string): Block => ({ kind: "paragraph", text, pages: [] });
const tableOf = (text: string): Table => ({
  rows: text.split("\n").map((line) => line.split("|")),
  headerRows: 1,
  sheet: "S",
});
const tables: readonly TableSchema[] = [
  {
    name: "pumps",
    title: "pumps.csv",
    columns: [
      { name: "model", title: "Model", type: "text", unit: "", values: ["HP-900"] },
      { name: "pressure", title: "Pressure (bar)", type: "integer", unit: "bar", values: [] },
    ],
    rowCount: 2,
    samples: [],
  },
];

const document = (run: Subject["run"]): Subject => ({ run, size: "document" });
const passage = (run: Subject["run"]): Subject => ({ run, size: "passage" });
const part = (run: Subject["run"]): Subject => ({ run, size: "part" });
const parsed = (format: Format, name: string, of: (text: string) => Uint8Array) =>
  document(async (text) => (await loadParser(format)).parse(of(text), { name }));

const cellQueries = ["What was the dues in 2021?", "In which year was dues less than 3?"].flatMap(
  (question) => Object.values(readCellQueries(question)).filter((query) => query !== null),
);

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const o = ["office", "text", "table"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");
const opf = `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`;
const officeRel = `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

const parsers: Readonly<Record<string, Subject>> = {
  text: parsed("text", "a.txt", bytes),
  markdown: parsed("markdown", "a.md", bytes),
  html: parsed("html", "a.html", bytes),
  "html text": parsed("html", "a.html", (text) =>
    bytes(`<body><p>${escaped(text)}</p><pre>${escaped(text)}</pre></body>`),
  ),
  csv: parsed("csv", "a.csv", bytes),
  rtf: parsed("rtf", "a.rtf", (text) => bytes(`{\\rtf1 ${text}}`)),
  eml: parsed("eml", "a.eml", (text) => bytes(`From: a@example.org\nSubject: x\n\n${text}`)),
  "eml subject": parsed("eml", "a.eml", (text) =>
    bytes(`From: a@example.org\nSubject: ${text.replaceAll("\n", " ")}\n\nbody`),
  ),
  docling: parsed("docling", "a.json", (text) =>
    bytes(
      JSON.stringify({
        schema_name: "DoclingDocument",
        version: "1.3.0",
        name: "a",
        body: { self_ref: "#/body", children: [{ $ref: "#/texts/0" }] },
        texts: [{ label: "text", text }],
      }),
    ),
  ),
  odt: parsed("odt", "a.odt", (text) =>
    zip({
      "content.xml": `<office:document-content ${o}><office:body><office:text><text:p>${escaped(text)}</text:p></office:text></office:body></office:document-content>`,
    }),
  ),
  epub: parsed("epub", "a.epub", (text) =>
    zip({
      "META-INF/container.xml": `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`,
      "a.opf": opf,
      "a.xhtml": `<html><body><p>${escaped(text)}</p></body></html>`,
    }),
  ),
  docx: parsed("docx", "a.docx", (text) =>
    zip({
      "_rels/.rels": officeRel,
      "word/document.xml": `<w:document ${w}><w:body><w:p><w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p></w:body></w:document>`,
    }),
  ),
};

const reading: Readonly<Record<string, Subject>> = {
  squeeze: document(squeeze),
  tableText: document((text) => tableText(tableOf(text).rows)),
  isFigure: document(isFigure),
  "pdf lines": document((text) => [collectHyphenated(text, new Set()), join(text, text, new Set())]),
  withoutDoctype: document((text) => withoutDoctype(`<!DOCTYPE a [${text}`)),
  documentTitle: document((text) => documentTitle({ file: { name: text }, content: { title: text } })),
  renderMarkdown: document((text) => {
    const blocks: readonly Block[] = [
      paragraph(text),
      { ...paragraph(text), kind: "heading" },
      { ...paragraph(text), table: tableOf(text) },
    ];
    return renderMarkdown({ title: "", blocks, pageCount: 0, pagesWithoutText: [], warnings: [] });
  }),
  ...Object.fromEntries(
    (["hybrid", "recursive", "sentence", "fixed", "window"] as const).map((preset) => [
      `chunks, ${preset}`,
      part((text) => chunks(preset, text)),
    ]),
  ),
};

async function chunks(preset: Parameters<typeof createChunker>[0], text: string): Promise<unknown> {
  const chunker = await createChunker(
    preset,
    { size: 0, overlap: -1 },
    { maxTokens: 512, minTokens: 64, titleOf: documentTitle },
  );
  const blocks: readonly Block[] = [
    { ...paragraph(text.slice(0, 200)), kind: "heading", level: 1 },
    paragraph(text),
    { ...paragraph(text), kind: "table", table: tableOf(text) },
  ];
  const file = { path: "/a.txt", name: "a.txt", format: "text" as const, sizeBytes: 1, sha256: "0" };
  const content = { title: "", blocks, pageCount: 0, pagesWithoutText: [], warnings: [] };
  const place = { documentId: "d", versionId: "v", collection: "c", department: "" };
  return chunk({ file, content, method: "test" }, place, chunker, tokenizer);
}

const asking: Readonly<Record<string, Subject>> = {
  dependence: document(detectDependence),
  forms: document((text) => [socialPhraseKinds(text), stripGreeting(text), vaguenessReason(text)]),
  intentFromPatterns: document((text) => intentFromPatterns(text, [])),
  partsOf: document(partsOf),
  plan: document((text) => [toKeywordQuery(text), keyTerms(text)]),
  words: document((text) => [contentWords(text), namesAndNumbers(text), oneLine(text)]),
  faithful: document((text) => isFaithfulRewrite(text, text, [])),
  reflect: document((text) =>
    Promise.all(
      ["and for Japan?", "what about the second one?"].map((question) =>
        rewriteFollowUp(
          question,
          [{ role: "user", author: "", text }],
          { model: () => Promise.resolve(null) },
          runOf(),
        ),
      ),
    ),
  ),
  arithmeticIn: document(arithmeticIn),
  plainNumbers: document(plainNumbers),
  matchQuestion: document((text) => findQuestionValues(text, tables)),
  readTableQuery: document((text) => readTableQuery(text, tables)),
  guardSelect: document((text) => guardSelect(`select ${text}`, "sqlite", ["pumps"])),
  argumentOrigins: document((text) =>
    argumentOrigins({ a: text }, { question: text, history: [], retrieved: [text], parameters: {} }),
  ),
  readColumn: document((text) => readColumn([text, text])),
  names: document((text) => [safeName(text, "c", new Set()), nameRoots(text, localeRules(text))]),
};

const answering: Readonly<Record<string, Subject>> = {
  terms: document((text) => [words(text), contentTerms(text)]),
  sentences: document(sentences),
  quantitiesIn: document((text) => [quantitiesIn(text.toLowerCase()), declaredScales(text.toLowerCase())]),
  datesIn: document(datesIn),
  clean: document(sanitizePassage),
  inert: document((text) => neutralizeMarkup(text, [])),
  finished: document(truncateIfCutOff),
  statements: document((text) => statementsOf(text)),
  stripInjections: passage((text) => stripInjections(text, false)),
  quotes: passage((text) => [
    termCoverage("The valve opens at 3 bar.", text),
    bestQuote("The valve opens at 3 bar.", text),
  ]),
  evidence: passage((text) => [
    evidence(analyzeQuestion(text), [hitOf("3 bar")]),
    evidence(analyzeQuestion("How high is it?"), [hitOf(text)]),
    namesIn(text),
  ]),
  "cells of tables": passage((text) => [
    ...[`What was the ${text} in 2021?`, `In which year was ${text} less than 3?`].map(readCellQueries),
    cellQueries.map((asked) =>
      evaluate(asked, indexTables([chunkOf(text), chunkOf(` | 2021 | 2020\n${text}`)]), new Set()),
    ),
  ]),
  refusal: passage((text) =>
    refusal(analyzeQuestion("How high is the pressure?"), [{ chunk: chunkOf(text), quote: text }]),
  ),
};

export const subjects: Readonly<Record<string, Subject>> = {
  ...parsers,
  ...reading,
  ...asking,
  ...answering,
};
