import assert from "node:assert/strict";
import { test } from "node:test";
import htmlParser from "../../../../src/drivers/parsers/markup/html.ts";
import markdownParser from "../../../../src/drivers/parsers/markup/markdown.ts";

const texts = async (page: string) =>
  (await htmlParser().parse(new TextEncoder().encode(page), { name: "page.html" })).blocks.map(
    ({ text }) => text,
  );

test("text that nobody sees is left out, and text shown inside it is kept", async () => {
  const hidden = [
    'style="visibility: hidden"',
    'style="opacity:0"',
    'style="OPACITY: 0.0 !important"',
    'style="font-size:0px"',
    'style="display:none"',
    'style="position:absolute;left:-9999px"',
    'style="text-indent:-5000px"',
    'style="height:0;overflow:hidden"',
    'style="color:#fff;background:white"',
    'style="mso-hide:all"',
    'class="gone"',
    'id="faint"',
    'class="box far"',
    "hidden",
  ];
  const style = `<style>/* .seen{display:none} */ .gone, .other{display:none} #faint{opacity:0} .box.far{clip-path:inset(100%)}
    @media print { .seen{display:none} } .seen:hover{opacity:0} .tab{display:none} .tab.active{display:block}</style>`;
  assert.deepEqual(
    await texts(
      `<head>${style}</head><body>${hidden.map((attributes, index) => `<p ${attributes}>unseen ${index}</p>`).join("")}
      <p class="seen">Seen.</p><p class="tab">Other tab</p><p class="tab active">Open tab</p>
      <div style="visibility:hidden">no <span style="visibility:visible">yes</span></div>
      <div style="font-size:0">no <span style="font-size:80%">no</span><b style="font-size:14px">mail</b></div>
      <p style="opacity:0.5;font-size:0.8em;color:#fff;background:#003">Pale.</p></body>`,
    ),
    ["Seen.", "Open tab", "yes", "mail", "Pale."],
  );
});

