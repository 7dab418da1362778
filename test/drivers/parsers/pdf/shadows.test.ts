import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, parsePdf } from "../pdf-make.ts";

const rows = [
  ["Education", "High school", "College"],
  ["Mean", "4", "55"],
  ["Sum", "40", "50"],
];

const offsets: readonly [number, number][] = [
  [0, 0],
  [0.3, 0],
  [0.6, 0.4],
];
for (const [x, y] of offsets) {
  test(`cells that are drawn twice, ${x} points to the right and ${y} below, are read once`, async () => {
    const { blocks } = await parsePdf(
      await drawn([
        ({ rule, write }) => {
          for (const left of [60, 160, 260, 360]) rule(left, 100, left, 160);
          for (const top of [100, 120, 140, 160]) rule(60, top, 360, top);
          for (const [at, row] of rows.entries())
            for (const [column, cell] of row.entries())
              for (const time of [0, 1]) write(cell, 64 + column * 100 + time * x, 114 + at * 20 + time * y);
        },
      ]),
    );
    assert.deepEqual(blocks[0]?.table?.rows, rows);
  });
}
