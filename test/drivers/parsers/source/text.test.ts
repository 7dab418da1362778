import assert from "node:assert/strict";
import { test } from "node:test";
import textParser from "../../../../src/drivers/parsers/source/text.ts";
import { processorMs } from "../../../helpers/processor-time.ts";

const parse = (name: string, ...lines: readonly string[]) =>
  textParser().parse(new Uint8Array(Buffer.from(lines.join("\n"))), { name });
const read = async (name: string, ...lines: readonly string[]) =>
  (await parse(name, ...lines)).blocks.map(
    ({ kind, level, text, place }) =>
      `${place?.number} ${kind === "heading" ? `${"#".repeat(level ?? 0)} ` : ""}${text}`,
  );

test("a text is cited by its lines, headings, blank lines and page breaks counted", async () => {
  assert.deepEqual(await read("a.txt", "", "Limits", "------", "One", "two.", "", "", "Three\fFour"), [
    "2 # Limits",
    "4 One\ntwo.",
    "8 Three",
    "8 Four",
  ]);
});

test("headings of AsciiDoc, Org and LaTeX are found wherever their line stands, and in no other text", async () => {
  assert.deepEqual(await read("a.adoc", "= Guide", "Words.", "", "== Limits", "", "More."), [
    "1 # Guide",
    "2 Words.",
    "4 ## Limits",
    "6 More.",
  ]);
  assert.deepEqual(await read("a.org", "Words.", "* Pumps", "Some.", "** Seals", "More."), [
    "1 Words.",
    "2 # Pumps",
    "3 Some.",
    "4 ## Seals",
    "5 More.",
  ]);
  assert.deepEqual(await read("a.tex", "\\chapter{Pumps}", "\\section*{Seals}\\label{s}", "Words."), [
    "1 ## Pumps",
    "2 ### Seals",
    "2 \\label{s}\nWords.",
  ]);
  assert.deepEqual(await read("a.txt", "* Pumps", "Words."), ["1 * Pumps\nWords."]);
});

test("directives of reStructuredText with rows are tables, cited by the lines of their rows", async () => {
  const { blocks } = await parse(
    "a.rst",
    "Words.",
    "",
    ".. list-table:: Loads",
    "   :header-rows: 1",
    "   :widths: 20 80",
    "",
    "   * - Drum",
    "     - Load",
    "   * - D1",
    "     - 3 t,",
    "       at most",
    "   * -",
    "     - - wet",
    "       - dry",
    ".. note::",
    "   .. csv-table:: Ropes",
    '      :header: "Rope", "Metres, dry"',
    "",
    '      "R1 ""old""", 40',
    "",
    '      R2, "75',
    '      or less"',
    "      R3, 80",
    "",
    "More.",
  );
  assert.deepEqual(
    blocks.map(({ kind, text, place, table }) => [place?.number, kind, text, table?.rowNumbers]),
    [
      [1, "paragraph", "Words.", undefined],
      [3, "caption", "Loads", undefined],
      [3, "table", "Drum | Load\nD1 | 3 t, at most\n | - wet - dry", [9, 12]],
      [15, "paragraph", ".. note::", undefined],
      [16, "caption", "Ropes", undefined],
      [16, "table", 'Rope | Metres, dry\nR1 "old" | 40\nR2 | 75 or less\nR3 | 80', [19, 21, 23]],
      [25, "paragraph", "More.", undefined],
    ],
  );
  assert.deepEqual(await read("b.rst", ".. csv-table:: Elsewhere", "   :file: rows.csv", "", "End."), [
    "1 .. csv-table:: Elsewhere\n   :file: rows.csv",
    "4 End.",
  ]);
});

test("comments of markup are not read, and what looks like one in a block of code is", async () => {
  assert.deepEqual(
    await read(
      "a.rst",
      ".. the old rope had 55 metres",
      "   and 40 before.",
      "",
      "   Still.",
      "",
      "..",
      "",
      "   Quoted.",
      "",
      "..",
      "  Not.",
      ".. [1] A note.",
      ".. _top:",
      ".. note:: Read.",
    ),
    ["8    Quoted.", "12 .. [1] A note.\n.. _top:\n.. note:: Read."],
  );
  assert.deepEqual(
    await read(
      "a.org",
      "* COMMENT Old plan",
      "Blue.",
      "** Below",
      "Blue, too.",
      "* TODO COMMENT Older",
      "Green.",
      "* No COMMENT here",
      "# a comment",
      "Red.",
      "#+BEGIN_SRC sh",
      "# shown",
      "#+END_SRC",
      "#+begin_comment",
      "Grey.",
      "#+end_comment",
      "#+BEGIN_COMMENT",
      "Not closed.",
    ),
    ["7 # No COMMENT here", "9 Red.\n#+BEGIN_SRC sh\n# shown\n#+END_SRC", "16 #+BEGIN_COMMENT\nNot closed."],
  );
  assert.deepEqual(
    await read("a.adoc", "// no", "Yes.", "////", "no", "////", "----", "// code", "----", "http://x.org"),
    ["2 Yes.", "6 ----\n// code\n----\nhttp://x.org"],
  );
});

