import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cellsOf } from "../../../src/core/documents/cells.ts";
import { embedText, type Tokenizer } from "../../../src/core/documents/chunk.ts";
import type { Block, ParsedDocument } from "../../../src/core/documents/document.ts";
import { headingsAbove, sectionsOf } from "../../../src/core/documents/sections.ts";
import hybrid from "../../../src/drivers/chunkers/hybrid.ts";
import { cellsForQuote } from "../../../src/tables/quoted-cells.ts";
import { eager } from "../../helpers/chunk.ts";

/** One token per word: enough to test sizes without weights. */
const words: Tokenizer = {
  count: (text) => text.split(/\s+/).filter((word) => word !== "").length,
  encode: (text) => text.split(/\s+/).map((_, i) => i),
  encodeForModel: (text) => ({ ids: text.split(/\s+/).map((_, i) => i), truncated: 0 }),
};

const openHybridChunker = (options: Parameters<typeof hybrid>[0]) => eager(hybrid(options));
const chunker = openHybridChunker({ maxTokens: 64, minTokens: 8, titleOf: ({ content }) => content.title });

function documentOf(blocks: readonly Block[], name = "manual.pdf"): ParsedDocument {
  const file = {
    path: `/documents/${name}`,
    name,
    format: "pdf" as const,
    sizeBytes: 1,
    sha256: "0".repeat(64),
  };
  return {
    file,
    content: { title: "Manual", blocks, pageCount: 9, pagesWithoutText: [], warnings: [] },
    method: "test",
  };
}

const paragraph = (text: string, ...pages: number[]): Block => ({ kind: "paragraph", text, pages });
const heading = (text: string, level: number, ...pages: number[]): Block => ({
  kind: "heading",
  text,
  level,
  pages,
});
const many = (count: number, word = "word"): string =>
  Array.from({ length: count }, (_, i) => `${word}${i}`).join(" ");

test("a new page begins a new chunk", () => {
  const drafts = chunker.chunk(documentOf([paragraph("one", 1), paragraph("two", 2)]), words);
  assert.deepEqual(
    drafts.map((draft) => draft.pages),
    [[1], [2]],
  );
});

test("a paragraph that goes over a page records both pages", () => {
  const [draft] = chunker.chunk(documentOf([paragraph(many(20), 3, 4)]), words);
  assert.deepEqual(draft?.pages, [3, 4]);
});

test("a heading stands with the text below it, never alone at the end of a chunk", () => {
  const drafts = chunker.chunk(
    documentOf([paragraph(many(50), 1), heading("Seals", 1, 1), paragraph(many(30, "seal"), 1)]),
    words,
  );
  assert.equal(drafts.length, 2);
  assert.ok(drafts[1]?.text.startsWith("Seals\n\nseal0"));
});

test("a heading at the foot of a page goes with the text of the next page", () => {
  const drafts = chunker.chunk(
    documentOf([paragraph(many(20), 1), heading("Seals", 1, 1), paragraph("Replace them.", 2)]),
    words,
  );
  assert.deepEqual(
    drafts.map((draft) => draft.text),
    [many(20), "Seals\n\nReplace them."],
  );
});

test("every part of a table that is cut repeats the header row", () => {
  const rows = [["Part", "Torque"], ...Array.from({ length: 40 }, (_, i) => [`P-${i}`, `${i} Nm`])];
  const block: Block = {
    kind: "table",
    text: rows.map((row) => row.join(" | ")).join("\n"),
    pages: [1],
    table: { rows, headerRows: 1 },
  };
  const drafts = chunker.chunk(documentOf([block]), words);
  assert.ok(drafts.length > 1);
  for (const draft of drafts) {
    assert.ok(draft.text.startsWith("Part | Torque\n"), draft.text);
    assert.equal(draft.contentType, "table");
  }
});

test("rows of a table in a text are cited by their lines, and those in a notebook by its cell", () => {
  const rows = [["Part", "Torque"], ...Array.from({ length: 40 }, (_, i) => [`P-${i}`, `${i} Nm`])];
  const rowNumbers = Array.from({ length: 40 }, (_, i) => 12 + 2 * i);
  const table = { rows, headerRows: 1, rowNumbers };
  const cited = (place: Block["place"]) =>
    chunker
      .chunk(documentOf([{ kind: "table", text: "x", pages: [], table, ...(place && { place }) }]), words)
      .map(cellsOf);
  const lines = cited({ unit: "line", number: 10 });
  assert.deepEqual([lines[0], lines.at(-1)], [["lines 12–32"], ["lines 78–90"]]);
  assert.deepEqual(new Set(cited({ unit: "cell", number: 3 }).flat()), new Set(["cell 3"]));
});

