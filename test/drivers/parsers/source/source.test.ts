import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../../../../src/core/documents/document.ts";
import sourceParser from "../../../../src/drivers/parsers/source/source.ts";
import { processorMs } from "../../../helpers/processor-time.ts";

const read = (name: string, ...lines: readonly string[]) =>
  sourceParser().parse(new Uint8Array(Buffer.from(lines.join("\n"))), { name });
/** Blocks as `line text`, names as `# name`, deeper ones with more signs. */
const shown = (blocks: readonly Block[]) =>
  blocks.map(({ isName, level = 0, text, place }) =>
    isName === true ? `${"#".repeat(level)} ${text}` : `${place?.number} ${text}`,
  );
/** The names of parts, deeper ones with more signs. */
const names = async (name: string, ...lines: readonly string[]) =>
  shown((await read(name, ...lines)).blocks).filter((each) => each.startsWith("#"));

test("source code is cut at its definitions, each with the comments and decorators above it, and no line is lost", async () => {
  const { blocks, title, warnings } = await read(
    "src/pump.ts",
    'import x from "y";',
    "",
    "/** A pump. */",
    "export class Pump<T> {",
    "  speed = 3;",
    "  // Stops it.",
    "  stop(): void {}",
    "}",
    "export const limit = 3;",
  );
  assert.deepEqual(shown(blocks), [
    '1 import x from "y";',
    "# Pump",
    "3 /** A pump. */\nexport class Pump<T> {\n  speed = 3;",
    "## stop",
    "6   // Stops it.\n  stop(): void {}\n}",
    "# limit",
    "9 export const limit = 3;",
  ]);
  assert.deepEqual([title, warnings], ["src/pump.ts", []]);
});

test("the definitions of each language that a grammar is kept of are found", async () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "a.py",
      "@dec\nclass P(B):\n  def stop(self): pass\n\nasync def main(): pass",
      ["# P", "## stop", "# main"],
    ],
    ["a.go", "package a\ntype P struct { x int }\n\nfunc (p *P) Stop() {}", ["# P", "# Stop"]],
    [
      "a.rs",
      "pub struct P<T> { x: T }\nimpl<T> P<T> {\n  pub fn stop(&self) {}\n}",
      ["# P", "# P", "## stop"],
    ],
    [
      "A.java",
      "package a;\npublic class P {\n  P(int s) {}\n  void stop() {}\n}",
      ["# P", "## P", "## stop"],
    ],
    ["a.c", "#include <x>\nint main(int n, char **v) { return 0; }", ["# main"]],
    [
      "a.cpp",
      "namespace n {\nclass P {\n  int x() { return 1; }\n};\n}\nvoid n::P::stop() {}",
      ["# n", "## P", "### x", "# n::P::stop"],
    ],
    ["a.cs", "namespace A.B {\n class P {\n  public void Stop() {}\n }\n}", ["# A.B", "## P", "### Stop"]],
    ["a.rb", "module A\n class P < B\n  def stop\n  end\n end\nend", ["# A", "## P", "### stop"]],
    ["a.php", "<?php\nclass P {\n  function stop() {}\n}", ["# P", "## stop"]],
    ["a.sh", "X=1\nstop() {\n  echo 1\n}", ["# stop"]],
    ["a.ps1", "function Get-P($a) {\n  1\n}", ["# Get-P"]],
    ["a.css", "a, b > c { color: red }", ["# a, b > c"]],
    ["a.tsx", "export const App = () => <p>Hello</p>;\ninterface P { x: number }", ["# App", "# P"]],
    ["a.js", "export function stop() {}\nclass P {\n  go() {}\n}", ["# stop", "# P", "## go"]],
  ];
  for (const [name, text, expected] of cases) assert.deepEqual(await names(name, text), expected, name);
});

test("code of a language without a grammar is cut at the words that begin a definition, and broken code keeps all lines", async () => {
  assert.deepEqual(
    await names("a.kt", "package a", "data class Pump(val x: Int) {", "  fun stop() {}", "}"),
    ["# Pump", "## stop"],
  );
  assert.deepEqual(await names("a.sql", "CREATE TABLE IF NOT EXISTS pumps (", " id int", ");"), ["# pumps"]);
  const { blocks } = await read("a.ts", "<<<<<<< HEAD", "function stop( {", "=======");
  assert.equal(
    blocks
      .filter(({ isName }) => isName !== true)
      .map(({ text }) => text)
      .join("\n"),
    "<<<<<<< HEAD\nfunction stop( {\n=======",
  );
});

test("data in text is cut at its keys, tables and elements, and keeps every line", async () => {
  assert.deepEqual(await names("a.yaml", "server:", "  port: 80", "  tls:", "    cert: a", "pool: 3"), [
    "# server",
    "## tls",
  ]);
  assert.deepEqual(await names("a.json", "{", '  "server": {', '    "port": 80', "  }", "}"), ["## server"]);
  assert.deepEqual(await names("a.toml", "x = 1", "[server.tls]", 'cert = "a"', "[[pumps]]"), [
    "# server.tls",
    "# pumps",
  ]);
  assert.deepEqual(
    await names(
      "a.xml",
      "<project>",
      '  <target name="all">',
      "    <echo>x</echo>",
      "  </target>",
      "</project>",
    ),
    ["# project", "## target"],
  );
  const { blocks } = await read("a.jsonl", '{"a": 1}', '{"a": 2}');
  assert.deepEqual(shown(blocks), ['1 {"a": 1}\n{"a": 2}']);
});