test("a formula in MathML is one text in its place", async () => {
  const formula = (inner: string, more = "") => `<math ${more}>${inner}</math>`;
  const power = "<msup><mi>c</mi><mn>2</mn></msup>";
  assert.deepEqual(
    await texts(
      `<p>Energy ${formula(`<mi>E</mi><mo>=</mo><mi>m</mi><mo>&#x2062;</mo>${power}`)} at rest.</p>
      <div>${formula("<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac><mo>≤</mo><mroot><mi>x</mi><mn>3</mn></mroot>", 'display="block"')}</div>
      <ul><li>${formula(`<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>sin</mi><mfenced><mi>α</mi><mi>β</mi></mfenced>`)}</li></ul>
      <p style="position:absolute;clip:rect(1px,1px,1px,1px)">${formula('<semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">x_1</annotation></semantics>')}</p>
      <p>${formula("<mover><mi>x</mi><mo>^</mo></mover><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>")}</p>
      <p>${formula("<mi>v</mi><mo>&lt;</mo><mn>5</mn><mo>%</mo><mtext>&nbsp;at most</mtext>")}</p>
      <p>${formula("<mi>v</mi><mo>&lt;</mo><mn>5</mn>", 'a"b=1')}</p>`,
    ),
    [
      "Energy $E = m c^{2}$ at rest.",
      "$$\\frac{a + 1}{b} \\leq \\sqrt[3]{x}$$",
      "- $\\sum_{i}^{n} sin \\left(\\alpha,\\beta\\right)$",
      "$x_1$",
      "$\\hat{x} \\begin{matrix}1 & 2\\end{matrix}$",
      "$v < 5 \\% \\text{ at most}$",
      "$v<5$",
    ],
  );
});

test("a cell covers the columns that there are, whatever it claims", async () => {
  const { blocks } = await htmlParser().parse(
    new TextEncoder().encode(
      `<table><tr><th>Item</th><th colspan="3">Price</th></tr><tr><td colspan="100">Section A</td></tr><tr><td>Bolt</td><td>4</td><td>5</td></tr></table>`,
    ),
    { name: "page.html" },
  );
  assert.deepEqual(blocks[0]?.table?.rows, [
    ["Item", "Price", "Price"],
    ["Section A", "Section A", "Section A"],
    ["Bolt", "4", "5"],
  ]);
  assert.deepEqual(
    blocks[0]?.table?.spans?.map(({ columns }) => columns),
    [2, 3],
  );
});

test("boxes of tasks say what is done, in pages and in Markdown", async () => {
  assert.deepEqual(
    await texts(
      `<ul><li><input type="checkbox" checked disabled> Order</li><li><label><input type=checkbox> Book</label></li></ul><form><p><input type="radio"> No <input type="radio" checked> Yes</p></form><p><span role="checkbox" aria-checked="true">Paid</span></p>`,
    ),
    ["- [x] Order\n- [ ] Book", "[ ] No [x] Yes", "[x] Paid"],
  );
  const markdown =
    "- [x] order\n- [ ] book\n  - [X] nested\n- plain\n\n1. [ ] one\n\n<input type='checkbox' checked> inline\n";
  const { blocks } = await markdownParser().parse(new TextEncoder().encode(markdown), { name: "page.md" });
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["- [x] order\n- [ ] book\n  - [x] nested\n- plain", "1. [ ] one", "[x] inline"],
  );
});

test("text that is struck out is left out and counted, by element or by style", async () => {
  const { blocks, warnings } = await htmlParser().parse(
    new TextEncoder().encode(
      `<style>.old{text-decoration:line-through red} s.keep{text-decoration:none}</style>
      <p>Rate: <s>62 euros</s> 71 euros</p><p>Fee: <span style="text-decoration-line: underline line-through">90</span> 110</p>
      <p><del>Discount of 5 percent.</del></p><p class="old">Closed on Monday.</p><strike> </strike>
      <table><tr><th>Pier</th><th>Fee</th></tr><tr><td>A</td><td><strike>7</strike> 9</td></tr></table>
      <ul><li><del>gone</del></li><li>stays <s class="keep">whole</s></li></ul><p role="deletion">No.</p>`,
    ),
    { name: "page.html" },
  );
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["Rate: 71 euros", "Fee: 110", "Pier | Fee\nA | 9", "- stays whole"],
  );
  assert.deepEqual(warnings, ["7 struck-out passages were left out"]);
});

test("text that is struck out in Markdown is left out, in its own marks and in HTML, tasks that are done are not", async () => {
  const { blocks, warnings } = await markdownParser().parse(
    new TextEncoder().encode(
      [
        "Rate: ~~62 euros~~ 71 euros, H~2~O, about ~5 and `~~x~~`",
        "",
        'Fee: <s>90 <b>euros</b></s> 110 <span style="text-decoration: line-through">each <span>day</span></span> a night <del>open',
        "",
        "- ~~Monday~~",
        "- Tuesday",
        "- [x] ~~order steel~~",
        "",
        "| Pier | Fee |",
        "|---|---|",
        "| A | ~~7~~ 9 |",
        "",
        "## ~~Old~~ New",
        "",
        "<p>Whole <del>part</del></p>",
        "",
        "Note.[^1]",
        "",
        "[^1]: Now ~~6~~ 8.",
      ].join("\n"),
    ),
    { name: "a.md" },
  );
  assert.deepEqual(
    blocks.map(({ text }) => text.replace(/ {2,}/g, " ")),
    [
      "Rate: 71 euros, H2O, about ~5 and ~~x~~",
      "Fee: 110 a night open",
      "- Tuesday\n- [x] order steel",
      "Pier | Fee\nA | 9",
      "New",
      "Whole",
      "Note.[1]",
      "[1] Now 8.",
    ],
  );
  assert.deepEqual(warnings, ["8 struck-out passages were left out"]);
});