test("a chunk of text and a table names both kinds", () => {
  const table: Block = {
    kind: "table",
    text: "a | b\n1 | 2",
    pages: [1],
    table: {
      rows: [
        ["a", "b"],
        ["1", "2"],
      ],
      headerRows: 1,
    },
  };
  const [draft] = chunker.chunk(
    documentOf([{ kind: "paragraph", text: "Prices follow.", pages: [1] }, table]),
    words,
  );
  assert.equal(draft?.contentType, "paragraph");
  assert.deepEqual(draft?.kinds, ["paragraph", "table"]);
});

test("a spreadsheet row becomes a sentence list with file, sheet and column names", () => {
  const rows = [
    ["Pump", "Pressure"],
    ["P-101", "150 PSI"],
  ];
  const block: Block = { kind: "table", text: "", pages: [], table: { rows, headerRows: 1, sheet: "Pumps" } };
  const [draft] = chunker.chunk(documentOf([{ ...block, text: "x" }], "equipment_data.xlsx"), words);
  assert.equal(draft?.text, "From equipment_data.xlsx, sheet 'Pumps':\n- Pump: P-101\n- Pressure: 150 PSI");
});

test("rows of a spreadsheet stand apart, their columns called by all rows of the header", () => {
  const rows = [
    ["Region", "2023", "2024"],
    ["Region", "Plan", "Plan"],
    ["North", "1", "2"],
    ["", "3", "4"],
  ];
  const table = { rows, headerRows: 2, sheet: "Sales" };
  const block: Block = { kind: "table", text: "x", pages: [], table };
  const [draft] = chunker.chunk(documentOf([block], "plan.xlsx"), words);
  assert.equal(
    draft?.text,
    "From plan.xlsx, sheet 'Sales':\n- Region: North\n- 2023 Plan: 1\n- 2024 Plan: 2\n\n- 2023 Plan: 3\n- 2024 Plan: 4",
  );
});

