import assert from "node:assert/strict";
import { test } from "node:test";
import { filterByMetadata, metadataCondition } from "../../../src/core/metadata/conditions.ts";
import {
  fileMetadata,
  type Metadata,
  mergeMetadata,
  metadataKind,
  parseMetadataArguments,
} from "../../../src/core/metadata/metadata.ts";

const documents = (...all: readonly Metadata[]) => all.map((metadata, at) => ({ id: at, metadata }));

function found(all: readonly Metadata[], ...texts: readonly string[]): readonly number[] {
  const conditions = texts.map((text) => metadataCondition(text) ?? assert.fail(text));
  return filterByMetadata(documents(...all), conditions).map(({ id }) => id);
}

test("what is typed is a number, a truth value, a date or text, and several of one key are a list", () => {
  const given = parseMetadataArguments([
    "department=legal",
    "Version=1.15",
    "valid=true",
    "signed=2024-06-01",
    "at=2024-06-01 10:00:00+02:00",
    "code=007",
    'build="1.10"',
    "tags=pump",
    "tags=seal",
    "gone=",
  ]);
  assert.deepEqual(given, {
    department: "legal",
    version: 1.15,
    valid: true,
    signed: "2024-06-01",
    at: "2024-06-01T08:00:00Z",
    code: "007",
    build: "1.10",
    tags: ["pump", "seal"],
    gone: null,
  });
  const kinds = Object.values(given).flatMap((value) => (value === null ? [] : [metadataKind(value)]));
  assert.deepEqual(kinds, ["text", "number", "boolean", "date", "date", "text", "text", "list"]);
});

test("what cannot be metadata is refused with the reason", () => {
  const refused = (pair: string): string => {
    try {
      parseMetadataArguments([pair]);
    } catch (error) {
      return String(error);
    }
    return "taken";
  };
  for (const pair of ["department", "=legal", "1st=a", "a b!=c"])
    assert.match(refused(pair), /is not KEY=VALUE/);
  assert.match(refused("title=Mine"), /title cannot be set/);
  assert.match(refused(`note=${"x".repeat(201)}`), /201 characters/);
  const many = Array.from({ length: 51 }, (_, at) => `k${at}=1`);
  assert.throws(() => parseMetadataArguments(many), /at most 50 metadata keys/);
  const before = Object.fromEntries(many.slice(0, 50).map((pair) => [pair.slice(0, -2), 1]));
  assert.throws(() => mergeMetadata(before, { another: 1 }), /at most 50/);
});

test("what is given later replaces keys, takes keys away and leaves the others", () => {
  assert.deepEqual(mergeMetadata({ a: 1, b: 2, c: 3 }, { b: "two", c: null }), { a: 1, b: "two" });
});

test("properties of a file are bounded, harmless and without what a document states itself", () => {
  const properties = {
    "Last Updated": "2024-06-01",
    title: "A title",
    author: `A.\u202e Smith\u0000\n${"x".repeat(500)}`,
    nested: { a: 1 },
    "": "x",
    "</script>": "x",
    empty: "  ",
    constructor: "Ada",
    list: ["a", 2, { b: 1 }, "a", ""],
    number: Number.NaN,
  };
  const kept = fileMetadata(properties);
  assert.deepEqual(Object.keys(kept), ["last_updated", "author", "constructor", "list"]);
  assert.match(String(kept["author"]), /^A\. Smith x+$/);
  assert.equal(String(kept["author"]).length, 200);
  assert.deepEqual(kept["list"], ["a", "2"]);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at]));
  assert.equal(Object.keys(fileMetadata(many)).length, 50);
});

test("numbers are compared as numbers", () => {
  const all = [{ version: 1.9 }, { version: 1.15 }, { version: 2 }, { other: 2 }];
  assert.deepEqual(found(all, "version>=1.2"), [0, 2]);
  assert.deepEqual(found(all, "version<1.9"), [1]);
  assert.deepEqual(found(all, "version<=1.9"), [0, 1]);
  assert.deepEqual(found(all, "version>1.15", "version<2"), [0]);
  assert.deepEqual(found(all, "version=2.0"), [2]);
});

test("a day, month or year is all the time in it", () => {
  const all = [{ created: "2023-12-31" }, { created: "2024-06-01" }, { created: "2024-06-30T23:59:59Z" }];
  assert.deepEqual(found(all, "created=2024"), [1, 2]);
  assert.deepEqual(found(all, "created>2023"), [1, 2]);
  assert.deepEqual(found(all, "created<=2024-06"), [0, 1, 2]);
  assert.deepEqual(found(all, "created<2024-06-01"), [0]);
  assert.deepEqual(found(all, "created=2024-06-30"), [2]);
  assert.deepEqual(found(all, "created>=2024-06-30T23:59:59Z"), [2]);
});

test("texts and items of lists are equal in any case, truth values as such", () => {
  const all = [
    { author: "Ada", tags: ["Pump", "seal"], valid: true },
    { author: "ADA LOVELACE", tags: ["valve"], valid: false },
  ];
  assert.deepEqual(found(all, "author=ada"), [0]);
  assert.deepEqual(found(all, 'author="ada lovelace"'), [1]);
  assert.deepEqual(found(all, "tags=PUMP"), [0]);
  assert.deepEqual(found(all, "valid=false"), [1]);
});

test("an unknown key names those that there are, and a value of another kind what there is", () => {
  const all = [{ version: 1.5, author: "Ada" }, { valid: true }];
  assert.throws(() => found(all, "versoin=1"), /"versoin"; did you mean "version"/);
  assert.throws(
    () => found(all, "x=1"),
    (error: Error & { readonly hint?: string }) =>
      error.hint === "keys: title, method, author, valid, version",
  );
  assert.throws(() => found([{}], "constructor=1"), /no document here has/);
  assert.throws(() => found(all, "version>=abc"), /version>=abc cannot be compared: version is a number/);
  assert.throws(() => found(all, "author>=2"), /author is a text/);
  assert.throws(() => found(all, "valid=perhaps"), /valid is a boolean/);
});
