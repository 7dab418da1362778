import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecords, recordTables } from "../../../../src/app/ask/tables/records.ts";

async function tablesOf(name: string, content: string) {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const file = { path, name, format: "data", sizeBytes: Buffer.byteLength(content), sha256 } as const;
    assert.ok(isRecords(file));
    return await recordTables(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("lines of JSON are rows with the numbers of their lines, without the broken ones", async () => {
  const [table, ...others] = await tablesOf(
    "guests.jsonl",
    '\uFEFF{"id": 1, "name": "Zo\\u00eb", "home": {"city": "K\\u00f6ln"}}\n\n{"id": 99, "na\n{"id": 2, "tags": ["a", "b"], "left": null}\n',
  );
  assert.equal(others.length, 0);
  assert.deepEqual(table?.rows, [
    ["id", "name", "home.city", "tags", "left"],
    ["1", "Zoë", "Köln", "", ""],
    ["2", "", "", "a, b", ""],
  ]);
  assert.deepEqual(table?.rowNumbers, [1, 4]);
});

test("lists of objects in JSON are tables by their path, all else is none", async () => {
  const tables = await tablesOf(
    "plant.json",
    JSON.stringify({
      site: "A",
      pumps: [
        { tag: "P1", bar: 2.5 },
        { tag: "P2", bar: 4 },
      ],
      list: [1, 2],
      one: [{ a: 1 }],
    }),
  );
  assert.deepEqual(
    tables.map(({ caption, rows }) => [caption, rows]),
    [
      [
        "pumps",
        [
          ["tag", "bar"],
          ["P1", "2.5"],
          ["P2", "4"],
        ],
      ],
    ],
  );
  assert.deepEqual(await tablesOf("x.json", "[1, 2"), []);
});
