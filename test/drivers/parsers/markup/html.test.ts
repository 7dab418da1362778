import assert from "node:assert/strict";
import { test } from "node:test";
import htmlParser from "../../../../src/drivers/parsers/markup/html.ts";
import markdownParser from "../../../../src/drivers/parsers/markup/markdown.ts";

const html = (body: string) => htmlParser().parse(new TextEncoder().encode(body), { name: "page.html" });
const markdown = (text: string) =>
  markdownParser().parse(new TextEncoder().encode(text), { name: "page.md" });
const shape = (blocks: readonly { kind: string; text: string }[]) =>
  blocks.map(({ kind, text }) => [kind, text]);

test("a figure gives its alternative text and its caption; a file name or the word image says nothing", async () => {
  const { blocks } = await html(
    `<p>Text <a href="#"><img alt="A red pump"></a></p><figure><img src="a.png" alt="The plant from above"><figcaption>Figure 1</figcaption></figure><img alt="photo.jpg"><img alt="image">`,
  );
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Text"],
    ["picture", "A red pump"],
    ["picture", "The plant from above"],
    ["caption", "Figure 1"],
  ]);
});

test("spans are laid out and named; lists in cells keep their marks; a table that only places things is opened", async () => {
  const { blocks } = await html(
    `<table><thead><tr><th rowspan=2>Pump</th><th colspan=2>Bar</th></tr><tr><th>min</th><th>max</th></tr></thead><tr><td>P-1</td><td><ul><li>2</li><li>3</li></ul></td><td>10</td></tr></table>
     <table><tr><td><h2>Menu</h2><p>Opened.</p></td></tr></table>`,
  );
  assert.deepEqual(blocks[0]?.table, {
    rows: [
      ["Pump", "Bar", "Bar"],
      ["Pump", "min", "max"],
      ["P-1", "- 2 - 3", "10"],
    ],
    headerRows: 2,
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
    ],
  });
  assert.deepEqual(shape(blocks.slice(1)), [
    ["heading", "Menu"],
    ["paragraph", "Opened."],
  ]);
});

test("a page of scripts with one line of text gives the line; one of nothing but scripts is empty", async () => {
  const script = `<script>${"var x = '<p>no</p>';".repeat(5000)}</script>`;
  assert.deepEqual(shape((await html(`${script}<p>One line.</p>${script}`)).blocks), [
    ["paragraph", "One line."],
  ]);
  await assert.rejects(html(`${script}<noscript>Switch scripts on</noscript>`), { code: "SOURCE_EMPTY" });
});

test("a table of huge spans stays small, and deep nesting does not break the reader", async () => {
  const { blocks } = await html(
    `<table>${`<tr><td rowspan=65534 colspan=65534>x</td><td>y</td></tr>`.repeat(50)}</table>`,
  );
  assert.ok((blocks[0]?.table?.rows[0]?.length ?? 0) <= 1001);
  const outcome = await html(`${"<div>".repeat(50_000)}deep`).then(
    () => "read",
    (error: { code?: string; name?: string }) => error.code ?? error.name,
  );
  assert.match(String(outcome), /read|RangeError/);
});

test("a note of Markdown stands behind the block that calls it, numbered in the order of the marks", async () => {
  const { blocks } = await markdown(
    "One.[^b] Two.[^b]\n\n- item[^a]\n\n| a |\n|---|\n| x[^word] |\n\n> quoted[^b]\n\nNo note.[^none] `[^a]`\n\n[^a]: First *note*.\n\n    Its second paragraph.\n\n[^b]: Second.\n[^word]: Word\n",
  );
  assert.deepEqual(shape(blocks), [
    ["paragraph", "One.[1] Two.[1]"],
    ["footnote", "[1] Second."],
    ["list", "- item[2]"],
    ["footnote", "[2] First note. Its second paragraph."],
    ["table", "a\nx[3]"],
    ["footnote", "[3] Word"],
    ["paragraph", "quoted[1]"],
    ["footnote", "[1] Second."],
    ["paragraph", "No note.[^none] [^a]"],
  ]);
});

test("Markdown keeps front matter, footnotes, tables, nested lists, code and the HTML within", async () => {
  const { blocks, title } = await markdown(
    '---\ntitle: "The pump"\nauthor: Ann\ntags: [a, b]\n---\n# Head\n\nTen bar.[^1] A<br>B\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<table><tr><th>k</th></tr><tr><td>v</td></tr></table>\n\n```js\nx()\n```\n\n[^1]: At *sea* level.\n[^w]: Word\n',
  );
  assert.equal(title, "The pump");
  assert.deepEqual(shape(blocks), [
    ["paragraph", "author: Ann\ntags: [a, b]"],
    ["heading", "Head"],
    ["paragraph", "Ten bar.[1] A\nB"],
    ["footnote", "[1] At sea level."],
    ["list", "- one\n  - two"],
    ["table", "a | b\n1 | 2"],
    ["table", "k\nv"],
    ["code", "x()"],
    ["footnote", "[w] Word"],
  ]);
});

test("raised digits do not join the number before them, in paragraphs, items, cells, code and Markdown", async () => {
  const { blocks } = await html(
    `<p>10<sup>6</sup> cells, <a href="#">85</a><sup>2</sup> euros, CO<sub>2</sub>, 5<sup>th</sup> floor</p>
     <div>25 m<sup>2</sup><br><i>2019</i><sup><a href="#n">3</a></sup></div>
     <ul><li>640<sup>1</sup></li></ul><pre>a\n 10<sup>6</sup></pre><h2>10<sup>9</sup></h2>
     <table><tr><td>1,31<sup>1</sup></td><td>7</td></tr></table>`,
  );
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["10⁶ cells, 85[2] euros, CO2, 5th floor", "25 m² 2019[3]", "- 640[1]", "a\n 10⁶", "10⁹", "1,31[1] | 7"],
  );
  const marked = await markdown(
    "# 10<sup>9</sup>\n\nThe *10*<sup>6</sup> cells, **85<sup>2</sup>** euros, H<sub>2</sub>O, 3 m&sup2;\n\n- 640<sup>1</sup>\n\n| a |\n|---|\n| 640<sup>1</sup> |",
  );
  assert.deepEqual(
    marked.blocks.map(({ text }) => text),
    ["10⁹", "The 10⁶ cells, 85[2] euros, H2O, 3 m²", "- 640[1]", "a\n640[1]"],
  );
});
