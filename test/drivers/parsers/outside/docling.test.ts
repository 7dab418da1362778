import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import doclingParser from "../../../../src/drivers/parsers/outside/docling.ts";
import { runDocling } from "../../../../src/drivers/parsers/outside/docling-run.ts";
import { createParserChain } from "../../../../src/drivers/parsers/parser-chain.ts";
import { openParserPool } from "../../../../src/drivers/parsers/process/pool.ts";
import { source } from "../make.ts";

const ref = (path: string) => ({ $ref: `#/${path}` });
const at = (page: number, t: number, b: number) => [
  { page_no: page, bbox: { l: 10, t, r: 90, b, coord_origin: "BOTTOMLEFT" } },
];
const cell = (text: string, row: number, column: number, more: object = {}) => ({
  text,
  start_row_offset_idx: row,
  start_col_offset_idx: column,
  ...more,
});
const document = {
  schema_name: "DoclingDocument",
  version: "1.3.0",
  name: "pumps",
  body: {
    self_ref: "#/body",
    children: [
      ref("texts/1"),
      ref("groups/0"),
      ref("tables/0"),
      ref("texts/0"),
      ref("pictures/0"),
      ref("texts/6"),
    ],
  },
  groups: [
    { label: "list", children: [ref("texts/2"), ref("texts/3")] },
    { label: "list", children: [ref("texts/4")] },
  ],
  texts: [
    { label: "text", text: "The pump moves water.", prov: at(2, 700, 690) },
    { label: "section_header", level: 1, text: "Pumps", prov: at(1, 780, 760) },
    { label: "list_item", text: "Open", enumerated: true, marker: "1." },
    { label: "list_item", text: "Close", children: [ref("groups/1")] },
    { label: "list_item", text: "Slowly" },
    { label: "caption", text: "Table 1: limits" },
    { label: "page_footer", content_layer: "furniture", text: "Page 7" },
  ],
  tables: [
    {
      captions: [ref("texts/5")],
      prov: at(1, 500, 400),
      data: {
        num_rows: 2,
        num_cols: 2,
        table_cells: [
          cell("Limits", 0, 0, { col_span: 2, column_header: true }),
          cell("a", 1, 0),
          cell("b", 1, 1),
        ],
      },
    },
  ],
  pictures: [{ annotations: [{ kind: "description", text: "A red pump" }] }],
  pages: {
    1: { page_no: 1, size: { width: 100, height: 800 } },
    2: { page_no: 2, size: { width: 100, height: 800 } },
  },
};
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const parse = (value: unknown) => doclingParser().parse(bytesOf(value), { name: "pumps.json" });

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ragctl-docling-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("a DoclingDocument gives its reading order, kinds, pages, places and table grid", async () => {
  const { blocks, pageCount } = await parse(document);
  assert.equal(pageCount, 2);
  assert.deepEqual(
    blocks.map(({ kind, text, pages }) => [kind, text, pages[0]]),
    [
      ["heading", "Pumps", 1],
      ["list", "1. Open\n- Close\n  - Slowly", undefined],
      ["caption", "Table 1: limits", undefined],
      ["table", "Limits | Limits\na | b", 1],
      ["paragraph", "The pump moves water.", 2],
      ["picture", "A red pump", undefined],
    ],
  );
  assert.deepEqual(blocks[0]?.boxes, [{ page: 1, left: 10, top: 20, right: 90, bottom: 40 }]);
  assert.deepEqual(blocks[3]?.table?.spans, [{ row: 0, column: 0, rows: 1, columns: 2 }]);
  assert.equal(blocks[3]?.table?.headerRows, 1);
});

