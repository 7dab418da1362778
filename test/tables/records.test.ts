import assert from "node:assert/strict";
import { test } from "node:test";
import openSource from "../../src/drivers/parsers/source/source.ts";

const contentOf = (name: string, content: string) =>
  openSource().parse(new TextEncoder().encode(content), { name });

const tablesOf = async (name: string, content: string) => (await contentOf(name, content)).tables ?? [];

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

test("lists of mappings in YAML are tables too, unless it repeats by aliases", async () => {
  const [table] = await tablesOf(
    "staff.yaml",
    "staff:\n  - {name: Ada, room: 4}\n  - {name: Bo, room: 12}\n",
  );
  assert.deepEqual(table, {
    rows: [
      ["name", "room"],
      ["Ada", "4"],
      ["Bo", "12"],
    ],
    headerRows: 1,
    rowNumbers: [1, 2],
    caption: "staff",
  });
  assert.deepEqual(await tablesOf("b.yaml", "a: &a {x: 1}\nlist:\n  - *a\n  - *a\n"), []);
});

test("rows and columns of records beyond the limits are counted in a warning", async () => {
  const lines = Array.from({ length: 100_003 }, (_, at) => `{"n":${at}}`).join("\n");
  const { tables, warnings } = await contentOf("long.jsonl", lines);
  assert.equal(tables?.[0]?.rows.length, 100_001);
  assert.ok(warnings.includes("the table of the records has only the first 100000 of 100003 records"));
  const wide = JSON.stringify(
    [1, 2].map(() => Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`c${at}`, at]))),
  );
  const other = await contentOf("wide.json", wide);
  assert.ok(other.warnings.includes("the table of the records has only the first 500 of 501 columns"));
});