test("texts stand for the names that AsciiDoc and reStructuredText define, within bounds", async () => {
  assert.deepEqual(
    await read(
      "a.adoc",
      ":ver: 4.2",
      ":full: Winch {ver}",
      "",
      "The {full} of {other} has {ver}.",
      String.raw`\{ver}`,
      ":ver: 5",
      "{ver}",
    ),
    ["1 :ver: 4.2\n:full: Winch {ver}", "4 The Winch 4.2 of {other} has 4.2.\n\\{ver}\n:ver: 5\n5"],
  );
  assert.deepEqual(await read("a.rst", "Of |old ver|, |x|.", "", ".. |old ver| replace:: 4.2"), [
    "1 Of 4.2, |x|.",
    "3 .. |old ver| replace:: 4.2",
  ]);
  assert.deepEqual(await read("a.txt", ":ver: 4.2", "", "The {ver}."), ["1 :ver: 4.2", "3 The {ver}."]);
  const bomb = Array.from({ length: 30 }, (_, at) => `:l${at + 1}: {l${at}}{l${at}}{l${at}}`);
  const { blocks } = await parse("a.adoc", ":l0: lol", ...bomb, "", "{l30}");
  assert.ok(blocks.reduce((sum, { text }) => sum + text.length, 0) < 2_000_000);
});

test("letters and signs of LaTeX are read by their commands, and code is shown as it is", async () => {
  const [block] = (
    await parse(
      "a.tex",
      String.raw`M{\"u}ller, M\"uller, M\"{u}ller; Stra\ss e, Stra{\ss}e; \c{c}a, \c c, {\v s}, \'{\i}, na\"\i ve;`,
      String.raw`\emph{\"u} \textbf{\o}, {\O}re, \L{}\'od\'z, \vec{x}, \v{x}; 4.7\,\% of R\&D. % not 9`,
      String.raw`\url{http://x.org/a%20b}, 5\% % \url{x}`,
      String.raw`\begin{verbatim}`,
      String.raw`% \"o`,
      String.raw`\end{verbatim}`,
    )
  ).blocks;
  assert.deepEqual(block?.text.split("\n"), [
    "Müller, Müller, Müller; Straße, Straße; ça, ç, š, í, naïve;",
    String.raw`\emph{ü} \textbf{ø}, Øre, Łódź, \vec{x}, \v{x}; 4.7 % of R&D. `.trimEnd(),
    String.raw`\url{http://x.org/a%20b}, 5%`,
    String.raw`\begin{verbatim}`,
    String.raw`% \"o`,
    String.raw`\end{verbatim}`,
  ]);
});

test("tables of LaTeX are tables, cited by the lines of their rows", async () => {
  const { blocks } = await parse(
    "a.tex",
    String.raw`\newcommand{\east}{East basin}`,
    String.raw`\begin{table}\begin{tabular*}{\textwidth}[t]{l@{\,}rr}\toprule`,
    String.raw`Basin & \multicolumn{2}{c}{R\&D, \%} \\ \cmidrule(lr){2-3}`,
    String.raw`\east & 9.1`,
    String.raw`  & 8.4 \\[2pt]`,
    "% West & 1 & 2",
    String.raw`\textbf{K\"oln} & & 7.6`,
    String.raw`\\ \hline \end{tabular*} Source: us.`,
    String.raw`\end{table}`,
    String.raw`\begin{tabular}{ll} a & 1 \\ b & 2 \end{tabular}`,
    String.raw`\begin{tabular}{ll} a & \begin{tabular}{l} x \\ y \end{tabular} \\`,
    String.raw`\end{tabular}`,
    String.raw`\begin{tabular}{ll} open & 1 \\`,
  );
  assert.deepEqual(
    blocks.map(({ kind, text, place, table }) => [place?.number, kind, text, table?.rowNumbers]),
    [
      [
        1,
        "paragraph",
        String.raw`\newcommand{\east}{East basin}
\begin{table}`,
        undefined,
      ],
      [2, "table", "Basin | R&D, %\nEast basin | 9.1 | 8.4\nKöln |  | 7.6", [4, 7]],
      [8, "paragraph", " Source: us.\n\\end{table}", undefined],
      [10, "table", "a | 1\nb | 2", [10, 10]],
      [
        11,
        "paragraph",
        String.raw`\begin{tabular}{ll} a & \begin{tabular}{l} x \\ y \end{tabular} \\
\end{tabular}
\begin{tabular}{ll} open & 1 \\`,
        undefined,
      ],
    ],
  );
});

test("a text of thousands of comments, names and tables takes time in proportion to its length", async () => {
  const kinds: readonly (readonly [string, string])[] = [
    ["a.adoc", ":a: b\n----\n{a} // c\n----\n-----\n"],
    ["a.org", "#+begin_src\n# x\n#+end_src\n#+begin_comment\n* COMMENT x\n"],
    ["a.rst", ".. x\n   y\n.. note::\n   .. list-table::\n\n      * - a\n        - b\n"],
    ["a.rst", '.. csv-table::\n\n   "a\n'],
  ];
  for (const [name, piece] of kinds) {
    const cost = (often: number) => processorMs(() => parse(name, piece.repeat(often)));
    await cost(500);
    const before = Math.max(20, await cost(2_500));
    const growth = (await cost(20_000)) / before;
    assert.ok(growth < 20, `${name}: 8 times the text, ${growth.toFixed(1)} times the work`);
  }
});
