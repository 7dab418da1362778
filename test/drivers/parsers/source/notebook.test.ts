import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openParserPool } from "../../../../src/drivers/parsers/process/pool.ts";
import notebookParser from "../../../../src/drivers/parsers/source/notebook.ts";
import { source } from "../make.ts";

const folder = await mkdtemp(join(tmpdir(), "ragctl-notebook-"));
after(() => rm(folder, { recursive: true, force: true }));

const bytesOf = (cells: readonly object[]) =>
  new Uint8Array(Buffer.from(JSON.stringify({ nbformat: 4, cells })));
const read = (cells: readonly object[]) => notebookParser().parse(bytesOf(cells), { name: "study.ipynb" });

test("a notebook is read cell by cell: text, code, and what outputs have of text", async () => {
  const { title, blocks, warnings } = await read([
    { cell_type: "markdown", source: ["# Flow\n", "\n", "The flow of the valve."] },
    {
      cell_type: "code",
      source: "print(3)",
      outputs: [
        { output_type: "stream", text: ["3\n"] },
        { output_type: "execute_result", data: { "text/plain": "<Figure>", "image/png": "AAAA" } },
        { output_type: "display_data", data: { "image/png": "AAAA" } },
        { output_type: "error", evalue: "division by zero", traceback: [] },
      ],
    },
    { cell_type: "raw", source: "" },
  ]);
  assert.equal(title, "Flow");
  assert.deepEqual(
    blocks.map(({ kind, text, place }) => [kind, text, place?.unit, place?.number]),
    [
      ["heading", "Flow", "cell", 1],
      ["paragraph", "The flow of the valve.", "cell", 1],
      ["code", "print(3)", "cell", 2],
      ["code", "3", "cell", 2],
      ["code", "<Figure>", "cell", 2],
      ["code", "division by zero", "cell", 2],
    ],
  );
  assert.deepEqual(warnings, ["1 output was skipped: without text, as a picture"]);
});

test("outputs are read as a terminal and a page show them, whatever form they have, and those of a cell without source, too", async () => {
  const { blocks } = await read([
    {
      cell_type: "code",
      source: [],
      outputs: [
        {
          output_type: "error",
          ename: "SingularMatrixError",
          evalue: "",
          traceback: ["\u001b[0;31mx\u001b[0m"],
        },
        { output_type: "error", ename: "KeyError", evalue: "'tide'" },
        {
          output_type: "stream",
          text: ["\r 10%|# | 1/10\r100%|##| 10/10\n", "\u001b[32mrmse 0.118 m\u001b[0m\n"],
        },
        { output_type: "display_data", data: { "text/markdown": ["**Peak surge:** 1.9 m"] } },
        {
          output_type: "display_data",
          data: { "text/plain": "<IPython.core.display.HTML object>", "text/html": "<p>Depth 27 m</p>" },
        },
        { output_type: "display_data", data: { "application/json": { offset: 0.07 } } },
        { output_type: "display_data", data: { "text/latex": "$x = 3$" } },
      ],
    },
  ]);
  assert.deepEqual(
    blocks.map(({ text }) => text),
    [
      "SingularMatrixError",
      "KeyError: 'tide'",
      "100%|##| 10/10\nrmse 0.118 m",
      "Peak surge: 1.9 m",
      "Depth 27 m",
      '{"offset":0.07}',
      "$x = 3$",
    ],
  );
});

test("a notebook of format 3 is read from its worksheets", async () => {
  const old = {
    nbformat: 3,
    worksheets: [
      {
        cells: [
          { cell_type: "heading", level: 2, source: ["Tides"] },
          {
            cell_type: "code",
            input: ["print(5.1)"],
            outputs: [
              { output_type: "stream", text: ["5.1\n"] },
              { output_type: "pyout", html: ["<b>27 m</b>"] },
              { output_type: "pyerr", ename: "ValueError", evalue: "x" },
            ],
          },
        ],
      },
    ],
  };
  const { title, blocks } = await notebookParser().parse(new Uint8Array(Buffer.from(JSON.stringify(old))), {
    name: "old.ipynb",
  });
  assert.equal(title, "Tides");
  assert.deepEqual(
    blocks.map(({ kind, text }) => [kind, text]),
    [
      ["heading", "Tides"],
      ["code", "print(5.1)"],
      ["code", "5.1"],
      ["paragraph", "27 m"],
      ["code", "ValueError: x"],
    ],
  );
});

test("a file that is no notebook is damaged, and says why", async () => {
  const wrong = (text: string) =>
    notebookParser().parse(new Uint8Array(Buffer.from(text)), { name: "a.ipynb" });
  await assert.rejects(wrong('{"cells": '), { code: "SOURCE_DAMAGED" });
  const reasons = {
    '{"cells": 3}': "cells: must be a list, not a number",
    '{"cells": [null]}': "cells.0: must be a mapping, not nothing",
    "[1]": "must be a mapping, not a list",
    '"x"': "must be a mapping, not text",
    '{"metadata": {}}': "cells: is missing",
  };
  for (const [text, reason] of Object.entries(reasons))
    await assert.rejects(wrong(text), {
      code: "SOURCE_DAMAGED",
      message: `cannot read a.ipynb as a Jupyter notebook: ${reason}`,
    });
});

test("a notebook with outputs of 100 MB is read within the memory of a document, up to their beginnings", async () => {
  const lines = Array.from({ length: 500_000 }, (_, at) => `epoch ${at} loss ${"0".repeat(80)}\n`);
  const picture = { output_type: "display_data", data: { "image/png": "A".repeat(50_000_000) } };
  const cells = [
    { cell_type: "code", source: "train()", outputs: [{ output_type: "stream", text: lines }, picture] },
  ];
  const file = await source(join(folder, "big.ipynb"), "big.ipynb", "notebook", bytesOf(cells));
  await using pool = openParserPool({ workers: 1, timeoutMs: 120_000, memoryMb: 640, maxBytes: 200_000_000 });
  const { content } = await pool.parse(file, new AbortController().signal);
  assert.deepEqual(
    content.blocks.map(({ text }) => text.length),
    ["train()".length, 4000],
  );
  assert.deepEqual(content.warnings, [
    "1 output was read up to the first 4000 characters",
    "1 output was skipped: without text, as a picture",
  ]);
});