test("references in a circle end, a claimed table of a billion cells stays small, other JSON is unreadable", async () => {
  const circle = { ...document, groups: [{ label: "list", children: [ref("groups/0"), ref("texts/2")] }] };
  assert.ok((await parse(circle)).blocks.length > 0);
  const huge = {
    ...document,
    tables: [{ data: { num_rows: 1_000_000_000, num_cols: 1000, table_cells: [cell("a", 0, 0)] } }],
  };
  assert.ok((await parse(huge)).blocks.length > 0);
  await assert.rejects(parse({ schema_name: "Other" }), { code: "SOURCE_DAMAGED" });
});

test("docling reads by command or by server, and what it fails on is read by the built-in parser, which says so", async () => {
  const json = join(folder, "answer.json");
  await writeFile(json, bytesOf(document));
  const script = join(folder, "docling.mjs");
  await writeFile(
    script,
    `import { copyFileSync } from "node:fs";\nconst at = process.argv.indexOf("--output");\nif (process.argv.at(-1).includes("bad")) { console.error("model missing"); process.exit(3); }\ncopyFileSync(${JSON.stringify(json)}, process.argv[at + 1] + "/x.json");\n`,
  );
  const html = new TextEncoder().encode("<html><body><p>Built in.</p></body></html>");
  const [good, bad] = [
    await source(join(folder, "good.html"), "good.html", "html", html),
    await source(join(folder, "bad.html"), "bad.html", "html", html),
  ];
  const pool = openParserPool({ workers: 1, timeoutMs: 20_000, memoryMb: 256, maxBytes: 1e6 });
  const limits = { timeoutMs: 10_000, maxOutputBytes: 1e6 };
  const { signal } = new AbortController();
  await using readers = createParserChain(pool, {
    docling: { command: [process.execPath, script], ...limits },
  });
  const read = await readers.parse(good, signal);
  assert.deepEqual([read.method, read.content.blocks[0]?.text], ["docling", "Pumps"]);
  const fallen = await readers.parse(bad, signal);
  assert.equal(fallen.content.blocks[0]?.text, "Built in.");
  assert.match(
    fallen.content.warnings[0] ?? "",
    /status 3 \(model missing\); the built-in parser read it instead/,
  );

  const none = await source(
    join(folder, "bad.pdf"),
    "bad.pdf",
    "pdf",
    new TextEncoder().encode("%PDF-1.7 no pages"),
  );
  await assert.rejects(readers.parse(none, signal), (error: Error) =>
    /; before that, .*status 3 \(model missing\)/.test(error.message),
  );

  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify({ document: { json_content: document } })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  try {
    const served = await createParserChain(pool, { docling: { url, ...limits } }).parse(good, signal);
    assert.equal(served.method, "docling");
  } finally {
    server.close();
  }
  const gone = await createParserChain(pool, { docling: { url, ...limits } }).parse(good, signal);
  assert.match(gone.content.warnings[0] ?? "", /built-in parser read it instead/);
});

test("docling that answers too late or too much is told by the limit that it exceeded", async () => {
  const script = join(folder, "long.mjs");
  await writeFile(
    script,
    `import { writeFileSync } from "node:fs";\nconst at = process.argv.indexOf("--output");\nwriteFileSync(process.argv[at + 1] + "/x.json", " ".repeat(50_000));\n`,
  );
  const html = new TextEncoder().encode("<html><body><p>Read.</p></body></html>");
  const file = await source(join(folder, "long.html"), "long.html", "html", html);
  const { signal } = new AbortController();
  const limits = { timeoutMs: 10_000, maxOutputBytes: 1000 };
  await assert.rejects(runDocling(file, { command: [process.execPath, script], ...limits }, signal), {
    code: "PARSER_MEMORY",
    message: /1000 bytes for long\.html/,
  });

  let isSlow = false;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (!isSlow) response.end(" ".repeat(50_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  try {
    await assert.rejects(runDocling(file, { url, ...limits }, signal), { code: "PARSER_MEMORY" });
    isSlow = true;
    await assert.rejects(runDocling(file, { url, ...limits, timeoutMs: 200 }, signal), {
      code: "PARSER_TIMEOUT",
      message: /longer than 0\.2 s on long\.html/,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