test("each document of a YAML file is a part, and a tag before a value begins none", async () => {
  const documents = [
    "a: 1",
    "b:",
    "  c: 2",
    "--- # second",
    "kind: Alarm",
    "limit: !!float 4.5",
    "spec: &x",
    "  d: 3",
  ];
  assert.deepEqual(await names("a.yaml", "# all", ...documents, "---", "note: !!str |", "  e"), [
    "# document 1",
    "## b",
    "# document 2",
    "## spec",
    "# document 3",
    "## note",
  ]);
  assert.deepEqual(await names("a.yml", "%YAML 1.2", "# one", "---", "b:", "  c: 2", "..."), ["# b"]);
});

test("characters that data writes by their numbers are shown, and those that would change it are not", async () => {
  const shownIn = async (name: string, text: string) =>
    (await read(name, text)).blocks
      .filter(({ isName }) => isName !== true)
      .map((block) => block.text)
      .join("\n");
  for (const name of ["a.json", "a.jsonl", "a.geojson", "a.yaml", "a.properties", "a.toml", "a.log"])
    assert.equal(
      await shownIn(
        name,
        String.raw`city = "K\u00F6ln \ud83d\ude00 \\u00f6 \u0022 \u005c \n \ud83d x \u001b[31mred\u001b[0m"`,
      ),
      String.raw`city = "Köln 😀 \\u00f6 \u0022 \u005c \n \ud83d x red"`,
      name,
    );
  assert.equal(await shownIn("a.yaml", String.raw`"caf\xe9 \U0001F600"`), '"café 😀"');
  assert.equal(await shownIn("a.ts", String.raw`const x = "K\u00f6ln";`), String.raw`const x = "K\u00f6ln";`);
  assert.equal(
    await shownIn(
      "a.xml",
      "<a>1&#160;250 &#8364; K&#xf6;ln R&amp;D &firm; <![CDATA[&#246; & &amp;]]> &#10;</a>",
    ),
    "<a>1\u00a0250 € Köln R&D &firm; <![CDATA[&#246; & &amp;]]> &#10;</a>",
  );
});

test("lines of JSON lines that are no JSON are kept and named", async () => {
  const { blocks, warnings } = await read("a.jsonl", '\ufeff{"a": "K\\u00f6ln"}', "", '{"b": "x', "[1]");
  assert.match(blocks[0]?.text ?? "", /Köln[\s\S]*"x\n\[1\]/);
  assert.deepEqual(warnings, ["1 line was read as text, being no valid JSON: 3"]);
});

test("aliases of YAML and entities of XML stay as they are written", async () => {
  const aliases = Array.from(
    { length: 30 },
    (_, at) => `l${at}: &l${at} [*l${at - 1}, *l${at - 1}, *l${at - 1}]`,
  );
  const bomb = ["l: &l-1 [lol]", ...aliases].join("\n");
  const { blocks } = await read("bomb.yaml", bomb);
  assert.equal(
    blocks
      .map(({ text, isName }) => (isName === true ? "" : text))
      .filter((text) => text !== "")
      .join("\n"),
    bomb,
  );
  const entities = Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  const xml = ['<?xml version="1.0"?>', '<!DOCTYPE x [<!ENTITY l0 "lol">', ...entities, "]>", "<x>&l30;</x>"];
  const read2 = await read("bomb.xml", ...xml);
  assert.match(read2.blocks.map(({ text }) => text).join("\n"), /<x>&l30;<\/x>$/);
  assert.ok(read2.blocks.reduce((sum, { text }) => sum + text.length, 0) < 5_000);
});

test("a minified bundle is read whole, and named as one long line", async () => {
  const code = "function a(b){return b+1};".repeat(50_000);
  const { blocks, warnings } = await read("bundle.min.js", "/* x */", code);
  assert.equal(
    blocks
      .filter(({ isName }) => isName !== true)
      .map(({ text }) => text)
      .join("\n"),
    `/* x */\n${code}`,
  );
  assert.deepEqual(warnings, [
    "line 2 has 1300000 characters, like a minified file; it is cited as one line",
  ]);
});

test("of a log longer than the limit the beginning is read, and what follows is counted", async () => {
  const line = `2026-11-28 07:00:00 pump started ${"x".repeat(94)}\n`;
  const { blocks, warnings } = await read("pump.log", line.repeat(300_000));
  assert.deepEqual(warnings, ["only the first 32 MiB were read; 37856 later lines were skipped"]);
  assert.equal(blocks.at(-1)?.place?.number, 262_001);
  assert.ok(blocks.every(({ text }) => text.split("\n").length <= 200));
});

test("a file of thousands of definitions or comments takes time in proportion to its length", async () => {
  const kinds: readonly (readonly [string, string])[] = [
    ["a.py", "# What the pump does.\n"],
    ["a.py", "def stop(a, b):\n    return a + b\n"],
    ["a.js", "function stop() {\n"],
    ["a.rs", "#[test]\n"],
  ];
  for (const [name, piece] of kinds) {
    const cost = (often: number) => processorMs(() => read(name, piece.repeat(often)));
    await cost(100);
    const before = Math.max(20, await cost(500));
    const growth = (await cost(4_000)) / before;
    assert.ok(growth < 20, `${piece.trim()}: 8 times the text, ${growth.toFixed(1)} times the work`);
  }
});