test("no chunk is longer than the limit and no word is lost, whatever the document", () => {
  const block = fc.oneof(
    fc.record({
      kind: fc.constant("paragraph" as const),
      length: fc.integer({ min: 1, max: 200 }),
      page: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({
      kind: fc.constant("heading" as const),
      length: fc.integer({ min: 1, max: 8 }),
      page: fc.integer({ min: 1, max: 4 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 12 }), (shapes) => {
      const pages = shapes.map((shape) => shape.page).sort();
      const blocks = shapes.map((shape, i): Block => {
        const text = many(shape.length, `b${i}w`);
        return shape.kind === "heading"
          ? heading(text, 1 + (i % 3), pages[i] ?? 1)
          : paragraph(text, pages[i] ?? 1);
      });
      const drafts = chunker.chunk(documentOf(blocks), words);
      assert.ok(
        drafts.every((draft) => draft.tokenCount <= 64),
        JSON.stringify(drafts.map((draft) => draft.tokenCount)),
      );
      const seen = drafts.flatMap((draft) => draft.text.split(/\s+/));
      const wanted = blocks.flatMap((item) => item.text.split(/\s+/));
      for (const word of wanted)
        assert.ok(
          seen.includes(word) || drafts.some((draft) => draft.headings.join(" ").includes(word)),
          word,
        );
      assert.equal(seen.length, new Set(seen).size, "nothing twice");
    }),
    { numRuns: 300 },
  );
});

test("a chunk that begins with its own heading stands under it, and the heading is embedded once", () => {
  const blocks = [
    heading("Seals", 1, 1),
    paragraph(many(10), 1),
    heading("Fitting", 2, 2),
    paragraph(many(10), 2),
  ];
  const drafts = chunker.chunk(documentOf(blocks), words);
  assert.deepEqual(
    drafts.map(({ headings }) => headings),
    [["Seals"], ["Seals", "Fitting"]],
  );
  assert.deepEqual(
    drafts.map((draft) => embedText({ ...draft, title: "Manual" }).split("\n\n")[0]),
    ["Manual\nSeals", "Manual › Seals\nFitting"],
  );
});

test("of sibling headings a chunk begins with, the one above its text names its section", () => {
  const blocks = [
    heading("Pumps", 1, 1),
    paragraph(many(10), 1),
    heading("Empty", 2, 2),
    heading("Seals", 2, 2),
    paragraph(many(10), 2),
  ];
  assert.deepEqual(chunker.chunk(documentOf(blocks), words)[1]?.headings, ["Pumps", "Seals"]);
  const shallower = [
    heading("Pumps", 1, 1),
    paragraph(many(10), 1),
    heading("Empty", 2, 2),
    heading("Valves", 1, 2),
    paragraph("open", 2),
  ];
  assert.deepEqual(chunker.chunk(documentOf(shallower), words)[1]?.headings, ["Valves"]);
});

test("two tables of one sheet each stand below the name of their sheet", () => {
  const table = (rows: string[][], range: string): Block => ({
    kind: "table",
    text: "table",
    pages: [],
    table: { rows, headerRows: 1, sheet: "Plant", range },
  });
  const valves = table(
    [
      ["Valve", "Kv"],
      ["V-201", "25"],
      ["V-202", "40"],
    ],
    "A1:B3",
  );
  const motors = table(
    [
      ["Motor", "Power"],
      ["M-301", "11"],
    ],
    "A6:B7",
  );
  const [draft, ...others] = chunker.chunk(documentOf([valves, motors], "plant.xlsx"), words);
  assert.equal(others.length, 0);
  assert.equal(
    draft?.text,
    "From plant.xlsx, sheet 'Plant':\n- Valve: V-201\n- Kv: 25\n\n- Valve: V-202\n- Kv: 40\n\nFrom plant.xlsx, sheet 'Plant':\n- Motor: M-301\n- Power: 11",
  );
  assert.deepEqual(draft && cellsOf(draft), ["Plant!A2:B3", "Plant!A7:B7"]);
  const quoted = ["- Motor: M-301\n- Power: 11", "Valve: V-202; Kv: 40", "- Kv: 25", "nowhere"];
  assert.deepEqual(
    quoted.map((quote) => draft && cellsForQuote(quote, draft)),
    [["Plant!A7:B7"], ["Plant!A3:B3"], ["Plant!B2"], []],
  );
});

test("columns of a sheet that are called alike are told apart", () => {
  const rows = [
    ["Sensor", "Value", "Unit", "Value", "Unit"],
    ["S-1", "12", "bar", "80", "°C"],
  ];
  const block: Block = {
    kind: "table",
    text: "table",
    pages: [],
    table: { rows, headerRows: 1, sheet: "A" },
  };
  const [draft] = chunker.chunk(documentOf([block], "a.xlsx"), words);
  assert.equal(
    draft?.text,
    "From a.xlsx, sheet 'A':\n- Sensor: S-1\n- Value: 12\n- Unit: bar\n- Value (2): 80\n- Unit (2): °C",
  );
});

for (const [name, sheet, lead] of [
  ["wide.xlsx", { sheet: "Long" }, "From wide.xlsx, sheet 'Long':"],
  ["export/wide.csv", {}, "From export/wide.csv, sheet 'wide':"],
] as const)
  test(`a row of ${name} that is too long is cut between its cells, what it begins with repeated`, () => {
    const heads = Array.from({ length: 30 }, (_, at) => `Setting ${at}`);
    const rows = [
      ["Machine", ...heads],
      ["X-1", ...heads.map((_, at) => `${at} units`)],
    ];
    const table = { rows, headerRows: 1, range: "A1:AE2", ...sheet };
    const drafts = chunker.chunk(
      documentOf([{ kind: "table", text: "table", pages: [], table }], name),
      words,
    );
    assert.ok(drafts.length > 1);
    for (const { text, tokenCount, sheetParts } of drafts) {
      assert.ok(text.startsWith(`${lead}\n- Machine: X-1\n- Setting `), text);
      assert.match(text, /- Setting \d+: \d+ units$/);
      assert.ok(tokenCount <= 64);
      assert.deepEqual(sheetParts?.[0]?.rows[0]?.[1], 2);
    }
    const told = drafts.flatMap(({ text }) => text.match(/- Setting \d+: \d+ units/g) ?? []);
    assert.deepEqual(
      told,
      heads.map((head, at) => `- ${head}: ${at} units`),
    );
  });

test("rows of a CSV are known by their numbers in the file", () => {
  const rows = [
    ["Life", "Rate"],
    ["5 to 10", "20%"],
    ["over 10", "8%"],
  ];
  const table = { rows, headerRows: 1, range: "A2:B6", rowNumbers: [4, 6] };
  const [draft] = chunker.chunk(
    documentOf([{ kind: "table", text: "table", pages: [], table }], "rates.csv"),
    words,
  );
  assert.deepEqual(draft && cellsForQuote("over 10 | 8%", draft), ["A6:B6"]);
});

test("every chunk of a workbook names its sheet, the first of each too", () => {
  const table = (sheet: string): Block => {
    const rows = [["Part", "Torque"], ...Array.from({ length: 20 }, (_, i) => [`P-${i}`, `${i} Nm`])];
    return { kind: "table", text: rows.join("\n"), pages: [], table: { rows, headerRows: 1, sheet } };
  };
  const drafts = chunker.chunk(
    documentOf([heading("Pumps", 1), table("Pumps"), heading("Valves", 1), table("Valves")]),
    words,
  );
  assert.ok(drafts.length > 3);
  for (const { headings, text } of drafts)
    assert.ok(text.includes(`sheet '${headings.at(-1)}'`), `${headings}: ${text}`);
});

test("a sentence keeps the headings it stands under where short sections share a chunk", () => {
  const blocks = [
    heading("Manual", 1),
    heading("Locks", 2),
    paragraph("Fit a lock."),
    heading("Gear", 2),
    paragraph("Wear gloves."),
    heading("Eyes", 3),
    paragraph("Wear goggles."),
    heading("Fire", 1),
    paragraph("Leave at once."),
  ];
  const roomy = openHybridChunker({ maxTokens: 64, minTokens: 60, titleOf: () => "" });
  const [draft, ...others] = roomy.chunk(documentOf(blocks), words);
  assert.ok(draft !== undefined && others.length === 0);
  assert.deepEqual(
    ["Fit a lock.", "Wear gloves.", "Wear  goggles.", "Leave at…", "Nothing of it."].map((quote) =>
      headingsAbove(quote, draft),
    ),
    [["Manual", "Locks"], ["Manual", "Gear"], ["Manual", "Gear", "Eyes"], ["Fire"], ["Manual", "Locks"]],
  );
  assert.equal(
    sectionsOf(draft)
      .map(({ text }) => text)
      .join(""),
    draft.text,
  );
  const before = { ...draft, title: "" };
  const { innerHeadings: _, ...after } = before;
  assert.equal(embedText(before), embedText(after));
});

test("a size in tokens holds for the windows of pages too, which otherwise have at most 402", () => {
  const text = "word\n".repeat(1500).trim();
  const { file, content, method } = documentOf([]);
  const paged = { file, method, content: { ...content, pageTexts: [{ page: 1, text }] } };
  const sizes = (windowTokens?: number): readonly number[] => {
    const given = windowTokens === undefined ? {} : { windowTokens };
    const options = { maxTokens: 1000, minTokens: 8, titleOf: () => "Manual", ...given };
    return openHybridChunker(options)
      .chunk(paged, words)
      .map(({ tokenCount }) => tokenCount);
  };
  assert.equal(Math.max(...sizes()), 402);
  assert.equal(Math.max(...sizes(1000)), 1000);
});

/** A file of code in two named parts, as its parser reads it. */
const codeBlocks = (member?: string): readonly Block[] => {
  const at = (number: number) => ({ unit: "line" as const, number, ...(member && { member }) });
  return [
    { kind: "code", text: "import x\n\nimport y", pages: [], place: at(1) },
    { kind: "heading", isName: true, level: 1, text: "Pump", pages: [] },
    { kind: "code", text: "class Pump {\n  speed = 3;", pages: [], place: at(4) },
    { kind: "heading", isName: true, level: 2, text: "stop", pages: [] },
    { kind: "code", text: "  stop() {}\n}", pages: [], place: at(7) },
  ];
};

test("a chunk of code is the lines of its file, cited by their numbers and named by its definitions", () => {
  const sparing = openHybridChunker({ maxTokens: 64, minTokens: 20, titleOf: () => "pump" });
  const [draft, ...others] = sparing.chunk(documentOf(codeBlocks()), words);
  assert.ok(draft);
  assert.deepEqual(others, []);
  assert.equal(draft.text, "import x\n\nimport y\nclass Pump {\n  speed = 3;\n\n  stop() {}\n}");
  assert.deepEqual(cellsOf(draft), ["lines 1–8"]);
  assert.deepEqual(
    ["class Pump {", "speed = 3;\n\n  stop() {}", "words of nobody"].map((quote) =>
      cellsForQuote(quote, draft),
    ),
    [["line 4"], ["lines 5–7"], ["lines 1–8"]],
  );
  assert.deepEqual(headingsAbove("stop() {}", draft), ["Pump", "stop"]);
  assert.deepEqual(headingsAbove("import y", draft), []);
});

test("a definition longer than a chunk is cut between its lines, each part embedded under its name", () => {
  const text = Array.from({ length: 80 }, (_, at) => `line ${at} of code`).join("\n");
  const drafts = chunker.chunk(
    documentOf([
      { kind: "heading", isName: true, level: 1, text: "Pump", pages: [] },
      { kind: "code", text, pages: [], place: { unit: "line", number: 11 } },
    ]),
    words,
  );
  assert.equal(drafts.map((draft) => draft.text).join("\n"), text);
  assert.deepEqual(drafts.flatMap(cellsOf).slice(0, 2), ["lines 11–21", "lines 22–32"]);
  for (const draft of drafts) assert.match(embedText({ ...draft, title: "pump" }), /^pump › Pump\nline /);
});

test("a paragraph longer than a chunk is cut at its sentences, each cited by the lines on which it stands", () => {
  const text = Array.from({ length: 60 }, (_, at) => `Sentence ${at}\nends here.`).join(" ");
  const [first, second] = chunker.chunk(
    documentOf([{ kind: "paragraph", text, pages: [], place: { unit: "line", number: 3 } }]),
    words,
  );
  assert.deepEqual(
    [first, second].map((draft) => draft && cellsOf(draft)),
    [["lines 3–12"], ["lines 13–22"]],
  );
  assert.deepEqual(second && cellsForQuote("Sentence 12 ends here.", second), ["lines 15–16"]);
});

test("lines of a file in an archive, times and cells are cited as what they are", () => {
  const cited = (blocks: readonly Block[]) =>
    openHybridChunker({ maxTokens: 64, minTokens: 20, titleOf: () => "pump" })
      .chunk(documentOf(blocks), words)
      .flatMap(cellsOf);
  const at = (unit: "second" | "cell", number: number): Block => ({
    ...paragraph("A few words."),
    place: { unit, number },
  });
  assert.deepEqual(cited(codeBlocks("src/a.ts")), ["src/a.ts, lines 1–8"]);
  assert.deepEqual(cited([at("second", 65), at("second", 3725)]), ["00:01:05–01:02:05"]);
  assert.deepEqual(cited([at("cell", 3)]), ["cell 3"]);
});

test("tokens of a long text are counted a few times at most, however it is written", () => {
  const texts = [
    `{${Array.from({ length: 20_000 }, (_, at) => `"key ${at}":"the value ${at}"`).join(",")}}`,
    `"${"QUJDREVG".repeat(40_000)}"`,
    many(60_000),
    Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n"),
  ];
  for (const text of texts)
    for (const kind of ["code", "paragraph"] as const) {
      let counted = 0;
      const counting: Tokenizer = {
        ...words,
        // Two characters a token, as in data.
        count(part) {
          counted += part.length;
          return Math.ceil(part.replace(/\s/g, "").length / 2);
        },
      };
      const drafts = chunker.chunk(documentOf([{ kind, text, pages: [] }]), counting);
      assert.ok(counted < 6 * text.length, `${text.slice(0, 12)} ${kind}: ${counted / text.length} times`);
      const bare = (whole: string): string => whole.replace(/\s+/g, "");
      assert.equal(bare(drafts.map((draft) => draft.text).join("")), bare(text));
    }
});

test("data without blanks is cut after a sign that divides it", () => {
  const text = `{${Array.from({ length: 400 }, (_, at) => `"k${at}":${at}`).join(",")}}`;
  const counting: Tokenizer = { ...words, count: (part) => part.length };
  const drafts = chunker.chunk(documentOf([{ kind: "code", text, pages: [] }]), counting);
  assert.ok(drafts.length > 10);
  for (const draft of drafts.slice(0, -1)) assert.match(draft.text, /[,:]$/);
});

test("the first chunks of a long document are there before the others are made", () => {
  let counted = 0;
  const counting: Tokenizer = {
    ...words,
    count(part) {
      counted += part.length;
      return words.count(part);
    },
  };
  const text = many(60_000);
  const chunks = hybrid({ maxTokens: 64, minTokens: 8, titleOf: () => "" }).chunk(
    documentOf([{ kind: "code", text, pages: [] }]),
    counting,
  );
  for (const { text: first } of chunks) {
    assert.match(first, /^word0 /);
    break;
  }
  assert.ok(counted < text.length / 10, `${counted} of ${text.length} characters`);
});
