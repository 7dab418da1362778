import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesTextCondition } from "../../src/core/retrieval.ts";
import { dayOrTime, metaPair, pageRange, sectionWords } from "../../src/shapes/narrowing.ts";

const problem = (result: { readonly error?: { readonly issues: readonly { readonly message: string }[] } }) =>
  result.error?.issues[0]?.message;

test("pages are one or a range from 1, of bounded length", () => {
  assert.deepEqual(pageRange.parse("3"), { from: 3, to: 3 });
  assert.deepEqual(pageRange.parse("3 – 5"), { from: 3, to: 5 });
  for (const text of ["0", "5-3", "", "3-", "-3", "1.5", "3-5-7", "1e3"])
    assert.match(problem(pageRange.safeParse(text)) ?? "", /must be a page or a page range/, text);
  assert.match(problem(pageRange.safeParse("1-10001")) ?? "", /at most 10000 pages/);
  assert.deepEqual(pageRange.parse("1-10000"), { from: 1, to: 10_000 });
});

test("a day is its midnight in UTC, and one that is none is refused", () => {
  assert.equal(dayOrTime.parse("2026-03-01"), "2026-03-01T00:00:00.000Z");
  assert.equal(dayOrTime.parse("2026-03-01T12:00:00+02:00"), "2026-03-01T10:00:00.000Z");
  for (const text of [
    "yesterday",
    "2026-13-01",
    "2026-02-29",
    "2026-03-01T99:00",
    "2026-04-31T12:00:00Z",
    "01.03.2026",
  ])
    assert.match(problem(dayOrTime.safeParse(text)) ?? "", /must be a date or time/, text);
});

test("words of a heading are found however they are capitalised", () => {
  const section = sectionWords.parse(" an toàn điện ");
  const under = (...headings: string[]) => matchesTextCondition(section, { headings, title: "", method: "" });
  for (const heading of ["3.2 An toàn điện", "QUY ĐỊNH AN TOÀN ĐIỆN", "An Toàn Điện", "về an toàn điện"])
    assert.ok(under("Chương 1", heading), heading);
  assert.ok(!under() && !under("An toàn", "điện"));
  assert.ok(!under("1", "2", "3", "4", "5", "6", "an toàn điện"), "a path has six levels");
});

test("a pair names what a document states, and its value may hold an equals sign", () => {
  assert.deepEqual(metaPair.parse("title= a=b"), { text: "title", contains: ["a=b", "A=b", "A=B"] });
  assert.deepEqual(metaPair.parse("method=tesseract"), {
    text: "method",
    contains: ["tesseract", "Tesseract", "TESSERACT"],
  });
  for (const text of ["title>=x", "method<2"])
    assert.match(problem(metaPair.safeParse(text)) ?? "", /must be (?:title|method)=TEXT/, text);
});

test("any other key is a condition on metadata", () => {
  assert.deepEqual(metaPair.parse("Author=Ada"), { key: "author", operator: "=", value: "Ada" });
  assert.deepEqual(metaPair.parse("version >= 1.15"), { key: "version", operator: ">=", value: "1.15" });
  assert.deepEqual(metaPair.parse("created<2024-06-01"), {
    key: "created",
    operator: "<",
    value: "2024-06-01",
  });
  for (const text of ["title", "title=", "title= ", "=x", "1=x", "a b", "<2", ">=2"])
    assert.match(problem(metaPair.safeParse(text)) ?? "", /must be KEY=VALUE, or a range/, text);
});
