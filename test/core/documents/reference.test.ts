import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveDocument } from "../../../src/core/documents/reference.ts";

const document = (id: string, name: string, title = "") => ({
  ...{ id, name, title },
  path: `/data/${name}`,
  collection: "plans",
});
const visible = [
  document("aaaa111122223333", "2025/Price list 2025.xlsx"),
  document("bbbb111122223333", "north/plan.md"),
  document("cccc111122223333", "south/plan.md"),
  document("dddd111122223333", "top.md"),
  document("eeee111122223333", "old/top.md"),
];
const named = (reference: string): string => resolveDocument(reference, visible).name;

test("a document is found by the last part of its name where no other ends in it", () => {
  assert.equal(named("Price list 2025.xlsx"), "2025/Price list 2025.xlsx");
  assert.equal(named("top.md"), "top.md", "a whole name comes first");
  assert.throws(() => resolveDocument("Price list 2025.xlsx", visible, { isExact: true }), {
    code: "NOT_FOUND",
  });
  assert.throws(() => named("list 2025.xlsx"), { code: "NOT_FOUND" }, "a part of a word is no name");
});

test("a document is found by the beginning of its title, in whole words", () => {
  const titled = [
    ...visible,
    document("1111111122223333", "handbook.pdf", "Employee Handbook of the Works"),
    document("2222111122223333", "forms.pdf", "Forms of the Works"),
    document("3333111122223333", "travel.pdf", "Forms: travel"),
  ];
  const found = (reference: string) => resolveDocument(reference, titled).name;
  assert.equal(found("Employee Handbook"), "handbook.pdf");
  assert.equal(found("employee  handbook"), "handbook.pdf");
  assert.equal(found("Forms of the Works"), "forms.pdf");
  assert.throws(() => found("Employee Hand"), /did you mean "Employee Handbook of the Works"|no document/);
  assert.throws(() => found("Forms"), /matches 2 documents/);
  assert.throws(() => resolveDocument("Employee Handbook", titled, { isExact: true }), {
    code: "NOT_FOUND",
  });
});

test("a document is found by either form of its letters, two that differ only in it by their own", () => {
  const [composed, decomposed] = ["Hộp số.md", "Hộp số.md".normalize("NFD")];
  const one = document("ffff111122223333", decomposed);
  assert.equal(resolveDocument(composed, [...visible, one]), one);
  const two = document("9999111122223333", composed);
  for (const each of [one, two]) assert.equal(resolveDocument(each.path, [...visible, one, two]), each);
});

test("a document is found by a path from where it was typed, behind ids and names", () => {
  const place = "/data/2025/Price list 2025.xlsx";
  const reading = { isExact: true, place };
  assert.equal(resolveDocument("./Price list 2025.xlsx", visible, reading), visible[0]);
  assert.equal(resolveDocument("top.md", visible, reading), visible[3]);
  assert.equal(resolveDocument("cccc111122223333", visible, reading), visible[2]);
});

test("several documents that end in a name are listed", () => {
  assert.throws(() => named("plan.md"), {
    code: "NOT_FOUND",
    message:
      '"plan.md" matches 2 documents: bbbb111122223333 (north/plan.md in plans), cccc111122223333 (south/plan.md in plans)',
  });
});
